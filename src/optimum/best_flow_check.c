#include "optimum/best_flow_check.h"

#include "optimum/scheme_paths.h"
#include "optimum/whole.h"
#include "traffic/traffic_symmetry.h"
#include "core/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

/* The orbits of pairs and channels for a best flow. */

/* Scratch while orbits are found. */
struct orbits_work {
    struct nb_flow_orbits *orbits;
    struct nb_symmetry symmetry;
    struct nb_pool pool;
    uint64_t *column;      /* [router] */
    uint32_t *destination; /* [pair] */
    uint64_t *rate;        /* [pair] */
};

/* Visits the pairs in order: counts them if there are no arrays yet, else
 * writes them to the arrays. */
static enum nb_status orbits_list(struct orbits_work *work, nb_int128 *sum,
                                  struct nb_error *err)
{
    struct nb_flow_orbits *orbits = work->orbits;
    const size_t n = orbits->topology->router_count;
    size_t count = 0;
    *sum = 0;
    for (uint32_t j = 0; j < n; j++) {
        const enum nb_status status = nb_traffic_column(
            orbits->traffic, orbits->topology, j, work->column, err);
        if (status != NB_OK)
            return status;
        for (uint32_t i = 0; i < n; i++) {
            *sum += (nb_int128)work->column[i];
            if (i == j || work->column[i] == 0)
                continue;
            if (orbits->source != NULL) {
                orbits->source[count] = i;
                work->destination[count] = j;
                work->rate[count] = work->column[i];
            }
            count++;
        }
        orbits->start[j + 1] = count;
    }
    return NB_OK;
}

/* The index of a pair in the list; SIZE_MAX if it has no traffic. */
static size_t orbits_place(const struct nb_flow_orbits *orbits, uint32_t source,
                           uint32_t destination)
{
    size_t low = orbits->start[destination];
    size_t high = orbits->start[destination + 1];
    const size_t end = high;
    if (end - low == orbits->topology->router_count - 1) /* traffic from all
                                                          * other routers */
        return source == destination ? SIZE_MAX
                                     : low + source - (source > destination);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (orbits->source[middle] < source)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && orbits->source[low] == source ? low : SIZE_MAX;
}

static uint32_t orbits_pair_image(const void *context, size_t generator,
                                  uint32_t pair)
{
    const struct orbits_work *work = context;
    const uint32_t from = work->orbits->source[pair];
    const uint32_t to = work->destination[pair];
    uint32_t source = from, destination = to;
    nb_symmetry_pair(&work->symmetry, generator, &source, &destination);
    if (source == from && destination == to) /* most generators move few
                                              * routers */
        return pair;
    const size_t image = orbits_place(work->orbits, source, destination);
    assert(image != SIZE_MAX && work->rate[image] == work->rate[pair]);
    return (uint32_t)image;
}

static enum nb_status orbits_list_pairs(struct orbits_work *work,
                                        struct nb_error *err)
{
    struct nb_flow_orbits *orbits = work->orbits;
    const struct nb_orbits *pairs = &orbits->pairs;
    orbits->pair =
        nb_pool_array(&orbits->pool, pairs->count, sizeof *orbits->pair);
    const enum nb_status status =
        nb_pool_check(&orbits->pool, "orbits of pairs", err);
    orbits->pair_count = pairs->count;
    for (size_t o = 0; status == NB_OK && o < pairs->count; o++) {
        const uint32_t first = pairs->first[o];
        orbits->pair[o] = (struct nb_flow_pair){
            .source = orbits->source[first],
            .destination = work->destination[first],
            .rate = work->rate[first],
            .size = pairs->length[o],
        };
    }
    return status;
}

