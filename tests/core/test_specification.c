#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "core/specification.h"

#include <stdio.h>
#include <string.h>

static const struct nb_parameter grid_rows[] = {
    { .name = "radices",
      .help = "size of each dimension",
      .type = NB_RADICES,
      .is_leading = true,
      .least = 2,
      .most = 100 },
    { .name = "order",
      .help = "order of dimensions",
      .type = NB_CHOICE,
      .initial = "fixed",
      .choices = "fixed|random" },
    { .name = "share",
      .help = "share of the traffic",
      .type = NB_NUMBER,
      .initial = "1/2",
      .least = 0,
      .most = 1 },
    { .name = "nodes",
      .help = "routers",
      .type = NB_LIST,
      .initial = "0",
      .least = 0,
      .most = 9 },
    { .name = "directed", .help = "one way", .type = NB_FLAG, .initial = "no" },
    { 0 },
};

static const struct nb_parameter path_rows[] = {
    { .name = "path", .help = "the file", .type = NB_PATH, .is_leading = true },
    { .name = "word", .help = "a name", .type = NB_WORD, .initial = "w" },
    { 0 },
};

static const struct nb_parameter common_rows[] = {
    { .name = "terminals",
      .help = "terminals per router",
      .type = NB_WHOLE,
      .initial = "1",
      .least = 1,
      .most = 64 },
    { 0 },
};

static const struct nb_kind kinds[] = {
    { .name = "grid", .aliases = "g lattice", .parameters = grid_rows },
    { .name = "path", .parameters = path_rows },
    { .name = "plain" },
};

static const struct nb_kind *specification_kind_at(size_t index)
{
    return index < sizeof kinds / sizeof *kinds ? &kinds[index] : NULL;
}

static enum nb_status specification_parse(const char *text,
                                          struct nb_specification *out,
                                          size_t *index, struct nb_error *err)
{
    return nb_specification_read(text, "thing", specification_kind_at,
                                 common_rows, out, index, err);
}

static void test_values(void **state)
{
    (void)state;
    struct nb_specification s = { 0 };
    size_t index = 9;
    assert_int_equal(specification_parse("lattice:8x4,share=0.25,order=random,"
                                         "terminals=3,directed=yes",
                                         &s, &index, NULL),
                     NB_OK);
    assert_int_equal(index, 0);
    assert_ptr_equal(s.kind, &kinds[0]);
    assert_string_equal(nb_specification_text(&s, "radices"), "8x4");
    assert_true(nb_specification_is(&s, "order", "random"));
    assert_false(nb_specification_is(&s, "order", "rand"));
    assert_true(nb_specification_is(&s, "directed", "yes"));
    assert_int_equal(nb_specification_whole(&s, "terminals"), 3);
    const struct nb_ratio share = nb_specification_ratio(&s, "share");
    assert_true(share.numerator == 1 && share.denominator == 4);
    assert_string_equal(nb_specification_text(&s, "nodes"), "0");
    nb_specification_release(&s);
    nb_specification_release(&s);
}

/* What is accepted, and how it prints: the same, without defaults. */
static const struct {
    const char *text;
    const char *printed;
} accepted[] = {
    { "plain", "plain" },
    { "plain:terminals=1", "plain" },
    { "plain:terminals=64", "plain:terminals=64" },
    { "g:5", "grid:5" },
    { "grid:radices=5x5", "grid:5x5" },
    { "grid:order=random,radices=2x3x4x5x6x7",
      "grid:2x3x4x5x6x7,order=random" },
    { "grid:9,order=fixed,share=1/2,nodes=0,directed=no", "grid:9" },
    { "grid:9,nodes=1+2+9,terminals=2", "grid:9,nodes=1+2+9,terminals=2" },
    { "path:/a/b=c.txt", "path:/a/b=c.txt" },
    { "path:a:b", "path:a:b" },
    { "path:path=word=1,word=x=y", "path:word=1,word=x=y" },
};

static void test_accepted(void **state)
{
    (void)state;
    const long before = nb_memory_live_blocks();
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        struct nb_specification s = { 0 };
        struct nb_error error = { 0 };
        struct nb_text text = { 0 };
        size_t index;
        if (specification_parse(accepted[i].text, &s, &index, &error) != NB_OK)
            fail_msg("%s: %s", accepted[i].text, error.message);
        nb_specification_print(&s, &text);
        assert_string_equal(text.bytes, accepted[i].printed);
        nb_text_release(&text);
        nb_specification_release(&s);
    }
    assert_int_equal(nb_memory_live_blocks(), before);
}

