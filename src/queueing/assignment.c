#include "queueing/assignment.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "core/twofold.h"
#include "core/near_heap.h"

#include <float.h>
#include <math.h>

/* Owns its channels. */
struct assignment_way {
    double flow; /* [packets/cycle] at injection rate 1 */
    size_t length;
    uint32_t *channel; /* [length] from source to target */
};

/* A demand and the paths that carry it. */
struct assignment_pair {
    uint32_t source;
    uint64_t weight; /* over the traffic's denominator */
    double demand;   /* [packets/cycle] at injection rate 1 */
    size_t way_count, way_room;
    struct assignment_way *way;
};

struct assignment_work {
    const struct nb_topology *topology;
    struct nb_pool pool; /* all arrays except the paths */
    struct nb_mean_delay delay;
    struct nb_bracket rate;
    struct nb_ratio exact_rate; /* if it is known */
    struct nb_bracket total;    /* of the traffic at injection rate 1 */
    uint64_t denominator;       /* of the traffic's weights */
    nb_int128 weights;          /* of all pairs, self included */
    /* Up to this utilisation, prices are marginal delays; above it they
     * continue linearly, so they stay finite and never exceed the true ones. */
    double knee;
    double *band;  /* [channel] bandwidth */
    double *load;  /* [channel] at injection rate 1 */
    double *price; /* [channel] marginal latency at that load */
    double *slope; /* [channel] its derivative by the load */
    size_t pair_count;
    struct assignment_pair *pair; /* by target, then source */
    size_t *pair_start;           /* [router + 1] first pair of each target */
    /* Scratch of the shortest-path search. */
    double *length;   /* [channel] */
    double *distance; /* [router] to the target */
    uint32_t *next;   /* [router] first channel of the path; NB_NONE: none */
    struct nb_near_heap heap; /* [channel + 1] */
    /* Scratch of the balance. */
    uint64_t stamp;
    uint64_t *on_best, *on_other; /* [channel] */
    uint32_t *leave, *enter;      /* [router] */
};

/* Vectors over all paths, in order of their pairs; 0 where a path is basic or
 * fixed. */
struct assignment_step {
    struct nb_pool pool;
    size_t *basic;    /* [pair] index of its basic path */
    bool *is_pinned;  /* not a variable: goes to 0 or stays there */
    double *diagonal; /* of the matrix; 0: not a variable */
    double *gain;     /* minus the slope of the objective along each */
    double *step, *residual, *direction, *image;
    double *trial;  /* flows to try */
    double *change; /* [channel] */
    double *before; /* [channel] loads */
    size_t way_count;
};

/* Shortest paths to one router. */

/* Finds the distance of every router to a target by work->length, and its first
 * channel on the path. */
static void assignment_search(struct assignment_work *work, uint32_t target)
{
    const struct nb_topology *topology = work->topology;
    for (size_t r = 0; r < topology->router_count; r++) {
        work->distance[r] = INFINITY;
        work->next[r] = NB_NONE;
    }
    work->distance[target] = 0;
    work->heap.count = 0;
    nb_near_heap_push(&work->heap, (struct nb_near){ 0, target });
    while (work->heap.count > 0) {
        const struct nb_near near = nb_near_heap_pop(&work->heap);
        if (near.distance > work->distance[near.item])
            continue;
        for (uint32_t i = topology->in_start[near.item];
             i < topology->in_start[near.item + 1]; i++) {
            const uint32_t channel = topology->in_channel[i];
            const uint32_t router = topology->channels[channel].source;
            const double distance = near.distance + work->length[channel];
            if (distance < work->distance[router]) {
                work->distance[router] = distance;
                work->next[router] = channel;
                nb_near_heap_push(&work->heap,
                                  (struct nb_near){ distance, router });
            }
        }
    }
}

/* Both sides of the bracket. */

/* Sets price and slope from the load. */
static void assignment_price(struct assignment_work *work, uint32_t channel)
{
    const double band = work->band[channel];
    const double scale = (work->rate.lower + work->rate.upper) / 2 / band;
    const double load = work->load[channel] > 0 ? work->load[channel] : 0;
    const double rho = scale * load;
    const double near = rho < work->knee ? rho : work->knee;
    /* d2(rho W)/drho2 = factor / (1 - rho)^3 */
    const double bend =
        work->delay.factor / ((1 - near) * (1 - near) * (1 - near));
    const double marginal =
        nb_mean_delay_marginal(work->delay, near) + bend * (rho - near);
    work->price[channel] = 1 + marginal / band;
    work->slope[channel] = bend * scale / band;
}

/* Scales the flows to add up to the demands; sets loads and prices from them.
 * Returns a bound on the relative error of the loads, compared with those of a
 * routing that carries every demand in full. */
static double assignment_settle(struct assignment_work *work)
{
    const size_t channels = work->topology->channel_count;
    double deviation = 0, most = 0;
    double *const terms = work->length; /* number of terms in the load of a
                                         * channel */
    for (size_t c = 0; c < channels; c++) {
        work->load[c] = 0;
        terms[c] = 0;
    }
    for (size_t p = 0; p < work->pair_count; p++) {
        struct assignment_pair *pair = &work->pair[p];
        struct nb_twofold sum = { 0 }, after = { 0 };
        for (size_t w = 0; w < pair->way_count; w++)
            sum = nb_twofold_more(sum, pair->way[w].flow);
        for (size_t w = 0; w < pair->way_count; w++) {
            struct assignment_way *way = &pair->way[w];
            way->flow = nb_twofold_divide(
                            nb_twofold_product(way->flow, pair->demand), sum)
                            .high;
            after = nb_twofold_more(after, way->flow);
            for (size_t i = 0; i < way->length; i++) {
                work->load[way->channel[i]] += way->flow;
                terms[way->channel[i]]++;
            }
        }
        most = fmax(most, (double)pair->way_count);
        const struct nb_twofold ratio =
            nb_twofold_divide(after, (struct nb_twofold){ pair->demand, 0 });
        deviation = fmax(deviation, fabs(ratio.high - 1 + ratio.low));
    }
    for (uint32_t c = 0; c < channels; c++) {
        most = fmax(most, terms[c]);
        assignment_price(work, c);
    }
    /* The intended routing has flows in proportion to these that add up to the
     * demands. The error is the deviation (itself rounded), 3 roundings of the
     * demand, and one addition for every path over a channel. */
    return (deviation + most * 0x1p-53 + 0x1p-49) * 1.001;
}

