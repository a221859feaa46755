#include "optimum/fair_share.h"

#include "optimum/best_flow.h"
#include "optimum/scheme_paths.h"
#include "optimum/whole.h"
#include "core/memory.h"
#include "load/channel_loads.h"
#include "topology/orbits.h"
#include "traffic/rows.h"
#include "traffic/traffic_symmetry.h"

#include <math.h>

/* Rates that do not fit as ratios are rounded down to multiples of this. */
#define FAIR_UNIT ((int64_t)1 << 30)
/* The fraction that must be carried if rates were rounded, or if there are too
 * many paths for an exact best flow. */
#define FAIR_ENOUGH (1 - 1e-6)
/* Maximum number of rows; each is one more face of the feasible region. */
enum { FAIR_MOST_ROWS = 500 };

struct fair_work {
    const struct nb_routing *routing;
    const struct nb_traffic *traffic;
    const struct nb_run *run;
    struct nb_fair_share *out;
    struct nb_orbits routers; /* orbits */
    struct nb_orbits lines;   /* orbits of channels */
    uint64_t *sent;           /* [router] over the denominator */
    uint32_t *first;          /* [class] */
    uint32_t *size;           /* [class] */
    struct nb_enclosure *cap; /* [class] demand of each terminal */
    /* [class] packets that one of its routers sends while each of its terminals
     * sends one, divided by its packets at rate 1. */
    struct nb_ratio *scale;
    struct nb_ratio *factor; /* [router] scratch */
    uint64_t *column;        /* [router] scratch */
    nb_int128 *into;         /* [router] scratch */
    uint32_t *router;        /* [terminal]; owned */
    bool *is_active;         /* [class] scratch */
    struct nb_pool pool;
};

/* Whether a is less than b, by the upper ends if that is not certain. */
static bool fill_is_less(struct nb_enclosure a, struct nb_enclosure b)
{
    const bool are_known =
        nb_ratio_is_known(a.exact) && nb_ratio_is_known(b.exact);
    return are_known ? nb_enclosure_compare(a, b) < 0 : a.upper < b.upper;
}

/* The classes of routers that send anything. */
static enum nb_status fair_open(struct fair_work *work,
                                struct nb_enclosure rate, struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    const size_t n = topology->router_count;
    struct nb_fair_share *out = work->out;
    struct nb_symmetry symmetry = { 0 };
    struct nb_pool *pool = &work->pool;
    enum nb_status status = NB_OK;
    work->sent = nb_pool_array(pool, n, sizeof *work->sent);
    work->first = nb_pool_array(pool, n, sizeof *work->first);
    work->size = nb_pool_array(pool, n, sizeof *work->size);
    work->cap = nb_pool_array(pool, n, sizeof *work->cap);
    work->scale = nb_pool_array(pool, n, sizeof *work->scale);
    work->factor = nb_pool_array(pool, n, sizeof *work->factor);
    work->column = nb_pool_array(pool, n, sizeof *work->column);
    work->into = nb_pool_array(pool, n, sizeof *work->into);
    work->is_active = nb_pool_array(pool, n, sizeof *work->is_active);
    NB_TRY(nb_pool_check(pool, "fair shares", err));
    NB_TRY(nb_traffic_rows(work->traffic, topology, work->sent, err));
    NB_TRY(nb_symmetry_find_kept(topology, work->routing->symmetries,
                                 work->traffic, &symmetry, err));
    NB_TRY(nb_orbits_of_routers(&symmetry, &work->routers, err));
    NB_TRY(nb_orbits_of_channels(&symmetry, &work->lines, err));
    NB_TRY(nb_new(&out->of, n, sizeof *out->of, "fair shares", err));
    out->router_count = n;
    for (uint32_t r = 0; r < n; r++) {
        const uint32_t orbit = work->routers.of[r];
        const uint32_t first = work->routers.first[orbit];
        out->of[r] = first < r ? out->of[first] : NB_NONE;
        if (first < r || work->sent[r] == 0)
            continue;
        const size_t class = out->class_count++;
        const struct nb_ratio row = nb_ratio_make(
            (nb_int128)work->sent[r],
            (nb_int128)work->traffic->denominator * topology->terminals[r]);
        out->of[r] = (uint32_t) class;
        work->first[class] = r;
        work->size[class] = work->routers.length[orbit];
        work->cap[class] =
            nb_enclosure_multiply(rate, nb_enclosure_of_ratio(row));
        work->scale[class] = nb_ratio_divide(nb_ratio_one, row);
    }
done:
    nb_symmetry_release(&symmetry);
    return status;
}

