#include "questions/fit/fit_question.h"

#include "core/memory.h"
#include "core/unit.h"
#include "ask/question.h"
#include "report/grid.h"
#include "report/printed.h"
#include "report/shown.h"
#include "topology/galois.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The numbers of a question, all of one type, for their rows. */
struct fit_numbers {
    int64_t radix, terminals, diameter;
    struct nb_ratio capacity, worst_case, oversize;
    const char *kind;
};
#define FIT(field) offsetof(struct fit_numbers, field)

const struct nb_parameter nb_fit_parameters[] = {
    NB_OPTION("radix", FIT(radix), NETWORK, WHOLE, NULL,
              "maximum ports per router", .counts = "ports", .least = 2,
              .most = 1e6),
    NB_OPTION("terminals", FIT(terminals), NETWORK, WHOLE, "0",
              "minimum number of terminals; 0: the maximum of each kind",
              .most = 1e15, .unit = "count"),
    NB_OPTION("diameter", FIT(diameter), NETWORK, WHOLE, "",
              "maximum hops between routers", .counts = "hops", .least = 1,
              .most = 1e6),
    NB_OPTION("capacity", FIT(capacity), MEASUREMENT, NUMBER, "",
              "minimum capacity, packets per cycle and terminal", .most = 1,
              .unit = "fraction"),
    NB_OPTION("worst_case", FIT(worst_case), MEASUREMENT, NUMBER, "",
              "minimum worst-case throughput, packets per cycle and terminal",
              .most = 1, .unit = "fraction"),
    NB_OPTION("oversize", FIT(oversize), NETWORK, NUMBER, "",
              "maximum terminals, as a multiple of the number asked for",
              .least = 1, .most = 1e6, .unit = "fraction"),
    NB_OPTION("kind", FIT(kind), NETWORK, WORD, "",
              "kinds of networks joined by +, such as dragonfly+torus"),
    { 0 },
};

static const struct nb_kind fit_kind = {
    .name = "fit",
    .summary = "networks of a size",
    .parameters = nb_fit_parameters,
};

static const struct nb_kind *fit_kind_at(size_t index)
{
    return index == 0 ? &fit_kind : NULL;
}