static enum nb_status orbits_reserve(struct orbits_work *work,
                                     struct nb_error *err)
{
    struct nb_flow_orbits *orbits = work->orbits;
    const size_t pairs = orbits->start[orbits->topology->router_count];
    enum nb_status status = NB_OK;
    NB_TRY(nb_memory_require((double)pairs * 40, "a list of pairs", err));
    if (pairs >= NB_NONE)
        return nb_fail(err, NB_NO_MEMORY,
                       "%zu pairs with traffic (permitted: below 2^32 - 1)",
                       pairs);
    orbits->source = nb_pool_array(&orbits->pool, pairs, sizeof(uint32_t));
    work->destination = nb_pool_array(&work->pool, pairs, sizeof(uint32_t));
    work->rate = nb_pool_array(&work->pool, pairs, sizeof(uint64_t));
    NB_TRY(nb_pool_check(&orbits->pool, "pairs", err));
    NB_TRY(nb_pool_check(&work->pool, "pairs", err));
done:
    return status;
}

/* The symmetries that keep network, traffic and permitted paths. */
static enum nb_status
flow_symmetry(const struct nb_best_flow_question *question,
              struct nb_symmetry *out, struct nb_error *err)
{
    const struct nb_scheme_paths *scheme = question->path_class->scheme;
    return scheme == NULL ? nb_symmetry_find(question->topology,
                                             question->traffic, out, err)
                          : nb_symmetry_find_kept(question->topology,
                                                  scheme->routing->symmetries,
                                                  question->traffic, out, err);
}

enum nb_status nb_flow_orbits_init(const struct nb_best_flow_question *question,
                                   struct nb_flow_orbits *out,
                                   struct nb_error *err)
{
    const struct nb_topology *topology = question->topology;
    const size_t n = topology->router_count;
    struct orbits_work work = { .orbits = out };
    enum nb_status status;
    *out = (struct nb_flow_orbits){ .topology = topology,
                                    .traffic = question->traffic,
                                    .unit = question->path_class->unit };
    out->start = nb_pool_array(&out->pool, n + 1, sizeof *out->start);
    work.column = nb_pool_array(&work.pool, n, sizeof *work.column);
    NB_TRY(nb_pool_check(&out->pool, "pairs", err));
    NB_TRY(nb_pool_check(&work.pool, "rates", err));
    NB_TRY(orbits_list(&work, &out->rate_sum, err));
    NB_TRY(orbits_reserve(&work, err));
    NB_TRY(orbits_list(&work, &out->rate_sum, err));
    if (!question->ignores_symmetry)
        NB_TRY(flow_symmetry(question, &work.symmetry, err));
    else
        work.symmetry =
            (struct nb_symmetry){ .router_count = n,
                                  .channel_count = topology->channel_count };
    NB_TRY(nb_orbits_find(out->start[n], work.symmetry.generator_count,
                          orbits_pair_image, &work, &out->pairs, err));
    NB_TRY(orbits_list_pairs(&work, err));
    NB_TRY(nb_orbits_of_channels(&work.symmetry, &out->lines, err));
done:
    nb_symmetry_release(&work.symmetry);
    nb_pool_release(&work.pool);
    if (status != NB_OK)
        nb_flow_orbits_release(out);
    return status;
}

void nb_flow_orbits_release(struct nb_flow_orbits *orbits)
{
    nb_orbits_release(&orbits->pairs);
    nb_orbits_release(&orbits->lines);
    nb_pool_release(&orbits->pool);
    *orbits = (struct nb_flow_orbits){ 0 };
}

/* The orbit of a pair; NB_NONE if it has no traffic or is a single router. */
static uint32_t flow_orbit_find(const struct nb_flow_orbits *orbits,
                                uint32_t source, uint32_t destination)
{
    const size_t place = orbits_place(orbits, source, destination);
    return place == SIZE_MAX ? NB_NONE : orbits->pairs.of[place];
}

/* What paths and lengths prove. */

/*
 * Sums of rates times whole numbers. Rates that would need more than 127 bits
 * are first divided by 2^shift, once rounded down and once up.
 */
struct flow_sum {
    nb_int128 lower, upper;
};

