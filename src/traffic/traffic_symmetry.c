#include "traffic/traffic_symmetry.h"

#include "core/memory.h"
#include "topology/automorphisms.h"

#include <string.h>

/* Products and powers are tried only up to this number of demand lookups. */
#define SYMMETRY_LOOKUPS 2e8

/* A search for generators. */
struct symmetry_work {
    const struct nb_topology *topology;
    const struct nb_traffic *traffic; /* NULL: no traffic to keep */
    unsigned classes;                 /* of generators to use */
    /* [channel] the channel back, among parallel ones that of the same rank;
     * NULL: some channel has none of its bandwidth. */
    uint32_t *reverse;
    struct nb_symmetry generator; /* generators of the network */
    uint32_t *map;                /* [router] the candidate's map */
    double lookups;
    struct nb_symmetry *out;
};

static enum nb_status symmetry_find_reverse(struct symmetry_work *work,
                                            struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    const enum nb_status status =
        nb_new(&work->reverse, topology->channel_count, sizeof(uint32_t),
               "reverse channels", err);
    for (uint32_t c = 0; status == NB_OK && c < topology->channel_count; c++) {
        const struct nb_channel *there = &topology->channels[c];
        work->reverse[c] =
            nb_channel_alike(topology, c, there->target, there->source);
        if (work->reverse[c] == NB_NONE) {
            nb_delete(work->reverse);
            work->reverse = NULL;
            break;
        }
    }
    return status;
}

/* Every demand has an image of the same weight, and images are distinct, so no
 * demand is left over. */
static bool symmetry_keeps(const struct nb_traffic *traffic,
                           const uint32_t *map, bool is_reversal,
                           double *lookups)
{
    for (size_t d = 0; traffic != NULL && d < traffic->demand_count; d++) {
        const struct nb_demand *demand = &traffic->demands[d];
        const uint32_t from = map[demand->source], to = map[demand->target];
        ++*lookups;
        if (nb_traffic_demand(traffic, is_reversal ? to : from,
                              is_reversal ? from : to) != demand->weight)
            return false;
    }
    return true;
}

/* The same for the candidate. */
static bool symmetry_is_kept(struct symmetry_work *work, bool is_reversal)
{
    return symmetry_keeps(work->traffic, work->map, is_reversal,
                          &work->lookups);
}

static enum nb_status symmetry_add(struct symmetry_work *work, bool is_reversal,
                                   struct nb_error *err)
{
    return nb_symmetry_add(work->out, work->topology, work->map,
                           is_reversal ? work->reverse : NULL, 0, err);
}

/* Adds the candidate, reversed or not, if it keeps the traffic. */
static enum nb_status symmetry_try(struct symmetry_work *work, bool *is_kept,
                                   struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *is_kept = symmetry_is_kept(work, false);
    if (*is_kept) {
        NB_TRY(symmetry_add(work, false, err));
    } else if (work->reverse != NULL && symmetry_is_kept(work, true)) {
        NB_TRY(symmetry_add(work, true, err));
    }
done:
    return status;
}

/* Tries powers of a generator until one keeps the traffic. */
static enum nb_status symmetry_try_powers(struct symmetry_work *work, size_t g,
                                          struct nb_error *err)
{
    const size_t n = work->topology->router_count;
    const uint32_t *generator = work->generator.router + g * n;
    bool is_kept = false;
    enum nb_status status = NB_OK;
    memcpy(work->map, generator, n * sizeof(uint32_t));
    NB_TRY(symmetry_try(work, &is_kept, err));
    for (size_t power = 2;
         !is_kept && work->lookups < SYMMETRY_LOOKUPS && power <= n; power++) {
        for (size_t r = 0; r < n; r++)
            work->map[r] = generator[work->map[r]];
        is_kept = symmetry_is_kept(work, false);
        if (is_kept)
            NB_TRY(symmetry_add(work, false, err));
    }
done:
    return status;
}

/* Tries products of two generators. Whether they add to the group is known only
 * later, and redundant generators do no harm. */
