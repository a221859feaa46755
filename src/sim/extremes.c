#include "sim/summary.h"

#include "core/memory.h"

#include <math.h>
#include <stddef.h>

/* Probability that some possible extreme is excluded. */
#define EXTREME_RIVAL 1e-3

/* Arrays of [router], except unit. */
struct extremes {
    const struct nb_replications *all;
    struct nb_simulation_result *out;
    double *unit;   /* scratch: [queue, router or flow] */
    double *demand; /* [flit/cycle] of each terminal */
    bool *is_asked; /* about, or in a class with one that is; scratch for
                     * those */
    struct nb_pool pool;
};

/* Tallies whose least or largest mean is wanted. */
struct extreme {
    enum nb_extreme_kind kind;
    size_t array; /* offset in struct nb_measure */
    size_t count;
    double *unit; /* [count] divisor of each; 0: it is left out */
    double most;  /* upper bound of the mean */
};

/* Whether a router counts for the least and largest: it is asked about, if any
 * are, and sends. */
static bool extremes_has(const struct extremes *work, size_t router)
{
    const struct nb_network *network = &work->all->networks[0];
    const bool *asked = network->plan->asked;
    return network->topology->terminals[router] > 0 &&
           (asked == NULL || (asked[router] && (isinf(work->out->demanded) ||
                                                work->demand[router] > 0)));
}

static struct nb_estimate extreme_each(const struct nb_replications *all,
                                       const struct extreme *asked,
                                       size_t index, double chance)
{
    struct nb_estimate each =
        nb_replications_tally(all, asked->array, index, 1 - 2 * chance);
    each.mean /= asked->unit[index];
    each.half_width /= asked->unit[index];
    return each;
}

/* The number of candidates for the extreme: those close to the one that looks
 * extreme. The others are excluded with a negligible probability of error. */
static size_t extreme_rivals(const struct nb_replications *all,
                             const struct extreme *asked)
{
    const double chance = EXTREME_RIVAL / (double)asked->count;
    const double sign = asked->kind == NB_LEAST ? -1 : 1;
    double nearest = -INFINITY;
    size_t rivals = 0;
    for (int is_counted = 0; is_counted < 2; is_counted++)
        for (size_t i = 0; i < asked->count; i++) {
            if (asked->unit[i] == 0)
                continue;
            const struct nb_estimate each = extreme_each(all, asked, i, chance);
            if (is_counted)
                rivals += sign * each.mean + each.half_width >= nearest;
            else
                nearest = fmax(nearest, sign * each.mean - each.half_width);
        }
    return rivals;
}

/*
 * The limit on the outer side fails only if all true extremes look less
 * extreme, the one on the inner side if any looks more extreme. With k
 * independent rivals, m of them extreme, the probabilities are a^m and m a / k,
 * together at most a (1 + 1 / k). found: out, index of the extreme
 */
static struct nb_interval extreme_find(const struct extremes *work,
                                       const struct extreme *asked,
                                       double level, size_t *found)
{
    const struct nb_replications *all = work->all;
    struct nb_interval extreme = { NAN, NAN, NAN };
    const double k = (double)extreme_rivals(all, asked);
    const double chance = (1 - level) * k / (k + 1);
    for (size_t i = 0; i < asked->count; i++) {
        if (asked->unit[i] == 0)
            continue;
        const struct nb_estimate each = extreme_each(all, asked, i, chance);
        const struct nb_estimate surer =
            extreme_each(all, asked, i, chance / k);
        if (nb_extreme_take(&extreme, asked->kind, each, surer.half_width))
            *found = i;
    }
    if (work->out->is_slow && !isnan(extreme.value)) {
        extreme.lower = 0;
        extreme.upper = INFINITY;
    }
    return nb_interval_cut(extreme, asked->most);
}

/* Compares classes instead, if all members of a class are known to do the same.
 * unit: that of each member. */