/* A utilisation below 1 at which the marginal delay equals the price. The bound
 * holds for any utilisation. */
static double bound_utilisation(const struct assignment_work *work,
                                uint32_t channel)
{
    const double rate = (work->rate.lower + work->rate.upper) / 2;
    const double band = work->band[channel];
    const double rho = rate * work->load[channel] / band;
    if (rho < work->knee)
        return rho;
    const double marginal =
        (work->price[channel] - 1) * band - work->delay.constant;
    const double found = 1 - 1 / sqrt(1 + 2 * marginal / work->delay.factor);
    return fmin(found, 1 - 0x1p-50);
}

/* Sets a channel's length to at most 1 + marginal(rho)/b, and returns at least
 * the conjugate, factor/2 (rho/(1-rho))^2 / rate. Each has fewer than 16
 * roundings. */
static double bound_channel(struct assignment_work *work, uint32_t channel)
{
    const double rho = bound_utilisation(work, channel);
    double least, most;
    nb_ratio_bracket(work->topology->channels[channel].bandwidth, &least,
                     &most);
    work->length[channel] =
        (1 + nb_mean_delay_marginal(work->delay, rho) / most) * (1 - 0x1p-48);
    if (rho == 0)
        return 0;
    /* Any underflow is harmless in this order. */
    return work->delay.factor / 2 / (1 - rho) / (1 - rho) * rho *
               (rho / work->rate.lower) * (1 + 0x1p-48) +
           DBL_MIN;
}

/* Bound on the relative error of the sums in assignment_bound. */
static double assignment_error(const struct assignment_work *work)
{
    /* Twofold sums: an addition and a product per term; a distance has an
     * addition in double for every hop; lengths are 2^-47 off. */
    const double terms =
        (double)work->topology->channel_count + (double)work->pair_count + 16;
    return 2 * terms * NB_TWOFOLD_ERROR +
           ((double)work->topology->router_count + 8) * 0x1p-53 + 0x1p-47;
}

static struct nb_twofold assignment_times(uint64_t weight, double distance)
{
    return nb_twofold_multiply(nb_twofold_of((nb_int128)weight),
                               (struct nb_twofold){ distance, 0 });
}

/* A lower bound of the mean latency from the prices; +inf if they prove that no
 * routing carries the rate. */
static double assignment_bound(struct assignment_work *work)
{
    const struct nb_topology *topology = work->topology;
    struct nb_twofold conjugate = { 0 }, room = { 0 }, way = { 0 };
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        conjugate = nb_twofold_more(conjugate, bound_channel(work, c));
        room = nb_twofold_add(
            room, nb_twofold_product(work->band[c], work->length[c]));
    }
    for (uint32_t t = 0; t < topology->router_count; t++) {
        if (work->pair_start[t] == work->pair_start[t + 1])
            continue;
        assignment_search(work, t);
        for (size_t p = work->pair_start[t]; p < work->pair_start[t + 1]; p++)
            way = nb_twofold_add(
                way, assignment_times(work->pair[p].weight,
                                      work->distance[work->pair[p].source]));
    }
    const double error = assignment_error(work);
    const double mean =
        nb_twofold_divide(way, nb_twofold_of(work->weights)).high * (1 - error);
    if (room.high * (1 + error) <=
        mean * work->total.lower * work->rate.lower * (1 - error))
        return INFINITY;
    const double less = conjugate.high / work->total.lower * (1 + error);
    const double bound = mean - less;
    return bound - fabs(bound) * 0x1p-52;
}

/* A proof in whole numbers that no routing carries the rate. */

/* At saturation the prices of the channels that limit the network go to
 * infinity, and their ratios go to those of lengths that prove saturation:
 * usually 1 on a cut and 0 elsewhere, or small whole numbers. */
enum { SATURATION_UNITS = 32 };

#define SATURATION_NEAR 0x1p-4

/* Sets lengths to the prices, rounded to whole numbers after scaling the
 * greatest to units. Returns the largest rounding error. */
static double saturation_round(struct assignment_work *work, int units)
{
    const size_t channels = work->topology->channel_count;
    double greatest = 0, error = 0;
    for (size_t c = 0; c < channels; c++)
        greatest = fmax(greatest, work->price[c]);
    for (size_t c = 0; c < channels; c++) {
        const double length = work->price[c] / greatest * units;
        work->length[c] = floor(length + 0.5);
        error = fmax(error, fabs(work->length[c] - length));
    }
    return error;
}

/* Whether sum_c b_c l_c <= rate sum_ij rate(i, j) distance_l(i, j), for lengths
 * that are not all 0; doubles hold whole distances exactly. */
