/* Traffic from files: correct files, and every kind of error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "support/scratch.h"
#include "support/traffic_case.h"
#include "traffic/matrix.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Reads bytes as the file of a traffic on a network; the caller owns the
 * traffic. */
static enum nb_status file_read(const char *topology, const char *ending,
                                const char *bytes, bool allow_inadmissible,
                                struct traffic_case *out, struct nb_error *err)
{
    char path[NB_SCRATCH_FILE], specification[80];
    *out = (struct traffic_case){ 0 };
    nb_scratch_file(path, ending, bytes);
    snprintf(specification, sizeof specification, "file:%s", path);
    enum nb_status status = nb_topology_build(topology, &out->topology, err);
    if (status == NB_OK)
        status = nb_traffic_build(specification, &out->topology,
                                  allow_inadmissible, &out->traffic, err);
    unlink(path);
    return status;
}

/* One rate of a file on a network, as text. */
static const struct file_row {
    const char *topology, *ending, *bytes;
    uint32_t source, target;
    const char *rate;
} file_rows[] = {
    { "ring:3", ".csv", "source,destination\n0,2\n", 0, 2, "1" },
    { "ring:3", ".csv", "source,destination\n0,2\n", 1, 0, "0" },
    { "ring:3", ".csv", "\n# c\n source , destination \r\n 0 , 2 \r\n", 0, 2,
      "1" },
    { "ring:3", ".csv", "\xEF\xBB\xBFsource,destination\n1,1", 1, 1, "1" },
    { "ring:3,terminals=2", ".csv", "source,destination\n5,0\n4,1\n", 2, 0,
      "2" },
    { "ring:3,terminals=2", ".csv", "source,destination\n5,0\n4,2\n", 2, 1,
      "1" },
    { "ring:3,terminals=2", ".csv", "source_router,destination_router\n0,1\n",
      0, 1, "2" },
    { "ring:3,terminals=2", ".csv",
      "source_router,destination_router,rate\n0,1,1.5\n0,2,1/2\n", 0, 1,
      "3/2" },
    { "ring:3", ".csv", "source,destination,rate\n0,1,1/3\n0,1,0.5\n", 0, 1,
      "5/6" },
    { "ring:3", ".csv", "0,1,0\n1e-1,0,0\n0,0,.5\n", 1, 0, "1/10" },
    { "ring:3,terminals=2", ".csv", "0,1,0\n1,0,0\n0,0,2\n", 2, 2, "2" },
    { "ring:3", "", "0,1,0\n1,0,0\n0,0,1\n", 2, 2, "1" },
    { "ring:3", ".json",
      "{\"size\":3,\"matrix\":[[0,1,0],[\"1/7\",0,0],[0,0,1]]}", 1, 0, "1/7" },
    { "ring:3", ".JSON",
      " { \"size\" : 3 ,\n \"matrix\" : [ [ 0 , 1 , 0 ] , [1e-2,0,0],\n"
      "[0,0,1] ] }\n",
      1, 0, "1/100" },
    { "ring:3", ".json",
      "{\"matrix\":[[0,1,0],[0.125,0,0],[0,0,1]],\"size\":3}", 1, 0, "1/8" },
    /* Sums of RapidChiplet are rounded: above 1 per terminal. */
    { "ring:3", ".json",
      "{\"__tuple__:[0, 1]\": 0.5000000000000001,\n"
      " \"__tuple__:[0, 2]\": 0.5}",
      0, 2, "1/2" },
    /* RapidChiplet: by chiplet, and by unit of each. */
    { "ring:3,terminals=2", ".json",
      "{\"__tuple__:[0, 2]\": 1.5,\n \"__tuple__:[1, 0]\": 1}", 0, 2, "3/2" },
    { "ring:3,terminals=2", ".json",
      "{\"__tuple__:[\\\"__tuple__:[2, 0]\\\", "
      "\\\"__tuple__:[1, 1]\\\"]\": 0.25,\n"
      "\"__tuple__:[\\\"__tuple__:[2, 1]\\\", "
      "\\\"__tuple__:[1, 0]\\\"]\": 0.5}",
      2, 1, "3/4" },
    { "ring:3", ".txt", "% c\n0 1\n", 0, 1, "1" },
    { "ring:3", ".noxim", "0 1 0.02 0.02\n0 2 0.5\n", 0, 1, "1/50" },
    { "ring:3,terminals=2", ".tbl", "5 0\n", 2, 0, "1" },
    /* Blanks and tabs between values: a matrix, unless its lines are flows of
     * Noxim. */
    { "ring:3", ".txt", "0 1 0\n0 0 1\n1 0 0\n", 1, 2, "1" },
    { "ring:3", ".txt", "0 1 0\n0 0 1\n1 0 0\n", 0, 0, "0" },
    { "ring:3", ".txt", "0 1 0.5\n1 2 0.5\n2 0 0.5\n", 0, 1, "1/2" },
    { "ring:3", ".txt", "0 1 0.5\n1 2 0.5\n2 0 0.5\n", 1, 0, "0" },
    { "ring:3", ".txt", "% c\n0 .25 1/2\n.25\t0  0.5\r\n # d\n 0.5 .5 0 \n", 1,
      0, "1/4" },
    { "ring:3,terminals=3", ".txt", "0 3 0\n0 0 3\n3 0 0\n", 0, 1, "3" },
    { "ring:4", ".tsv", "0\t1\t0\t0\n1\t0\t0\t0\n0\t0\t0\t1\n0\t0\t1\t0\n", 3,
      2, "1" },
    { "ring:3", ".csv", "source destination rate\n0 1 1/3\n", 0, 1, "1/3" },
    { "mesh:8", ".txt",
      "0 1 0 0 0 0 0 0\n1 0 0 0 0 0 0 0\n0 0 0 1 0 0 0 0\n0 0 1 0 0 0 0 0\n"
      "0 0 0 0 0 1 0 0\n0 0 0 0 1 0 0 0\n0 0 0 0 0 0 0 1\n0 0 0 0 0 0 1 0\n",
      7, 6, "1" },
};

