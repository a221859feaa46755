/* Traces from files: what is read, and every kind of fault in a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "core/random.h"
#include "core/text.h"
#include "sim/trace.h"
#include "support/scratch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HEADER "cycle,source,destination,flits\n"

enum { TERMINALS = 8 };

static enum nb_status trace_read(const char *bytes, size_t length,
                                 struct nb_trace *out, struct nb_error *err)
{
    char path[NB_SCRATCH_PATH];
    nb_scratch_name("trace.csv", path);
    nb_scratch_write(path, bytes, length);
    return nb_trace_read(path, TERMINALS, out, err);
}

/* As read, line by line. */
static const struct {
    const char *bytes, *packets;
} trace_rows[] = {
    { HEADER "0,0,7,1\n", "0,0,7,1;" },
    { HEADER "0,0,7,1", "0,0,7,1;" },
    { HEADER "0,3,3,4096\n1099511627775,7,0,2\n",
      "0,3,3,4096;1099511627775,7,0,2;" },
    { "\xEF\xBB\xBF# c\n\n cycle ,\tsource, destination , flits \r\n"
      "# c\n 5 , 1,2 ,\t3 \r\n\r\n",
      "5,1,2,3;" },
    /* By cycle; those of one cycle as in the file. */
    { HEADER "9,0,1,1\n2,7,1,1\n9,3,1,1\n2,0,1,1\n2,5,1,1\n9,1,1,1\n",
      "2,7,1,1;2,0,1,1;2,5,1,1;9,0,1,1;9,3,1,1;9,1,1,1;" },
};

