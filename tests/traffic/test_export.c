/* Permutations written and read back, in every format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "core/random.h"
#include "support/scratch.h"
#include "support/traffic_case.h"
#include "traffic/export.h"
#include "traffic/matrix.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TERMINALS = 12 };

static const char *const endings[] = { ".csv", ".json",  ".txt",
                                       ".tbl", ".noxim", ".CSV" };

/* A random permutation of the terminals of ring:6,terminals=2, the second
 * time with two terminals silent, is the same after writing and reading. */
static void export_round_trip(const char *ending, uint64_t seed)
{
    uint32_t destination[TERMINALS];
    char path[NB_SCRATCH_FILE], specification[80];
    struct nb_random random;
    struct traffic_case testcase = { 0 };
    struct nb_error err = { 0 };
    int expected[6][6] = { { 0 } };
    nb_random_init(&random, seed, 0);
    nb_random_permutation(&random, TERMINALS, destination);
    if (seed % 2 == 1)
        destination[3] = destination[8] = NB_NONE;
    for (size_t i = 0; i < TERMINALS; i++)
        if (destination[i] != NB_NONE)
            expected[i / 2][destination[i] / 2]++;

    nb_scratch_file(path, ending, "");
    snprintf(specification, sizeof specification, "file:%s", path);
    if (nb_permutation_write(path, TERMINALS, destination, &err) != NB_OK)
        fail_msg("%s", err.message);
    assert_int_equal(
        nb_topology_build("ring:6,terminals=2", &testcase.topology, NULL),
        NB_OK);
    if (nb_traffic_build(specification, &testcase.topology, false,
                         &testcase.traffic, &err) != NB_OK)
        fail_msg("%s", err.message);
    unlink(path);
    for (uint32_t i = 0; i < 6; i++)
        for (uint32_t j = 0; j < 6; j++)
            if (traffic_case_rate(&testcase, i, j).numerator != expected[i][j])
                fail_msg("%s seed %" PRIu64 ": %" PRIu32 " to %" PRIu32, ending,
                         seed, i, j);
    assert_int_equal(testcase.traffic.denominator, 1);
    traffic_case_release(&testcase);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void permutations_survive(void **state)
{
    (void)state;
    for (size_t e = 0; e < sizeof endings / sizeof *endings; e++)
        for (uint64_t seed = 0; seed < 20; seed++)
            export_round_trip(endings[e], seed);
}

static void files_are_as_simulators_read_them(void **state)
{
    (void)state;
    static const uint32_t destination[] = { 2, NB_NONE, 0 };
    static const char *const expected[][2] = {
        { ".csv", "source,destination\n0,2\n2,0\n" },
        { ".noxim", "% source destination\n0 2\n2 0\n" },
        { ".json", "{\"size\": 3,\n\"matrix\": [\n[0,0,1],\n[0,0,0],\n"
                   "[1,0,0]\n]}\n" },
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char path[NB_SCRATCH_FILE];
        struct nb_text text = { 0 };
        nb_scratch_file(path, expected[i][0], "old contents");
        assert_int_equal(nb_permutation_write(path, 3, destination, NULL),
                         NB_OK);
        assert_int_equal(nb_text_read_file(path, 1000, &text, NULL), NB_OK);
        assert_string_equal(text.bytes, expected[i][1]);
        nb_text_release(&text);
        unlink(path);
    }
}

static void what_cannot_be_written_is_refused(void **state)
{
    (void)state;
    static const uint32_t wrong[] = { 0, 2 };
    struct nb_error err = { 0 };
    assert_int_equal(nb_permutation_write("/tmp/x.xls", 2, wrong, &err),
                     NB_INVALID);
    assert_non_null(strstr(err.message, ".csv, .json, .txt, .tbl, .noxim"));
    err = (struct nb_error){ 0 };
    assert_int_equal(nb_permutation_write("/tmp/a.b/x", 2, wrong, &err),
                     NB_INVALID);
    err = (struct nb_error){ 0 };
    assert_int_equal(nb_permutation_write("/tmp/x.csv", 2, wrong, &err),
                     NB_INVALID);
    assert_non_null(strstr(err.message, "terminal 1 sends to terminal 2"));
    err = (struct nb_error){ 0 };
    assert_int_equal(nb_permutation_write("/nowhere/x.csv", 1, wrong, &err),
                     NB_IO);
    assert_non_null(strstr(err.message, "/nowhere/x.csv"));
    err = (struct nb_error){ 0 };
    enum { MANY = 20000 };
    uint32_t *many = calloc(MANY, sizeof *many);
    assert_non_null(many);
    assert_int_equal(nb_permutation_write("/tmp/x.json", MANY, many, &err),
                     NB_INVALID);
    assert_non_null(strstr(err.message, "20000 terminals"));
    free(many);
}

static void failed_allocations_leave_nothing(void **state)
{
    (void)state;
    static const uint32_t destination[] = { 1, 0 };
    for (size_t e = 0; e < sizeof endings / sizeof *endings; e++) {
        enum nb_status status = NB_NO_MEMORY;
        char path[NB_SCRATCH_FILE];
        nb_scratch_file(path, endings[e], "");
        unlink(path);
        for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
            nb_memory_allow(allowed);
            status = nb_permutation_write(path, 2, destination, NULL);
            nb_memory_allow(-1);
            assert_int_equal(nb_memory_live_blocks(), 0);
            assert_int_equal(access(path, F_OK) == 0, status == NB_OK);
        }
        assert_int_equal(status, NB_OK);
        unlink(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permutations_survive),
        cmocka_unit_test(files_are_as_simulators_read_them),
        cmocka_unit_test(what_cannot_be_written_is_refused),
        cmocka_unit_test(failed_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