/* Checks the limits of the rows, also for a question that was not read. */
static enum nb_status fit_check(const struct nb_fit_question *request,
                                struct nb_error *err)
{
    const struct nb_fit_demand *demand = &request->demand;
    const struct fit_numbers numbers = {
        .radix = demand->radix,
        .terminals = demand->terminals < INT64_MAX ? (int64_t)demand->terminals
                                                   : INT64_MAX,
        .diameter = request->diameter,
        .capacity = request->capacity,
        .worst_case = request->worst_case,
        .oversize = request->oversize,
        .kind = NULL,
    };
    char text[NB_RATIO_TEXT];
    enum nb_status status = NB_OK;
    NB_TRY(nb_request_check("option fit", nb_fit_parameters, &numbers, err));
    if (demand->terminals > 0 || !nb_ratio_is_known(request->oversize))
        goto done;
    nb_unit_print_number(request->oversize, text);
    status = nb_fail(err, NB_USAGE,
                     "option fit: oversize %s is a multiple of terminals, "
                     "which are not given (permitted: such as terminals=10000)",
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

static bool fit_has_sizes(const struct nb_topology_kind *kind)
{
    return kind->fit != NULL || kind->search != NULL;
}

static enum nb_status fit_refuse_kind(const char *name, struct nb_error *err)
{
    struct nb_text permitted = { 0 };
    for (size_t k = 0; nb_topology_kinds[k] != NULL; k++)
        if (fit_has_sizes(nb_topology_kinds[k]))
            nb_text_print(&permitted, "%s%s", permitted.length > 0 ? ", " : "",
                          nb_topology_kinds[k]->kind.name);
    enum nb_status status = NB_OK;
    NB_TRY(nb_text_check(&permitted, err));
    status = nb_fail(err, NB_INVALID,
                     "option fit: kind \"%.60s\" is not permitted (permitted: "
                     "one or several, joined by +, of %s)",
                     name, permitted.bytes);
done:
    nb_text_release(&permitted);
    return status;
}

/* Reads the set of kinds named by "dragonfly+torus"; replaces its separators by
 * terminators. */
static enum nb_status fit_read_kinds(const char *names, uint64_t *out,
                                     struct nb_error *err)
{
    const char *name = names;
    enum nb_status status = NB_OK;
    *out = 0;
    while (*names != '\0') {
        const size_t length = strcspn(name, "+");
        size_t index;
        if (nb_kind_find(nb_topology_kind_at, name, length, &index) == NULL ||
            !fit_has_sizes(nb_topology_kinds[index]))
            NB_TRY(fit_refuse_kind(names, err));
        *out |= UINT64_C(1) << index;
        if (name[length] == '\0')
            break;
        name += length + 1;
    }
done:
    return status;
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
        .worst_case = fit_ratio(&read, "worst_case"),
        .oversize = fit_ratio(&read, "oversize"),
    };
    NB_TRY(
        fit_read_kinds(nb_specification_text(&read, "kind"), &out->kinds, err));
    NB_TRY(fit_check(out, err));
done:
    nb_specification_release(&read);
    nb_text_release(&spelled);
    return status;
}

const struct nb_table_kind nb_fit_networks_table = {
    .name = "networks",
    .columns = NB_SPELLED(
        "topology:text,kind:text,terminals,routers,ports,local_links,"
        "global_links,cost?:number [money],watts?:number [W],"
        "cost_per_terminal?:number [money],radix [ports],diameter [hops],"
        "capacity:ratio [packets/cycle/terminal],"
        "worst_case:ratio [packets/cycle/terminal],links_per_terminal:number,"
        "ports_per_terminal:number,routers_per_terminal:number,"
        "terminals_per_switch,table_entries,table_entries_by_switch,"
        "table_entries_compact:ratio")
};

static uint64_t fit_links(const struct nb_fit *network)
{
    return network->local_links + network->global_links;
}

static int fit_compare_whole(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* A network with its price, for ranking. */
struct fit_ranked {
    struct nb_fit network; /* first member: rows sort as networks */
    double money;
};

static int fit_compare_cost(const void *a, const void *b)
{
    const struct nb_fit *one = a, *other = b;
    const double money[] = { ((const struct fit_ranked *)a)->money,
                             ((const struct fit_ranked *)b)->money };
    const int by_links = fit_compare_whole(fit_links(one), fit_links(other));
    const int by_routers = fit_compare_whole(one->routers, other->routers);
    const int by_diameter = fit_compare_whole(one->diameter, other->diameter);
    return money[0] != money[1] ? (money[0] < money[1] ? -1 : 1)
           : by_routers != 0    ? by_routers
           : by_links != 0      ? by_links
           : by_diameter != 0
               ? by_diameter
               : strcmp(one->specification, other->specification);
}

static bool fit_is_full(const struct nb_fit *network)
{
    return nb_ratio_is_known(network->capacity) &&
           nb_ratio_compare(network->capacity, nb_ratio_one) >= 0;
}

/* Undecided networks, whose capacity is not known, come first: any of them may
 * be the best. */
static int fit_compare_decided(const struct nb_fit *one,
                               const struct nb_fit *other)
{
    return (int)nb_ratio_is_known(one->capacity) -
           (int)nb_ratio_is_known(other->capacity);
}

static int fit_compare_limited(const void *a, const void *b)
{
    const int by_decided = fit_compare_decided(a, b);
    return by_decided != 0 ? by_decided : fit_compare_cost(a, b);
}

static int fit_compare_full(const void *a, const void *b)
{
    const int by_decided = fit_compare_decided(a, b);
    const int by_capacity = (int)fit_is_full(b) - (int)fit_is_full(a);
    return by_decided != 0    ? by_decided
           : by_capacity != 0 ? by_capacity
                              : fit_compare_cost(a, b);
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

static bool fit_is_limited(const struct nb_fit_question *question)
{
    return nb_ratio_is_known(question->capacity) ||
           nb_ratio_is_known(question->worst_case);
}

/* Whether a rate is large enough; an unknown one may be. */
static bool fit_reaches(struct nb_ratio rate, struct nb_ratio request)
{
    return !nb_ratio_is_known(request) || !nb_ratio_is_known(rate) ||
           nb_ratio_compare(rate, request) >= 0;
}

static bool fit_carries(const struct nb_fit_question *question,
                        const struct nb_fit *network)
{
    return fit_reaches(network->capacity, question->capacity) &&
           fit_reaches(network->worst_case, question->worst_case);
}

/* Adds a network unless it is already listed. */
static enum nb_status fit_add(const struct nb_fit *network, size_t first,
                              struct nb_fit_answer *out, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t i = first; i < out->count; i++)
        if (strcmp(out->networks[i].specification, network->specification) == 0)
            return NB_OK;
    NB_TRY(nb_grow(&out->networks, out->count + 1, sizeof *out->networks,
                   "networks", err));
    out->networks[out->count++] = *network;
done:
    return status;
}

/* Adds balanced shapes of a kind: all of them if the largest are asked for,
 * otherwise only the best. */
static enum nb_status fit_find_balanced(const struct nb_topology_kind *kind,
                                        struct nb_fit_search *search,
                                        struct nb_fit_answer *out,
                                        struct nb_error *err)
{
    struct nb_fit found;
    enum nb_status status = NB_OK;
    const size_t first = out->count;
    for (size_t i = 0; kind->fit != NULL; i++) {
        NB_TRY(kind->fit(&out->request.demand, i, &found, err));
        if (found.routers == 0)
            break;
        if (!fit_has_size(&out->request, &found))
            continue;
        if (out->request.demand.terminals > 0)
            nb_fit_offer(search, found.diameter, &found);
        else if (fit_carries(&out->request, &found))
            NB_TRY(fit_add(&found, first, out, err));
    }
done:
    return status;
}

/* Leaves out networks of one kind that are no better in anything than another
 * one; of two equal ones, the later. */
static void fit_leave_out(size_t first, struct nb_fit_answer *out)
{
    struct nb_fit *networks = out->networks;
    size_t count = first;
    for (size_t i = first; i < out->count; i++) {
        bool is_left_out = false;
        for (size_t k = first; k < out->count && !is_left_out; k++)
            is_left_out =
                k != i && nb_fit_is_as_good(&networks[k], &networks[i]) &&
                (k < i || !nb_fit_is_as_good(&networks[i], &networks[k]));
        networks[i].is_left_out = is_left_out;
    }
    for (size_t i = first; i < out->count; i++)
        if (!networks[i].is_left_out)
            networks[count++] = networks[i];
    out->count = count;
}

static bool fit_is_tree(const struct nb_topology_kind *kind)
{
    static const char trees[] = "clos fattree";
    const char *name = kind->kind.name;
    return nb_word_is_in(trees, ' ', name, strlen(name));
}

/* The capacity that a network of the kind needs. If Valiant's routing carries
 * the worst case: twice the worst case, but at most the terminals' own rate; in
 * trees: the worst case itself. */
static struct nb_ratio fit_least(const struct nb_fit_question *request,
                                 const struct nb_topology_kind *kind)
{
    struct nb_ratio least = request->worst_case;
    if (!nb_ratio_is_known(least))
        return request->capacity;
    if (!fit_is_tree(kind))
        least = nb_ratio_multiply(least, nb_ratio_make(2, 1));
    if (nb_ratio_compare(least, nb_ratio_one) > 0)
        least = nb_ratio_one;
    return fit_reaches(least, request->capacity) ? least : request->capacity;
}

/* Adds the best of each family, and before them the undecided networks that
 * might be better. */
static enum nb_status fit_add_best_of(const struct nb_fit_search *search,
                                      size_t first, struct nb_fit_answer *out,
                                      struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (uint32_t f = 0; f < NB_FIT_FAMILIES; f++)
        for (size_t t = 0; t < search->tier_count; t++)
            for (int aim = 0; aim < NB_FIT_AIMS; aim++) {
                const struct nb_fit *best = &search->best[f][t][aim];
                const struct nb_fit *undecided =
                    nb_fit_undecided(search, f, t, aim);
                if (undecided != NULL)
                    NB_TRY(fit_add(undecided, first, out, err));
                if (best->routers > 0)
                    NB_TRY(fit_add(best, first, out, err));
            }
done:
    return status;
}

static enum nb_status fit_search_once(const struct nb_topology_kind *kind,
                                      struct nb_fit_search *search,
                                      size_t first, struct nb_fit_answer *out,
                                      struct nb_error *err)
{
    enum nb_status status = NB_OK;
    memset(search->best, 0, sizeof search->best);
    memset(search->undecided, 0, sizeof search->undecided);
    NB_TRY(fit_find_balanced(kind, search, out, err));
    if (kind->search != NULL && out->request.demand.terminals > 0)
        NB_TRY(kind->search(search, err));
    NB_TRY(fit_add_best_of(search, first, out, err));
done:
    return status;
}

/* Finds the best of each family of a kind; among trees also the best that carry
 * any traffic, not only uniform traffic, at the largest capacity required. */
static enum nb_status fit_find_kind(const struct nb_topology_kind *kind,
                                    struct nb_fit_search *search,
                                    struct nb_fit_answer *out,
                                    struct nb_error *err)
{
    const struct nb_fit_question *request = &out->request;
    const size_t first = out->count;
    const bool has_worst = fit_is_tree(kind) && request->demand.terminals > 0 &&
                           !nb_ratio_is_known(request->worst_case);
    enum nb_status status = NB_OK;
    if (fit_is_limited(request))
        search->tier[0] = fit_least(request, kind);
    NB_TRY(fit_search_once(kind, search, first, out, err));
    if (has_worst) {
        search->worst_case = search->tier[0];
        NB_TRY(fit_search_once(kind, search, first, out, err));
        search->worst_case = request->worst_case;
    }
    if (request->demand.terminals > 0)
        fit_leave_out(first, out);
    for (size_t i = first; i < out->count; i++)
        out->undecided_count += !nb_ratio_is_known(out->networks[i].capacity);
done:
    return status;
}

/* Sets up the search for the capacity asked for, or else for 1 and 1/2. */
static enum nb_status fit_search_init(const struct nb_fit_answer *answer,
                                      struct nb_fit_search **out,
                                      struct nb_error *err)
{
    const struct nb_fit_question *request = &answer->request;
    const enum nb_status status = nb_new(out, 1, sizeof **out, "networks", err);
    if (status != NB_OK)
        return status;
    struct nb_fit_search *search = *out;
    *search = (struct nb_fit_search){
        .demand = request->demand,
        .diameter = request->diameter > 0 ? (uint32_t)request->diameter : 0,
        .oversize = request->oversize,
        .worst_case = request->worst_case,
        .tier_count = fit_is_limited(request) ? 1 : 2,
        .tier = { nb_ratio_one, nb_ratio_make(1, 2) },
        .price = request->prices != NULL ? answer->prices.money : NULL,
        .steps = NB_FIT_STEPS,
    };
    /* A few terminals cannot use that many ports. */
    const uint64_t most = 4 * request->demand.terminals + 8;
    search->radix = request->demand.radix < NB_FIT_RADIX ? request->demand.radix
                                                         : NB_FIT_RADIX;
    if (most < search->radix)
        search->radix = (uint32_t)most;
    return NB_OK;
}

static enum nb_status fit_find_all(struct nb_fit_answer *out,
                                   struct nb_error *err)
{
    struct nb_fit_search *search = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(fit_search_init(out, &search, err));
    for (size_t k = 0; nb_topology_kinds[k] != NULL; k++) {
        if (out->request.kinds == 0 || (out->request.kinds >> k & 1) != 0)
            NB_TRY(fit_find_kind(nb_topology_kinds[k], search, out, err));
    }
done:
    nb_delete(search);
    return status;
}

static enum nb_status fit_rank(struct nb_fit_answer *out, struct nb_error *err)
{
    struct fit_ranked *ranked = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&ranked, out->count, sizeof *ranked, "networks", err));
    NB_TRY(nb_new(&out->best_first, out->count, sizeof *out->best_first,
                  "networks", err));
    for (size_t i = 0; i < out->count; i++)
        ranked[i] = (struct fit_ranked){
            out->networks[i],
            out->request.prices != NULL
                ? nb_fit_cost(&out->networks[i], out->prices.money)
                : 0,
        };
    qsort(ranked, out->count, sizeof *ranked,
          out->request.demand.terminals == 0 ? fit_compare_size
          : fit_is_limited(&out->request)    ? fit_compare_limited
                                             : fit_compare_full);
    for (size_t i = 0; i < out->count; i++)
        out->best_first[i] = ranked[i].network;
done:
    nb_delete(ranked);
    return status;
}