static bool saturation_prove(struct assignment_work *work)
{
    const struct nb_topology *topology = work->topology;
    struct nb_ratio room = nb_ratio_zero;
    nb_int128 way = 0;
    /* Distances are less than this; their sum must fit. */
    const double farthest = SATURATION_UNITS * (double)topology->router_count;
    if ((double)work->weights * farthest >= 0x1p126)
        return false;
    for (size_t c = 0; c < topology->channel_count; c++) {
        const struct nb_ratio length = { (int64_t)work->length[c], 1 };
        room = nb_ratio_add(
            room, nb_ratio_multiply(topology->channels[c].bandwidth, length));
    }
    for (uint32_t t = 0; t < topology->router_count; t++) {
        if (work->pair_start[t] == work->pair_start[t + 1])
            continue;
        assignment_search(work, t);
        for (size_t p = work->pair_start[t]; p < work->pair_start[t + 1]; p++)
            way += (nb_int128)work->pair[p].weight *
                   (nb_int128)work->distance[work->pair[p].source];
    }
    const struct nb_ratio used = nb_ratio_multiply(
        work->exact_rate, nb_ratio_make(way, (nb_int128)work->denominator));
    return nb_ratio_is_known(room) && nb_ratio_is_known(used) &&
           nb_ratio_compare(room, used) <= 0;
}

/* Whether small whole lengths, nearly in proportion to the prices, prove
 * exactly that no routing carries the rate. */
static bool assignment_is_saturated(struct assignment_work *work)
{
    if (!nb_ratio_is_known(work->exact_rate))
        return false;
    /* A cut is worth a try even where prices are not yet near 0 or 1. */
    const double error = saturation_round(work, 1);
    if (saturation_prove(work))
        return true;
    if (error <= SATURATION_NEAR)
        return false;
    for (int units = 2; units <= SATURATION_UNITS; units++)
        if (saturation_round(work, units) <= SATURATION_NEAR)
            return saturation_prove(work);
    return false;
}

/* Rounds over all pairs. */

/* Relative differences of prices below this are rounding. */
#define SWEEP_EQUAL 0x1p-50

static double sweep_cost(const struct assignment_work *work,
                         const struct assignment_way *way)
{
    double cost = 0;
    for (size_t i = 0; i < way->length; i++)
        cost += work->price[way->channel[i]];
    return cost;
}

/* Adds flow to channels. Returns the sum of their new prices. */
static double sweep_move(struct assignment_work *work, const uint32_t *channel,
                         size_t count, double flow)
{
    double cost = 0;
    for (size_t i = 0; i < count; i++) {
        work->load[channel[i]] += flow;
        assignment_price(work, channel[i]);
        cost += work->price[channel[i]];
    }
    return cost;
}

/* Lists the channels of one path that the other path lacks, i.e. those without
 * the current stamp. Returns their number; adds to price and slope. */
static size_t sweep_differ(const struct assignment_work *work,
                           const struct assignment_way *way,
                           const uint64_t *stamps, uint32_t *list,
                           double *price, double *slope)
{
    size_t count = 0;
    for (size_t i = 0; i < way->length; i++) {
        const uint32_t channel = way->channel[i];
        if (stamps[channel] == work->stamp)
            continue;
        list[count++] = channel;
        *price += work->price[channel];
        *slope += work->slope[channel];
    }
    return count;
}

/* Moves flow to the best path until both cost the same, or all of it. */
static void sweep_shift(struct assignment_work *work,
                        struct assignment_way *from,
                        struct assignment_way *best)
{
    double leave_price = 0, enter_price = 0, slope = 0;
    work->stamp++;
    for (size_t i = 0; i < from->length; i++)
        work->on_other[from->channel[i]] = work->stamp;
    for (size_t i = 0; i < best->length; i++)
        work->on_best[best->channel[i]] = work->stamp;
    const size_t leave = sweep_differ(work, from, work->on_best, work->leave,
                                      &leave_price, &slope);
    const size_t enter = sweep_differ(work, best, work->on_other, work->enter,
                                      &enter_price, &slope);
    const double gain = leave_price - enter_price;
    if (!(gain > SWEEP_EQUAL * leave_price))
        return;
    double flow =
        slope > 0 && gain / slope < from->flow ? gain / slope : from->flow;
    /* Prices are convex, so a step can go too far; then halve it. */
    for (double moved = 0, step = flow;; step /= 2) {
        const double more = step - moved;
        leave_price = sweep_move(work, work->leave, leave, -more);
        enter_price = sweep_move(work, work->enter, enter, more);
        moved = step;
        flow = step;
        if (enter_price - leave_price <= gain / 2 ||
            step < 0x1p-60 * from->flow)
            break;
    }
    from->flow = flow == from->flow ? 0 : from->flow - flow;
    best->flow += flow;
}

/* Moves the flow of a pair towards its best path and drops empty paths. */
static void sweep_balance(struct assignment_work *work,
                          struct assignment_pair *pair)
{
    size_t best = 0, kept = 0;
    double least = INFINITY;
    for (size_t w = 0; w < pair->way_count && pair->way_count > 1; w++) {
        const double cost = sweep_cost(work, &pair->way[w]);
        if (cost < least) {
            least = cost;
            best = w;
        }
    }
    for (size_t w = 0; w < pair->way_count; w++)
        if (w != best)
            sweep_shift(work, &pair->way[w], &pair->way[best]);
    for (size_t w = 0; w < pair->way_count; w++) {
        if (w == best || pair->way[w].flow > 0)
            pair->way[kept++] = pair->way[w];
        else
            nb_delete(pair->way[w].channel);
    }
    pair->way_count = kept;
}

/* A round that only moves flow. */
static void assignment_balance(struct assignment_work *work)
{
    for (size_t p = 0; p < work->pair_count; p++)
        if (work->pair[p].way_count > 1)
            sweep_balance(work, &work->pair[p]);
}