static void sum_add(struct flow_sum *sum, nb_int128 amount, unsigned shift,
                    nb_int128 times)
{
    const nb_int128 lower = amount >> shift;
    const bool is_whole = lower << shift == amount;
    sum->lower += lower * times;
    sum->upper += (lower + !is_whole) * times;
}

/* Total rate of an orbit's pairs, below 2^95. */
static nb_int128 sum_amount(const struct nb_flow_pair *pair)
{
    return (nb_int128)pair->rate * pair->size;
}

/* The least shift for sums of rates times whole numbers, the latter adding up
 * to at most `times` per pair. */
static unsigned sum_shift(const struct nb_flow_orbits *orbits, double times)
{
    double all = 1;
    for (size_t o = 0; o < orbits->pair_count; o++)
        all += (double)sum_amount(&orbits->pair[o]);
    /* Rounding up adds less than 1 per orbit: 2 is enough for both. */
    const double bits = log2(all) + log2(times) + 2 - 126;
    return bits > 0 ? (unsigned)ceil(bits) : 0;
}

/* sum 2^shift / bottom; bottom > 0. */
static struct nb_enclosure sum_divide(struct flow_sum sum, unsigned shift,
                                      nb_int128 bottom)
{
    const struct nb_enclosure lower = nb_whole_quotient(sum.lower, bottom);
    if (shift == 0)
        return lower;
    const struct nb_enclosure upper = nb_whole_quotient(sum.upper, bottom);
    return nb_enclosure_of_bracket((struct nb_bracket){
        ldexp(lower.lower, (int)shift), ldexp(upper.upper, (int)shift) });
}

/* Sum of the bandwidths of a line's channels. */
static struct nb_enclosure line_band(const struct nb_flow_orbits *orbits,
                                     size_t k)
{
    return nb_enclosure_multiply(
        nb_enclosure_of_ratio(
            orbits->topology->channels[orbits->lines.first[k]].bandwidth),
        nb_enclosure_of_whole(orbits->lines.length[k]));
}

/* Adds up loads and hops. */
static void carried_sum(const struct nb_flow_orbits *orbits,
                        const struct nb_path_table *table,
                        const uint32_t *orbit, unsigned shift,
                        struct flow_sum *load, struct flow_sum *hops)
{
    for (size_t p = 0; p < table->path_count; p++) {
        const struct nb_table_path *path = &table->path[p];
        const nb_int128 amount = sum_amount(&orbits->pair[orbit[p]]);
        const nb_int128 weight = (nb_int128)path->weight;
        sum_add(hops, amount, shift, weight * path->length);
        for (uint32_t h = 0; h < path->length; h++)
            sum_add(&load[orbits->lines.of[table->channel[path->first + h]]],
                    amount, shift, weight);
    }
}

static struct nb_enclosure carried_least(const struct nb_flow_orbits *orbits,
                                         const struct flow_sum *load,
                                         unsigned shift, int64_t sum)
{
    const nb_int128 bottom = (nb_int128)orbits->traffic->denominator * sum;
    struct nb_enclosure least = nb_enclosure_of_ratio(nb_ratio_infinity);
    for (size_t k = 0; k < orbits->lines.count; k++)
        if (load[k].upper > 0)
            least = nb_enclosure_least(
                least, nb_enclosure_divide(line_band(orbits, k),
                                           sum_divide(load[k], shift, bottom)));
    return least;
}

