/* Traffic matrices written and read back, in every format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/decimal.h"
#include "core/memory.h"
#include "support/scratch.h"
#include "support/traffic_case.h"
#include "traffic/export.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const endings[] = { ".csv", ".json",  ".txt",
                                       ".tbl", ".noxim", ".CSV" };
enum { EXACT = 2, ENDINGS = sizeof endings / sizeof *endings };

/* Writes the traffic and reads it back over the same network. */
static void pass_through(const struct traffic_case *testcase,
                         const char *ending, const char *name,
                         struct traffic_case *out)
{
    char path[NB_SCRATCH_FILE], specification[80];
    struct nb_error err = { 0 };
    nb_scratch_file(path, ending, "");
    if (nb_traffic_write(path, &testcase->traffic, &testcase->topology, &err) !=
        NB_OK)
        fail_msg("%s %s: %s", name, ending, err.message);
    snprintf(specification, sizeof specification, "file:%s", path);
    out->topology = testcase->topology;
    if (nb_traffic_build(specification, &testcase->topology, true,
                         &out->traffic, &err) != NB_OK)
        fail_msg("%s %s: %s", name, ending, err.message);
    unlink(path);
}

/* Whether the rate of each pair of terminals is a decimal of 18 digits. */
static bool is_decimal(const struct traffic_case *testcase, uint32_t i,
                       uint32_t j)
{
    const uint32_t *terminals = testcase->topology.terminals;
    char text[NB_RATIO_TEXT];
    return terminals[i] == 0 || terminals[j] == 0 ||
           nb_decimal_print(
               nb_ratio_divide(
                   traffic_case_rate(testcase, i, j),
                   nb_ratio_make((nb_int128)terminals[i] * terminals[j], 1)),
               text);
}

static size_t rounded;

/* The rate of every pair of routers is unchanged; where Noxim's decimals are
 * too short for evenly divided rates, it is rounded down by less than 10^-18
 * for each pair of terminals. */
static void check_rates(const struct traffic_case *written,
                        const struct traffic_case *read, bool is_exact,
                        const char *name)
{
    const uint32_t *terminals = written->topology.terminals;
    for (uint32_t i = 0; i < written->topology.router_count; i++)
        for (uint32_t j = 0; j < written->topology.router_count; j++) {
            const struct nb_ratio want = traffic_case_rate(written, i, j);
            const struct nb_ratio have = traffic_case_rate(read, i, j);
            const int order = nb_ratio_compare(have, want);
            const nb_int128 pairs = (nb_int128)terminals[i] * terminals[j];
            const bool is_single = written->traffic.singles.count > 0;
            if (is_exact || (is_decimal(written, i, j) && !is_single)) {
                if (order != 0)
                    fail_msg("%s: %u to %u", name, i, j);
                continue;
            }
            rounded++;
            /* want - have < pairs / 10^18, without overflow of ratios */
            const nb_int128 unit = 1000000000000000000;
            const nb_int128 cut = (nb_int128)want.numerator * unit /
                                  want.denominator; /* floor(want 10^18) */
            const nb_int128 kept = have.numerator * (unit / have.denominator);
            /* the rates of single terminals may be decimals */
            if (order > (is_single ? 0 : -1) || cut - kept > pairs ||
                (cut - kept == pairs && pairs > 0))
                fail_msg("%s: %u to %u is not rounded down", name, i, j);
        }
}

static void check_example(const struct nb_traffic_kind *kind,
                          const char *example)
{
    struct traffic_case written = { 0 };
    (void)kind;
    assert_int_equal(traffic_case_build(example, &written, NULL), NB_OK);
    for (size_t e = 0; e < ENDINGS; e++) {
        struct traffic_case read = { 0 };
        pass_through(&written, endings[e], example, &read);
        check_rates(&written, &read, e < EXACT || e == ENDINGS - 1, example);
        nb_traffic_release(&read.traffic);
    }
    traffic_case_release(&written);
}

