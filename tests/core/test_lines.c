/* Lines of text files: which count as lines, and how they are cut. */
#include "core/lines.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

static void begin(struct nb_lines *lines, char comment, char *text)
{
    *lines = (struct nb_lines){ 0 };
    assert_int_equal(
        nb_lines_begin(lines, "f.csv", comment, text, strlen(text), NULL),
        NB_OK);
}

static void lines_are_counted(void **state)
{
    char text[] = "\xEF\xBB\xBF# c\n\n  a b \r\n\t\n#\nlast";
    char strict[] = " a \r\n\n#";
    struct nb_lines lines;
    (void)state;
    begin(&lines, '#', text);
    assert_string_equal(nb_lines_next(&lines), "a b");
    assert_int_equal(lines.number, 3);
    assert_string_equal(nb_lines_next(&lines), "last");
    assert_int_equal(lines.number, 6);
    assert_null(nb_lines_next(&lines));
    begin(&lines, '\0', strict);
    assert_string_equal(nb_lines_next(&lines), " a ");
    assert_string_equal(nb_lines_next(&lines), "");
    assert_string_equal(nb_lines_next(&lines), "#");
    assert_null(nb_lines_next(&lines));
}

/* A line, and its cells with "|" after each; NULL: refused. */
static const struct {
    const char *line, *loose, *strict;
} cut[] = {
    { "", "|", "|" },
    { "a", "a|", "a|" },
    { ",", "||", "||" },
    { " a ,\tb c ,", "a|b c||", " a |\tb c ||" },
    { "\"a\",\"\"", "a||", "a||" },
    { "\"a,b\",\"say \"\"c\"\"\"", "a,b|say \"c\"|", "a,b|say \"c\"|" },
    { " \" a \" ,b", " a |b|", NULL },
    { "\"a", NULL, NULL },
    { "\"a\"b", NULL, NULL },
    { "a\"b\"", NULL, NULL },
    { "\"\"\"", NULL, NULL },
};

static void cells_are_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * (sizeof cut / sizeof *cut); i++) {
        const char *expected =
            i % 2 == 0 ? cut[i / 2].loose : cut[i / 2].strict;
        char line[40], found[40] = "", *rest = line;
        const struct nb_lines lines = { .path = "f.csv",
                                        .comment = i % 2 == 0 ? '#' : '\0' };
        struct nb_error err = { 0 };
        const char *cell;
        size_t count = 0;
        strcpy(line, cut[i / 2].line);
        const size_t answer = nb_lines_count(line);
        for (;
             rest != NULL && nb_lines_cell(&lines, &rest, &cell, &err) == NB_OK;
             count++)
            strcat(strcat(found, cell), "|");
        if (expected == NULL) {
            assert_int_equal(err.status, NB_INVALID);
            assert_non_null(strstr(err.message, "f.csv: a quote"));
        } else {
            assert_string_equal(found, expected);
            assert_int_equal(count, answer);
        }
    }
}

static void headers_are_compared(void **state)
{
    char good[] = " \"from\" , to\n1,2,3", other[] = "to,from", none[] = "#\n";
    struct nb_lines lines;
    struct nb_error err = { 0 };
    const char *cell[2];
    (void)state;
    begin(&lines, '#', good);
    assert_int_equal(nb_lines_header(&lines, "from,to", NULL), NB_OK);
    assert_int_equal(
        nb_lines_cut(&lines, nb_lines_next(&lines), "from,to", cell, &err),
        NB_INVALID);
    assert_string_equal(err.message, "f.csv:2: 3 values are not "
                                     "permitted (permitted: 2, from,to)");
    begin(&lines, '#', other);
    assert_int_equal(nb_lines_header(&lines, "from,to", NULL), NB_INVALID);
    begin(&lines, '#', none);
    assert_int_equal(nb_lines_header(&lines, "from,to", NULL), NB_INVALID);
}

/* Columns of names may follow those that are read, and no others. */
static void names_are_not_read(void **state)
{
    char good[] = "from,to,from_name,to_name\n1,2,a,b\n3,4,c\n5,6,\"d\",";
    char bad[] = "from,to,from_router\n";
    struct nb_lines lines;
    const char *cell[3] = { NULL, NULL, "kept" };
    (void)state;
    begin(&lines, '#', good);
    assert_int_equal(nb_lines_header(&lines, "from,to", NULL), NB_OK);
    assert_int_equal(
        nb_lines_cut(&lines, nb_lines_next(&lines), "from,to", cell, NULL),
        NB_OK);
    assert_string_equal(cell[0], "1");
    assert_string_equal(cell[1], "2");
    assert_string_equal(cell[2], "kept");
    assert_int_equal(
        nb_lines_cut(&lines, nb_lines_next(&lines), "from,to", cell, NULL),
        NB_INVALID);
    assert_int_equal(
        nb_lines_cut(&lines, nb_lines_next(&lines), "from,to", cell, NULL),
        NB_OK);
    assert_string_equal(cell[0], "5");
    assert_string_equal(cell[1], "6");
    assert_string_equal(cell[2], "kept");
    begin(&lines, '#', bad);
    assert_int_equal(nb_lines_header(&lines, "from,to", NULL), NB_INVALID);
}

static void words_are_cut(void **state)
{
    char line[] = " a, b\tc";
    char *rest = line;
    (void)state;
    assert_string_equal(nb_lines_word(&rest, " ,\t"), "a");
    assert_string_equal(nb_lines_word(&rest, " ,\t"), "b");
    assert_string_equal(nb_lines_word(&rest, " ,\t"), "c");
    assert_null(nb_lines_word(&rest, " ,\t"));
}

static void zero_bytes_are_refused(void **state)
{
    char text[] = "a\nb\0c";
    struct nb_lines lines = { 0 };
    struct nb_error err = { 0 };
    (void)state;
    assert_int_equal(
        nb_lines_begin(&lines, "f.csv", '#', text, sizeof text - 1, &err),
        NB_INVALID);
    assert_string_equal(err.message, "f.csv: byte 3 is 0 (permitted: "
                                     "text)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_counted),
        cmocka_unit_test(cells_are_cut),
        cmocka_unit_test(headers_are_compared),
        cmocka_unit_test(names_are_not_read),
        cmocka_unit_test(words_are_cut),
        cmocka_unit_test(zero_bytes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