/* Rows. */

/* Appends a row of zeros. */
static enum nb_status fair_add_row(struct nb_fair_share *out,
                                   struct nb_fair_row **row,
                                   struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_grow(&out->rows, out->row_count + 1, sizeof *out->rows, "rows",
                   err));
    *row = &out->rows[out->row_count];
    **row = (struct nb_fair_row){ .channel = NB_NONE, .terminals = NB_NONE };
    out->row_count++;
    NB_TRY(nb_new(&(*row)->each, out->class_count, sizeof *(*row)->each, "rows",
                  err));
    for (size_t o = 0; o < out->class_count; o++)
        (*row)->each[o] = nb_enclosure_of_whole(0);
done:
    return status;
}

/* Adds to a class's entry of a row: an amount of the packets that one of its
 * routers sends at rate 1. */
static void fair_add(const struct fair_work *work, struct nb_fair_row *row,
                     size_t class, struct nb_enclosure amount)
{
    row->each[class] = nb_enclosure_add(
        row->each[class],
        nb_enclosure_multiply(amount,
                              nb_enclosure_of_ratio(work->scale[class])));
}

/* Adds a row for channels of a router's terminals. */
static enum nb_status fair_add_terminal_row(struct fair_work *work,
                                            uint32_t router, uint32_t terminals,
                                            bool is_from,
                                            struct nb_fair_row **row,
                                            struct nb_error *err)
{
    const enum nb_status status = fair_add_row(work->out, row, err);
    if (status != NB_OK)
        return status;
    (*row)->terminals = router;
    (*row)->is_from = is_from;
    (*row)->capacity = nb_enclosure_multiply(
        nb_enclosure_of_ratio(work->routing->topology->terminal_bandwidth),
        nb_enclosure_of_whole(terminals));
    return NB_OK;
}

/* Limits of the channels to the terminals of a router, together. */
static enum nb_status fair_add_received(struct fair_work *work, uint32_t router,
                                        struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    struct nb_fair_row *row;
    enum nb_status status = NB_OK;
    NB_TRY(
        nb_traffic_column(work->traffic, topology, router, work->column, err));
    NB_TRY(fair_add_terminal_row(work, router, topology->terminals[router],
                                 false, &row, err));
    for (uint32_t i = 0; i < topology->router_count; i++)
        if (work->out->of[i] != NB_NONE)
            fair_add(work, row, work->out->of[i],
                     nb_whole_quotient((nb_int128)work->column[i],
                                       (nb_int128)work->traffic->denominator));
done:
    return status;
}

/* Limits of the channel to one terminal of a router: it gets its singles and
 * its part of what no single terminal gets. */