void nb_fit_answer_release(struct nb_fit_answer *answer)
{
    nb_delete(answer->networks);
    nb_delete(answer->best_first);
    *answer = (struct nb_fit_answer){ 0 };
}

enum nb_status nb_fit_ask(const struct nb_fit_question *request,
                          struct nb_fit_answer *out, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *out = (struct nb_fit_answer){ .request = *request };
    NB_TRY(fit_check(request, err));
    if (request->prices != NULL)
        NB_TRY(nb_fit_prices_read(request->prices, &out->prices, err));
    NB_TRY(fit_find_all(out, err));
    if (out->count > 0)
        NB_TRY(fit_rank(out, err));
done:
    if (status != NB_OK)
        nb_fit_answer_release(out);
    return status;
}

static void fit_add_whole(struct nb_point *out, const char *name,
                          uint64_t value, const char *unit)
{
    nb_point_add_exact(out, name, nb_ratio_make((nb_int128)value, 1), unit,
                       "counting", "");
}

/* One quantity per kind and diameter, "terminals_dragonfly_3". */
static void fit_add_largest(const struct nb_fit_answer *answer,
                            struct nb_point *out)
{
    for (size_t i = 0; i < answer->count; i++) {
        const struct nb_fit *network = &answer->networks[i];
        char name[NB_FIT_TEXT + 32];
        uint64_t most = 0;
        const size_t length = strcspn(network->specification, ":") + 1;
        snprintf(name, sizeof name, "terminals_%.*s_%u", (int)length - 1,
                 network->specification, network->diameter);
        if (nb_point_quantity(out, name) != NULL)
            continue;
        for (size_t k = i; k < answer->count; k++) {
            const struct nb_fit *other = &answer->networks[k];
            if (other->diameter == network->diameter &&
                other->terminals > most &&
                strncmp(other->specification, network->specification, length) ==
                    0)
                most = other->terminals;
        }
        fit_add_whole(out, name, most, "1");
    }
}