/* Adds the path found by the search if it is better than the present ones. */
static enum nb_status sweep_add(struct assignment_work *work,
                                struct assignment_pair *pair,
                                struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    enum nb_status status = NB_OK;
    struct assignment_way way = { 0 };
    double cost = 0, least = INFINITY;
    for (uint32_t r = pair->source; work->next[r] != NB_NONE;
         r = topology->channels[work->next[r]].target) {
        cost += work->price[work->next[r]];
        way.length++;
    }
    for (size_t w = 0; w < pair->way_count; w++)
        least = fmin(least, sweep_cost(work, &pair->way[w]));
    if (!(cost < least * (1 - SWEEP_EQUAL)))
        return NB_OK;
    NB_TRY(nb_reserve(&pair->way, &pair->way_room, pair->way_count + 1,
                      sizeof *pair->way, "paths", err));
    NB_TRY(nb_new(&way.channel, way.length, sizeof *way.channel, "paths", err));
    uint32_t r = pair->source;
    for (size_t i = 0; i < way.length; i++) {
        way.channel[i] = work->next[r];
        r = topology->channels[work->next[r]].target;
    }
    if (pair->way_count == 0) {
        way.flow = pair->demand;
        sweep_move(work, way.channel, way.length, way.flow);
    }
    pair->way[pair->way_count++] = way;
done:
    return status;
}

/*
 * One round over all pairs: adds the paths of least price and moves flow.
 *
 * Errors: NB_NO_MEMORY.
 */
static enum nb_status assignment_extend(struct assignment_work *work,
                                        struct nb_error *err)
{
    const size_t channels = work->topology->channel_count;
    enum nb_status status = NB_OK;
    for (uint32_t t = 0; t < work->topology->router_count; t++) {
        if (work->pair_start[t] == work->pair_start[t + 1])
            continue;
        NB_TRY(nb_run_check_stop(err));
        for (size_t c = 0; c < channels; c++)
            work->length[c] = work->price[c];
        assignment_search(work, t);
        for (size_t p = work->pair_start[t]; p < work->pair_start[t + 1]; p++) {
            NB_TRY(sweep_add(work, &work->pair[p], err));
            sweep_balance(work, &work->pair[p]);
        }
    }
done:
    return status;
}

enum { STEP_ITERATIONS = 200 };

#define STEP_RESIDUAL 1e-4 /* relative to the gradient; enough here */

/* Allocates for the present number of paths. Errors: NB_NO_MEMORY. */
static enum nb_status assignment_step_init(const struct assignment_work *work,
                                           struct assignment_step *step,
                                           struct nb_error *err)
{
    const size_t channels = work->topology->channel_count;
    struct nb_pool *pool = &step->pool;
    enum nb_status status = NB_OK;
    size_t ways = 0;
    for (size_t p = 0; p < work->pair_count; p++)
        ways += work->pair[p].way_count;
    step->way_count = ways;
    step->basic = nb_pool_array(pool, work->pair_count, sizeof(size_t));
    step->is_pinned = nb_pool_array(pool, ways, sizeof(bool));
    /* In one block: separate large arrays would all begin at the same offset in
     * a page and evict each other from the cache. */
    step->diagonal =
        nb_pool_array(pool, 7 * ways + 2 * channels, sizeof(double));
    NB_TRY(nb_pool_check(pool, "a step", err));
    step->gain = step->diagonal + ways;
    step->step = step->gain + ways;
    step->residual = step->step + ways;
    step->direction = step->residual + ways;
    step->image = step->direction + ways;
    step->trial = step->image + ways;
    step->change = step->trial + ways;
    step->before = step->change + channels;
done:
    return status;
}

static double step_sum(const double *value, const struct assignment_way *way)
{
    double sum = 0;
    for (size_t i = 0; i < way->length; i++)
        sum += value[way->channel[i]];
    return sum;
}

/* Sets diagonal and gain of a pair's paths relative to its basic path; v is the
 * index of the first path. Pinned paths keep their values. */
static void step_set_pair(struct assignment_work *work,
                          struct assignment_step *step, size_t p, size_t v)
{
    const struct assignment_pair *pair = &work->pair[p];
    const struct assignment_way *basic = &pair->way[step->basic[p]];
    const double price = step_sum(work->price, basic);
    const double slope = step_sum(work->slope, basic);
    work->stamp++;
    for (size_t i = 0; i < basic->length; i++)
        work->on_best[basic->channel[i]] = work->stamp;
    for (size_t w = 0; w < pair->way_count; w++, v++) {
        const struct assignment_way *way = &pair->way[w];
        double own = slope;
        step->diagonal[v] = 0;
        step->gain[v] = 0;
        if (step->is_pinned[v] || way == basic)
            continue;
        for (size_t i = 0; i < way->length; i++) {
            const uint32_t channel = way->channel[i];
            own += work->on_best[channel] == work->stamp ? -work->slope[channel]
                                                         : work->slope[channel];
        }
        if (own > 0) {
            step->diagonal[v] = own;
            step->gain[v] = price - step_sum(work->price, way);
        }
    }
}

/* Chooses the basic paths, and pins empty paths that are not worth more
 * flow. */
static void step_start(struct assignment_work *work,
                       struct assignment_step *step)
{
    for (size_t p = 0, v = 0; p < work->pair_count; p++) {
        const struct assignment_pair *pair = &work->pair[p];
        size_t basic = 0;
        for (size_t w = 1; w < pair->way_count; w++)
            if (pair->way[w].flow > pair->way[basic].flow)
                basic = w;
        step->basic[p] = basic;
        step_set_pair(work, step, p, v);
        for (size_t w = 0; w < pair->way_count; w++, v++) {
            if (pair->way[w].flow == 0 && step->gain[v] <= 0) {
                step->is_pinned[v] = true;
                step->diagonal[v] = 0;
                step->gain[v] = 0;
            }
            step->residual[v] = step->gain[v];
        }
    }
}

/* change = sum over paths of value on each of their channels. */
static void assignment_step_spread(const struct assignment_work *work,
                                   struct assignment_step *step,
                                   const double *value)
{
    size_t v = 0;
    for (size_t c = 0; c < work->topology->channel_count; c++)
        step->change[c] = 0;
    for (size_t p = 0; p < work->pair_count; p++) {
        const struct assignment_pair *pair = &work->pair[p];
        for (size_t w = 0; w < pair->way_count; w++, v++)
            for (size_t i = 0; i < pair->way[w].length && value[v] != 0; i++)
                step->change[pair->way[w].channel[i]] += value[v];
    }
}

