#include "questions/fit/fit_table.h"

#include "questions/fit/fit_question.h"
#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char fit_columns[] =
    "topology:text,terminals,routers,local_links,global_links,radix "
    "[ports],diameter [hops],capacity:ratio [packets/cycle/terminal],"
    "links_per_terminal:number,ports_per_terminal:number,"
    "routers_per_terminal:number,terminals_per_switch,table_entries,"
    "table_entries_by_switch,table_entries_compact:number";

/* Owns networks. */
struct fit_list {
    struct nb_fit *networks;
    size_t count;
    size_t unknown_count; /* of unknown capacity, left out or not */
};

static uint64_t fit_links(const struct nb_fit *network)
{
    return network->local_links + network->global_links;
}

static int fit_compare_whole(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int fit_compare_cost(const void *a, const void *b)
{
    const struct nb_fit *one = a, *other = b;
    const int by_links = fit_compare_whole(fit_links(one), fit_links(other));
    const int by_routers = fit_compare_whole(one->routers, other->routers);
    const int by_diameter = fit_compare_whole(one->diameter, other->diameter);
    return by_links != 0     ? by_links
           : by_routers != 0 ? by_routers
           : by_diameter != 0
               ? by_diameter
               : strcmp(one->specification, other->specification);
}

static bool fit_is_full(const struct nb_fit *network)
{
    return nb_ratio_is_known(network->capacity) &&
           nb_ratio_compare(network->capacity, nb_ratio_one) >= 0;
}

static int fit_compare_full(const void *a, const void *b)
{
    const int by_capacity = (int)fit_is_full(b) - (int)fit_is_full(a);
    return by_capacity != 0 ? by_capacity : fit_compare_cost(a, b);
}

static int fit_compare_size(const void *a, const void *b)
{
    const struct nb_fit *one = a, *other = b;
    const int by_terminals =
        fit_compare_whole(other->terminals, one->terminals);
    return by_terminals != 0 ? by_terminals : fit_compare_full(a, b);
}

static bool fit_has_size(const struct nb_fit_question *question,
                         const struct nb_fit *network)
{
    const bool is_near =
        question->diameter == 0 || network->diameter <= question->diameter;
    const bool is_small =
        !nb_ratio_is_known(question->oversize) ||
        nb_ratio_compare(nb_ratio_make((nb_int128)network->terminals,
                                       (nb_int128)question->demand.terminals),
                         question->oversize) <= 0;
    return is_near && is_small;
}

static bool fit_carries(const struct nb_fit_question *question,
                        const struct nb_fit *network)
{
    if (!nb_ratio_is_known(question->capacity))
        return true;
    return nb_ratio_is_known(network->capacity) &&
           nb_ratio_compare(network->capacity, question->capacity) >= 0;
}

/* Those of a kind that are wanted. */
static enum nb_status fit_find_kind(const struct nb_fit_question *question,
                                    const struct nb_topology_kind *kind,
                                    struct fit_list *out, struct nb_error *err)
{
    struct nb_fit found;
    enum nb_status status = NB_OK;
    for (size_t i = 0;; i++) {
        NB_TRY(kind->fit(&question->demand, i, &found, err));
        if (found.routers == 0)
            break;
        if (!fit_has_size(question, &found))
            continue;
        out->unknown_count += !nb_ratio_is_known(found.capacity);
        if (!fit_carries(question, &found))
            continue;
        NB_TRY(nb_grow(&out->networks, out->count + 1, sizeof *out->networks,
                       "networks", err));
        out->networks[out->count++] = found;
    }
done:
    return status;
}

static enum nb_status fit_find(const struct nb_fit_question *question,
                               struct fit_list *out, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t k = 0; nb_topology_kinds[k] != NULL; k++)
        if (nb_topology_kinds[k]->fit != NULL)
            NB_TRY(fit_find_kind(question, nb_topology_kinds[k], out, err));
done:
    return status;
}

static void fit_sort(const struct nb_fit_question *question,
                     struct fit_list *list)
{
    if (list->count > 0)
        qsort(list->networks, list->count, sizeof *list->networks,
              question->demand.terminals == 0         ? fit_compare_size
              : nb_ratio_is_known(question->capacity) ? fit_compare_cost
                                                      : fit_compare_full);
}

static void fit_add_whole(struct nb_point *out, const char *name,
                          uint64_t value, const char *unit)
{
    nb_point_add_exact(out, name, nb_ratio_make((nb_int128)value, 1), unit,
                       "counting", "");
}

/* Of kind and diameter together, "terminals_dragonfly_3"; list is in the
 * order of the kinds. */
static void fit_add_largest(const struct fit_list *list, struct nb_point *out)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct nb_fit *network = &list->networks[i];
        char name[NB_FIT_TEXT + 32];
        uint64_t most = 0;
        const size_t length = strcspn(network->specification, ":") + 1;
        snprintf(name, sizeof name, "terminals_%.*s_%u", (int)length - 1,
                 network->specification, network->diameter);
        if (nb_point_quantity(out, name) != NULL)
            continue;
        for (size_t k = i; k < list->count; k++) {
            const struct nb_fit *other = &list->networks[k];
            if (other->diameter == network->diameter &&
                other->terminals > most &&
                strncmp(other->specification, network->specification, length) ==
                    0)
                most = other->terminals;
        }
        fit_add_whole(out, name, most, "1");
    }
}