enum nb_status nb_flow_carried(const struct nb_flow_orbits *orbits,
                               const struct nb_path_table *table,
                               const uint32_t *orbit, int64_t sum,
                               struct nb_enclosure *throughput,
                               struct nb_enclosure *mean_hops,
                               struct nb_error *err)
{
    struct flow_sum *load = NULL, hops = { 0 };
    uint32_t longest = 1;
    const enum nb_status status =
        nb_new(&load, orbits->lines.count, sizeof *load, "channel loads", err);
    if (status != NB_OK)
        return status;
    for (size_t p = 0; p < table->path_count; p++)
        if (table->path[p].length > longest)
            longest = table->path[p].length;
    const unsigned shift = sum_shift(orbits, (double)sum * longest);
    carried_sum(orbits, table, orbit, shift, load, &hops);
    *throughput = carried_least(orbits, load, shift, sum);
    if (mean_hops != NULL)
        *mean_hops = orbits->rate_sum == 0
                         ? nb_enclosure_of_ratio(nb_ratio_zero)
                         : nb_enclosure_divide(
                               sum_divide(hops, shift, sum),
                               sum_divide((struct flow_sum){ orbits->rate_sum,
                                                             orbits->rate_sum },
                                          0, 1));
    nb_delete(load);
    return NB_OK;
}

struct nb_enclosure nb_flow_bound(const struct nb_flow_orbits *orbits,
                                  const int64_t *length,
                                  const int64_t *distance)
{
    struct nb_enclosure top = nb_enclosure_of_ratio(nb_ratio_zero);
    struct flow_sum bottom = { 0 };
    int64_t most = 1;
    for (size_t o = 0; o < orbits->pair_count; o++)
        if (distance[o] > most)
            most = distance[o];
    const unsigned shift = sum_shift(orbits, (double)most);
    for (size_t o = 0; o < orbits->pair_count; o++)
        sum_add(&bottom, sum_amount(&orbits->pair[o]), shift, distance[o]);
    for (size_t k = 0; k < orbits->lines.count; k++)
        top = nb_enclosure_add(
            top,
            nb_enclosure_multiply(line_band(orbits, k),
                                  nb_enclosure_of_ratio((struct nb_ratio){
                                      length[orbits->lines.first[k]], 1 })));
    return nb_enclosure_divide(
        top,
        sum_divide(bottom, shift,
                   (nb_int128)orbits->traffic->denominator * orbits->unit));
}

/* Bounds that hold for any routing, without lengths. */

/* Bandwidth of all channels over the hops of the packets. */
static enum nb_status plain_by_hops(const struct nb_flow_orbits *orbits,
                                    struct nb_path_search *search,
                                    struct nb_enclosure *out,
                                    struct nb_error *err)
{
    const size_t channels = orbits->topology->channel_count;
    struct nb_pool pool = { 0 };
    int64_t *length = nb_pool_array(&pool, channels, sizeof *length);
    int64_t *hops = nb_pool_array(&pool, orbits->pair_count, sizeof *hops);
    enum nb_status status = NB_OK;
    NB_TRY(nb_pool_check(&pool, "hops of the traffic", err));
    for (size_t c = 0; c < channels; c++)
        length[c] = 1;
    for (size_t o = 0; o < orbits->pair_count; o++) {
        const struct nb_flow_pair *pair = &orbits->pair[o];
        if (o == 0 || pair->destination != pair[-1].destination)
            nb_path_search_run(search, pair->destination, NULL);
        hops[o] = nb_path_search_distance(search, pair->source);
    }
    *out = nb_flow_bound(orbits, length, hops);
done:
    nb_pool_release(&pool);
    return status;
}

/* Bandwidth of one router's channels, and the rates they must carry. */
struct plain_router {
    struct nb_enclosure leaving, arriving;
    nb_int128 sent, received;
};

static struct nb_enclosure plain_cut(const struct nb_flow_orbits *orbits,
                                     struct nb_enclosure bandwidth,
                                     nb_int128 rate)
{
    return rate == 0
               ? nb_enclosure_of_ratio(nb_ratio_infinity)
               : nb_enclosure_divide(
                     bandwidth,
                     nb_whole_quotient(rate, orbits->traffic->denominator));
}