/* Sets each basic path's value so that the values of its pair add up to 0. */
static void step_close(const struct assignment_work *work,
                       const struct assignment_step *step, double *value)
{
    size_t v = 0;
    for (size_t p = 0; p < work->pair_count; p++) {
        const size_t count = work->pair[p].way_count;
        value[v + step->basic[p]] = 0;
        double given = 0;
        for (size_t w = 0; w < count; w++)
            given += value[v + w];
        value[v + step->basic[p]] = -given;
        v += count;
    }
}

/* Stores the matrix times the direction in image; returns the product of image
 * and direction. */
static double step_apply(const struct assignment_work *work,
                         struct assignment_step *step)
{
    double product = 0;
    size_t v = 0;
    step_close(work, step, step->direction);
    assignment_step_spread(work, step, step->direction);
    for (size_t c = 0; c < work->topology->channel_count; c++)
        step->change[c] *= work->slope[c];
    for (size_t p = 0; p < work->pair_count; p++) {
        const struct assignment_pair *pair = &work->pair[p];
        const double basic = step_sum(step->change, &pair->way[step->basic[p]]);
        for (size_t w = 0; w < pair->way_count; w++, v++) {
            if (step->diagonal[v] == 0)
                continue;
            step->image[v] = step_sum(step->change, &pair->way[w]) - basic;
            product += step->image[v] * step->direction[v];
        }
    }
    return product;
}

/* The squared residual divided by the diagonal (the preconditioner). */
static double step_measure(const struct assignment_step *step)
{
    double sum = 0;
    for (size_t v = 0; v < step->way_count; v++)
        if (step->diagonal[v] > 0)
            sum += step->residual[v] * step->residual[v] / step->diagonal[v];
    return sum;
}

/* Conjugate gradients from the current step, over the free variables. */
static void step_descend(const struct assignment_work *work,
                         struct assignment_step *step)
{
    const double first = step_measure(step);
    double measure = first, last = INFINITY;
    for (size_t v = 0; v < step->way_count; v++)
        step->direction[v] = 0;
    for (int i = 0;
         i < STEP_ITERATIONS && measure > STEP_RESIDUAL * STEP_RESIDUAL * first;
         i++) {
        const double keep = measure / last;
        for (size_t v = 0; v < step->way_count; v++)
            if (step->diagonal[v] > 0)
                step->direction[v] = step->residual[v] / step->diagonal[v] +
                                     keep * step->direction[v];
        const double bend = step_apply(work, step);
        if (!(bend > 0))
            return;
        for (size_t v = 0; v < step->way_count; v++) {
            step->step[v] += measure / bend * step->direction[v];
            step->residual[v] -= measure / bend * step->image[v];
        }
        last = measure;
        measure = step_measure(step);
    }
}

/* Pins at 0 the paths of a pair that would fall below 0. If the basic path is
 * pinned, the one with the largest flow becomes basic. Returns whether any was
 * pinned. */
static bool step_pin_pair(struct assignment_work *work,
                          struct assignment_step *step, size_t p, size_t v)
{
    const struct assignment_pair *pair = &work->pair[p];
    bool has_pinned = false;
    for (size_t w = 0; w < pair->way_count; w++) {
        if (step->is_pinned[v + w] || step->step[v + w] >= -pair->way[w].flow)
            continue;
        step->step[v + w] = -pair->way[w].flow;
        step->is_pinned[v + w] = true;
        has_pinned = true;
    }
    if (!has_pinned)
        return false;
    double most = -INFINITY;
    const bool stays = !step->is_pinned[v + step->basic[p]];
    for (size_t w = 0; w < pair->way_count && !stays; w++) {
        const double flow = pair->way[w].flow + step->step[v + w];
        if (!step->is_pinned[v + w] && flow > most) {
            step->basic[p] = w;
            most = flow;
        }
    }
    step_set_pair(work, step, p, v);
    return true;
}

/* Does this for all pairs, and sets the residual. */
static bool step_pin(struct assignment_work *work, struct assignment_step *step)
{
    bool has_pinned = false;
    step_close(work, step, step->step);
    for (size_t p = 0, v = 0; p < work->pair_count; p++) {
        has_pinned = step_pin_pair(work, step, p, v) || has_pinned;
        v += work->pair[p].way_count;
    }
    if (!has_pinned)
        return false;
    for (size_t v = 0; v < step->way_count; v++)
        step->direction[v] = step->step[v];
    step_apply(work, step);
    for (size_t v = 0; v < step->way_count; v++)
        step->residual[v] =
            step->diagonal[v] > 0 ? step->gain[v] - step->image[v] : 0;
    return true;
}

/*
 * In every pair a basic path takes what the others give, so that the others'
 * flows are free variables: with a_v the channels of path v minus those of the
 * basic path, solves
 *
 *     sum_w (sum_c slope_c a_v(c) a_w(c)) step_w = - sum_c price_c a_v(c)
 *
 * by conjugate gradients; the steps of a pair add up to 0. Paths that would
 * fall below 0 are then pinned there, and the rest is solved again.
 *
 * passes  number of solves, >= 1; 1: nothing is pinned
 */
static void assignment_step_solve(struct assignment_work *work,
                                  struct assignment_step *step, int passes)
{
    step_start(work, step);
    for (int i = 0; i < passes; i++) {
        step_descend(work, step);
        if (i + 1 == passes || !step_pin(work, step))
            break;
    }
    step_close(work, step, step->step);
}

/* A step of Newton's method for all pairs at once. Moving flow pair by pair is
 * slow where pairs share many channels; near the optimum this step is fast. */

enum { NEWTON_HALVINGS = 12 };