static void traces_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof trace_rows / sizeof *trace_rows; i++) {
        struct nb_trace trace;
        struct nb_error err = { 0 };
        struct nb_text text = { 0 };
        const char *bytes = trace_rows[i].bytes;
        if (trace_read(bytes, strlen(bytes), &trace, &err) != NB_OK)
            fail_msg("%s: %s", bytes, err.message);
        for (size_t p = 0; p < trace.count; p++)
            nb_text_print(&text, "%" PRIu64 ",%u,%u,%u;",
                          trace.packets[p].cycle, trace.packets[p].source,
                          trace.packets[p].target, trace.packets[p].flits);
        assert_string_equal(text.bytes, trace_rows[i].packets);
        nb_text_release(&text);
        nb_trace_release(&trace);
        nb_trace_release(&trace);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static const struct {
    const char *bytes, *reason;
} trace_faults[] = {
    { "", "is empty (permitted: the header cycle,source,destination,flits" },
    { "# nothing\n\n", "is empty (permitted" },
    { HEADER, "has no packets (permitted: 1 or more)" },
    { "0,0,1,1\n", ":1: header \"0,0,1,1\" is not permitted (permitted: "
                   "cycle,source,destination,flits)" },
    { "# c\nsource,cycle,destination,flits\n0,0,1,1\n",
      ":2: header \"source,cycle,destination,flits\"" },
    { "cycle,source,destination\n0,0,1\n", "header \"cycle,source,desti" },
    { "cycle,source,destination,flits,\n0,0,1,1\n", "header \"cycle,source" },
    { HEADER "0,0,1,1\n0,0,1\n", ":3: 3 values are not permitted "
                                 "(permitted: 4, cycle," },
    { HEADER "0,0,1,1,\n", ":2: 5 values are not permitted" },
    { HEADER "-1,0,1,1\n",
      ":2: cycle \"-1\" is not permitted (permitted: a whole number from "
      "0 to 1099511627775)" },
    { HEADER "1099511627776,0,1,1\n", "cycle \"1099511627776\"" },
    { HEADER "99999999999999999999,0,1,1\n", "cycle \"99999999999999999999\"" },
    { HEADER "1.5,0,1,1\n", "cycle \"1.5\"" },
    { HEADER ",0,1,1\n", "cycle \"\"" },
    { HEADER "0,8,1,1\n", ":2: source \"8\" is not permitted (permitted: "
                          "a terminal from 0 to 7)" },
    { HEADER "0,0,1,1\n\n0,0,8,1\n",
      ":4: destination \"8\" is not permitted (permitted: a terminal from "
      "0 to 7)" },
    { HEADER "0,x,1,1\n", "source \"x\"" },
    { HEADER "0,0,1,0\n", ":2: flits \"0\" is not permitted (permitted: a "
                          "whole number from 1 to 4096)" },
    { HEADER "0,0,1,4097\n", "flits \"4097\"" },
    { HEADER "0,0,1,\n", "flits \"\"" },
    { HEADER "0,0,1,1 1\n", "flits \"1 1\"" },
};

static void faults_are_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof trace_faults / sizeof *trace_faults; i++) {
        struct nb_trace trace;
        struct nb_error err = { 0 };
        const char *bytes = trace_faults[i].bytes;
        assert_int_equal(trace_read(bytes, strlen(bytes), &trace, &err),
                         NB_INVALID);
        if (strstr(err.message, trace_faults[i].reason) == NULL ||
            strstr(err.message, "/trace.csv:") == NULL)
            fail_msg("fault %zu: \"%s\"", i, err.message);
        assert_null(trace.packets);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void unreadable_files_are_named(void **state)
{
    (void)state;
    static const char binary[] = HEADER "0,0\0,1,1\n";
    char path[NB_SCRATCH_PATH];
    struct nb_trace trace;
    struct nb_error err = { 0 };
    assert_int_equal(nb_trace_read("/nowhere/x.csv", 8, &trace, &err), NB_IO);
    assert_non_null(strstr(err.message, "/nowhere/x.csv"));
    err = (struct nb_error){ 0 };
    assert_int_equal(trace_read(binary, sizeof binary - 1, &trace, &err),
                     NB_INVALID);
    assert_non_null(strstr(err.message, "byte 34 is 0 (permitted: text)"));
    err = (struct nb_error){ 0 };
    nb_scratch_name("trace.csv", path);
    assert_int_equal(truncate(path, (off_t)NB_TRACE_BYTES + 1), 0);
    assert_int_equal(nb_trace_read(path, 8, &trace, &err), NB_INVALID);
    assert_non_null(strstr(err.message, "268435456"));
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* A trace of random cycles; source and destination encode the line. */
static void make_lines(struct nb_random *random, size_t count,
                       struct nb_text *out)
{
    nb_text_print(out, HEADER);
    for (size_t i = 0; i < count; i++)
        nb_text_print(out, "%u,%zu,%zu,%u\n",
                      (unsigned)nb_random_below(random, 40), i / 8 % 8, i % 8,
                      1 + (unsigned)nb_random_below(random, 9));
}

static void long_traces_are_sorted(void **state)
{
    (void)state;
    struct nb_random random;
    struct nb_text text = { 0 };
    struct nb_trace trace;
    nb_random_init(&random, 1, 0);
    nb_text_print(&text, HEADER);
    for (unsigned i = 0; i < 3000; i++) /* the line from cycle and flits */
        nb_text_print(&text, "%u,0,1,%u\n",
                      (unsigned)nb_random_below(&random, 50), 1 + i);
    assert_int_equal(trace_read(text.bytes, text.length, &trace, NULL), NB_OK);
    assert_int_equal(trace.count, 3000);
    for (size_t i = 1; i < trace.count; i++) {
        const struct nb_trace_packet *a = &trace.packets[i - 1], *b = a + 1;
        assert_true(a->cycle < b->cycle ||
                    (a->cycle == b->cycle && a->flits < b->flits));
    }
    nb_trace_release(&trace);
    nb_text_release(&text);
}

static void failing_memory_is_survived(void **state)
{
    (void)state;
    struct nb_random random;
    struct nb_text text = { 0 };
    enum nb_status status = NB_NO_MEMORY;
    nb_random_init(&random, 2, 0);
    make_lines(&random, 200, &text);
    const long before = nb_memory_live_blocks();
    long allowed = 0;
    for (; status == NB_NO_MEMORY; allowed++) {
        struct nb_trace trace;
        nb_memory_allow(allowed);
        status = trace_read(text.bytes, text.length, &trace, NULL);
        nb_memory_allow(-1);
        nb_trace_release(&trace);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
    assert_true(allowed > 5);
    nb_text_release(&text);
}

/* One change: a byte, an insertion, a piece removed or doubled. */
static void mutate(struct nb_random *random, const struct nb_text *good,
                   struct nb_text *out)
{
    static const char *const pieces[] = { ",",          "\n",  "-", "0",
                                          "9999999999", "1e9", "#", "\xEF",
                                          " ",          "\"" };
    const size_t place = (size_t)nb_random_below(random, good->length);
    const size_t left = good->length - place;
    const size_t length =
        1 + (size_t)nb_random_below(random, left < 30 ? left : 30);
    const char byte = (char)nb_random_below(random, 256);
    const char *piece =
        pieces[nb_random_below(random, sizeof pieces / sizeof *pieces)];
    nb_text_add(out, good->bytes, place);
    switch (nb_random_below(random, 4)) {
    case 0:
        nb_text_add(out, &byte, 1);
        nb_text_add(out, good->bytes + place + 1, left - 1);
        break;
    case 1:
        nb_text_add(out, piece, strlen(piece));
        nb_text_add(out, good->bytes + place, left);
        break;
    case 2:
        nb_text_add(out, good->bytes + place + length, left - length);
        break;
    default:
        nb_text_add(out, good->bytes + place, length);
        nb_text_add(out, good->bytes + place, left);
        break;
    }
}

/* The reader may refuse or read them; what it reads is in order and range. */
static void damaged_traces_do_no_harm(void **state)
{
    (void)state;
    enum { MUTATIONS = 4000 };
    size_t read = 0;
    struct nb_random random;
    nb_random_init(&random, 3, 0);
    for (unsigned i = 0; i < MUTATIONS; i++) {
        struct nb_text good = { 0 }, bad = { 0 };
        struct nb_trace trace;
        struct nb_error err = { 0 };
        make_lines(&random, 1 + i % 12, &good);
        mutate(&random, &good, &bad);
        const enum nb_status status =
            trace_read(bad.bytes, bad.length, &trace, &err);
        const bool is_told = status == NB_OK ||
                             (status == NB_INVALID && err.message[0] != '\0' &&
                              strchr(err.message, '\n') == NULL);
        if (!is_told)
            fail_msg("mutation %u: %s\n%s", i, err.message, bad.bytes);
        for (size_t p = 0; p < trace.count; p++) {
            const struct nb_trace_packet *packet = &trace.packets[p];
            assert_true(packet->source < TERMINALS &&
                        packet->target < TERMINALS && packet->flits >= 1 &&
                        packet->flits <= NB_TRACE_FLITS &&
                        packet->cycle >> 40 == 0);
            assert_true(p == 0 || packet[-1].cycle <= packet->cycle);
        }
        read += status == NB_OK;
        nb_trace_release(&trace);
        nb_text_release(&good);
        nb_text_release(&bad);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
    /* Changes within numbers leave a readable file: both outcomes occurred. */
    assert_in_range(read, MUTATIONS / 20, MUTATIONS * 19 / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traces_are_read),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(unreadable_files_are_named),
        cmocka_unit_test(long_traces_are_sorted),
        cmocka_unit_test(failing_memory_is_survived),
        cmocka_unit_test(damaged_traces_do_no_harm),
    };
    return cmocka_run_group_tests(tests, nb_scratch_setup, nb_scratch_teardown);
}