static void fit_add_sum(struct nb_point *out, const char *name, double sum,
                        const char *unit)
{
    nb_point_add_bracket(out, name, sum, sum, unit, "summation", "");
}

/* The best network, or the best of those that are decided if any is. */
static const struct nb_fit *fit_best(const struct nb_fit_answer *answer)
{
    const bool is_any = answer->undecided_count < answer->count;
    const bool is_open = answer->request.demand.terminals == 0;
    return &answer
                ->best_first[is_any && !is_open ? answer->undecided_count : 0];
}

static void fit_add_best(const struct nb_fit_answer *answer,
                         struct nb_point *out)
{
    const struct nb_fit *best = fit_best(answer);
    uint64_t links = UINT64_MAX, routers = UINT64_MAX;
    for (size_t i = 0; i < answer->count; i++) {
        const struct nb_fit *network = &answer->best_first[i];
        if (nb_ratio_is_known(best->capacity) &&
            !nb_ratio_is_known(network->capacity))
            continue;
        links = fit_links(network) < links ? fit_links(network) : links;
        routers = network->routers < routers ? network->routers : routers;
    }
    nb_point_add_note(out, "best", best->specification);
    fit_add_whole(out, "best_routers", best->routers, "1");
    fit_add_whole(out, "best_links", fit_links(best), "1");
    fit_add_whole(out, "best_diameter", best->diameter, "hops");
    if (nb_ratio_is_known(best->capacity))
        nb_point_add_exact(out, "best_capacity", best->capacity,
                           "packets/cycle/terminal", "closed form", "");
    if (answer->request.prices != NULL) {
        fit_add_sum(out, "best_cost", nb_fit_cost(best, answer->prices.money),
                    "money");
        fit_add_sum(out, "best_watts", nb_fit_cost(best, answer->prices.watts),
                    "W");
    }
    fit_add_whole(out, "least_routers", routers, "1");
    fit_add_whole(out, "least_links", links, "1");
}