static enum nb_status symmetry_try_products(struct symmetry_work *work,
                                            struct nb_error *err)
{
    const size_t n = work->topology->router_count;
    bool is_kept;
    enum nb_status status = NB_OK;
    for (size_t g = 0; g < work->generator.generator_count; g++) {
        for (size_t h = 0; h < work->generator.generator_count; h++) {
            if (h == g || work->lookups > SYMMETRY_LOOKUPS)
                continue;
            for (size_t r = 0; r < n; r++)
                work->map[r] =
                    work->generator
                        .router[g * n + work->generator.router[h * n + r]];
            NB_TRY(symmetry_try(work, &is_kept, err));
        }
    }
done:
    return status;
}

static enum nb_status symmetry_run(struct symmetry_work *work,
                                   struct nb_error *err)
{
    const size_t n = work->topology->router_count;
    bool is_kept;
    enum nb_status status = NB_OK;
    for (uint32_t r = 0; r < n; r++)
        work->map[r] = r;
    if (work->reverse != NULL && symmetry_is_kept(work, true))
        NB_TRY(symmetry_add(work, true, err));
    if (work->traffic != NULL && work->traffic->demand_count > 0) {
        for (size_t g = 0; g < work->generator.generator_count; g++)
            NB_TRY(symmetry_try_powers(work, g, err));
        NB_TRY(symmetry_try_products(work, err));
    } else {
        for (size_t g = 0; g < work->generator.generator_count; g++) {
            memcpy(work->map, work->generator.router + g * n,
                   n * sizeof(uint32_t));
            NB_TRY(symmetry_try(work, &is_kept, err));
        }
    }
done:
    return status;
}

/* The network's generators: those offered or, if there are none, found. */
static enum nb_status symmetry_find_generators(struct symmetry_work *work,
                                               struct nb_error *err)
{
    bool is_whole;
    return work->topology->kind->symmetry != NULL ||
                   work->classes != NB_ANY_SYMMETRY
               ? nb_symmetry_offered(work->topology, work->classes,
                                     &work->generator, err)
               : nb_automorphisms_find(work->topology, NB_KEEPING_CHANNELS,
                                       &work->generator, &is_whole, err);
}

static enum nb_status symmetry_find(const struct nb_topology *topology,
                                    unsigned classes, bool has_reversals,
                                    const struct nb_traffic *traffic,
                                    struct nb_symmetry *out,
                                    struct nb_error *err)
{
    struct symmetry_work work = {
        .topology = topology, .traffic = traffic, .classes = classes, .out = out
    };
    enum nb_status status = NB_OK;
    *out = (struct nb_symmetry){ 0 };
    NB_TRY(traffic == NULL ? nb_topology_check(topology, err)
                           : nb_traffic_check(traffic, topology, err));
    out->router_count = topology->router_count;
    out->channel_count = topology->channel_count;
    NB_TRY(nb_new(&work.map, topology->router_count, sizeof(uint32_t),
                  "symmetries", err));
    if (has_reversals)
        NB_TRY(symmetry_find_reverse(&work, err));
    NB_TRY(symmetry_find_generators(&work, err));
    NB_TRY(symmetry_run(&work, err));
done:
    nb_delete(work.map);
    nb_delete(work.reverse);
    nb_symmetry_release(&work.generator);
    if (status != NB_OK)
        nb_symmetry_release(out);
    return status;
}

enum nb_status nb_symmetry_find(const struct nb_topology *topology,
                                const struct nb_traffic *traffic,
                                struct nb_symmetry *out, struct nb_error *err)
{
    return symmetry_find(topology, NB_ANY_SYMMETRY, true, traffic, out, err);
}

enum nb_status nb_symmetry_find_kept(const struct nb_topology *topology,
                                     unsigned classes,
                                     const struct nb_traffic *traffic,
                                     struct nb_symmetry *out,
                                     struct nb_error *err)
{
    return symmetry_find(topology, classes, false, traffic, out, err);
}

static bool symmetry_keeps_traffic(const struct nb_symmetry *symmetry,
                                   size_t generator, const void *context)
{
    double lookups = 0;
    return symmetry_keeps(context,
                          symmetry->router + generator * symmetry->router_count,
                          false, &lookups);
}

enum nb_status nb_symmetry_keeping(const struct nb_topology *topology,
                                   unsigned classes,
                                   const struct nb_traffic *traffic,
                                   struct nb_symmetry *out,
                                   struct nb_error *err)
{
    const enum nb_status status =
        nb_symmetry_offered(topology, classes, out, err);
    if (status == NB_OK)
        nb_symmetry_select(out, symmetry_keeps_traffic, traffic);
    return status;
}