/* Computes the flows after a fraction of the step, into trial: a flow that
 * would fall below 0 becomes 0, and the others of its pair are scaled to
 * match. */
static void newton_try(const struct assignment_work *work,
                       struct assignment_step *step, double part)
{
    size_t v = 0;
    for (size_t p = 0; p < work->pair_count; p++) {
        const struct assignment_pair *pair = &work->pair[p];
        double sum = 0;
        for (size_t w = 0; w < pair->way_count; w++) {
            step->trial[v + w] =
                fmax(pair->way[w].flow + part * step->step[v + w], 0);
            sum += step->trial[v + w];
        }
        for (size_t w = 0; w < pair->way_count; w++, v++)
            step->trial[v] =
                step->trial[v] * (pair->demand / sum) - pair->way[w].flow;
    }
}

/* Sets loads and prices for the trial flows. Returns whether the prices there
 * still favour the move, or oppose it at most half as much as they favoured
 * it. */
static bool newton_is_good(struct assignment_work *work,
                           struct assignment_step *step)
{
    double favour = 0, oppose = 0;
    assignment_step_spread(work, step, step->trial);
    for (uint32_t c = 0; c < work->topology->channel_count; c++) {
        work->load[c] = step->before[c];
        assignment_price(work, c);
        favour -= work->price[c] * step->change[c];
        work->load[c] += step->change[c];
        assignment_price(work, c);
        oppose += work->price[c] * step->change[c];
    }
    return favour > 0 && oppose <= favour / 2;
}

static void newton_accept(struct assignment_work *work,
                          const struct assignment_step *step)
{
    size_t v = 0;
    for (size_t p = 0; p < work->pair_count; p++)
        for (size_t w = 0; w < work->pair[p].way_count; w++, v++)
            work->pair[p].way[w].flow =
                fmax(work->pair[p].way[w].flow + step->trial[v], 0);
}

/*
 * A step of Newton's method for all pairs at once over the present paths;
 * restores the flows if the step gains nothing.
 *
 * passes  of assignment_step_solve
 *
 * Errors: NB_NO_MEMORY.
 */
static enum nb_status assignment_newton(struct assignment_work *work,
                                        int passes, struct nb_error *err)
{
    const size_t channels = work->topology->channel_count;
    struct assignment_step step = { 0 };
    enum nb_status status = NB_OK;
    bool is_done = false;
    NB_TRY(assignment_step_init(work, &step, err));
    assignment_step_solve(work, &step, passes);
    for (size_t c = 0; c < channels; c++)
        step.before[c] = work->load[c];
    double part = 1;
    for (int i = 0; i < NEWTON_HALVINGS && !is_done; i++, part /= 2) {
        newton_try(work, &step, part);
        is_done = newton_is_good(work, &step);
    }
    if (is_done)
        newton_accept(work, &step);
    for (uint32_t c = 0; c < channels && !is_done; c++) {
        work->load[c] = step.before[c];
        assignment_price(work, c);
    }
done:
    nb_pool_release(&step.pool);
    return status;
}

/* The rounds of the assignment. */

/* The method ends when the bracket is this narrow, relative to its upper end;
 * when it is nearly so and has not halved for some rounds, since rounding can
 * keep it from narrowing further; or after a maximum number of rounds. */
#define SOLVE_GAP  0x1p-32
#define SOLVE_NEAR 0x1p-20

enum { SOLVE_PATIENCE = 4, SOLVE_ROUNDS = 200 };

/* There are two kinds of Newton step: one of them pins at 0 the paths that
 * would fall below. Each sometimes gets stuck where the other does not, so they
 * take turns; if that has not converged after SOLVE_TURNS rounds, every round
 * does both. */
enum { SOLVE_PASSES = 8, SOLVE_TURNS = 24 };

/* At first prices are linear from 0: a quadratic problem, for which Newton's
 * method finds a symmetric solution. Steep prices from the start would drive
 * flow onto long paths, from which it returns slowly. While some utilisation is
 * above the knee, the knee moves half way to 1 every few rounds, up to where
 * doubles still resolve 1 - rho. */
#define SOLVE_LAST_KNEE 0x1p-21

enum { SOLVE_KNEE_ROUNDS = 4 };

/* The flows after a round. */
struct solve_state {
    struct nb_queue *queue; /* [channel] with brackets of the loads */
    struct nb_bracket hops, wait;
    double error; /* of the loads, relative */
    double most;  /* the largest utilisation of a channel */
    int waited;   /* rounds since the bracket last halved */
};

/* Brackets loads, hops and wait. */
static void solve_measure(const struct assignment_work *work,
                          struct solve_state *state)
{
    const double error = state->error;
    const size_t channels = work->topology->channel_count;
    struct nb_bracket sum = { 0, 0 };
    state->most = 0;
    for (size_t c = 0; c < channels; c++) {
        const double load = work->load[c];
        state->queue[c] = (struct nb_queue){
            .load.lower = load * (1 - error),
            .load.upper = load * (1 + error),
            .bandwidth = work->topology->channels[c].bandwidth,
            .delay_lower = work->delay,
            .delay_upper = work->delay,
        };
        sum.lower += state->queue[c].load.lower;
        sum.upper += state->queue[c].load.upper;
        state->most =
            fmax(state->most, work->rate.upper * load / work->band[c]);
    }
    const double sums = ((double)channels + 4) * 0x1p-53;
    state->hops.lower = sum.lower / work->total.upper * (1 - sums);
    state->hops.upper = sum.upper / work->total.lower * (1 + sums);
    state->wait = nb_latency_find_wait(state->queue, channels, work->rate,
                                       work->total, NULL);
}

static void solve_tell(const struct nb_run *run, size_t round)
{
    if (run != NULL && run->progress != NULL)
        run->progress(run->progress_context, "rounds of the assignment", round,
                      SOLVE_ROUNDS);
}