static const struct {
    const char *text;
    const char *message;
} refused[] = {
    { "", "unknown thing \"\" (permitted: grid, path, plain)" },
    { "gri", "unknown thing \"gri\": did you mean \"grid\"? (permitted: grid, "
             "path, plain)" },
    { "grids:8", "unknown thing \"grids\": did you mean \"grid\"? (permitted: "
                 "grid, path, plain)" },
    { "g lattice:8", "unknown thing \"g lattice\": did you mean \"lattice\"? "
                     "(permitted: grid, path, plain)" },
    { ":8", "unknown thing \"\" (permitted: grid, path, plain)" },
    { "a.txt", "unknown thing \"a.txt\" (permitted: grid, path, plain)" },
    { "grid", "thing grid needs radices (size of each dimension)" },
    { "grid:order=fixed", "thing grid needs radices (size of each dimension)" },
    { "grid:",
      "thing grid: radices \"\" is not permitted (permitted: 1 to 6 whole "
      "numbers from 2 to 100 joined by \"x\")" },
    { "grid:8x",
      "thing grid: radices \"8x\" is not permitted (permitted: 1 to 6 whole "
      "numbers from 2 to 100 joined by \"x\")" },
    { "grid:8x1",
      "thing grid: radices \"8x1\" is not permitted (permitted: 1 to 6 whole "
      "numbers from 2 to 100 joined by \"x\")" },
    { "grid:101",
      "thing grid: radices \"101\" is not permitted (permitted: 1 to 6 whole "
      "numbers from 2 to 100 joined by \"x\")" },
    { "grid:-8",
      "thing grid: radices \"-8\" is not permitted (permitted: 1 to 6 whole "
      "numbers from 2 to 100 joined by \"x\")" },
    { "grid:00000000000000008",
      "thing grid: radices \"00000000000000008\" is not permitted (permitted: "
      "1 to 6 whole numbers from 2 to 100 joined by \"x\")" },
    { "grid:2x2x2x2x2x2x2",
      "thing grid: radices \"2x2x2x2x2x2x2\" has more than 6 numbers" },
    { "grid:8,8",
      "thing grid has no parameter \"8\" (permitted: radices, order, share, "
      "nodes, directed, terminals)" },
    { "grid:8,",
      "thing grid has no parameter \"\" (permitted: radices, order, share, "
      "nodes, directed, terminals)" },
    { "grid:8,orde=fixed", "thing grid has no parameter \"orde\": did you mean "
                           "\"order\"? (permitted: radices, order, "
                           "share, nodes, directed, terminals)" },
    { "grid:8,radices=4", "thing grid: radices is given twice" },
    { "grid:8,order=fixed,order=random", "thing grid: order is given twice" },
    { "grid:8,order=fix",
      "thing grid: order \"fix\" is not permitted: did you mean \"fixed\"? "
      "(permitted: fixed|random)" },
    { "grid:8,order=",
      "thing grid: order \"\" is not permitted (permitted: fixed|random)" },
    { "grid:8,order=fixed|random",
      "thing grid: order \"fixed|random\" is not permitted (permitted: "
      "fixed|random)" },
    { "grid:8,share=1.5",
      "thing grid: share \"1.5\" is not permitted (permitted: a number from 0 "
      "to 1, as p/q or decimal)" },
    { "grid:8,share=-1/2",
      "thing grid: share \"-1/2\" is not permitted (permitted: a number from 0 "
      "to 1, as p/q or decimal)" },
    { "grid:8,share=nan",
      "thing grid: share \"nan\" is not permitted (permitted: a number from 0 "
      "to 1, as p/q or decimal)" },
    { "grid:8,nodes=1x2",
      "thing grid: nodes \"1x2\" is not permitted (permitted: 1 to 1024 whole "
      "numbers from 0 to 9 joined by \"+\")" },
    { "grid:8,nodes=1+10",
      "thing grid: nodes \"1+10\" is not permitted (permitted: 1 to 1024 whole "
      "numbers from 0 to 9 joined by \"+\")" },
    { "grid:8,directed=true",
      "thing grid: directed \"true\" is not permitted (permitted: yes, no)" },
    { "grid:8,terminals=0",
      "thing grid: terminals \"0\" is not permitted (permitted: a whole number "
      "from 1 to 64)" },
    { "grid:8,terminals=65",
      "thing grid: terminals \"65\" is not permitted (permitted: a whole "
      "number from 1 to 64)" },
    { "plain:4", "thing plain has no parameter \"4\" (permitted: terminals)" },
    { "path:", "thing path: path is empty" },
    { "path:x,word=", "thing path: word is empty" },
    { "path:x,y",
      "thing path has no parameter \"y\" (permitted: path, word, terminals)" },
};