/* Bounds from the traffic that leaves and reaches each router. */
static enum nb_status plain_by_routers(const struct nb_flow_orbits *orbits,
                                       struct nb_enclosure *out,
                                       struct nb_error *err)
{
    const struct nb_topology *topology = orbits->topology;
    struct plain_router *router = NULL;
    enum nb_status status = nb_new(&router, topology->router_count,
                                   sizeof *router, "cuts at routers", err);
    if (status != NB_OK)
        return status;
    for (size_t r = 0; r < topology->router_count; r++)
        router[r].leaving = router[r].arriving = nb_enclosure_of_whole(0);
    for (size_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *at = &topology->channels[c];
        const struct nb_enclosure bandwidth =
            nb_enclosure_of_ratio(at->bandwidth);
        struct nb_enclosure *leaving = &router[at->source].leaving;
        struct nb_enclosure *arriving = &router[at->target].arriving;
        *leaving = nb_enclosure_add(*leaving, bandwidth);
        *arriving = nb_enclosure_add(*arriving, bandwidth);
    }
    for (uint32_t j = 0; j < topology->router_count; j++)
        for (size_t p = orbits->start[j]; p < orbits->start[j + 1]; p++) {
            const uint64_t rate = orbits->pair[orbits->pairs.of[p]].rate;
            router[orbits->source[p]].sent += rate;
            router[j].received += rate;
        }
    for (size_t r = 0; r < topology->router_count; r++) {
        *out = nb_enclosure_least(
            *out, plain_cut(orbits, router[r].leaving, router[r].sent));
        *out = nb_enclosure_least(
            *out, plain_cut(orbits, router[r].arriving, router[r].received));
    }
    nb_delete(router);
    return NB_OK;
}

/*
 * Upper bound for every routing, without lengths: the bandwidth of all channels
 * over the hops of the traffic's packets, and of each router's channels over
 * the rates that must leave or reach it. There must be pairs.
 *
 * search  for shortest paths of the question's class
 *
 * Errors: NB_NO_MEMORY.
 */
static enum nb_status flow_plain_bound(const struct nb_flow_orbits *orbits,
                                       struct nb_path_search *search,
                                       struct nb_enclosure *out,
                                       struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(plain_by_hops(orbits, search, out, err));
    NB_TRY(plain_by_routers(orbits, out, err));
done:
    return status;
}

/* Checking a claimed best flow. */

enum nb_status
nb_flow_check_question(const struct nb_best_flow_question *question,
                       struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(nb_path_class_check(question->path_class, question->topology, err));
    NB_TRY(nb_traffic_check(question->traffic, question->topology, err));
    if (!(question->gap >= 0 && question->seconds > 0))
        status = nb_fail(err, NB_INVALID,
                         "optimal flow to a gap of %g in %g seconds "
                         "(permitted: a gap of at least 0, more than 0 "
                         "seconds)",
                         question->gap, question->seconds);
done:
    return status;
}

/* A claim with its orbits. */
struct flow_claim {
    const struct nb_best_flow *claimed;
    const struct nb_flow_orbits *orbits;
    struct nb_pool pool;
    uint32_t *orbit;   /* [path] */
    int64_t *distance; /* [orbit]; -1: has no paths yet */
    int64_t sum;       /* sum of the weights of each pair */
};

/* Checks that lengths are in range and equal along each line. */
static enum nb_status claim_lengths(const struct flow_claim *claim,
                                    int64_t permitted, struct nb_error *err)
{
    const struct nb_flow_orbits *orbits = claim->orbits;
    const int64_t *length = claim->claimed->length;
    int64_t most = 0;
    for (uint32_t c = 0; c < orbits->topology->channel_count; c++) {
        const uint32_t first = nb_orbits_least(&orbits->lines, c);
        if (length[c] < 0 || length[c] > permitted)
            return nb_fail(err, NB_REFUTED,
                           "channel %u: length %" PRId64
                           "; permitted: 0 .. 2^%d",
                           c, length[c], __builtin_ctzll((uint64_t)permitted));
        if (length[c] != length[first])
            return nb_fail(err, NB_REFUTED,
                           "channel %u: length %" PRId64 ", but %" PRId64
                           " of channel %u of its orbit",
                           c, length[c], length[first], first);
        most = length[c] > most ? length[c] : most;
    }
    return most > 0 ? NB_OK : nb_fail(err, NB_REFUTED, "all lengths are 0");
}