static enum nb_status fair_add_single(struct fair_work *work, uint32_t router,
                                      uint32_t terminal, struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    const struct nb_demands *singles = &work->traffic->singles;
    const nb_int128 terminals = topology->terminals[router];
    struct nb_fair_row *row;
    enum nb_status status = NB_OK;
    NB_TRY(
        nb_traffic_column(work->traffic, topology, router, work->column, err));
    NB_TRY(fair_add_terminal_row(work, router, 1, false, &row, err));
    for (size_t i = 0; i < topology->router_count; i++)
        work->into[i] = (nb_int128)work->column[i];
    for (size_t d = 0; d < singles->count; d++) {
        const struct nb_demand *single = &singles->entry[d];
        nb_int128 *into = &work->into[work->router[single->source]];
        if (work->router[single->target] == router)
            *into += single->target == terminal
                         ? (nb_int128)single->weight * (terminals - 1)
                         : -(nb_int128)single->weight;
    }
    for (uint32_t i = 0; i < topology->router_count; i++)
        if (work->out->of[i] != NB_NONE)
            fair_add(work, row, work->out->of[i],
                     nb_whole_quotient(work->into[i],
                                       (nb_int128)work->traffic->denominator *
                                           terminals));
done:
    return status;
}

/* Limits of the channel from the terminal of a router that sends most. sent:
 * [terminal] of that router */
static enum nb_status fair_add_sent(struct fair_work *work, uint32_t router,
                                    const struct nb_enclosure *sent,
                                    struct nb_error *err)
{
    const uint32_t terminals = work->routing->topology->terminals[router];
    struct nb_enclosure most = sent[0];
    struct nb_fair_row *row;
    enum nb_status status = NB_OK;
    if (work->out->of[router] == NB_NONE)
        return NB_OK;
    for (uint32_t t = 1; t < terminals; t++)
        if (fill_is_less(most, sent[t]))
            most = sent[t];
    NB_TRY(fair_add_terminal_row(work, router, 1, true, &row, err));
    fair_add(work, row, work->out->of[router], most);
done:
    return status;
}

/* Limits of the terminals' own channels: rows for one router per orbit, and for
 * every terminal where those of a router differ. */
static enum nb_status fair_add_terminals(struct fair_work *work,
                                         struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    struct nb_enclosure *sent = NULL;
    uint32_t first = 0;
    enum nb_status status = NB_OK;
    if (!nb_has_terminal_queues(topology))
        return NB_OK;
    NB_TRY(nb_terminals_list(topology, &work->router, err));
    NB_TRY(nb_new(&sent, topology->terminal_count, sizeof *sent, "terminals",
                  err));
    NB_TRY(nb_traffic_terminal_rates(work->traffic, topology, sent, NULL, err));
    for (uint32_t j = 0; j < topology->router_count; j++) {
        const uint32_t terminals = topology->terminals[j];
        const bool is_single = work->traffic->singles.count > 0;
        first += terminals;
        if (terminals == 0 ||
            (!is_single && nb_orbits_least(&work->routers, j) != j))
            continue;
        NB_TRY(fair_add_sent(work, j, sent + first - terminals, err));
        if (!is_single)
            NB_TRY(fair_add_received(work, j, err));
        for (uint32_t u = 0; is_single && u < terminals; u++)
            NB_TRY(fair_add_single(work, j, first - terminals + u, err));
    }
done:
    nb_delete(sent);
    return status;
}

/* Adds the loads caused by one router of a class to the rows of the lines,
 * which are the last rows. */
static enum nb_status fair_add_loads(struct fair_work *work, size_t class,
                                     struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    struct nb_fair_row *rows =
        work->out->rows + work->out->row_count - work->lines.count;
    const struct nb_enclosure size = nb_enclosure_of_whole(work->size[class]);
    struct nb_traffic own = { 0 };
    struct nb_channel_loads loads = { 0 };
    enum nb_status status = NB_OK;
    for (size_t r = 0; r < topology->router_count; r++)
        work->factor[r] = nb_ratio_make(r == work->first[class], 1);
    NB_TRY(nb_traffic_times(work->traffic, topology, work->factor, &own, err));
    NB_TRY(nb_channel_loads_find(work->routing, &own, work->run, &loads, err));
    for (size_t c = 0; c < topology->channel_count; c++)
        if (loads.load[c].upper > 0)
            fair_add(work, &rows[work->lines.of[c]], class,
                     nb_enclosure_multiply(size, loads.load[c]));
done:
    nb_channel_loads_release(&loads);
    nb_traffic_release(&own);
    return status;
}

