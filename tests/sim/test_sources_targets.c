/* Where packets go, compared with the traffic's matrix. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "support/scratch.h"
#include "support/sources_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BIRTHS = 300000 };

/* Births of source terminal * n + target terminal, [n * n]. */
static uint64_t *targets_draw(struct sources_case *c)
{
    const size_t n = c->made.topology.terminal_count;
    uint64_t *count = calloc(n * n, sizeof *count);
    assert_non_null(count);
    while (c->sources.sent < BIRTHS) {
        const struct nb_birth *births;
        const size_t born = sources_case_draw(c, &births);
        for (size_t b = 0; b < born; b++) {
            assert_true(births[b].source < n && births[b].target < n);
            count[births[b].source * n + births[b].target]++;
        }
    }
    return count;
}

/* The expected births at each terminal from a terminal. */
static void targets_expect(const struct sources_case *c, uint32_t source,
                           double births, double *expected)
{
    const double row = sources_case_row(c, source);
    for (uint32_t t = 0; t < c->made.topology.terminal_count; t++)
        expected[t] = births / row *
                      nb_ratio_value(traffic_case_single(&c->made, source, t));
}

static double targets_sum(const uint64_t *count, size_t n)
{
    double sum = 0;
    for (size_t t = 0; t < n; t++)
        sum += (double)count[t];
    return sum;
}

static void check_terminals(const struct sources_case *c, const char *name,
                            const uint64_t *count)
{
    const size_t n = c->made.topology.terminal_count;
    const double rate = c->plan.injection.rate, cycles = (double)c->cycle;
    double *expected = calloc(n, sizeof *expected);
    assert_non_null(expected);
    for (uint32_t s = 0; s < n; s++) {
        const double born = targets_sum(count + s * n, n);
        const double chance = rate * sources_case_row(c, s);
        sources_check_value(name, born, cycles * chance,
                            sqrt(cycles * chance * (1 - chance)) + 1e-6);
        if (born == 0)
            continue;
        targets_expect(c, s, born, expected);
        sources_check_counts(name, n, count + s * n, expected);
    }
    free(expected);
}

/* The same by routers, from the rates that the analysis reads. */
static void check_routers(const struct sources_case *c, const char *name,
                          const uint64_t *count)
{
    const size_t n = c->made.topology.terminal_count;
    const size_t routers = c->made.topology.router_count;
    uint64_t *sum = calloc(routers, sizeof *sum);
    double *expected = calloc(routers, sizeof *expected);
    assert_true(sum != NULL && expected != NULL);
    for (uint32_t i = 0; i < routers; i++) {
        double born = 0, row = 0;
        for (uint32_t j = 0; j < routers; j++) {
            sum[j] = 0;
            for (uint32_t s = c->terminal_start[i];
                 s < c->terminal_start[i + 1]; s++)
                for (uint32_t t = c->terminal_start[j];
                     t < c->terminal_start[j + 1]; t++)
                    sum[j] += count[s * n + t];
            born += (double)sum[j];
            expected[j] = nb_ratio_value(traffic_case_rate(&c->made, i, j));
            row += expected[j];
        }
        for (uint32_t j = 0; j < routers; j++)
            expected[j] *= row > 0 ? born / row : 0;
        sources_check_counts(name, routers, sum, expected);
    }
    free(sum);
    free(expected);
}

static void check_case(struct sources_case *c, const char *name)
{
    sources_case_must_start(c, 11);
    uint64_t *count = targets_draw(c);
    check_terminals(c, name, count);
    check_routers(c, name, count);
    free(count);
}

static const struct nb_injection targets_injection = {
    .kind = NB_INJECT_BERNOULLI, .rate = 0.6, .flits = 1
};

