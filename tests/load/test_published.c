/* Every row of data/published/ that speaks of channel loads and worst cases
 * is computed again and must deserve its verdict. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/published.h"

#include "bounds/capacity.h"
#include "bounds/necessary_case.h"
#include "bounds/unbalanced_case.h"
#include "bounds/worst_case.h"
#include "core/memory.h"
#include "load/channel_loads.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A row's network and scheme, and what is computed from them on demand. */
struct published_case {
    const struct published_row *row;
    struct nb_topology topology;
    struct nb_routing routing;
    struct nb_error error;
};

/* lower <= value <= upper; exact is unknown where the program knows no more. */
struct published_value {
    struct nb_ratio exact;
    double lower, upper;
};

/* Absolute throughput, maximum load or mean hops under the row's traffic. */
static enum nb_status published_load(struct published_case *at,
                                     const char *what,
                                     struct published_value *out)
{
    struct nb_traffic traffic = { 0 };
    struct nb_channel_loads loads = { 0 };
    enum nb_status status;
    NB_TRY(nb_traffic_build(at->row->traffic, &at->topology, false, &traffic,
                            &at->error));
    NB_TRY(nb_channel_loads_find(&at->routing, &traffic, NULL, &loads,
                                 &at->error));
    const uint32_t worst = loads.worst_channel;
    if (strcmp(what, "mean_hops") == 0)
        *out = (struct published_value){ loads.mean_hops, loads.mean_hops_lower,
                                         loads.mean_hops_upper };
    else if (strcmp(what, "max_channel_load") == 0)
        *out = (struct published_value){ loads.exact[worst], loads.lower[worst],
                                         loads.upper[worst] };
    else
        *out =
            (struct published_value){ loads.throughput, loads.throughput_lower,
                                      loads.throughput_upper };
done:
    nb_channel_loads_release(&loads);
    nb_traffic_release(&traffic);
    return status;
}

/* Absolute throughput of the worst case under balanced traffic, or its load. */
static enum nb_status published_balanced(struct published_case *at,
                                         const char *what,
                                         struct published_value *out)
{
    struct nb_worst_case worst = { 0 };
    enum nb_status status;
    NB_TRY(nb_worst_case_find(&at->routing, NULL, &worst, &at->error));
    if (strcmp(what, "worst_case_channel_load") == 0)
        *out = (struct published_value){ worst.load, worst.load_lower,
                                         worst.load_upper };
    else
        *out =
            (struct published_value){ worst.throughput, worst.throughput_lower,
                                      worst.throughput_upper };
done:
    nb_worst_case_release(&worst);
    return status;
}

/* The same as a bound on every scheme that takes shortest paths. */
static enum nb_status published_necessary(struct published_case *at,
                                          const char *what,
                                          struct published_value *out)
{
    struct nb_necessary_case found = { 0 };
    enum nb_status status;
    NB_TRY(nb_necessary_case_find(&at->routing, NULL, &found, &at->error));
    if (strcmp(what, "worst_case_channel_load") == 0)
        out->exact = (struct nb_ratio){ found.load, 1 };
    else
        out->exact = found.throughput;
done:
    nb_necessary_case_release(&found);
    return status;
}

static enum nb_status published_unbalanced(struct published_case *at,
                                           struct published_value *out)
{
    struct nb_unbalanced_case found = { 0 };
    enum nb_status status;
    NB_TRY(nb_unbalanced_case_find(&at->routing, NULL, &found, &at->error));
    *out = (struct published_value){ found.rate, found.rate_lower,
                                     found.rate_upper };
done:
    nb_unbalanced_case_release(&found);
    return status;
}

static enum nb_status published_worst(struct published_case *at,
                                      const char *what,
                                      struct published_value *out)
{
    if (strcmp(at->row->traffic, "unbalanced") == 0)
        return published_unbalanced(at, out);
    if (strcmp(at->row->traffic, "worst") != 0)
        return nb_fail(&at->error, NB_INVALID,
                       "traffic \"%s\" (permitted: worst, unbalanced)",
                       at->row->traffic);
    return at->routing.kind->is_adaptive ? published_necessary(at, what, out)
                                         : published_balanced(at, what, out);
}

/* What rows may ask; without find, samples that only `ledger` draws. */
static const struct published_quantity {
    const char *name;
    enum nb_status (*find)(struct published_case *at, const char *what,
                           struct published_value *out);
    bool is_fraction; /* of capacity */
} quantities[] = {
    { "max_channel_load", published_load, false },
    { "throughput", published_load, true },
    { "throughput_absolute", published_load, false },
    { "mean_hops", published_load, false },
    { "worst_case_channel_load", published_worst, false },
    { "worst_case_throughput", published_worst, true },
    { "worst_case_throughput_absolute", published_worst, false },
    { "mean_throughput", NULL, false },
    { "min_throughput", NULL, false },
};

/* NULL if the row asks what nothing here can answer. */
static const struct published_quantity *
published_quantity(const struct published_row *row)
{
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++)
        if (strcmp(row->quantity, quantities[i].name) == 0)
            return &quantities[i];
    return NULL;
}