/* All rows of an oblivious scheme: the loads of each orbit of channels. */
static enum nb_status fair_add_channels(struct fair_work *work,
                                        struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    struct nb_fair_row *row;
    enum nb_status status = NB_OK;
    for (size_t k = 0; k < work->lines.count; k++) {
        NB_TRY(fair_add_row(work->out, &row, err));
        row->channel = work->lines.first[k];
        row->capacity = nb_enclosure_multiply(
            nb_enclosure_of_ratio(topology->channels[row->channel].bandwidth),
            nb_enclosure_of_whole(work->lines.length[k]));
    }
    for (size_t o = 0; o < work->out->class_count; o++)
        NB_TRY(fair_add_loads(work, o, err));
done:
    return status;
}

/* The row of lengths: the least total length that packets cross. Takes
 * ownership of the lengths. */
static enum nb_status fair_add_lengths(struct fair_work *work,
                                       const struct nb_path_class *class,
                                       int64_t **length, struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    const size_t n = topology->router_count;
    struct nb_path_search search = { 0 };
    struct nb_fair_row *row;
    enum nb_status status = NB_OK;
    NB_TRY(fair_add_row(work->out, &row, err));
    row->length = *length;
    *length = NULL;
    row->capacity = nb_enclosure_of_whole(0);
    for (size_t c = 0; c < topology->channel_count; c++)
        row->capacity = nb_enclosure_add(
            row->capacity,
            nb_enclosure_multiply(
                nb_enclosure_of_ratio(topology->channels[c].bandwidth),
                nb_enclosure_of_ratio(nb_ratio_make(row->length[c], 1))));
    NB_TRY(nb_path_search_init(class, &search, err));
    for (uint32_t j = 0; j < n; j++) {
        NB_TRY(
            nb_traffic_column(work->traffic, topology, j, work->column, err));
        nb_path_search_run(&search, j, row->length);
        for (uint32_t i = 0; i < n; i++)
            if (work->column[i] > 0 && i != j)
                fair_add(
                    work, row, work->out->of[i],
                    nb_enclosure_multiply(
                        nb_whole_quotient(
                            (nb_int128)work->column[i],
                            (nb_int128)work->traffic->denominator),
                        nb_whole_quotient(nb_path_search_distance(&search, i),
                                          class->unit)));
    }
done:
    nb_path_search_release(&search);
    return status;
}

/* Filling. */

/* The common rate of all active classes at which the row is full; +inf if none
 * is active in it. */
static struct nb_enclosure fill_until(const struct fair_work *work,
                                      const struct nb_fair_row *row)
{
    const struct nb_fair_share *out = work->out;
    struct nb_enclosure taken = nb_enclosure_of_whole(0);
    struct nb_enclosure active = taken;
    for (size_t o = 0; o < out->class_count; o++)
        if (work->is_active[o])
            active = nb_enclosure_add(active, row->each[o]);
        else
            taken = nb_enclosure_add(
                taken, nb_enclosure_multiply(row->each[o], out->rate[o]));
    return active.upper == 0
               ? nb_enclosure_of_ratio(nb_ratio_infinity)
               : nb_enclosure_divide(nb_enclosure_excess(row->capacity, taken),
                                     active);
}

/* The next level of the active classes. */
static struct nb_fair_level fill_find(const struct fair_work *work)
{
    const struct nb_fair_share *out = work->out;
    struct nb_fair_level level = { .rate =
                                       nb_enclosure_of_ratio(nb_ratio_infinity),
                                   .row = SIZE_MAX };
    for (size_t o = 0; o < out->class_count; o++)
        if (work->is_active[o] && fill_is_less(work->cap[o], level.rate))
            level.rate = work->cap[o];
    for (size_t k = 0; k < out->row_count; k++) {
        const struct nb_enclosure until = fill_until(work, &out->rows[k]);
        if (fill_is_less(until, level.rate)) {
            level.rate = until;
            level.row = k;
        }
    }
    return level;
}

