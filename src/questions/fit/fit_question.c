#include "questions/fit/fit_question.h"

#include "core/memory.h"
#include "core/unit.h"
#include "questions/question.h"
#include "report/grid.h"
#include "report/printed.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The numbers of a question, of one type each, for their rows. */
struct fit_numbers {
    int64_t radix, terminals, diameter;
    struct nb_ratio capacity, oversize;
};
#define FIT(field) offsetof(struct fit_numbers, field)

static const struct nb_parameter fit_parameters[] = {
    { .name = "radix",
      .field = FIT(radix),
      .help = "the ports of a router, at most",
      .type = NB_WHOLE,
      .least = 2,
      .most = 1e6 },
    { .name = "terminals",
      .field = FIT(terminals),
      .help = "at least this many; 0: as many as each kind can have",
      .type = NB_WHOLE,
      .initial = "0",
      .most = 1e15 },
    { .name = "diameter",
      .field = FIT(diameter),
      .help = "hops between routers, at most",
      .type = NB_WHOLE,
      .initial = "",
      .least = 1,
      .most = 1e6 },
    { .name = "capacity",
      .field = FIT(capacity),
      .help =
          "uniform traffic carried, packets per cycle and terminal, at least",
      .type = NB_NUMBER,
      .initial = "",
      .most = 1 },
    { .name = "oversize",
      .field = FIT(oversize),
      .help = "most terminals, as a multiple of those asked for",
      .type = NB_NUMBER,
      .initial = "",
      .least = 1,
      .most = 1e6 },
    { 0 },
};

static const struct nb_kind fit_kind = {
    .name = "fit",
    .summary = "networks of a size",
    .parameters = fit_parameters,
};

static const struct nb_kind *fit_kind_at(size_t index)
{
    return index == 0 ? &fit_kind : NULL;
}

/* What rows refuse, of a question that was not read, too. */
static enum nb_status fit_hold(const struct nb_fit_question *asked,
                               struct nb_error *err)
{
    const struct nb_fit_demand *demand = &asked->demand;
    const struct fit_numbers numbers = {
        .radix = demand->radix,
        .terminals = demand->terminals < INT64_MAX ? (int64_t)demand->terminals
                                                   : INT64_MAX,
        .diameter = asked->diameter,
        .capacity = asked->capacity,
        .oversize = asked->oversize,
    };
    char text[NB_RATIO_TEXT];
    enum nb_status status = NB_OK;
    NB_TRY(nb_question_hold("option fit", fit_parameters, &numbers, err));
    if (demand->terminals > 0 || !nb_ratio_is_known(asked->oversize))
        goto done;
    nb_unit_print_number(asked->oversize, text);
    status = nb_fail(err, NB_USAGE,
                     "option fit: oversize %s needs terminals (such as "
                     "terminals=10000) to be a multiple of",
                     text);
done:
    return status;
}

/* The ratio of an optional parameter; unknown if it is not given. */
static struct nb_ratio fit_ratio(const struct nb_specification *specification,
                                 const char *name)
{
    return nb_specification_is(specification, name, "")
               ? (struct nb_ratio){ 0, 0 }
               : nb_specification_ratio(specification, name);
}

enum nb_status nb_fit_question_read(const char *text,
                                    struct nb_fit_question *out,
                                    struct nb_error *err)
{
    struct nb_specification read = { 0 };
    struct nb_text spelled = { 0 };
    size_t index;
    enum nb_status status = NB_OK;
    nb_text_print(&spelled, "%s:%s", fit_kind.name, text);
    NB_TRY(nb_text_check(&spelled, err));
    char *colon = strchr(spelled.bytes + strlen(fit_kind.name) + 1, ':');
    if (colon != NULL)
        *colon = ',';
    NB_TRY(nb_specification_read(spelled.bytes, "option", fit_kind_at, NULL,
                                 &read, &index, err));
    *out = (struct nb_fit_question){
        .demand = {
            .terminals = (uint64_t)nb_specification_whole(&read, "terminals"),
            .radix = (uint32_t)nb_specification_whole(&read, "radix"),
        },
        .diameter = nb_specification_is(&read, "diameter", "")
                        ? 0
                        : nb_specification_whole(&read, "diameter"),
        .capacity = fit_ratio(&read, "capacity"),
        .oversize = fit_ratio(&read, "oversize"),
    };
    NB_TRY(fit_hold(out, err));
done:
    nb_specification_release(&read);
    nb_text_release(&spelled);
    return status;
}