static enum nb_status claim_refute_pair(const struct nb_table_path *path,
                                        const char *reason,
                                        struct nb_error *err)
{
    return nb_fail(err, NB_REFUTED, "paths from router %u to %u: %s",
                   path->source, path->destination, reason);
}

/* Whether two consecutive paths of a sorted table are in order and distinct. */
static bool claim_ascends(const struct nb_path_table *table, size_t p)
{
    const struct nb_table_path *a = &table->path[p], *b = a + 1;
    for (uint32_t h = 0; h < a->length && h < b->length; h++)
        if (table->channel[a->first + h] != table->channel[b->first + h])
            return table->channel[a->first + h] < table->channel[b->first + h];
    if (a->length != b->length)
        return a->length < b->length;
    if (a->start != b->start)
        return a->start < b->start;
    return a->turn != b->turn ? a->turn < b->turn : a->leg < b->leg;
}

/* Whether a path is permitted for the pair. */
static bool claim_is_permitted(const struct nb_path_search *search,
                               const struct nb_table_path *path,
                               const uint32_t *channel)
{
    return search->scheme != NULL
               ? nb_scheme_search_permits(search->scheme, path, channel)
               : nb_path_search_permits(search, path->source, path->length,
                                        channel);
}

/* Checks paths [begin, end) of one pair; search was run for its destination. */
static enum nb_status claim_pair(struct flow_claim *claim,
                                 const struct nb_path_search *search,
                                 size_t begin, size_t end, struct nb_error *err)
{
    const struct nb_path_table *table = &claim->claimed->paths;
    const struct nb_table_path *first = &table->path[begin];
    const uint32_t orbit =
        flow_orbit_find(claim->orbits, first->source, first->destination);
    int64_t sum = 0;
    if (orbit == NB_NONE)
        return claim_refute_pair(first, "the pair has no traffic", err);
    if (claim->distance[orbit] >= 0)
        return claim_refute_pair(first, "another pair of its orbit has paths",
                                 err);
    for (size_t p = begin; p < end; p++) {
        const struct nb_table_path *path = &table->path[p];
        if (!claim_is_permitted(search, path, table->channel + path->first))
            return claim_refute_pair(path, "one is not permitted", err);
        if (p + 1 < end && !claim_ascends(table, p))
            return claim_refute_pair(
                path, "one is repeated, or they are not sorted", err);
        if (path->weight < 1 || path->weight > (uint64_t)1 << 53)
            return claim_refute_pair(path, "a weight is not in 1 .. 2^53", err);
        sum += (int64_t)path->weight;
        if (sum > (int64_t)1 << 53)
            return claim_refute_pair(path, "the weights pass 2^53", err);
        claim->orbit[p] = orbit;
    }
    if (begin > 0 && sum != claim->sum)
        return claim_refute_pair(first,
                                 "the sum of the weights differs from other "
                                 "pairs",
                                 err);
    if (search->scheme != NULL &&
        !nb_scheme_search_permits_shares(search->scheme, first, end - begin,
                                         table->channel))
        return claim_refute_pair(first, "the scheme cannot give these shares",
                                 err);
    claim->sum = sum;
    claim->distance[orbit] = nb_path_search_distance(search, first->source);
    return NB_OK;
}