static void targets_follow_the_matrix(void **state)
{
    (void)state;
    static const char *const examples[] = {
        "uniform@torus:4x3",
        "uniform@mesh:3x3,terminals=2",
        "uniform@fattree:k=2,n=3",
        "uniform@dragonfly:h=2",
        "uniform@hyperx:3x3,p=2",
        "uniform:self=no@torus:4x3",
        "uniform:self=no@hyperx:3x3,p=2",
        "tornado@ring:8",
        "random-permutation:seed=7@hyperx:3x3,p=2",
        "nearest-neighbour@mesh:4x3",
        "adversarial@dragonfly:h=2",
        "mix:uniform=1/3,adversarial=1/6,local=1/2@dragonfly:h=2",
        "hot-spot:nodes=0+5,share=1/2@torus:4x4",
        "hot-spot:nodes=0+5,share=1/2,self=no@torus:4x4",
        "hot-spot:nodes=3,share=0.1,background=tornado@torus:4x3",
        "hot-spot:nodes=2,share=1/7@hyperx:3x3,p=2",
        "hot-spot:nodes=5,share=1/7,background=tornado,self=no@hyperx:3x3,p=2",
        "bit-reverse@fattree:k=2,n=3",
        "file:data/traffic/ring4-demands.csv@ring:4",
        "file:data/traffic/ring4-matrix.csv@ring:4",
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct sources_case c;
        sources_case_open(&c, examples[i], targets_injection);
        check_case(&c, examples[i]);
        sources_case_close(&c);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Routers of 3, 0, 2 and 1 terminals: rows are per terminal, so the first
 * router's row is larger the fewer terminals share it. */
static void terminals_may_differ(void **state)
{
    (void)state;
    static const uint32_t terminals[] = { 3, 0, 2, 1 };
    struct sources_case c = { 0 };
    char path[NB_SCRATCH_FILE], specification[80];
    nb_scratch_file(path, ".csv",
                    "source_router,destination_router,rate\n"
                    "0,2,1\n0,3,1/2\n2,0,1\n2,2,1/3\n3,0,1/2\n3,3,1/2\n");
    snprintf(specification, sizeof specification, "file:%s", path);
    assert_int_equal(nb_topology_build("ring:4", &c.made.topology, NULL),
                     NB_OK);
    traffic_case_set_terminals(&c.made.topology, terminals);
    assert_int_equal(nb_traffic_build(specification, &c.made.topology, false,
                                      &c.made.traffic, NULL),
                     NB_OK);
    unlink(path);
    sources_case_open_made(&c, targets_injection);
    check_case(&c, "unequal terminals");
    sources_case_close(&c);
}

/* A third to router 0, the rest to all four evenly. */
static void batches_follow_the_matrix(void **state)
{
    (void)state;
    struct sources_case c;
    struct nb_injection injection = { .kind = NB_INJECT_BATCH,
                                      .batch = 30000,
                                      .flits = 1 };
    sources_case_open(&c, "hot-spot:nodes=0,share=1/3@ring:4", injection);
    sources_case_must_start(&c, 3);
    uint64_t count[4] = { 0 };
    const struct nb_birth *births;
    assert_int_equal(sources_case_draw(&c, &births), 120000);
    for (size_t b = 0; b < 120000; b++)
        count[births[b].target]++;
    sources_check_counts("batch", 4, count,
                         (const double[]){ 60000, 20000, 20000, 20000 });
    sources_case_close(&c);
}

/* The bounds of the lists with numbers that fill 62 bits. */
static void large_weights_are_drawn(void **state)
{
    (void)state;
    struct sources_case c = { 0 };
    const uint64_t unit = (uint64_t)1 << 58;
    struct nb_demand demands[] = { { 0, 1, unit }, { 0, 2, 3 * unit } };
    assert_int_equal(nb_topology_build("ring:3", &c.made.topology, NULL),
                     NB_OK);
    const struct nb_traffic traffic = { .router_count = 3,
                                        .denominator = 8 * unit,
                                        .demands = demands,
                                        .demand_count = 2 };
    sources_case_open_made(&c, targets_injection);
    c.plan.traffic = &traffic;
    sources_case_must_start(&c, 5);
    uint64_t *count = targets_draw(&c);
    sources_check_value("1/4", (double)count[1] / BIRTHS, 0.25,
                        sqrt(3.0 / 16 / BIRTHS));
    assert_int_equal(targets_sum(count + 3, 6), 0);
    free(count);

    struct nb_error err = { 0 };
    demands[0].weight = demands[1].weight = (uint64_t)1 << 62;
    assert_int_equal(sources_case_start(&c, 5, &err), NB_OVERFLOW);
    assert_string_equal(err.message,
                        "the traffic of router 0 does not fit in 63 bits");
    sources_case_close(&c);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_follow_the_matrix),
        cmocka_unit_test(terminals_may_differ),
        cmocka_unit_test(batches_follow_the_matrix),
        cmocka_unit_test(large_weights_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