/* Entries of a switch's routing table: one for each other group, each switch of
 * its own group and each of its own terminals; without groups, one for each
 * switch. */
static uint64_t fit_entries(const struct nb_fit *network)
{
    const uint64_t of_group = network->group_switches > 0
                                  ? network->group_switches
                                  : network->switches;
    return network->switches / of_group - 1 + of_group - 1 +
           network->terminals / network->switches;
}

/*
 * The fewest entries after merging those of the same port: one per port; in a
 * dragonfly also one for each switch of the group, whose global ports lead
 * further. Not known where Benito2020, section 4.3.2, gives no number.
 */
static struct nb_ratio fit_entries_compact(const struct nb_fit *network)
{
    const char *name = network->specification;
    const uint64_t all = fit_entries(network);
    uint64_t merged = network->radix;
    if (strncmp(name, "dragonfly:", 10) == 0 && strchr(name, 'x') == NULL)
        merged += network->group_switches - 1;
    else if (strncmp(name, "clos:", 5) != 0 && strncmp(name, "hyperx:", 7) != 0)
        return (struct nb_ratio){ 0, 0 };
    return nb_ratio_make((int64_t)(merged < all ? merged : all), 1);
}

/* Adds the name, the counts and the costs. */
static void fit_add_costs(const struct nb_fit_answer *answer,
                          const struct nb_fit *network, size_t table,
                          struct nb_point *out)
{
    char kind[NB_FIT_TEXT];
    snprintf(kind, sizeof kind, "%.*s",
             (int)strcspn(network->specification, ":"), network->specification);
    NB_ROW(out, table, network->specification, kind, network->terminals,
           network->routers, (int64_t)nb_fit_count(network, NB_FIT_PORT),
           network->local_links, network->global_links);
    if (answer->request.prices == NULL)
        return;
    const double money = nb_fit_cost(network, answer->prices.money);
    NB_ROW(out, table, money, nb_fit_cost(network, answer->prices.watts),
           money / (double)network->terminals);
}