static const char fit_columns[] =
    "topology:text,terminals,routers,local_links,global_links,radix "
    "[ports],diameter [hops],capacity:ratio [packets/cycle/terminal],"
    "links_per_terminal:number,ports_per_terminal:number,"
    "routers_per_terminal:number,terminals_per_switch,table_entries,"
    "table_entries_by_switch,table_entries_compact:number";

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
        question->diameter <= 0 || network->diameter <= question->diameter;
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
static enum nb_status fit_find_kind(const struct nb_topology_kind *kind,
                                    struct nb_fit_told *out,
                                    struct nb_error *err)
{
    struct nb_fit found;
    enum nb_status status = NB_OK;
    for (size_t i = 0;; i++) {
        NB_TRY(kind->fit(&out->asked.demand, i, &found, err));
        if (found.routers == 0)
            break;
        if (!fit_has_size(&out->asked, &found))
            continue;
        out->unknown_count += !nb_ratio_is_known(found.capacity);
        if (!fit_carries(&out->asked, &found))
            continue;
        NB_TRY(nb_grow(&out->networks, out->count + 1, sizeof *out->networks,
                       "networks", err));
        out->networks[out->count++] = found;
    }
done:
    return status;
}

void nb_fit_told_release(struct nb_fit_told *told)
{
    nb_delete(told->networks);
    nb_delete(told->best_first);
    *told = (struct nb_fit_told){ 0 };
}

enum nb_status nb_fit_ask(const struct nb_fit_question *asked,
                          struct nb_fit_told *out, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *out = (struct nb_fit_told){ .asked = *asked };
    NB_TRY(fit_hold(asked, err));
    for (size_t k = 0; nb_topology_kinds[k] != NULL; k++)
        if (nb_topology_kinds[k]->fit != NULL)
            NB_TRY(fit_find_kind(nb_topology_kinds[k], out, err));
    if (out->count == 0)
        return NB_OK;
    NB_TRY(nb_new(&out->best_first, out->count, sizeof *out->best_first,
                  "networks", err));
    memcpy(out->best_first, out->networks, out->count * sizeof *out->networks);
    qsort(out->best_first, out->count, sizeof *out->best_first,
          asked->demand.terminals == 0         ? fit_compare_size
          : nb_ratio_is_known(asked->capacity) ? fit_compare_cost
                                               : fit_compare_full);
done:
    if (status != NB_OK)
        nb_fit_told_release(out);
    return status;
}

static void fit_add_whole(struct nb_point *out, const char *name,
                          uint64_t value, const char *unit)
{
    nb_point_add_exact(out, name, nb_ratio_make((nb_int128)value, 1), unit,
                       "counting", "");
}

/* Of kind and diameter together, "terminals_dragonfly_3". */
static void fit_add_largest(const struct nb_fit_told *told,
                            struct nb_point *out)
{
    for (size_t i = 0; i < told->count; i++) {
        const struct nb_fit *network = &told->networks[i];
        char name[NB_FIT_TEXT + 32];
        uint64_t most = 0;
        const size_t length = strcspn(network->specification, ":") + 1;
        snprintf(name, sizeof name, "terminals_%.*s_%u", (int)length - 1,
                 network->specification, network->diameter);
        if (nb_point_quantity(out, name) != NULL)
            continue;
        for (size_t k = i; k < told->count; k++) {
            const struct nb_fit *other = &told->networks[k];
            if (other->diameter == network->diameter &&
                other->terminals > most &&
                strncmp(other->specification, network->specification, length) ==
                    0)
                most = other->terminals;
        }
        fit_add_whole(out, name, most, "1");
    }
}

