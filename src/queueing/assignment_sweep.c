/* Rounds over all pairs (declared in assignment_work.h). */
#include "queueing/assignment_work.h"

#include "core/memory.h"

#include <math.h>

/* Differences of prices below this share of them are rounding. */
#define SWEEP_EQUAL 0x1p-50

void nb_assignment_price(struct nb_assignment_work *work, uint32_t channel)
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

static double sweep_cost(const struct nb_assignment_work *work,
                         const struct nb_assignment_way *way)
{
    double cost = 0;
    for (size_t i = 0; i < way->length; i++)
        cost += work->price[way->channel[i]];
    return cost;
}

/* Adds flow to channels. Returns the sum of their prices then. */
static double sweep_move(struct nb_assignment_work *work,
                         const uint32_t *channel, size_t count, double flow)
{
    double cost = 0;
    for (size_t i = 0; i < count; i++) {
        work->load[channel[i]] += flow;
        nb_assignment_price(work, channel[i]);
        cost += work->price[channel[i]];
    }
    return cost;
}

/* The channels of one way that the other does not have: those without the
 * current stamp. Returns their number; price and slope are added up. */
static size_t sweep_differ(const struct nb_assignment_work *work,
                           const struct nb_assignment_way *way,
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

/* Moves flow to the best way until both cost the same, or all of it. */
static void sweep_shift(struct nb_assignment_work *work,
                        struct nb_assignment_way *from,
                        struct nb_assignment_way *best)
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
    /* Prices bend upwards, so a step can go too far; then half of it. */
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

/* Moves the flow of a pair towards its best way and drops empty ways. */
static void sweep_balance(struct nb_assignment_work *work,
                          struct nb_assignment_pair *pair)
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

void nb_assignment_balance(struct nb_assignment_work *work)
{
    for (size_t p = 0; p < work->pair_count; p++)
        if (work->pair[p].way_count > 1)
            sweep_balance(work, &work->pair[p]);
}

/* Adds the way that the search found, if it is better than those there are. */
static enum nb_status sweep_add(struct nb_assignment_work *work,
                                struct nb_assignment_pair *pair,
                                struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    enum nb_status status = NB_OK;
    struct nb_assignment_way way = { 0 };
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
    if (pair->way_count == pair->way_capacity) {
        const size_t capacity = 2 * pair->way_capacity + 1;
        NB_TRY(nb_grow(&pair->way, capacity, sizeof *pair->way, "paths", err));
        pair->way_capacity = capacity;
    }
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

enum nb_status nb_assignment_extend(struct nb_assignment_work *work,
                                    struct nb_error *err)
{
    const size_t channels = work->topology->channel_count;
    enum nb_status status = NB_OK;
    for (uint32_t t = 0; t < work->topology->router_count; t++) {
        if (work->pair_start[t] == work->pair_start[t + 1])
            continue;
        for (size_t c = 0; c < channels; c++)
            work->length[c] = work->price[c];
        nb_assignment_search(work, t);
        for (size_t p = work->pair_start[t]; p < work->pair_start[t + 1]; p++) {
            NB_TRY(sweep_add(work, &work->pair[p], err));
            sweep_balance(work, &work->pair[p]);
        }
    }
done:
    return status;
}