static void fit_add_table(const struct nb_fit_answer *answer,
                          struct nb_point *out)
{
    const size_t table = nb_table_start_as(
        out, &nb_fit_networks_table,
        (struct nb_table_variant){ .without =
                                       answer->request.prices != NULL
                                           ? NULL
                                           : "cost watts cost_per_terminal" });
    for (size_t i = 0; i < answer->count; i++) {
        const struct nb_fit *network = &answer->best_first[i];
        const double terminals = (double)network->terminals;
        const uint64_t links = fit_links(network);
        fit_add_costs(answer, network, table, out);
        NB_ROW(out, table, network->radix, network->diameter, network->capacity,
               network->worst_case, (double)links / terminals,
               (double)(network->terminals + 2 * links) / terminals,
               (double)network->routers / terminals,
               (int64_t)(network->terminals / network->switches),
               (int64_t)fit_entries(network),
               (int64_t)(network->switches - 1 +
                         network->terminals / network->switches),
               fit_entries_compact(network));
    }
}

/* Notes which networks are listed. */
static void fit_note_choice(const struct nb_fit_answer *answer,
                            struct nb_point *out)
{
    const bool has_worst = !nb_ratio_is_known(answer->request.worst_case);
    nb_point_note(
        out, "choice",
        "for each kind and number of dimensions or levels: of the "
        "networks %s%s, those with the fewest links%s the fewest "
        "routers%s; a network that is in no way better than another of "
        "its kind is left out",
        nb_ratio_is_known(answer->request.worst_case)
            ? "with the worst case asked for"
        : fit_is_limited(&answer->request)
            ? "with the capacity asked for"
            : "that carry uniform traffic at 1 and at 1/2",
        has_worst ? ", and of the clos and fattree networks that carry "
                    "any traffic at the larger rate"
                  : "",
        answer->request.prices != NULL ? "," : " and",
        answer->request.prices != NULL ? " and the least cost" : "");
}