static const struct nb_orbits *extreme_ask_alike(const struct extremes *work,
                                                 const struct nb_orbits *orbits,
                                                 size_t array,
                                                 struct extreme *asked)
{
    const struct nb_flows *flows = work->all->networks[0].measure.flows;
    if (orbits->count == 0 ||
        !(flows->alike.is_always || work->out->stability == NB_STABLE))
        return NULL;
    for (size_t c = 0; c < orbits->count; c++)
        asked->unit[c] =
            asked->unit[orbits->first[c]] * (double)orbits->length[c];
    asked->array = array;
    asked->count = orbits->count;
    return orbits;
}

static void extremes_find_busiest(const struct extremes *work)
{
    const struct nb_network *network = &work->all->networks[0];
    struct nb_simulation_result *out = work->out;
    struct extreme asked = {
        .kind = NB_LARGEST,
        .array = offsetof(struct nb_measure, use),
        .count = out->queue_count,
        .unit = work->unit,
    };
    size_t found = 0;
    for (uint32_t q = 0; q < out->queue_count; q++) {
        asked.most =
            fmax(asked.most, nb_ratio_value(nb_network_bandwidth(network, q)));
        work->unit[q] = 1;
    }
    const struct nb_orbits *orbits =
        extreme_ask_alike(work, &network->measure.flows->alike.queue,
                          offsetof(struct nb_measure, use_alike), &asked);
    out->busiest = extreme_find(work, &asked, NB_SUMMARY_LEVEL, &found);
    if (out->queue_count == 0)
        return;
    out->busiest_queue = orbits != NULL ? orbits->first[found] : found;
    out->busiest_count = orbits != NULL ? orbits->length[found] : 1;
}

/* The least of delivered over demanded rates. */
static void extremes_find_least(const struct extremes *work)
{
    const struct nb_flows *flows = work->all->networks[0].measure.flows;
    struct nb_simulation_result *out = work->out;
    struct extreme asked = {
        .kind = NB_LEAST,
        .array = offsetof(struct nb_measure, flow),
        .count = flows->count,
        .unit = work->unit,
        .most = 1,
    };
    size_t found = 0;
    for (size_t f = 0; f < flows->count; f++)
        work->unit[f] = flows->flow[f].demand;
    const struct nb_orbits *orbits =
        extreme_ask_alike(work, &flows->alike.flow,
                          offsetof(struct nb_measure, flow_alike), &asked);
    out->least = extreme_find(work, &asked, NB_SUMMARY_LEVEL, &found);
    out->least_source = out->least_target = NB_NONE;
    if (flows->count > 0) {
        found = orbits != NULL ? orbits->first[found] : found;
        out->least_source = flows->flow[found].source;
        out->least_target = flows->flow[found].target;
    }
}

/* [flit/cycle] What each terminal of a router demands, and the mean of all
 * terminals. Whole numbers until the last step, so that a full rate is not
 * rounded down. share: [router] out; returns +inf where it is not known */
static double extremes_find_demanded(const struct nb_network *network,
                                     double *share)
{
    const struct nb_topology *topology = network->topology;
    const struct nb_traffic *traffic = network->plan->traffic;
    const struct nb_injection *injection = &network->plan->injection;
    const double each = injection->rate * injection->flits;
    const double terminals = (double)topology->terminal_count;
    double sum = 0;
    if (network->measure.flows->count == 0)
        return INFINITY;
    const double whole = (double)traffic->denominator;
    for (size_t r = 0; r < topology->router_count; r++)
        share[r] = (double)traffic->background *
                   (double)nb_traffic_even_row(traffic, topology, r);
    for (size_t d = 0; d < traffic->demand_count; d++)
        share[traffic->demands[d].source] += (double)traffic->demands[d].weight;
    for (size_t r = 0; r < topology->router_count; r++) {
        sum += share[r];
        if (topology->terminals[r] > 0)
            share[r] = each * (share[r] / (whole * topology->terminals[r]));
    }
    return each * (sum / (whole * terminals));
}

