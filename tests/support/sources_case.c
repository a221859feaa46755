#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sources_case.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

void sources_case_open_made(struct sources_case *c,
                            struct nb_injection injection)
{
    const struct nb_topology *topology = &c->made.topology;
    const size_t routers = topology->router_count;
    c->terminal_start = calloc(routers + 1, sizeof *c->terminal_start);
    c->terminal_router =
        calloc(topology->terminal_count, sizeof *c->terminal_router);
    assert_true(c->terminal_start != NULL && c->terminal_router != NULL);
    for (uint32_t i = 0; i < routers; i++) {
        c->terminal_start[i + 1] =
            c->terminal_start[i] + topology->terminals[i];
        for (uint32_t t = 0; t < topology->terminals[i]; t++)
            c->terminal_router[c->terminal_start[i] + t] = i;
    }
    c->plan = (struct nb_simulation){
        .topology = topology,
        .traffic = &c->made.traffic,
        .injection = injection,
    };
}

void sources_case_open(struct sources_case *c, const char *example,
                       struct nb_injection injection)
{
    struct nb_error err = { 0 };
    *c = (struct sources_case){ 0 };
    if (traffic_case_build(example, &c->made, &err) != NB_OK)
        fail_msg("%s: %s", example, err.message);
    sources_case_open_made(c, injection);
}

void sources_case_close(struct sources_case *c)
{
    nb_sources_release(&c->sources);
    traffic_case_release(&c->made);
    free(c->terminal_start);
    free(c->terminal_router);
    *c = (struct sources_case){ 0 };
}

enum nb_status sources_case_start(struct sources_case *c, uint64_t seed,
                                  struct nb_error *err)
{
    nb_sources_release(&c->sources);
    nb_random_init(&c->random, seed, 0);
    c->cycle = 0;
    return nb_sources_init(&c->plan, c->terminal_start, c->terminal_router,
                           &c->random, &c->sources, err);
}

void sources_case_must_start(struct sources_case *c, uint64_t seed)
{
    struct nb_error err = { 0 };
    if (sources_case_start(c, seed, &err) != NB_OK)
        fail_msg("%s", err.message);
}

size_t sources_case_draw(struct sources_case *c, const struct nb_birth **births)
{
    size_t count;
    struct nb_error err = { 0 };
    if (nb_sources_draw(&c->sources, c->cycle++, &c->random, births, &count,
                        &err) != NB_OK)
        fail_msg("%s", err.message);
    return count;
}

void sources_case_count(struct sources_case *c, uint32_t *count)
{
    const struct nb_birth *births;
    const size_t born = sources_case_draw(c, &births);
    for (size_t t = 0; t < c->made.topology.terminal_count; t++)
        count[t] = 0;
    for (size_t b = 0; b < born; b++)
        count[births[b].source]++;
}

double sources_case_row(const struct sources_case *c, uint32_t terminal)
{
    double row = 0;
    for (uint32_t u = 0; u < c->made.topology.terminal_count; u++)
        row += nb_ratio_value(traffic_case_single(&c->made, terminal, u));
    return row;
}

void sources_check_counts(const char *name, size_t cells, const uint64_t *count,
                          const double *expected)
{
    double sum = 0, rest = 0, rest_expected = 0;
    size_t used = 0;
    for (size_t i = 0; i < cells; i++) {
        if (expected[i] <= 0 && count[i] > 0)
            fail_msg("%s: %llu in cell %zu, expecting none", name,
                     (unsigned long long)count[i], i);
        if (expected[i] < 5) {
            rest += (double)count[i];
            rest_expected += expected[i];
            continue;
        }
        sum += pow((double)count[i] - expected[i], 2) / expected[i];
        used++;
    }
    if (rest_expected >= 5) {
        sum += pow(rest - rest_expected, 2) / rest_expected;
        used++;
    }
    if (used > 1 && gsl_cdf_chisq_Q(sum, (double)(used - 1)) < 1e-12)
        fail_msg("%s: chi-square %g of %zu cells", name, sum, used);
}

void sources_check_geometric(const char *name, size_t cells,
                             const uint64_t *count, double chance)
{
    double *expected = calloc(cells, sizeof *expected);
    double all = 0;
    assert_non_null(expected);
    for (size_t n = 0; n < cells; n++)
        all += (double)count[n];
    for (size_t n = 1; n < cells; n++)
        expected[n] =
            all * pow(1 - chance, (double)n - 1) * (n + 1 < cells ? chance : 1);
    sources_check_counts(name, cells, count, expected);
    free(expected);
}

void sources_check_value(const char *name, double value, double expected,
                         double deviation)
{
    if (!(fabs(value - expected) <= 7 * deviation))
        fail_msg("%s: %.9g, expecting %.9g +- %.3g", name, value, expected,
                 deviation);
}