/* Fills up to the present rows. */
static enum nb_status fair_fill(struct fair_work *work, struct nb_error *err)
{
    struct nb_fair_share *out = work->out;
    size_t left = out->class_count;
    enum nb_status status = NB_OK;
    out->level_count = 0;
    for (size_t o = 0; o < out->class_count; o++)
        work->is_active[o] = true;
    while (left > 0) {
        struct nb_fair_level level = fill_find(work);
        NB_TRY(nb_grow(&out->levels, out->level_count + 1, sizeof *out->levels,
                       "levels", err));
        for (size_t o = 0; o < out->class_count; o++) {
            const bool is_full = level.row == SIZE_MAX
                                     ? !fill_is_less(level.rate, work->cap[o])
                                     : out->rows[level.row].each[o].upper > 0;
            if (!work->is_active[o] || !is_full)
                continue;
            work->is_active[o] = false;
            out->rate[o] = level.rate;
            out->level[o] = out->level_count;
            level.routers += work->size[o];
            left--;
        }
        out->levels[out->level_count++] = level;
    }
    out->least = out->level_count > 0
                     ? out->levels[0].rate
                     : nb_enclosure_of_ratio(nb_ratio_infinity);
done:
    return status;
}

/* Adaptive schemes. */

/* The present rates as a traffic. is_rounded: out, whether they were rounded
 * down to multiples of FAIR_UNIT */
static enum nb_status fair_traffic(struct fair_work *work, bool *is_rounded,
                                   struct nb_traffic *out, struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    const struct nb_fair_share *share = work->out;
    enum nb_status status = NB_OVERFLOW;
    for (int pass = 0; pass < 2 && status == NB_OVERFLOW; pass++) {
        *is_rounded = pass == 1;
        for (size_t r = 0; r < topology->router_count; r++) {
            const uint32_t class = share->of[r];
            work->factor[r] = nb_ratio_zero;
            if (class == NB_NONE)
                continue;
            const struct nb_enclosure factor = nb_enclosure_multiply(
                share->rate[class], nb_enclosure_of_ratio(work->scale[class]));
            work->factor[r] = factor.exact;
            *is_rounded = *is_rounded || !nb_ratio_is_known(factor.exact);
            if (*is_rounded)
                work->factor[r] = nb_ratio_make(
                    (nb_int128)floor(factor.lower * (double)FAIR_UNIT),
                    FAIR_UNIT);
        }
        struct nb_error own = { 0 };
        status =
            nb_traffic_times(work->traffic, topology, work->factor, out, &own);
        if (status != NB_OK && (status != NB_OVERFLOW || pass == 1))
            return nb_fail_again(err, status, &own);
    }
    return status;
}

/* Bound on the rounding of a few products. */
#define FAIR_ROUNDED (1 - 0x1p-50)

/* Sets the lower ends of the rates to what is certainly carried: the fraction
 * `carried` of the rates tried. */
static void fair_carry(const struct fair_work *work, double carried)
{
    struct nb_fair_share *out = work->out;
    for (size_t o = 0; o < out->class_count; o++) {
        const double tried = nb_ratio_value(work->factor[work->first[o]]) /
                             nb_ratio_value(work->scale[o]);
        const struct nb_bracket rate = { tried * carried * FAIR_ROUNDED,
                                         out->rate[o].upper };
        out->rate[o] = nb_enclosure_of_bracket(rate);
        out->levels[out->level[o]].rate = out->rate[o];
    }
    out->least = out->levels[0].rate;
}