static void files_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof file_rows / sizeof *file_rows; i++) {
        const struct file_row *row = &file_rows[i];
        struct traffic_case testcase;
        struct nb_error err = { 0 };
        char rate[NB_RATIO_TEXT];
        if (file_read(row->topology, row->ending, row->bytes, false, &testcase,
                      &err) != NB_OK)
            fail_msg("%s: %s", row->bytes, err.message);
        nb_ratio_print(traffic_case_rate(&testcase, row->source, row->target),
                       rate);
        if (strcmp(rate, row->rate) != 0)
            fail_msg("%s: rate %s, not %s", row->bytes, rate, row->rate);
        traffic_case_release(&testcase);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Read on ring:3 with this number of terminals. */
static const struct file_fault {
    uint32_t terminals;
    const char *ending, *bytes, *reason;
} file_faults[] = {
    { 1, ".csv", "", "is empty (permitted: a header" },
    { 1, ".csv", "# nothing\n\n", "is empty (permitted: a header" },
    { 1, ".csv", "source,target\n0,1\n", ":1: header \"source,target\"" },
    { 1, ".csv", "source,destination\n0,1\n1\n", ":3: 1 values" },
    { 1, ".csv", "source,destination\n0,1,2\n", ":2: 3 values" },
    { 1, ".csv", "source,destination\n0,3\n",
      "destination \"3\" is not permitted (permitted: a terminal from 0 to "
      "2)" },
    { 1, ".csv", "source,destination\n-1,0\n", "source \"-1\"" },
    { 1, ".csv", "source,destination\n0.5,0\n", "source \"0.5\"" },
    { 1, ".csv", "source,destination\n99999999999999999999,0\n",
      "source \"99999999999999999999\"" },
    { 2, ".csv", "source_router,destination_router\n0,3\n",
      "a router from 0 to 2" },
    { 1, ".csv", "source,destination\n0,1\n0,2\n", ":3: source 0 is repeated" },
    { 1, ".csv", "source,destination\n0,1\n2,1\n",
      "the column of terminal 1 sums to 2 (permitted: at most 1" },
    { 1, ".csv", "source,destination,rate\n0,1,-0.5\n", "rate \"-0.5\"" },
    { 1, ".csv", "source,destination,rate\n0,1,nan\n", ":2: rate \"nan\"" },
    { 1, ".csv", "source,destination,rate\n0,1,inf\n", "rate \"inf\"" },
    { 1, ".csv", "source,destination,rate\n0,1,1/0\n", "rate \"1/0\"" },
    { 1, ".csv", "source,destination,rate\n0,1,\n", "rate \"\"" },
    { 1, ".csv", "source,destination,rate\n0,1,1x\n", "rate \"1x\"" },
    { 1, ".csv", "source,destination,rate\n0,1,1e-30\n", "does not fit" },
    { 1, ".csv", "source,destination,rate\n0,1,3/4\n0,2,1/2\n",
      "the row of terminal 0 sums to 5/4 (permitted: at most 1, 1 per "
      "terminal; --allow-inadmissible" },
    { 2, ".csv", "source_router,destination_router,rate\n0,1,3/2\n2,1,1\n",
      "the column of router 1 sums to 5/2 (permitted: at most 2" },
    { 1, ".csv",
      "source,destination,rate\n0,1,1/2147483648\n0,2,1/2147483649\n",
      ":3: with the rate 1/2147483649 the common denominator" },
    { 1, ".csv", "0,1\n1,0\n", "3 terminals or 3 routers" },
    { 2, ".csv", "0,1\n1,0\n", "6 terminals or 3 routers" },
    { 1, ".csv", "0,1,0\n1,0\n0,0,1\n", ":2: row 2 of 2 values" },
    { 1, ".csv", "0,1,0\n1,0,0\n", "ends after 2 rows" },
    { 1, ".csv", "0,1,0\n1,0,0\n0,0,1\n0,0,0\n", ":4: row 4 of 3" },
    { 1, ".csv", "0,1,0\n1,0,nan\n0,0,1\n", ":2: rate \"nan\"" },
    { 1, ".csv", "a,b,c\n", "rate \"a\"" },
    { 1, ".csv", "0,1,0\n1,0,1\n0,0,1\n", "the row of terminal 1 sums to 2" },
    { 1, ".json", "", ":1: JSON: '[' or '{' expected near end of file" },
    { 1, ".json", "[[1]]", ": traffic: size nothing" },
    { 1, ".json", "{\"size\":3,\"matrix\":3}", ": traffic: matrix 3 " },
    { 1, ".json", "{\"size\":2,\"matrix\":[[1,0],[0,1]]}", "2 columns" },
    { 1, ".json", "{\"size\":\"3\"}", "size \"3\"" },
    { 1, ".json", "{\"size\":-1}", "size -1 " },
    { 1, ".json", "{\"size\":3,\n\"matrix\":[[0,1,0],\n[1,0],\n[0,0,1]]}",
      "row 2 of 2 values" },
    { 1, ".json", "{\"size\":3,\"matrix\":[[0,1,0,0],[1,0,0],[0,0,1]]}",
      "row 1 of 4 values" },
    { 1, ".json", "{\"size\":3,\"matrix\":[[0,1,0],[1,0,0]]}",
      "2 rows (permitted: 3" },
    { 1, ".json", "{\"size\":3,\"matrix\":[[0,1,0],[1,NaN,0],[0,0,1]]}",
      ":1: JSON: invalid token near 'NaN'" },
    { 1, ".json", "{\"size\":3,\"matrix\":[[0,1,0],[1,1/2,0],[0,0,1]]}",
      "JSON: " },
    { 1, ".json", "{\"size\":3,\"matrix\":[[0,1,0],[1,-2,0],[0,0,1]]}",
      ": row 2: rate -2 " },
    { 1, ".json", "{\"size\":3,\"matrix\":[[0,\"x\",0],[1,2,0],[0,0,1]]}",
      ": row 1: rate \"x\" " },
    { 1, ".json", "{\"size\":3,\"matrix\":[[0,1e-30,0],[1,2,0],[0,0,1]]}",
      ": row 1: rate 1e-30 does not fit" },
    { 1, ".json", "{\"size\":3,\"matrix\":[[0,1,0],[1,[],0],[0,0,1]]}",
      "rate a list" },
    { 1, ".json", "{\"size\":3,\"matrix\":[[0,1,0],[1,\"1", ":1: JSON: " },
    { 1, ".json", "{\"size\":3,\"matrix\":[[0,1,0],[1,0,0],[0,0,1]]}}",
      "end of file expected near '}'" },
    { 1, ".json", "{\"__tuple__:[0, 3]\": 1}",
      "\"__tuple__:[0, 3]\": chiplet 3 is not permitted (permitted: the name" },
    { 1, ".json", "{\"__tuple__:[0, 1]\": 1, \"x\": 1}",
      "key \"x\" is not permitted (permitted: a pair of chiplets" },
    { 1, ".json", "{\"__tuple__:[0, 1]\": 1, \"__tuple__:[0, 1, 2]\": 1}",
      "key \"__tuple__:[0, 1, 2]\"" },
    { 1, ".json", "{\"__tuple__:[0, 1]\": null}", ": rate null " },
    { 2, ".json",
      "{\"__tuple__:[\\\"__tuple__:[0, 2]\\\", \\\"__tuple__:[1, 0]\\\"]\": 1}",
      "unit 2 of chiplet 0 is not permitted (permitted: its 2 terminals" },
    { 2, ".json",
      "{\"__tuple__:[\\\"__tuple__:[0, 1]\\\", \\\"__tuple__:[1, 0]\\\"]\": 1, "
      "\"__tuple__:[0, 1]\": 1}",
      "a pair of units" },
    { 1, ".txt", "0\n", ":1: 1 values" },
    { 1, ".txt", "0 1 0.5 0.5 0 10 20\n", "no time windows" },
    { 1, ".txt", "0 1 0.5 0.1\n", "por 0.1" },
    { 1, ".txt", "0 1 1.5\n", "pir 1.5" },
    { 1, ".txt", "0 3\n", "destination \"3\"" },
    { 1, ".txt", "0 1\n0 2\n", "the row of terminal 0 sums to 2" },
};

static void faults_are_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof file_faults / sizeof *file_faults; i++) {
        const struct file_fault *fault = &file_faults[i];
        struct traffic_case testcase;
        struct nb_error err = { 0 };
        const enum nb_status status =
            file_read(fault->terminals == 1 ? "ring:3" : "ring:3,terminals=2",
                      fault->ending, fault->bytes, false, &testcase, &err);
        if (status == NB_OK || strstr(err.message, fault->reason) == NULL ||
            strstr(err.message, "/tmp/netbound-test-") == NULL)
            fail_msg("fault %zu: %s: \"%s\"", i, fault->bytes, err.message);
        traffic_case_release(&testcase);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void inadmissible_files_are_taken_if_allowed(void **state)
{
    (void)state;
    struct traffic_case testcase;
    struct nb_traffic_sums sums;
    assert_int_equal(file_read("ring:3", ".csv",
                               "source,destination,rate\n0,1,3/4\n2,1,3\n",
                               true, &testcase, NULL),
                     NB_OK);
    assert_int_equal(nb_traffic_sums_find(&testcase.traffic, &testcase.topology,
                                          &sums, NULL),
                     NB_OK);
    assert_true(sums.row.numerator == 3 && sums.row.denominator == 1);
    assert_true(sums.column.numerator == 15 && sums.column.denominator == 4);
    assert_int_equal(sums.row_router, 2);
    assert_int_equal(sums.column_router, 1);
    traffic_case_release(&testcase);
}

/* Ring of 4 with 2, 0, 1, 1 terminals: 4 of each, so indices of a plain
 * matrix are terminals; routers are named by the header. */
/* The rate from a router to another before the singles are added up. */
static struct nb_ratio file_rate(const struct traffic_case *testcase,
                                 uint32_t source, uint32_t target)
{
    const struct nb_demands *singles = &testcase->traffic.singles;
    struct nb_ratio sum = traffic_case_rate(testcase, source, target);
    uint32_t *router;
    assert_int_equal(nb_terminals_list(&testcase->topology, &router, NULL),
                     NB_OK);
    for (size_t d = 0; d < singles->count; d++)
        if (router[singles->entry[d].source] == source &&
            router[singles->entry[d].target] == target)
            sum = nb_ratio_add(
                sum, nb_ratio_make((nb_int128)singles->entry[d].weight,
                                   (nb_int128)testcase->traffic.denominator));
    nb_delete(router);
    return sum;
}

static void terminals_may_differ(void **state)
{
    (void)state;
    static const uint32_t terminals[] = { 2, 0, 1, 1 };
    static const struct {
        const char *bytes;
        uint32_t source, target;
        const char *rate, *reason;
    } rows[] = {
        { "0,0,1,0\n0,0,0,1\n1,0,0,0\n0,1,0,0\n", 0, 2, "1", NULL },
        { "0,0,1,0\n0,0,0,1\n1,0,0,0\n0,1,0,0\n", 3, 0, "1", NULL },
        { "source_router,destination_router,rate\n0,3,1\n0,2,1\n", 0, 3, "1",
          NULL },
        { "source_router,destination_router\n0,3\n", 0, 0, NULL,
          "the column of router 3 sums to 2 (permitted: at most 1" },
        { "source_router,destination_router,rate\n0,1,1/9\n", 0, 0, NULL,
          "the column of router 1 sums to 1/9 (permitted: at most 0, it has "
          "no terminals)" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct traffic_case testcase = { 0 };
        struct nb_error err = { 0 };
        char path[NB_SCRATCH_FILE], rate[NB_RATIO_TEXT];
        assert_int_equal(nb_topology_build("ring:4", &testcase.topology, NULL),
                         NB_OK);
        traffic_case_set_terminals(&testcase.topology, terminals);
        nb_scratch_file(path, ".csv", rows[i].bytes);
        testcase.traffic.denominator = 1;
        /* Traffic of routers without terminals is never allowed. */
        const bool allow = rows[i].reason != NULL &&
                           strstr(rows[i].reason, "no terminals") != NULL;
        const enum nb_status status = nb_matrix_add_file(
            path, &testcase.topology, allow, &testcase.traffic, &err);
        unlink(path);
        assert_int_equal(status, rows[i].rate != NULL ? NB_OK : NB_INVALID);
        if (rows[i].rate != NULL) {
            nb_ratio_print(file_rate(&testcase, rows[i].source, rows[i].target),
                           rate);
            assert_string_equal(rate, rows[i].rate);
        } else if (strstr(err.message, rows[i].reason) == NULL) {
            fail_msg("%s: \"%s\"", rows[i].bytes, err.message);
        }
        traffic_case_release(&testcase);
    }
}

static void unreadable_files_are_named(void **state)
{
    (void)state;
    struct traffic_case testcase;
    struct nb_error err = { 0 };
    assert_int_equal(
        traffic_case_build("file:/nowhere/x.csv@ring:4", &testcase, &err),
        NB_IO);
    assert_non_null(strstr(err.message, "/nowhere/x.csv"));
    err = (struct nb_error){ 0 };
    assert_int_equal(traffic_case_build("file@ring:4", &testcase, &err),
                     NB_INVALID);
    assert_non_null(strstr(err.message, "path"));
}

/* A sparse file of the largest permitted size begins with a zero byte; one byte
 * more is too large. */
static void binary_and_large_files_are_refused(void **state)
{
    (void)state;
    char path[NB_SCRATCH_FILE], specification[80];
    struct nb_topology topology = { 0 };
    struct nb_traffic traffic;
    struct nb_error err = { 0 };
    assert_int_equal(nb_topology_build("ring:3", &topology, NULL), NB_OK);
    nb_scratch_file(path, ".csv", "0,1,0\n");
    snprintf(specification, sizeof specification, "file:%s", path);
    assert_int_equal(truncate(path, 100), 0);
    assert_int_equal(
        nb_traffic_build(specification, &topology, false, &traffic, &err),
        NB_INVALID);
    assert_non_null(strstr(err.message, "byte 6 is 0"));
    err = (struct nb_error){ 0 };
    assert_int_equal(truncate(path, (off_t)NB_MATRIX_BYTES + 1), 0);
    assert_int_equal(
        nb_traffic_build(specification, &topology, false, &traffic, &err),
        NB_INVALID);
    assert_non_null(strstr(err.message, "268435456"));
    unlink(path);
    nb_topology_release(&topology);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(inadmissible_files_are_taken_if_allowed),
        cmocka_unit_test(terminals_may_differ),
        cmocka_unit_test(unreadable_files_are_named),
        cmocka_unit_test(binary_and_large_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