static void examples_survive(void **state)
{
    (void)state;
    traffic_case_for_each(check_example);
    assert_true(rounded > 0);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Different numbers of terminals, none at some routers. */
static void unequal_terminals_survive(void **state)
{
    (void)state;
    static const char *const names[] = {
        "uniform@file:data/topologies/petersen-networkx.graphml",
        "uniform@file:data/topologies/two-rows.anynet",
        "uniform@fattree:k=2,n=3",
        "random-permutation@fattree:k=3,n=2",
        "hot-spot:nodes=1,share=1/3@ring:4,terminals=3",
        "transpose@torus:3x3,terminals=7",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_example(NULL, names[i]);
}

static const struct {
    const char *name, *ending, *expected;
} files[] = {
    { "uniform@mesh:2x2", ".csv",
      "source,destination,rate\n0,0,0.25\n0,1,0.25\n0,2,0.25\n0,3,0.25\n"
      "1,0,0.25\n1,1,0.25\n1,2,0.25\n1,3,0.25\n2,0,0.25\n2,1,0.25\n"
      "2,2,0.25\n2,3,0.25\n3,0,0.25\n3,1,0.25\n3,2,0.25\n3,3,0.25\n" },
    { "uniform@ring:3", ".json",
      "{\"size\": 3,\n\"matrix\": [\n[\"1/3\",\"1/3\",\"1/3\"],\n"
      "[\"1/3\",\"1/3\",\"1/3\"],\n[\"1/3\",\"1/3\",\"1/3\"]\n]}\n" },
    { "neighbour@ring:3", ".noxim",
      "% source destination rate\n0 1 1\n1 2 1\n2 0 1\n" },
    /* A router's traffic is divided evenly among its terminals' pairs. */
    { "neighbour@ring:3,terminals=2", ".csv",
      "source,destination,rate\n0,2,0.5\n0,3,0.5\n1,2,0.5\n1,3,0.5\n"
      "2,4,0.5\n2,5,0.5\n3,4,0.5\n3,5,0.5\n4,0,0.5\n4,1,0.5\n5,0,0.5\n"
      "5,1,0.5\n" },
    { "neighbour@ring:3,terminals=2", ".json",
      "{\"size\": 6,\n\"matrix\": [\n[0,0,0.5,0.5,0,0],\n[0,0,0.5,0.5,0,0],\n"
      "[0,0,0,0,0.5,0.5],\n[0,0,0,0,0.5,0.5],\n[0.5,0.5,0,0,0,0],\n"
      "[0.5,0.5,0,0,0,0]\n]}\n" },
    { "uniform@ring:3", ".tbl",
      "% source destination rate\n"
      "0 0 0.333333333333333333\n0 1 0.333333333333333333\n"
      "0 2 0.333333333333333333\n1 0 0.333333333333333333\n"
      "1 1 0.333333333333333333\n1 2 0.333333333333333333\n"
      "2 0 0.333333333333333333\n2 1 0.333333333333333333\n"
      "2 2 0.333333333333333333\n"
      "% rates are rounded down to 18 digits\n" },
};

static void files_are_as_simulators_read_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct traffic_case testcase = { 0 };
        struct nb_text text = { 0 };
        char path[NB_SCRATCH_FILE];
        assert_int_equal(traffic_case_build(files[i].name, &testcase, NULL),
                         NB_OK);
        nb_scratch_file(path, files[i].ending, "old contents");
        assert_int_equal(
            nb_traffic_write(path, &testcase.traffic, &testcase.topology, NULL),
            NB_OK);
        assert_int_equal(nb_text_read_file(path, 100000, &text, NULL), NB_OK);
        assert_string_equal(text.bytes, files[i].expected);
        nb_text_release(&text);
        unlink(path);
        traffic_case_release(&testcase);
    }
}

static const struct {
    const char *name, *ending;
    enum nb_status status;
    const char *says;
} refused[] = {
    { "uniform@ring:4", ".xls", NB_INVALID,
      "names no format for traffic matrices (permitted: .csv, .json, .txt, "
      ".tbl, .noxim)" },
    /* 7000^2 lines of at least 6 bytes; 12000^2 cells of at least 2 */
    { "uniform@torus:70x100", ".csv", NB_INVALID,
      "the matrix of 7000 terminals takes more than 268435456 bytes" },
    { "neighbour@torus:120x100", ".json", NB_INVALID,
      "the matrix of 12000 terminals takes more than" },
};

static void what_cannot_be_written_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct traffic_case testcase = { 0 };
        struct nb_error err = { 0 };
        char path[NB_SCRATCH_FILE];
        if (traffic_case_build(refused[i].name, &testcase, &err) != NB_OK)
            fail_msg("%s", err.message);
        nb_scratch_file(path, refused[i].ending, "");
        unlink(path);
        assert_int_equal(
            nb_traffic_write(path, &testcase.traffic, &testcase.topology, &err),
            refused[i].status);
        if (strstr(err.message, refused[i].says) == NULL)
            fail_msg("\"%s\" does not say \"%s\"", err.message,
                     refused[i].says);
        assert_int_not_equal(access(path, F_OK), 0);
        traffic_case_release(&testcase);
    }
}