/* Checks whether the present rates can be carried, and adds a row if not. */
static enum nb_status fair_look(struct fair_work *work,
                                const struct nb_path_class *class,
                                bool *is_done, struct nb_error *err)
{
    struct nb_traffic traffic = { 0 };
    struct nb_best_flow flow = { 0 };
    bool is_rounded;
    enum nb_status status = NB_OK;
    NB_TRY(fair_traffic(work, &is_rounded, &traffic, err));
    const struct nb_best_flow_question question = {
        .topology = work->routing->topology,
        .traffic = &traffic,
        .path_class = class,
        .seconds = INFINITY,
    };
    NB_TRY(nb_best_flow_find(&question, work->run, &flow, err));
    const bool is_carried = flow.throughput.lower >= 1 && !is_rounded;
    const bool is_near = flow.throughput.lower >= FAIR_ENOUGH ||
                         flow.throughput.upper >= FAIR_ENOUGH ||
                         work->out->row_count == FAIR_MOST_ROWS;
    *is_done = is_carried || is_near;
    if (*is_done && !is_carried)
        fair_carry(work, fmin(1, flow.throughput.lower));
    if (!*is_done)
        NB_TRY(fair_add_lengths(work, class, &flow.length, err));
done:
    nb_best_flow_release(&flow);
    nb_traffic_release(&traffic);
    return status;
}

static enum nb_status fair_find_rows(struct fair_work *work,
                                     struct nb_error *err)
{
    struct nb_scheme_paths paths = { 0 };
    struct nb_path_class class;
    bool is_done = false;
    enum nb_status status = NB_OK;
    NB_TRY(nb_path_class_init_scheme(work->routing, &paths, &class, err));
    while (!is_done) {
        NB_TRY(fair_fill(work, err));
        if (work->out->class_count == 0)
            break;
        NB_TRY(fair_look(work, &class, &is_done, err));
    }
done:
    nb_scheme_paths_release(&paths);
    return status;
}

enum nb_status nb_fair_share_find(const struct nb_routing *routing,
                                  const struct nb_traffic *traffic,
                                  struct nb_enclosure rate,
                                  const struct nb_run *run,
                                  struct nb_fair_share *out,
                                  struct nb_error *err)
{
    struct fair_work work = {
        .routing = routing, .traffic = traffic, .run = run, .out = out
    };
    enum nb_status status = NB_OK;
    *out = (struct nb_fair_share){ 0 };
    NB_TRY(nb_traffic_check(traffic, routing->topology, err));
    if (isinf(rate.upper))
        NB_TRY(nb_fail(err, NB_INVALID,
                       "an infinite rate (permitted: a finite one)"));
    NB_TRY(fair_open(&work, rate, err));
    NB_TRY(nb_new(&out->rate, out->class_count, sizeof *out->rate,
                  "fair shares", err));
    NB_TRY(nb_new(&out->level, out->class_count, sizeof *out->level,
                  "fair shares", err));
    NB_TRY(fair_add_terminals(&work, err));
    if (routing->kind->is_adaptive) {
        NB_TRY(fair_find_rows(&work, err));
    } else {
        NB_TRY(fair_add_channels(&work, err));
        NB_TRY(fair_fill(&work, err));
    }
done:
    nb_delete(work.router);
    nb_orbits_release(&work.routers);
    nb_orbits_release(&work.lines);
    nb_pool_release(&work.pool);
    if (status != NB_OK)
        nb_fair_share_release(out);
    return status;
}

void nb_fair_share_release(struct nb_fair_share *share)
{
    for (size_t k = 0; k < share->row_count; k++) {
        nb_delete(share->rows[k].each);
        nb_delete(share->rows[k].length);
    }
    nb_delete(share->rows);
    nb_delete(share->of);
    nb_delete(share->rate);
    nb_delete(share->level);
    nb_delete(share->levels);
    *share = (struct nb_fair_share){ 0 };
}

struct nb_enclosure nb_fair_share_of(const struct nb_fair_share *share,
                                     uint32_t router)
{
    const uint32_t class = share->of[router];
    return class == NB_NONE ? nb_enclosure_of_whole(0) : share->rate[class];
}