static void fit_add_best(const struct fit_list *list, struct nb_point *out)
{
    const struct nb_fit *best = list->networks;
    uint64_t links = UINT64_MAX, routers = UINT64_MAX;
    for (size_t i = 0; i < list->count; i++) {
        const struct nb_fit *network = &list->networks[i];
        links = fit_links(network) < links ? fit_links(network) : links;
        routers = network->routers < routers ? network->routers : routers;
    }
    fit_add_whole(out, "best_terminals", best->terminals, "1");
    fit_add_whole(out, "best_routers", best->routers, "1");
    fit_add_whole(out, "best_links", fit_links(best), "1");
    fit_add_whole(out, "best_diameter", best->diameter, "hops");
    if (nb_ratio_is_known(best->capacity))
        nb_point_add_exact(out, "best_capacity", best->capacity,
                           "packets/cycle/terminal", "closed form", "");
    fit_add_whole(out, "least_routers", routers, "1");
    fit_add_whole(out, "least_links", links, "1");
}

/* Entries of a switch's routing table for groups, the switches of the own
 * group and the own terminals; without groups for switches. */
static uint64_t fit_entries(const struct nb_fit *network)
{
    const uint64_t of_group = network->group_switches > 0
                                  ? network->group_switches
                                  : network->switches;
    return network->switches / of_group - 1 + of_group - 1 +
           network->terminals / network->switches;
}

/*
 * The least of them once those of one port are merged: one for each port; of a
 * dragonfly also one for each of the own group's switches, whose global ports
 * lead on. NaN where Benito2020, section 4.3.2, says nothing.
 */
static double fit_entries_compact(const struct nb_fit *network)
{
    const char *name = network->specification;
    const double ports = network->radix;
    const double all = (double)fit_entries(network);
    if (strncmp(name, "clos:", 5) == 0 || strncmp(name, "hyperx:", 7) == 0)
        return fmin(ports, all);
    if (strncmp(name, "dragonfly:", 10) == 0 && strstr(name, ",a=") == NULL)
        return fmin(ports + (double)network->group_switches - 1, all);
    return NAN;
}

static void fit_add_table(const struct fit_list *list, struct nb_point *out)
{
    const size_t table =
        nb_point_add_table(out, "networks", false, fit_columns);
    for (size_t i = 0; i < list->count; i++) {
        const struct nb_fit *network = &list->networks[i];
        const double terminals = (double)network->terminals;
        const uint64_t links = fit_links(network);
        nb_table_add_text(out, table, network->specification);
        nb_table_add_whole(out, table, (int64_t)network->terminals);
        nb_table_add_whole(out, table, (int64_t)network->routers);
        nb_table_add_whole(out, table, (int64_t)network->local_links);
        nb_table_add_whole(out, table, (int64_t)network->global_links);
        nb_table_add_whole(out, table, network->radix);
        nb_table_add_whole(out, table, network->diameter);
        nb_table_add_ratio(out, table, network->capacity);
        nb_table_add_number(out, table, (double)links / terminals);
        nb_table_add_number(
            out, table, (double)(network->terminals + 2 * links) / terminals);
        nb_table_add_number(out, table, (double)network->routers / terminals);
        nb_table_add_whole(out, table,
                           (int64_t)(network->terminals / network->switches));
        nb_table_add_whole(out, table, (int64_t)fit_entries(network));
        nb_table_add_whole(out, table,
                           (int64_t)(network->switches - 1 +
                                     network->terminals / network->switches));
        nb_table_add_number(out, table, fit_entries_compact(network));
    }
}

static void fit_add_notes(const struct nb_fit_question *question,
                          const struct fit_list *list, struct nb_point *out)
{
    const bool is_open = question->demand.terminals == 0;
    const bool is_limited = nb_ratio_is_known(question->capacity);
    char text[200];
    if (list->count == 0)
        nb_point_add_note(out, "networks",
                          "none of these shapes fits; fewer terminals, more "
                          "ports or wider limits may let one");
    nb_point_add_note(out, "shapes",
                      "dragonfly and megafly with as many terminals as global "
                      "channels at a router, hyperx of equal radices (the last "
                      "may be less), clos with half of the ports each way (and "
                      "twice as many down as up at the leaves), slimfly");
    snprintf(text, sizeof text,
             "%s, then the fewest links between routers, the fewest routers, "
             "the least diameter",
             is_open      ? "the most terminals, then capacity 1"
             : is_limited ? "best first: the capacity asked for, which all have"
                          : "best first: capacity 1");
    nb_point_add_note(out, "order", text);
    if (is_open)
        nb_point_add_note(
            out, "terminals",
            "terminals_KIND_D: the most that a balanced network of "
            "the kind has whose diameter is D");
    nb_point_add_note(out, "capacity_basis",
                      "uniform traffic, self included, over shortest paths "
                      "taken evenly; at most 1, what a terminal's channel "
                      "carries");
    snprintf(text, sizeof text,
             "%zu networks, as there is no closed form of theirs%s",
             list->unknown_count, is_limited ? ": they are left out" : "");
    if (list->unknown_count > 0)
        nb_point_add_note(out, "capacity_unknown", text);
}

enum nb_status nb_fit_answer(const char *text, struct nb_point *out,
                             struct nb_error *err)
{
    struct nb_fit_question question;
    struct fit_list list = { 0 };
    enum nb_status status;
    NB_TRY(nb_fit_question_read(text, &question, err));
    NB_TRY(fit_find(&question, &list, err));
    fit_add_whole(out, "networks", list.count, "1");
    if (question.demand.terminals == 0)
        fit_add_largest(&list, out);
    fit_sort(&question, &list);
    if (question.demand.terminals > 0 && list.count > 0)
        fit_add_best(&list, out);
    fit_add_notes(&question, &list, out);
    fit_add_table(&list, out);
done:
    nb_delete(list.networks);
    return status;
}