static void fit_note_none(const struct nb_fit_answer *answer,
                          struct nb_point *out)
{
    static const char slimfly[] = "slimfly";
    char text[200];
    size_t k;
    nb_kind_find(nb_topology_kind_at, slimfly, strlen(slimfly), &k);
    const bool has_slimfly =
        answer->request.kinds == 0 || (answer->request.kinds >> k & 1) != 0;
    snprintf(text, sizeof text,
             "none of these shapes fits; try fewer terminals, more ports or "
             "wider limits");
    if (has_slimfly)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 " (for slimfly, q is at most %d)", NB_GALOIS_MOST);
    nb_point_add_note(out, "networks", text);
}

static void fit_add_notes(const struct nb_fit_answer *answer,
                          struct nb_point *out)
{
    const bool is_open = answer->request.demand.terminals == 0;
    const bool is_limited = fit_is_limited(&answer->request);
    char text[200];
    if (answer->count == 0)
        fit_note_none(answer, out);
    nb_point_add_note(
        out, "shapes",
        is_open ? "dragonfly and megafly with the same number of terminals "
                  "and global channels per router, hyperx with equal radices "
                  "(the last may be less), clos with half of the ports each "
                  "way, slimfly"
                : "dragonfly with any p, a, h, groups and trunking, arranged "
                  "as a palmtree, or balanced with groups of s x s; clos with "
                  "any links up and parallel links, of 4 to 6 levels with no "
                  "more links up than enough for any number of subtrees; "
                  "hyperx with up to 6 dimensions of any lengths; torus and "
                  "mesh with up to 6 dimensions, none more than twice as long "
                  "as another; hypercube; fattree; balanced megafly; slimfly");
    if (!is_open && answer->request.demand.radix > NB_FIT_RADIX) {
        nb_point_note(out, "ports",
                      "balanced networks use up to %" PRIu32
                      " ports, all others "
                      "up to %d",
                      answer->request.demand.radix, NB_FIT_RADIX);
    }
    if (!is_open)
        fit_note_choice(answer, out);
    nb_point_note(
        out, "order",
        "%s, then %sthe fewest routers, the fewest links between routers, "
        "the least diameter",
        is_open ? "the most terminals, then capacity 1"
        : nb_ratio_is_known(answer->request.worst_case)
            ? "best first: the worst case asked for"
        : is_limited ? "best first: the capacity asked for"
                     : "best first: capacity 1",
        answer->request.prices != NULL && !is_open ? "the least cost, " : "");
    if (is_open)
        nb_point_add_note(out, "terminals",
                          "terminals_KIND_D: the largest number of terminals "
                          "of a balanced network of this kind with diameter D");
    nb_point_add_note(
        out, "capacity_basis",
        "uniform traffic, self included, split evenly over shortest paths (in "
        "dimension order in a torus, mesh or hypercube); at most 1, the "
        "bandwidth of a terminal's channel");
    nb_point_add_note(
        out, "worst_case",
        "the rate carried for every traffic whose terminals send and receive "
        "at most 1: in clos and fattree by splitting evenly over shortest "
        "paths, otherwise by Valiant's routing through any router, which "
        "carries half of the uniform traffic that the channels carry");
    nb_point_add_note(
        out, "links",
        "local: links within a group of a dragonfly or megafly, a row of a "
        "hyperx along dimension 0, a subtree below the roots of a clos or "
        "fattree, a rack of a slimfly (routers of one column of either side), "
        "and all links of a torus, mesh, hypercube or network with one group; "
        "global: other links; terminals' own links: one per terminal; ports: "
        "those of all links");
    snprintf(text, sizeof text,
             "%zu of the networks, with capacity ?%s: the capacity takes too "
             "long to compute, and any of them might be better than the best",
             answer->undecided_count, is_open ? "" : ", listed first");
    if (answer->undecided_count > 0)
        nb_point_add_note(out, "undecided", text);
}