static enum nb_status claim_paths(struct flow_claim *claim,
                                  struct nb_path_search *search,
                                  struct nb_error *err)
{
    const struct nb_path_table *table = &claim->claimed->paths;
    const size_t n = claim->orbits->topology->router_count;
    for (size_t begin = 0, end; begin < table->path_count; begin = end) {
        const struct nb_table_path *first = &table->path[begin];
        if (first->source >= n || first->destination >= n)
            return claim_refute_pair(first, "no such router", err);
        if (begin == 0 || first->destination != search->destination)
            nb_path_search_run(search, first->destination,
                               claim->claimed->length);
        end = nb_path_table_end(table, begin);
        const enum nb_status status =
            claim_pair(claim, search, begin, end, err);
        if (status != NB_OK)
            return status;
    }
    for (size_t o = 0; o < claim->orbits->pair_count; o++)
        if (claim->distance[o] < 0)
            return nb_fail(err, NB_REFUTED,
                           "router %u sends to %u, but no pair of their orbit "
                           "has paths",
                           claim->orbits->pair[o].source,
                           claim->orbits->pair[o].destination);
    return NB_OK;
}

/* Sets both ends and mean hops. If the lengths do not prove the lower end
 * optimal, bounds without lengths are tried. */
static enum nb_status claim_conclude(const struct flow_claim *claim,
                                     struct nb_path_search *search,
                                     struct nb_best_flow *out,
                                     struct nb_error *err)
{
    const struct nb_flow_orbits *orbits = claim->orbits;
    struct nb_enclosure carried, bound, plain;
    enum nb_status status = NB_OK;
    NB_TRY(nb_flow_carried(orbits, &out->paths, claim->orbit, claim->sum,
                           &carried, &out->mean_hops, err));
    bound = orbits->pair_count == 0
                ? carried
                : nb_flow_bound(orbits, out->length, claim->distance);
    const bool is_exact = nb_ratio_is_known(carried.exact) &&
                          nb_ratio_is_known(bound.exact) &&
                          nb_ratio_compare(carried.exact, bound.exact) == 0;
    out->throughput = carried;
    if (!is_exact) {
        NB_TRY(flow_plain_bound(orbits, search, &plain, err));
        out->throughput = nb_enclosure_of_bracket((struct nb_bracket){
            carried.lower, fmin(bound.upper, plain.upper) });
    }
    out->pair_orbits = orbits->pair_count;
    out->channel_orbits = orbits->lines.count;
done:
    return status;
}

enum nb_status nb_flow_check_claim(const struct nb_best_flow_question *question,
                                   const struct nb_flow_orbits *orbits,
                                   struct nb_best_flow *claimed,
                                   struct nb_error *err)
{
    struct flow_claim claim = { .claimed = claimed,
                                .orbits = orbits,
                                .sum = 1 };
    struct nb_path_search search = { 0 };
    enum nb_status status;
    const size_t pairs = orbits->pair_count;
    claim.orbit =
        nb_pool_array(&claim.pool, claimed->paths.path_count, sizeof(uint32_t));
    claim.distance = nb_pool_array(&claim.pool, pairs, sizeof(int64_t));
    NB_TRY(nb_pool_check(&claim.pool, "orbits of paths", err));
    for (size_t o = 0; o < pairs; o++)
        claim.distance[o] = -1;
    NB_TRY(nb_path_search_init(question->path_class, &search, err));
    NB_TRY(claim_lengths(&claim, question->path_class->most_length, err));
    NB_TRY(claim_paths(&claim, &search, err));
    NB_TRY(claim_conclude(&claim, &search, claimed, err));
done:
    nb_path_search_release(&search);
    nb_pool_release(&claim.pool);
    return status;
}

enum nb_status nb_best_flow_check(const struct nb_best_flow_question *question,
                                  struct nb_best_flow *claimed,
                                  struct nb_error *err)
{
    struct nb_flow_orbits orbits = { 0 };
    enum nb_status status;
    NB_TRY(nb_flow_check_question(question, err));
    NB_TRY(nb_flow_orbits_init(question, &orbits, err));
    NB_TRY(nb_flow_check_claim(question, &orbits, claimed, err));
done:
    nb_flow_orbits_release(&orbits);
    return status;
}