/* Stores the paths in out, replacing those of an earlier round. */
static enum nb_status solve_list_paths(const struct assignment_work *work,
                                       struct nb_assignment *out,
                                       struct nb_error *err)
{
    enum nb_status status = NB_OK;
    size_t paths = 0, channels = 0;
    for (size_t p = 0; p < work->pair_count; p++) {
        paths += work->pair[p].way_count;
        for (size_t w = 0; w < work->pair[p].way_count; w++)
            channels += work->pair[p].way[w].length;
    }
    nb_delete(out->path);
    nb_delete(out->channel);
    out->path = NULL;
    out->channel = NULL;
    out->path_count = 0;
    NB_TRY(nb_new(&out->path, paths, sizeof *out->path, "paths", err));
    NB_TRY(nb_new(&out->channel, channels, sizeof *out->channel, "paths", err));
    channels = 0;
    for (uint32_t t = 0; t < work->topology->router_count; t++)
        for (size_t p = work->pair_start[t]; p < work->pair_start[t + 1]; p++)
            for (size_t w = 0; w < work->pair[p].way_count; w++) {
                const struct assignment_way *way = &work->pair[p].way[w];
                out->path[out->path_count++] = (struct nb_assignment_path){
                    .source = work->pair[p].source,
                    .target = t,
                    .share = way->flow / work->pair[p].demand,
                    .first = channels,
                    .length = way->length,
                };
                for (size_t i = 0; i < way->length; i++)
                    out->channel[channels++] = way->channel[i];
            }
done:
    return status;
}

/* Stores the flows in out unless those of an earlier round are better. */
static enum nb_status solve_keep(const struct assignment_work *work,
                                 const struct solve_state *state,
                                 struct nb_assignment *out,
                                 struct nb_error *err)
{
    const double upper =
        (state->hops.upper + state->wait.upper) * (1 + 0x1p-52);
    if (upper > out->latency.upper)
        return NB_OK;
    for (size_t c = 0; c < out->channel_count; c++)
        out->load[c] = (struct nb_bracket){ state->queue[c].load.lower,
                                            state->queue[c].load.upper };
    out->hops = state->hops;
    out->wait = state->wait;
    out->latency.upper = upper;
    return solve_list_paths(work, out, err);
}

/* One round; updates the bracket and the best routing. */
static enum nb_status solve_round(struct assignment_work *work,
                                  struct solve_state *state,
                                  struct nb_assignment *out,
                                  struct nb_error *err)
{
    enum nb_status status = NB_OK;
    out->rounds++;
    NB_TRY(assignment_extend(work, err));
    assignment_balance(work);
    const bool is_slow = out->rounds > SOLVE_TURNS;
    if (is_slow || out->rounds % 2 != 0)
        NB_TRY(assignment_newton(work, 1, err));
    if (is_slow || out->rounds % 2 == 0)
        NB_TRY(assignment_newton(work, SOLVE_PASSES, err));
    assignment_balance(work);
    state->error = assignment_settle(work);
    solve_measure(work, state);
    NB_TRY(solve_keep(work, state, out, err));
    out->latency.lower = fmax(out->latency.lower, assignment_bound(work));
    if (isinf(out->latency.upper) && assignment_is_saturated(work))
        out->latency.lower = INFINITY;
done:
    return status;
}

/* Whether rounds no longer narrow the bracket. */
static bool solve_has_stalled(const struct solve_state *state, double gap)
{
    /* The error of the loads passes to the prices and so to the bound. */
    const double room = 1 - state->most;
    const double rounding = room > 0 ? state->error / (room * room) : 0;
    return state->waited >= SOLVE_PATIENCE && gap <= fmax(SOLVE_NEAR, rounding);
}

/*
 * Runs rounds of the method until the bracket is narrow or stops narrowing,
 * starting from no flow, knee 0 and the latency at no load; sets all other
 * results.
 *
 * Errors: NB_NO_MEMORY.
 */
static enum nb_status assignment_solve(struct assignment_work *work,
                                       const struct nb_run *run,
                                       struct nb_assignment *out,
                                       struct nb_error *err)
{
    enum nb_status status = NB_OK;
    struct solve_state state = { 0 };
    double mark = INFINITY;
    NB_TRY(nb_new(&state.queue, out->channel_count, sizeof *state.queue,
                  "queues", err));
    out->latency = (struct nb_bracket){ out->zero_load.lower, INFINITY };
    while (out->rounds < SOLVE_ROUNDS) {
        solve_tell(run, out->rounds);
        NB_TRY(solve_round(work, &state, out, err));
        const double gap = isinf(out->latency.upper)
                               ? INFINITY
                               : 1 - out->latency.lower / out->latency.upper;
        const bool is_short =
            state.most > work->knee && 1 - work->knee > SOLVE_LAST_KNEE;
        state.waited++;
        if (gap <= mark / 2) {
            mark = gap;
            state.waited = 0;
        }
        if (isinf(out->latency.lower) || gap <= SOLVE_GAP ||
            (!is_short && solve_has_stalled(&state, gap)))
            break;
        if (is_short && out->rounds % SOLVE_KNEE_ROUNDS == 0) {
            work->knee = 1 - (1 - work->knee) / 2;
            state.waited = 0;
            for (uint32_t c = 0; c < out->channel_count; c++)
                assignment_price(work, c);
        }
    }
    solve_tell(run, SOLVE_ROUNDS);
done:
    nb_delete(state.queue);
    return status;
}

void nb_assignment_release(struct nb_assignment *assignment)
{
    nb_delete(assignment->load);
    nb_delete(assignment->path);
    nb_delete(assignment->channel);
    *assignment = (struct nb_assignment){ 0 };
}

static void assignment_release_work(struct assignment_work *work)
{
    for (size_t p = 0; p < work->pair_count && work->pair != NULL; p++) {
        for (size_t w = 0; w < work->pair[p].way_count; w++)
            nb_delete(work->pair[p].way[w].channel);
        nb_delete(work->pair[p].way);
    }
    nb_pool_release(&work->pool);
}