/* Marks routers whose terminals are asked about, or all classes with one. */
static void extremes_mark(const struct extremes *work,
                          const struct nb_orbits *alike)
{
    const struct nb_network *network = &work->all->networks[0];
    const size_t n = network->topology->router_count;
    for (size_t r = 0; r < n; r++)
        work->is_asked[r] = false;
    for (size_t r = 0; r < n; r++)
        if (extremes_has(work, r))
            work->is_asked[alike != NULL ? alike->of[r] : r] = true;
}

/* The least or largest accepted rate of routers' terminals, each over its unit,
 * which is divided among a router's terminals. unit: [router] 0: left out */
static struct nb_interval extremes_find_router(const struct extremes *work,
                                               enum nb_extreme_kind kind,
                                               const double *each, double most,
                                               double level)
{
    const struct nb_network *network = &work->all->networks[0];
    const struct nb_topology *topology = network->topology;
    struct extreme asked = {
        .kind = kind,
        .array = offsetof(struct nb_measure, from),
        .count = topology->router_count,
        .unit = work->unit,
        .most = most,
    };
    size_t found;
    for (size_t r = 0; r < topology->router_count; r++)
        work->unit[r] =
            (each != NULL ? each[r] : 1) * (double)topology->terminals[r];
    extremes_mark(work, extreme_ask_alike(
                            work, &network->measure.flows->alike.router,
                            offsetof(struct nb_measure, from_alike), &asked));
    for (size_t i = 0; i < asked.count; i++)
        if (!work->is_asked[i])
            work->unit[i] = 0;
    return extreme_find(work, &asked, level, &found);
}

/* The least and largest demand of terminals that are asked about. */
static void extremes_range(const struct extremes *work, double *least,
                           double *most)
{
    const size_t n = work->all->networks[0].topology->router_count;
    *least = INFINITY;
    *most = 0;
    for (size_t r = 0; r < n; r++)
        if (extremes_has(work, r)) {
            *least = fmin(*least, work->demand[r]);
            *most = fmax(*most, work->demand[r]);
        }
}

/*
 * The least and largest accepted rates of pairs and routers. In a stable
 * network all get what they demand, so the total gives the best estimate; if
 * stability is undecided, the intervals extend to that.
 */
static void extremes_find_shared(const struct extremes *work)
{
    struct nb_simulation_result *out = work->out;
    const bool is_demanded = !isinf(out->demanded);
    double least = INFINITY, most = INFINITY;
    if (is_demanded)
        extremes_range(work, &least, &most);
    if (is_demanded && !(least <= most)) { /* those asked about send nothing */
        out->router_least = out->router_most =
            (struct nb_interval){ NAN, NAN, NAN };
        extremes_find_least(work);
        return;
    }
    if (is_demanded && out->is_met) {
        out->least = nb_interval_of(
            (struct nb_estimate){ out->accepted.mean / out->demanded,
                                  out->accepted.half_width / out->demanded },
            1);
        out->least_source = out->least_target = NB_NONE;
        out->router_least = nb_interval_scale(out->least, least);
        out->router_most = nb_interval_scale(out->least, most);
        return;
    }
    out->router_least =
        extremes_find_router(work, NB_LEAST, NULL, least, NB_SUMMARY_LEVEL);
    out->router_most =
        extremes_find_router(work, NB_LARGEST, NULL, most, NB_SUMMARY_LEVEL);
    extremes_find_least(work);
    /* With few packets the smallest ones say little about what all get if the
     * network is stable after all. */
    if (is_demanded && out->stability == NB_UNDECIDED) {
        out->least.upper = fmax(out->least.upper, 1);
        out->router_least.upper = fmax(out->router_least.upper, least);
        out->router_most.upper = fmax(out->router_most.upper, most);
    }
}