void nb_fit_report(const struct nb_fit_answer *answer, struct nb_point *out)
{
    fit_add_whole(out, "networks", answer->count, "1");
    fit_add_whole(out, "best_terminals",
                  answer->count > 0 ? fit_best(answer)->terminals : 0, "1");
    if (answer->request.demand.terminals == 0)
        fit_add_largest(answer, out);
    else if (answer->count > 0)
        fit_add_best(answer, out);
    fit_add_notes(answer, out);
    fit_add_table(answer, out);
}

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

/* The number of rows that begin the table and are undecided. */
static size_t fit_find_decided(const struct nb_table *table)
{
    const size_t capacity = nb_table_column(table, "capacity");
    size_t row = 0;
    while (row < table->row_count &&
           isnan(nb_table_number(table, row, capacity)))
        row++;
    return row;
}

/* The first row with less capacity than 1, if rows with capacity 1 precede all
 * others from `first` on; else 0. */
static size_t fit_find_divide(const struct nb_table *table, size_t first)
{
    const size_t capacity = nb_table_column(table, "capacity");
    size_t row = first, less;
    while (row < table->row_count && nb_table_number(table, row, capacity) >= 1)
        row++;
    for (less = row; less < table->row_count; less++)
        if (!(nb_table_number(table, less, capacity) < 1))
            return 0;
    return row < table->row_count ? row : 0;
}

static void fit_print_heading(const char *heading, struct nb_text_grid *grid)
{
    nb_grid_add_ink(grid, NB_SIDE_LEFT, NB_INK_NAME, heading);
    for (size_t i = 1; i < grid->column_count; i++)
        nb_grid_add(grid, NB_SIDE_LEFT, "");
}

enum nb_status nb_fit_print(const struct nb_point *point,
                            const struct nb_look *look, struct nb_text *text,
                            struct nb_error *err)
{
    const struct nb_table *table = nb_point_table(point, nb_ranking_table);
    struct nb_text_grid grid = { .heading = 1 };
    size_t columns[NB_RANKING_COLUMNS];
    if (table == NULL || table->row_count == 0 || point->setting_count > 0)
        return NB_OK;
    const size_t rows =
        table->row_count < NB_RANKING_ROWS ? table->row_count : NB_RANKING_ROWS;
    const size_t decided = fit_find_decided(table);
    const size_t divide = fit_find_divide(table, decided);
    grid.column_count = nb_shown_columns(&nb_ranking_model, table, columns);
    for (size_t i = 0; i < grid.column_count; i++) {
        const struct nb_column *column = &table->columns[columns[i]];
        nb_grid_add_ink(
            &grid, column->type == NB_CELL_TEXT ? NB_SIDE_LEFT : NB_SIDE_RIGHT,
            NB_INK_NAME, column->name);
    }
    for (size_t r = 0; r < rows; r++) {
        if (decided > 0 && r == 0)
            fit_print_heading("undecided:", &grid);
        if (divide > 0 && (r == decided || r == divide))
            fit_print_heading(
                r < divide ? "of capacity 1:" : "of less capacity:", &grid);
        else if (decided > 0 && r == decided)
            fit_print_heading("decided:", &grid);
        for (size_t i = 0; i < grid.column_count; i++)
            fit_print_cell(&table->columns[columns[i]],
                           &table->cells[r * table->column_count + columns[i]],
                           &grid);
    }
    nb_text_print(text, "\n%s%s%s\n", nb_ink_begin(look, NB_INK_NAME),
                  table->name, nb_ink_end(look, NB_INK_NAME));
    const enum nb_status status = nb_grid_print(&grid, look, text, err);
    if (rows < table->row_count)
        nb_text_print(text, "%sand %zu more: --table networks\n",
                      nb_look_indent(look), table->row_count - rows);
    nb_grid_release(&grid);
    return status;
}