static void test_refused(void **state)
{
    (void)state;
    const long before = nb_memory_live_blocks();
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct nb_specification s = { 0 };
        struct nb_error error = { 0 };
        size_t index;
        if (specification_parse(refused[i].text, &s, &index, &error) !=
            NB_INVALID)
            fail_msg("%s is accepted", refused[i].text);
        assert_string_equal(error.message, refused[i].message);
    }
    assert_int_equal(nb_memory_live_blocks(), before);
}

static const struct nb_kind *specification_file_at(size_t index)
{
    static const struct nb_kind file = { .name = "file",
                                         .parameters = path_rows };
    return index == 0 ? &file : NULL;
}

/* What looks like a path is probably one, if files are permitted. */
static void test_paths(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "a.txt", "unknown thing \"a.txt\": did you mean \"file:a.txt\"? "
                   "(permitted: file)" },
        { "a/b", "unknown thing \"a/b\": did you mean \"file:a/b\"? "
                 "(permitted: file)" },
        { "fil", "unknown thing \"fil\": did you mean \"file\"? (permitted: "
                 "file)" },
        { "a", "unknown thing \"a\" (permitted: file)" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nb_specification s = { 0 };
        struct nb_error error = { 0 };
        size_t index;
        assert_int_equal(nb_specification_read(cases[i].text, "thing",
                                               specification_file_at, NULL, &s,
                                               &index, &error),
                         NB_INVALID);
        assert_string_equal(error.message, cases[i].message);
    }
}

/* A kind without any parameters says "none". */
/* What is wrong whatever else is given. Numbers out of range, parameters of
 * other kinds and missing ones are not. */
static void test_checked(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_wrong;
    } cases[] = {
        { "grid", false },
        { "lattice:8x4", false },
        { "grid:1x4", false },
        { "grid:8x4,share=7", false },
        { "grid:8x4,share=-1/2", false },
        { "grid:share=1e9,order=random", false },
        { "grid:8x4,nodes=99", false },
        { "grid:8x4,missing=3", false },
        { "grid:8x4,terminals=1000,directed=yes", false },
        { "path:/a/b", false },
        { "path:/a/b,share=x", false },
        { "plain", false },
        { "plain:share=x", false },
        { "lattic:8x4", true },
        { "", true },
        { "grid:axb", true },
        { "grid:8x4,order=sideways", true },
        { "grid:8x4,share=x", true },
        { "grid:8x4,share=-", true },
        { "grid:8x4,share=e", true },
        { "grid:8x4,share=1y", true },
        { "grid:8x4,share=", true },
        { "grid:8x4,terminals=many", true },
        { "grid:terminals=.,order=fixed", true },
        { "grid:order=fixed,directed=maybe", true },
        { "plain:terminals=x", true },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nb_error err = { 0 };
        const enum nb_status status = nb_specification_check(
            cases[i].text, "thing", specification_kind_at, common_rows, &err);
        if (status != (cases[i].is_wrong ? NB_INVALID : NB_OK))
            fail_msg("%s: %d, %s", cases[i].text, (int)status, err.message);
    }
}

static void test_no_parameters(void **state)
{
    (void)state;
    struct nb_specification s = { 0 };
    struct nb_error error = { 0 };
    size_t index;
    assert_int_equal(nb_specification_read("plain:x", "thing",
                                           specification_kind_at, NULL, &s,
                                           &index, &error),
                     NB_INVALID);
    assert_string_equal(error.message,
                        "thing plain has no parameter \"x\" (permitted: none)");
}

/* Long values are cut in messages, so that the rest still fits. */
static void test_long_values(void **state)
{
    (void)state;
    char text[5000] = "grid:8,order=";
    struct nb_specification s = { 0 };
    struct nb_error error = { 0 };
    size_t index;
    memset(text + strlen(text), 'f', 4000);
    assert_int_equal(specification_parse(text, &s, &index, &error), NB_INVALID);
    assert_non_null(strstr(error.message, "(permitted: fixed|random)"));
    memset(text, 'z', 4000);
    error = (struct nb_error){ 0 };
    assert_int_equal(specification_parse(text, &s, &index, &error), NB_INVALID);
    assert_non_null(strstr(error.message, "(permitted: grid, path, plain)"));
}