static struct nb_interval extremes_exact(double value)
{
    return (struct nb_interval){ value, value, value };
}

/* If stability is undecided, the interval includes the value of a stable
 * network, too. */
static struct nb_interval extremes_admit(const struct extremes *work,
                                         struct nb_interval interval,
                                         double stable)
{
    if (isinf(work->out->demanded) || work->out->stability != NB_UNDECIDED)
        return interval;
    interval.lower = fmin(interval.lower, stable);
    interval.upper = fmax(interval.upper, stable);
    return interval;
}

/* The largest over the least: with half the probability of error for each, both
 * intervals hold at once. stable: the value if all get what they demand */
static struct nb_interval extremes_ratio(const struct extremes *work,
                                         double stable)
{
    const double level = (1 + NB_SUMMARY_LEVEL) / 2;
    const struct nb_interval least =
        extremes_find_router(work, NB_LEAST, NULL, INFINITY, level);
    const struct nb_interval most =
        extremes_find_router(work, NB_LARGEST, NULL, INFINITY, level);
    const struct nb_interval ratio = {
        .value = most.value / least.value,
        .lower = fmax(1, most.lower / least.upper),
        .upper = fmax(1, most.upper / least.lower),
    };
    if (work->out->is_slow)
        return (struct nb_interval){ ratio.value, 1, INFINITY };
    return extremes_admit(work, ratio, stable);
}

/* Jain's index of rates or, without them, of demands. */
static struct nb_interval extremes_jain(const struct extremes *work,
                                        const struct nb_estimate *rates)
{
    const size_t n = work->all->networks[0].topology->router_count;
    struct nb_jain jain = { 0 };
    for (size_t r = 0; r < n; r++)
        if (extremes_has(work, r))
            nb_jain_take(&jain, rates != NULL ? rates[r]
                                              : (struct nb_estimate){
                                                    work->demand[r], 0 });
    return nb_jain_index(&jain);
}

/* [flit/cycle] What all of them together get, and demand. */
static struct nb_estimate extremes_together(const struct extremes *work,
                                            double level, double *terminals,
                                            double *demand)
{
    const struct nb_topology *topology = work->all->networks[0].topology;
    *terminals = *demand = 0;
    for (size_t r = 0; r < topology->router_count; r++)
        if (extremes_has(work, r)) {
            *terminals += topology->terminals[r];
            *demand += topology->terminals[r] * work->demand[r];
        }
    return nb_replications_tally(work->all, offsetof(struct nb_measure, asked),
                                 0, level);
}

/* Marks routers whose terminals get less than a fraction of the mean share of
 * their demand. All certain marks hold at once: the mean has half of the
 * probability of error, the routers share the rest. */
static void extremes_find_starved(const struct extremes *work)
{
    const struct nb_network *network = &work->all->networks[0];
    const struct nb_topology *topology = network->topology;
    struct nb_fairness *out = &work->out->fairness;
    const double chance = (1 - NB_SUMMARY_LEVEL) / 2;
    const double cycles = work->all->length * (double)work->all->batches;
    double count = 0;
    for (size_t r = 0; r < topology->router_count; r++)
        count += extremes_has(work, r);
    /* Upper limit if none was seen (Poisson). */
    const double none =
        log(fmax(count, 1) / chance) * nb_most_flits(network->plan) / cycles;
    double terminals, demand;
    const struct nb_estimate mean =
        extremes_together(work, 1 - chance, &terminals, &demand);
    const double limit = network->plan->starved / demand;
    out->starved = (struct nb_interval){ 0 };
    for (size_t r = 0; r < topology->router_count; r++) {
        if (!extremes_has(work, r))
            continue;
        struct nb_estimate own =
            nb_replications_tally(work->all, offsetof(struct nb_measure, from),
                                  r, 1 - chance / count);
        const double asked = topology->terminals[r] * work->demand[r];
        const double less = limit * mean.mean - own.mean / asked;
        double error =
            limit * mean.half_width + fmax(own.half_width, none) / asked;
        if (work->out->is_slow || work->out->stability == NB_UNDECIDED)
            error = INFINITY;
        out->is_starved[r] = less > error    ? NB_STARVED
                             : less < -error ? NB_FED
                                             : NB_PERHAPS_STARVED;
        out->starved.value += less > 0;
        out->starved.lower += out->is_starved[r] == NB_STARVED;
        out->starved.upper += out->is_starved[r] != NB_FED;
    }
}