/* Allocates everything except the pairs. */
static enum nb_status assignment_init(struct assignment_work *work,
                                      struct nb_error *err)
{
    const size_t n = work->topology->router_count;
    const size_t channels = work->topology->channel_count;
    struct nb_pool *pool = &work->pool;
    work->band = nb_pool_array(pool, channels, sizeof(double));
    work->load = nb_pool_array(pool, channels, sizeof(double));
    work->price = nb_pool_array(pool, channels, sizeof(double));
    work->slope = nb_pool_array(pool, channels, sizeof(double));
    work->length = nb_pool_array(pool, channels, sizeof(double));
    work->distance = nb_pool_array(pool, n, sizeof(double));
    work->next = nb_pool_array(pool, n, sizeof(uint32_t));
    work->heap.near =
        nb_pool_array(pool, channels + 1, sizeof *work->heap.near);
    work->on_best = nb_pool_array(pool, channels, sizeof(uint64_t));
    work->on_other = nb_pool_array(pool, channels, sizeof(uint64_t));
    work->leave = nb_pool_array(pool, n, sizeof(uint32_t));
    work->enter = nb_pool_array(pool, n, sizeof(uint32_t));
    work->pair_start = nb_pool_array(pool, n + 1, sizeof(size_t));
    const enum nb_status status =
        nb_pool_check(pool, "assignment of traffic to paths", err);
    for (uint32_t c = 0; c < channels && status == NB_OK; c++) {
        work->band[c] = nb_ratio_value(work->topology->channels[c].bandwidth);
        assignment_price(work, c);
    }
    return status;
}

/* Counts the demands into a router, or lists them once there is room. */
static size_t assignment_list(struct assignment_work *work,
                              const struct nb_traffic *traffic,
                              const uint64_t *rate, uint32_t target)
{
    size_t count = work->pair_start[target];
    for (uint32_t s = 0; s < work->topology->router_count; s++) {
        if (rate[s] == 0 || s == target)
            continue;
        if (work->pair != NULL)
            work->pair[count] = (struct assignment_pair){
                .source = s,
                .weight = rate[s],
                .demand = (double)rate[s] / (double)traffic->denominator,
            };
        count++;
    }
    return count;
}

static enum nb_status assignment_add_pairs(struct assignment_work *work,
                                           const struct nb_traffic *traffic,
                                           struct nb_error *err)
{
    const size_t n = work->topology->router_count;
    enum nb_status status = NB_OK;
    uint64_t *rate = NULL;
    NB_TRY(nb_new(&rate, n, sizeof *rate, "rates", err));
    for (int pass = 0; pass < 2; pass++) {
        work->weights = 0;
        for (uint32_t t = 0; t < n; t++) {
            NB_TRY(nb_traffic_column(traffic, work->topology, t, rate, err));
            for (size_t s = 0; s < n; s++)
                work->weights += rate[s];
            work->pair_start[t + 1] = assignment_list(work, traffic, rate, t);
        }
        if (pass == 0) {
            const double bytes =
                sizeof *work->pair + 2 * sizeof *work->pair->way;
            NB_TRY(nb_memory_require((double)work->pair_start[n] * bytes,
                                     "assignment of traffic to paths", err));
            work->pair = nb_pool_array(&work->pool, work->pair_start[n],
                                       sizeof *work->pair);
            NB_TRY(nb_pool_check(&work->pool, "demands", err));
        }
    }
    work->pair_count = work->pair_start[n];
done:
    nb_delete(rate);
    return status;
}

static enum nb_status assignment_check(struct nb_mean_delay delay,
                                       struct nb_enclosure rate,
                                       struct nb_error *err)
{
    const bool is_delay =
        delay.factor > 0 && delay.factor <= 1 && delay.constant >= 0;
    const bool is_rate =
        rate.lower >= 0 && rate.lower <= rate.upper && rate.upper < INFINITY;
    if (is_delay && is_rate)
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "delays of factor %g and constant %g at rates from %g to "
                   "%g (permitted: a factor above 0 up to 1, a constant of 0 "
                   "and more, rates of 0 and more in order)",
                   delay.factor, delay.constant, rate.lower, rate.upper);
}

enum nb_status
nb_assignment_find(const struct nb_topology *topology,
                   const struct nb_traffic *traffic, struct nb_mean_delay delay,
                   struct nb_enclosure rate, const struct nb_run *run,
                   struct nb_assignment *out, struct nb_error *err)
{
    struct assignment_work work = {
        .topology = topology,
        .delay = delay,
        .rate = { rate.lower, rate.upper },
        .exact_rate = rate.exact,
        .total = nb_latency_total(traffic, topology),
    };
    enum nb_status status = NB_OK;
    *out = (struct nb_assignment){ 0 };
    NB_TRY(nb_traffic_check(traffic, topology, err));
    NB_TRY(assignment_check(delay, rate, err));
    work.denominator = traffic->denominator;
    out->channel_count = topology->channel_count;
    NB_TRY(nb_new(&out->load, out->channel_count, sizeof *out->load, "loads",
                  err));
    NB_TRY(assignment_init(&work, err));
    NB_TRY(assignment_add_pairs(&work, traffic, err));
    if (work.pair_count == 0)
        goto done; /* nothing is sent, or only to oneself: no latency */
    /* No load yet: the bound is the mean length of the shortest paths. */
    out->zero_load.lower = assignment_bound(&work);
    out->zero_load.upper =
        out->zero_load.lower * (1 + 4 * assignment_error(&work));
    NB_TRY(assignment_solve(&work, run, out, err));
done:
    assignment_release_work(&work);
    if (status != NB_OK)
        nb_assignment_release(out);
    return status;
}
