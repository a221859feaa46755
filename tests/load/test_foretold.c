/* Memory is requested before any is taken: the amount, against counts by hand
 * of the data that the threads of a loop use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "load/channel_loads.h"
#include "load/pair_loads.h"
#include "load/permutation_sample.h"
#include "load/turn_flows.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FORETOLD_THREADS = 1 << 20 }; /* one per task */

/* Arguments of the functions. */
struct foretold {
    struct problem problem;
    struct nb_traffic traffic;
    struct nb_permutation_loads loads;
};

typedef enum nb_status foretold_ask(const struct foretold *with,
                                    const struct nb_run *run,
                                    struct nb_error *err);

static enum nb_status ask_channel_loads(const struct foretold *with,
                                        const struct nb_run *run,
                                        struct nb_error *err)
{
    struct nb_channel_loads out = { 0 };
    return nb_channel_loads_find(&with->problem.routing, &with->traffic, run,
                                 &out, err);
}

static enum nb_status ask_turn_flows(const struct foretold *with,
                                     const struct nb_run *run,
                                     struct nb_error *err)
{
    struct nb_turn_flows out = { 0 };
    return nb_turn_flows_find(&with->problem.routing, &with->traffic, run, &out,
                              err);
}

static enum nb_status ask_pair_loads(const struct foretold *with,
                                     const struct nb_run *run,
                                     struct nb_error *err)
{
    const uint32_t channel = 0;
    struct nb_pair_loads out;
    return nb_pair_loads_find(&with->problem.routing, 1, &channel, run, &out,
                              err);
}

static enum nb_status ask_sample(const struct foretold *with,
                                 const struct nb_run *run, struct nb_error *err)
{
    struct nb_permutation_sample out = { 0 };
    return nb_permutation_sample_draw(&with->loads, 1, 2000, run, &out, err);
}

static enum nb_status ask_dense_loads(const struct foretold *with,
                                      const struct nb_run *run,
                                      struct nb_error *err)
{
    struct nb_permutation_loads out = { 0 };
    return nb_permutation_loads_find(&with->problem.routing, NB_KERNEL_DENSE,
                                     run, &out, err);
}

/* Bytes of address space of this process. */
static rlim_t foretold_now(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL) {
        print_message("skipped: memory limits: there is no /proc\n");
        skip();
    }
    assert_true(fscanf(file, "%lu", &pages) == 1);
    fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* With this many MiB available it is rejected, because it needs between least
 * and most. */
static void foretold_check(const struct foretold *with, const char *what,
                           foretold_ask *ask, rlim_t room, double least,
                           double most)
{
    const struct nb_run run = { .threads = FORETOLD_THREADS };
    const long blocks = nb_memory_live_blocks();
    struct nb_error error = { 0 };
    struct rlimit before, narrow;
    double answer = 0;
    char format[80];
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    narrow = before;
    narrow.rlim_cur = foretold_now() + (room << 20);
    assert_int_equal(setrlimit(RLIMIT_AS, &narrow), 0);
    const enum nb_status status = ask(with, &run, &error);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    snprintf(format, sizeof format, "%s: needs %%lf MiB", what);
    TOPOLOGY_CHECK(status == NB_NO_MEMORY &&
                       sscanf(error.message, format, &answer) == 1 &&
                       answer >= least && answer <= most,
                   "%s: from %g to %g", error.message, least, most);
    assert_int_equal(nb_memory_live_blocks(), blocks);
}

static void foretold_open(struct foretold *with, const char *topology,
                          const char *routing)
{
    *with = (struct foretold){ 0 };
    problem_open(&with->problem, topology, routing);
    assert_int_equal(nb_traffic_build("uniform", &with->problem.topology, false,
                                      &with->traffic, NULL),
                     NB_OK);
}

static void foretold_close(struct foretold *with)
{
    nb_traffic_release(&with->traffic);
    problem_close(&with->problem);
}

/* A thread's walk has a node per router (77 bytes and 4 hops of 32) and a table
 * of routes (28 bytes): .91 MiB for 4096 routers. */
static void test_walks_of_all_threads(void **state)
{
    (void)state;
    struct foretold with;
    foretold_open(&with, "torus:64x64", "min");
    /* 64 blocks of 16 bytes per channel: 16; that number of threads: 58. */
    foretold_check(&with, "channel loads", ask_channel_loads, 4, 70, 80);
    /* A matrix of 4096^2 cells of 8 bytes and its transpose: 256; maps of 4
     * bytes are 64 at most; one thread per router: 3730. */
    foretold_check(&with, "pair loads", ask_pair_loads, 4, 3800, 4200);
    foretold_close(&with);
    foretold_open(&with, "torus:256x256", "min");
    /* 9 of 25 turns of 8 bytes per router: 112; 8 threads: 116. */
    foretold_check(&with, "turn flows", ask_turn_flows, 4, 220, 240);
    foretold_close(&with);
}

/* 462 routers and 1762 channels, in lines of 16 numbers of 4 bytes: 1776 for
 * each of 462^2 pairs. */
static void test_dense_permutations(void **state)
{
    (void)state;
    struct foretold with;
    foretold_open(&with, "mesh:22x21", "dor");
    foretold_check(&with, "dense pair loads", ask_dense_loads, 1000, 1446,
                   1447);
    foretold_close(&with);
}

/* 2000 threads, each with 256 permutations of 256 terminals of 4 bytes: 500. */
static void test_permutations_of_all_threads(void **state)
{
    (void)state;
    struct foretold with = { 0 };
    problem_open(&with.problem, "torus:16x16", "dor");
    assert_int_equal(nb_permutation_loads_find(&with.problem.routing,
                                               NB_KERNEL_LISTED, NULL,
                                               &with.loads, NULL),
                     NB_OK);
    foretold_check(&with, "a sample of permutations", ask_sample, 4, 500, 501);
    nb_permutation_loads_release(&with.loads);
    problem_close(&with.problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walks_of_all_threads),
        cmocka_unit_test(test_permutations_of_all_threads),
        cmocka_unit_test(test_dense_permutations), /* last: uses the most
                                                    * memory */
    };
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    print_message("skipped: a sanitizer uses more address space than there is "
                  "memory\n");
    return 0;
#endif
    return cmocka_run_group_tests(tests, NULL, NULL);
}
