/* Every row of data/published/ that speaks of channel loads and worst cases
 * is computed again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/published.h"

#include "bounds/capacity.h"
#include "bounds/unbalanced_case.h"
#include "bounds/worst_case.h"
#include "core/memory.h"
#include "load/channel_loads.h"

#include <stdio.h>
#include <string.h>

/* A row's network and scheme, and what is computed from them on demand. */
struct published_case {
    const struct published_row *row;
    struct nb_topology topology;
    struct nb_routing routing;
    struct nb_error error;
};

/* Absolute throughput, maximum load or mean hops under the row's traffic. */
static struct nb_ratio published_load(struct published_case *at,
                                      const char *what)
{
    struct nb_traffic traffic = { 0 };
    struct nb_channel_loads loads = { 0 };
    struct nb_ratio value = { 0, 0 };
    enum nb_status status;
    NB_TRY(nb_traffic_build(at->row->traffic, &at->topology, false, &traffic,
                            &at->error));
    NB_TRY(nb_channel_loads_find(&at->routing, &traffic, NULL, &loads,
                                 &at->error));
    const uint32_t worst = loads.worst_channel;
    if (strcmp(what, "mean_hops") == 0)
        value = loads.mean_hops;
    else if (strcmp(what, "max_channel_load") == 0)
        value = loads.exact[worst];
    else
        value = nb_ratio_divide(at->topology.channels[worst].bandwidth,
                                loads.exact[worst]);
done:
    nb_channel_loads_release(&loads);
    nb_traffic_release(&traffic);
    return value;
}

/* Absolute throughput of the worst case, balanced or not, or its load. */
static struct nb_ratio published_worst(struct published_case *at,
                                       const char *what)
{
    struct nb_worst_case worst = { 0 };
    struct nb_unbalanced_case unbalanced = { 0 };
    struct nb_ratio value = { 0, 0 };
    enum nb_status status;
    if (strcmp(at->row->traffic, "unbalanced") == 0) {
        NB_TRY(nb_unbalanced_case_find(&at->routing, NULL, &unbalanced,
                                       &at->error));
        value = unbalanced.rate;
        goto done;
    }
    if (strcmp(at->row->traffic, "worst") != 0)
        NB_TRY(nb_fail(&at->error, NB_INVALID,
                       "traffic \"%s\" (permitted: worst, unbalanced)",
                       at->row->traffic));
    NB_TRY(nb_worst_case_find(&at->routing, NULL, &worst, &at->error));
    value = strcmp(what, "worst_case_channel_load") == 0 ? worst.load
                                                         : worst.throughput;
done:
    nb_worst_case_release(&worst);
    nb_unbalanced_case_release(&unbalanced);
    return value;
}

static const struct {
    const char *name;
    struct nb_ratio (*find)(struct published_case *at, const char *what);
    bool is_fraction; /* of capacity */
} quantities[] = {
    { "max_channel_load", published_load, false },
    { "throughput", published_load, true },
    { "throughput_absolute", published_load, false },
    { "mean_hops", published_load, false },
    { "worst_case_channel_load", published_worst, false },
    { "worst_case_throughput", published_worst, true },
    { "worst_case_throughput_absolute", published_worst, false },
};

static struct nb_ratio published_find(struct published_case *at)
{
    const struct published_row *row = at->row;
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++) {
        if (strcmp(row->quantity, quantities[i].name) != 0)
            continue;
        struct nb_capacity capacity = { .exact = nb_ratio_one };
        const struct nb_ratio value =
            quantities[i].find(at, quantities[i].name);
        if (quantities[i].is_fraction &&
            nb_capacity_find(&at->topology, NULL, &capacity, &at->error) !=
                NB_OK)
            return (struct nb_ratio){ 0, 0 };
        return nb_ratio_divide(value, capacity.exact);
    }
    nb_fail(&at->error, NB_INVALID, "unknown quantity \"%s\"", row->quantity);
    return (struct nb_ratio){ 0, 0 };
}

/* Whether the row holds; says on stderr why not. */
static bool published_check(const struct published_row *row)
{
    struct published_case at = { .row = row };
    struct nb_ratio value = { 0, 0 }, exact = { 0, 0 };
    char text[NB_RATIO_TEXT];
    enum nb_status status;
    NB_TRY(nb_topology_build(row->topology, &at.topology, &at.error));
    NB_TRY(
        nb_routing_build(row->routing, &at.topology, &at.routing, &at.error));
    value = published_find(&at);
    if (*row->exact != '\0')
        NB_TRY(nb_ratio_read(row->exact, &exact, &at.error));
done:
    nb_routing_release(&at.routing);
    nb_topology_release(&at.topology);
    nb_ratio_print(value, text);
    const bool is_computed = at.error.status == NB_OK && *text != '\0';
    const bool is_exact = is_computed && (!nb_ratio_is_known(exact) ||
                                          nb_ratio_compare(value, exact) == 0);
    const bool is_expected = strncmp(row->note, "differs:", 8) != 0;
    const bool is_as_printed =
        is_computed && (*row->printed == '\0' ||
                        published_agrees(row->printed, value) == is_expected);
    if (!is_exact || !is_as_printed)
        print_error("%s (%s, %s, %s): found %s = %.10g, printed %s, exact %s; "
                    "%s%s\n",
                    row->id, row->source, row->table, row->cell, text,
                    nb_ratio_value(value), row->printed, row->exact, row->note,
                    at.error.message);
    return is_exact && is_as_printed;
}

static void test_every_row(void **state)
{
    (void)state;
    struct published published;
    size_t failures = 0;
    published_read("data/published/*.csv", &published);
    for (size_t i = 0; i < published.count; i++)
        failures += !published_check(&published.rows[i]);
    print_message("%zu of %zu published numbers hold\n",
                  published.count - failures, published.count);
    published_release(&published);
    assert_int_equal(failures, 0);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* A row gives a number, and names a source that the bibliography has. */
static void test_rows_are_complete(void **state)
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
        if (*row->printed == '\0' && *row->exact == '\0')
            fail_msg("%s has no number", row->id);
        if (*row->id == '\0' || *row->table == '\0' || *row->cell == '\0' ||
            *row->unit == '\0')
            fail_msg("row \"%s\" has an empty field", row->id);
    }
    nb_text_release(&references);
    published_release(&published);
}

static void test_printed_digits(void **state)
{
    (void)state;
    const struct nb_ratio two_thirds = { 2, 3 }, four = { 4, 1 };
    assert_true(published_agrees("0.67", two_thirds));
    assert_true(published_agrees("0.66", two_thirds));
    assert_true(published_agrees("0.666", two_thirds));
    assert_true(published_agrees("1", two_thirds));
    assert_false(published_agrees("0.65", two_thirds));
    assert_false(published_agrees("0.68", two_thirds));
    assert_false(published_agrees("0.668", two_thirds));
    assert_true(published_agrees("4", four));
    assert_true(published_agrees("4.000", four));
    assert_false(published_agrees("4.001", four));
    assert_false(published_agrees("5", four));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_printed_digits),
        cmocka_unit_test(test_rows_are_complete),
        cmocka_unit_test(test_every_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