/* Traffic from a file over ring:3 that a format cannot hold. */
static void refuse_demands(const char *demands, const char *topology,
                           const char *ending, enum nb_status status,
                           const char *says)
{
    struct traffic_case testcase = { 0 };
    struct nb_error err = { 0 };
    char from[NB_SCRATCH_FILE], to[NB_SCRATCH_FILE], specification[80];
    nb_scratch_file(from, ".csv", demands);
    nb_scratch_file(to, ending, "");
    snprintf(specification, sizeof specification, "file:%s", from);
    assert_int_equal(nb_topology_build(topology, &testcase.topology, NULL),
                     NB_OK);
    if (nb_traffic_build(specification, &testcase.topology, true,
                         &testcase.traffic, &err) != NB_OK)
        fail_msg("%s", err.message);
    assert_int_equal(
        nb_traffic_write(to, &testcase.traffic, &testcase.topology, &err),
        status);
    if (status != NB_OK && strstr(err.message, says) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", err.message, says);
    traffic_case_release(&testcase);
    unlink(from);
    unlink(to);
}

static void rates_out_of_range_are_refused(void **state)
{
    (void)state;
    static const char above[] = "source,destination,rate\n0,1,3/2\n";
    /* 2^61 - 1; times 4 it does not fit in 62 bits, times 9 a ratio's 63. */
    static const char tiny[] = "source_router,destination_router,rate\n"
                               "0,1,1/2305843009213693951\n";
    refuse_demands(above, "ring:3", ".noxim", NB_INVALID,
                   "the rate 3/2 from a terminal of router 0 to one of router "
                   "1 is not permitted in a Noxim table (permitted: 0 to 1)");
    refuse_demands(above, "ring:3", ".csv", NB_OK, "");
    refuse_demands(tiny, "ring:3", ".csv", NB_OK, "");
    refuse_demands(tiny, "ring:3,terminals=2", ".csv", NB_OVERFLOW,
                   "from terminals of router 0 to terminals of router 1 the "
                   "common denominator does not fit in 62 bits");
    refuse_demands(tiny, "ring:3,terminals=2", ".txt", NB_OK, "");
    refuse_demands(tiny, "ring:3,terminals=3", ".txt", NB_OVERFLOW,
                   "does not fit in 62 bits");
}

/* Traffic with these rows between routers. refusal  NULL: accepted */
static void build_rows(const char *rows, struct traffic_case *out,
                       const char *refusal)
{
    struct nb_error err = { 0 };
    char path[NB_SCRATCH_FILE], text[200], specification[80];
    snprintf(text, sizeof text, "source_router,destination_router,rate\n%s",
             rows);
    nb_scratch_file(path, ".csv", text);
    snprintf(specification, sizeof specification, "file:%s", path);
    assert_int_equal(
        nb_topology_build("ring:3,terminals=4", &out->topology, NULL), NB_OK);
    const enum nb_status status = nb_traffic_build(
        specification, &out->topology, true, &out->traffic, &err);
    unlink(path);
    assert_int_equal(status, refusal == NULL ? NB_OK : NB_OVERFLOW);
    if (refusal != NULL && strstr(err.message, refusal) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", err.message, refusal);
}

/* Between terminals, 2^61 - 1 over 2^57 becomes 16 rates of the same numerator
 * over 2^61; their sum takes 65 bits before it is reduced. */
static void large_sums_survive(void **state)
{
    (void)state;
    static const char *const written[] = { ".csv", ".json" };
    static const char row[] = "0,1,2305843009213693951/144115188075855872\n";
    for (size_t i = 0; i < 2; i++) {
        struct traffic_case testcase = { 0 }, read = { 0 };
        build_rows(row, &testcase, NULL);
        pass_through(&testcase, written[i], "large sums", &read);
        check_rates(&testcase, &read, true, "large sums");
        nb_traffic_release(&read.traffic);
        traffic_case_release(&testcase);
    }
    struct traffic_case above = { 0 };
    build_rows("1,2,9223372036854775807/3\n1,2,9223372036854775807/3\n"
               "1,2,1/3\n",
               &above, NULL); /* 2^64 - 1 */
    traffic_case_release(&above);
    build_rows("1,2,9223372036854775807/3\n1,2,9223372036854775807/3\n"
               "1,2,2/3\n",
               &above,
               "traffic file: the rate from router 1 to router 2 over the "
               "common denominator 3 does not fit in 64 bits");
    traffic_case_release(&above);
}

static void failed_allocations_leave_nothing(void **state)
{
    (void)state;
    struct traffic_case testcase = { 0 };
    assert_int_equal(traffic_case_build("neighbour@ring:3", &testcase, NULL),
                     NB_OK);
    const long before = nb_memory_live_blocks();
    for (size_t e = 0; e < ENDINGS; e++) {
        enum nb_status status = NB_NO_MEMORY;
        char path[NB_SCRATCH_FILE];
        nb_scratch_file(path, endings[e], "");
        unlink(path);
        for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
            nb_memory_allow(allowed);
            status = nb_traffic_write(path, &testcase.traffic,
                                      &testcase.topology, NULL);
            nb_memory_allow(-1);
            assert_int_equal(nb_memory_live_blocks(), before);
            assert_int_equal(access(path, F_OK) == 0, status == NB_OK);
        }
        assert_int_equal(status, NB_OK);
        unlink(path);
    }
    traffic_case_release(&testcase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_survive),
        cmocka_unit_test(unequal_terminals_survive),
        cmocka_unit_test(files_are_as_simulators_read_them),
        cmocka_unit_test(what_cannot_be_written_is_refused),
        cmocka_unit_test(rates_out_of_range_are_refused),
        cmocka_unit_test(large_sums_survive),
        cmocka_unit_test(failed_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