static void fit_add_best(const struct nb_fit_told *told, struct nb_point *out)
{
    const struct nb_fit *best = told->best_first;
    uint64_t links = UINT64_MAX, routers = UINT64_MAX;
    for (size_t i = 0; i < told->count; i++) {
        const struct nb_fit *network = &told->best_first[i];
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

static void fit_add_table(const struct nb_fit_told *told, struct nb_point *out)
{
    const size_t table =
        nb_point_add_table(out, "networks", false, fit_columns);
    for (size_t i = 0; i < told->count; i++) {
        const struct nb_fit *network = &told->best_first[i];
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

static void fit_add_notes(const struct nb_fit_told *told, struct nb_point *out)
{
    const bool is_open = told->asked.demand.terminals == 0;
    const bool is_limited = nb_ratio_is_known(told->asked.capacity);
    char text[200];
    if (told->count == 0)
        nb_point_add_note(out, "networks",
                          "none of these shapes fits; try fewer terminals, "
                          "more ports or wider limits");
    nb_point_add_note(out, "shapes",
                      "dragonfly and megafly with as many terminals as global "
                      "channels at a router, hyperx of equal radices (the last "
                      "may be less), clos with half of the ports each way (and "
                      "twice as many down as up at the leaves), slimfly");
    snprintf(text, sizeof text,
             "%s, then the fewest links between routers, the fewest routers, "
             "the least diameter",
             is_open      ? "the most terminals, then capacity 1"
             : is_limited ? "best first: the capacity asked for"
                          : "best first: capacity 1");
    nb_point_add_note(out, "order", text);
    if (is_open)
        nb_point_add_note(out, "terminals",
                          "terminals_KIND_D: the most terminals of a balanced "
                          "network of this kind with diameter D");
    nb_point_add_note(
        out, "capacity_basis",
        "uniform traffic, self included, split evenly over shortest paths; at "
        "most 1, the bandwidth of a terminal's channel");
    snprintf(text, sizeof text,
             "? for %zu of the networks: there is no closed form%s",
             told->unknown_count, is_limited ? "; they are left out" : "");
    if (told->unknown_count > 0)
        nb_point_add_note(out, "capacity_unknown", text);
}

void nb_fit_tell(const struct nb_fit_told *told, struct nb_point *out)
{
    fit_add_whole(out, "networks", told->count, "1");
    if (told->asked.demand.terminals == 0)
        fit_add_largest(told, out);
    else if (told->count > 0)
        fit_add_best(told, out);
    fit_add_notes(told, out);
    fit_add_table(told, out);
}

/* What is shown: the first columns, as those after them are quotients of
 * these, and the first rows. */
enum { FIT_COLUMNS = 9, FIT_ROWS = 20 };

static void fit_print_cell(const struct nb_column *column,
                           const union nb_cell *cell, struct nb_text_grid *grid)
{
    char number[NB_PRINTED] = "?";
    if (column->type == NB_CELL_TEXT) {
        nb_grid_add(grid, NB_SIDE_LEFT, cell->text);
        return;
    }
    if (column->type == NB_CELL_WHOLE)
        snprintf(number, sizeof number, "%" PRId64, cell->whole);
    else if (column->type == NB_CELL_NUMBER)
        nb_print_number(cell->number, number);
    else if (nb_ratio_is_known(cell->ratio))
        nb_print_number(nb_ratio_value(cell->ratio), number);
    nb_grid_add(grid, NB_SIDE_RIGHT, number);
}

enum nb_status nb_fit_print(const struct nb_point *point,
                            const struct nb_look *look, struct nb_text *text,
                            struct nb_error *err)
{
    const struct nb_table *table = nb_point_table(point, "networks");
    struct nb_text_grid grid = { .column_count = FIT_COLUMNS, .heading = 1 };
    if (table == NULL || table->row_count == 0 || point->setting_count > 0)
        return NB_OK;
    const size_t rows =
        table->row_count < FIT_ROWS ? table->row_count : FIT_ROWS;
    for (size_t i = 0; i < FIT_COLUMNS; i++)
        nb_grid_add_ink(&grid,
                        table->columns[i].type == NB_CELL_TEXT ? NB_SIDE_LEFT
                                                               : NB_SIDE_RIGHT,
                        NB_INK_NAME, table->columns[i].name);
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < FIT_COLUMNS; i++)
            fit_print_cell(&table->columns[i],
                           &table->cells[r * table->column_count + i], &grid);
    nb_text_print(text, "\n%s%s%s\n", nb_ink_begin(look, NB_INK_NAME),
                  table->name, nb_ink_end(look, NB_INK_NAME));
    const enum nb_status status = nb_grid_print(&grid, look, text, err);
    if (rows < table->row_count)
        nb_text_print(text, "%sand %zu more: --table networks\n",
                      nb_look_indent(look), table->row_count - rows);
    nb_grid_release(&grid);
    return status;
}