/* In a stable network all get what they demand. */
static void extremes_find_fairness(const struct extremes *work)
{
    struct nb_simulation_result *out = work->out;
    struct nb_fairness *fair = &out->fairness;
    const bool is_demanded = !isinf(out->demanded);
    const struct nb_interval nothing = { NAN, NAN, NAN };
    double least, most, terminals, demand;
    extremes_range(work, &least, &most);
    if (is_demanded && !(least <= most)) {
        *fair =
            (struct nb_fairness){ nothing, nothing, nothing,         nothing,
                                  nothing, nothing, fair->is_starved };
        return;
    }
    const struct nb_estimate together =
        extremes_together(work, NB_SUMMARY_LEVEL, &terminals, &demand);
    const double equal = extremes_jain(work, NULL).value;
    if (is_demanded && out->is_met) {
        fair->mean = nb_interval_scale(out->least, demand / terminals);
        fair->share = fair->share_least = out->least;
        fair->ratio = extremes_exact(most / least);
        fair->jain = extremes_exact(equal);
        fair->starved = extremes_exact(0);
        return;
    }
    const struct nb_estimate each = { together.mean / terminals,
                                      work->out->is_slow
                                          ? INFINITY
                                          : together.half_width / terminals };
    fair->mean =
        nb_interval_of(each, is_demanded ? demand / terminals : INFINITY);
    fair->ratio = extremes_ratio(work, most / least);
    fair->jain =
        extremes_admit(work, extremes_jain(work, out->accepted_of), equal);
    fair->share = fair->share_least = fair->starved = nothing;
    if (!is_demanded)
        return;
    fair->share = nb_interval_scale(fair->mean, terminals / demand);
    fair->share_least = extremes_admit(
        work,
        extremes_find_router(work, NB_LEAST, work->demand, 1, NB_SUMMARY_LEVEL),
        1);
    extremes_find_starved(work);
}

static enum nb_status extremes_open(struct extremes *work, struct nb_error *err)
{
    const struct nb_measure *measure = &work->all->networks[0].measure;
    const size_t n = measure->router_count;
    struct nb_pool *pool = &work->pool;
    size_t most = measure->queue_count;
    if (most < n)
        most = n;
    if (most < measure->flows->count)
        most = measure->flows->count;
    work->unit = nb_pool_array(pool, most, sizeof *work->unit);
    work->demand = nb_pool_array(pool, n, sizeof *work->demand);
    work->is_asked = nb_pool_array(pool, n, sizeof *work->is_asked);
    return nb_pool_check(pool, "results", err);
}

enum nb_status nb_summary_find_extremes(const struct nb_replications *all,
                                        struct nb_simulation_result *out,
                                        struct nb_error *err)
{
    struct extremes work = { .all = all, .out = out };
    enum nb_status status = NB_OK;
    NB_TRY(extremes_open(&work, err));
    extremes_find_busiest(&work);
    out->demanded = extremes_find_demanded(&all->networks[0], work.demand);
    extremes_find_shared(&work);
    if (all->networks[0].plan->asked != NULL) {
        NB_TRY(nb_new(&out->fairness.is_starved,
                      all->networks[0].topology->router_count,
                      sizeof *out->fairness.is_starved, "results", err));
        extremes_find_fairness(&work);
    }
done:
    nb_pool_release(&work.pool);
    return status;
}