static void test_whole_lists(void **state)
{
    (void)state;
    uint32_t list[3] = { 0 };
    size_t count;
    struct nb_error error = { 0 };
    assert_int_equal(
        nb_whole_list_read("3+0+17", "k", '+', 0, 17, 3, list, &count, NULL),
        NB_OK);
    assert_int_equal(count, 3);
    assert_true(list[0] == 3 && list[1] == 0 && list[2] == 17);
    assert_int_equal(
        nb_whole_list_read("1+2+3+4", "k", '+', 0, 9, 3, list, &count, &error),
        NB_INVALID);
    assert_string_equal(error.message, "k \"1+2+3+4\" has more than 3 numbers");
    static const char *const malformed[] = { "",     "+",   "1+",   "+1",
                                             "1++2", "1+a", "1 +2", "1.0" };
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++)
        if (nb_whole_list_read(malformed[i], "k", '+', 0, 9, 3, list, &count,
                               NULL) != NB_INVALID)
            fail_msg("\"%s\" is accepted", malformed[i]);
}

/* Numbers joined by +; no value has none. */
static void test_lists_of_numbers(void **state)
{
    (void)state;
    static const struct nb_parameter row = { .name = "bandwidth",
                                             .type = NB_NUMBER,
                                             .is_list = true,
                                             .least = 0,
                                             .most = 9 };
    static const struct {
        char text[20];
        size_t count;
        struct nb_ratio numbers[3];
    } cases[] = {
        { "", 0, { { 0, 0 } } },
        { "2", 1, { { 2, 1 } } },
        { "1/3+0.5", 2, { { 1, 3 }, { 1, 2 } } },
        { "9+0+7/2", 3, { { 9, 1 }, { 0, 1 }, { 7, 2 } } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[20];
        struct nb_specification given = { .count = 1,
                                          .setting = { { &row, text } } };
        struct nb_ratio out[NB_MAX_NUMBERS];
        size_t count = 99;
        strcpy(text, cases[i].text);
        nb_specification_ratios(&given, "bandwidth", out, &count);
        assert_int_equal(count, cases[i].count);
        for (size_t k = 0; k < count; k++)
            assert_int_equal(nb_ratio_compare(out[k], cases[i].numbers[k]), 0);
        nb_specification_ratios(&given, "other", out, &count);
        assert_int_equal(count, 0);
    }
}

/* Where the first of several settings ends. */
static void test_lengths(void **state)
{
    (void)state;
    static const struct nb_parameter rows[] = {
        { .name = "pair" }, { .name = "arrivals" }, { .name = "load" }, { 0 }
    };
    static const struct {
        const char *first, *rest;
    } cases[] = {
        { "", "" },
        { "load=1", "" },
        { "load=1", ",pair=0,9" },
        { "pair=0,9", "" },
        { "pair=0,9", ",load=1" },
        { "pair=0,9,8", ",loads=1" },
        { "load=1", ",spread=2" },
        { "arrivals=onoff:burst=5,spread=burst", "" },
        { "arrivals=onoff:burst=5,spread=burst", ",load=0.6" },
        { "arrivals=onoff:5,7,loads=3", ",load=0.6,pair=1,2" },
        { "arrivals=onoff", ",burst=5" },
        { "pair=1,2", ",arrivals=onoff:burst=5" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[100];
        snprintf(text, sizeof text, "%s%s", cases[i].first, cases[i].rest);
        if (nb_setting_length(rows, text) != strlen(cases[i].first))
            fail_msg("%s: %zu", text, nb_setting_length(rows, text));
    }
}

static void test_failing_memory(void **state)
{
    (void)state;
    const long before = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    long allowed = 0;
    for (; status == NB_NO_MEMORY && allowed < 100; allowed++) {
        struct nb_specification s = { 0 };
        size_t index;
        nb_memory_allow(allowed);
        status = specification_parse("grid:8x8,order=random", &s, &index, NULL);
        nb_memory_allow(-1);
        nb_specification_release(&s);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
    assert_true(allowed > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_accepted),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_checked),
        cmocka_unit_test(test_no_parameters),
        cmocka_unit_test(test_long_values),
        cmocka_unit_test(test_whole_lists),
        cmocka_unit_test(test_lists_of_numbers),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