static enum nb_status published_find(struct published_case *at,
                                     struct published_value *out)
{
    const struct published_quantity *quantity = published_quantity(at->row);
    struct nb_capacity capacity;
    enum nb_status status;
    NB_TRY(nb_topology_build(at->row->topology, &at->topology, &at->error));
    NB_TRY(nb_routing_build(at->row->routing, &at->topology, &at->routing,
                            &at->error));
    NB_TRY(quantity->find(at, quantity->name, out));
    if (!quantity->is_fraction)
        goto done;
    NB_TRY(nb_capacity_find(&at->topology, NULL, &capacity, &at->error));
    out->exact = nb_ratio_divide(out->exact, capacity.exact);
    out->lower = nextafter(out->lower / capacity.upper, -INFINITY);
    out->upper = nextafter(out->upper / capacity.lower, INFINITY);
done:
    nb_routing_release(&at->routing);
    nb_topology_release(&at->topology);
    return status;
}

/* Takes the row's exact ratio where the program knows a bracket only. */
static bool published_settle(struct published_value *value,
                             struct nb_ratio exact)
{
    if (!nb_ratio_is_known(exact))
        return nb_ratio_is_known(value->exact);
    if (nb_ratio_is_known(value->exact))
        return nb_ratio_compare(value->exact, exact) == 0;
    value->exact = exact;
    return value->lower <= nb_ratio_value(exact) &&
           nb_ratio_value(exact) <= value->upper;
}

/* Whether the row holds; says on stderr why not. */
static bool published_check(const struct published_row *row)
{
    struct published_case at = { .row = row };
    struct published_value value = { .exact = { 0, 0 } };
    struct nb_ratio exact = { 0, 0 };
    char text[NB_RATIO_TEXT];
    const bool is_found = published_find(&at, &value) == NB_OK;
    const bool is_read = *row->exact == '\0' ||
                         nb_ratio_read(row->exact, &exact, &at.error) == NB_OK;
    nb_ratio_print(value.exact, text);
    const bool is_exact =
        is_found && is_read && published_settle(&value, exact);
    const bool agrees =
        is_exact &&
        (*row->printed == '\0' || published_agrees(row->printed, value.exact));
    if (is_exact && agrees == (strcmp(row->verdict, "agrees") == 0))
        return true;
    print_error("%s (%s, %s, %s): found %s in [%.10g, %.10g], printed %s, "
                "exact %s, verdict %s; %s\n",
                row->id, row->source, row->table, row->cell, text, value.lower,
                value.upper, row->printed, row->exact, row->verdict,
                at.error.message);
    return false;
}

static void test_every_row(void **state)
{
    (void)state;
    struct published published;
    size_t checked = 0, failures = 0;
    published_read("data/published/*.csv", &published);
    for (size_t i = 0; i < published.count; i++) {
        const struct published_row *row = &published.rows[i];
        const struct published_quantity *quantity = published_quantity(row);
        if (strcmp(row->verdict, "pending") == 0)
            continue;
        if (quantity == NULL)
            fail_msg("%s: unknown quantity %s", row->id, row->quantity);
        if (quantity->find == NULL)
            continue;
        checked++;
        failures += !published_check(row);
    }
    print_message("%zu of %zu published numbers hold\n", checked - failures,
                  checked);
    published_release(&published);
    assert_int_equal(failures, 0);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Every row names a source that the bibliography has. */
static void test_sources(void **state)
{
    (void)state;
    struct published published;
    struct nb_text references = { 0 };
    published_read("data/published/*.csv", &published);
    assert_int_equal(
        nb_text_read_file("data/references.bib", 1 << 20, &references, NULL),
        NB_OK);
    for (size_t i = 0; i < published.count; i++) {
        const struct published_row *row = &published.rows[i];
        char key[128];
        snprintf(key, sizeof key, "{%s,", row->source);
        if (strstr(references.bytes, key) == NULL)
            fail_msg("%s: no reference %s", row->id, row->source);
    }
    nb_text_release(&references);
    published_release(&published);
}

static void test_printed_digits(void **state)
{
    (void)state;
    const struct nb_ratio two_thirds = { 2, 3 }, four = { 4, 1 };
    assert_true(published_agrees("0.67", two_thirds));
    assert_true(published_agrees("0.667", two_thirds));
    assert_true(published_agrees("1", two_thirds));
    assert_false(published_agrees("0.66", two_thirds)); /* cut, not rounded */
    assert_false(published_agrees("0.68", two_thirds));
    assert_false(published_agrees("0.668", two_thirds));
    assert_true(published_agrees("4", four));
    assert_true(published_agrees("4.000", four));
    assert_true(published_agrees("4.5", (struct nb_ratio){ 91, 20 })); /* tie */
    assert_false(published_agrees("4.5", (struct nb_ratio){ 457, 100 }));
    assert_false(published_agrees("4.001", four));
    assert_false(published_agrees("5", four));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_printed_digits),
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_every_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
