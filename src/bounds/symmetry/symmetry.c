#include "bounds/symmetry/symmetry.h"

#include "core/memory.h"
#include "load/focus.h"

#include <string.h>

/* Products and powers are tried only while they cost no more demands looked
 * up than this. */
#define SYMMETRY_LOOKUPS 2e8

/* A finding of generators under way. */
struct symmetry_work {
    const struct nb_topology *topology;
    const struct nb_traffic *traffic; /* NULL: none to be kept */
    uint32_t *reverse;   /* [channel] the one back; NULL: there is none */
    uint32_t *generator; /* [count * router_count] of the network */
    size_t count;
    uint32_t *map; /* [router] the candidate */
    double lookups;
    struct nb_symmetry *out;
};

void nb_symmetry_release(struct nb_symmetry *symmetry)
{
    nb_delete(symmetry->router);
    nb_delete(symmetry->channel);
    nb_delete(symmetry->is_reversal);
    *symmetry = (struct nb_symmetry){ 0 };
}

/* The channel back, of parallel ones that of the same rank; NB_NONE if there
 * is none of that bandwidth. */
static uint32_t symmetry_back(const struct nb_topology *topology,
                              uint32_t channel)
{
    const struct nb_channel *there = &topology->channels[channel];
    uint32_t rank = 0;
    for (uint32_t c = topology->out_start[there->source]; c < channel; c++)
        rank += topology->channels[c].target == there->target;
    for (uint32_t c = topology->out_start[there->target];
         c < topology->out_start[there->target + 1]; c++) {
        const struct nb_channel *back = &topology->channels[c];
        if (back->target != there->source || rank-- > 0)
            continue;
        return nb_ratio_compare(back->bandwidth, there->bandwidth) == 0
                   ? c
                   : NB_NONE;
    }
    return NB_NONE;
}

static enum nb_status symmetry_find_reverse(struct symmetry_work *work,
                                            struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    const enum nb_status status =
        nb_new(&work->reverse, topology->channel_count, sizeof(uint32_t),
               "reverse channels", err);
    for (uint32_t c = 0; status == NB_OK && c < topology->channel_count; c++) {
        work->reverse[c] = symmetry_back(topology, c);
        if (work->reverse[c] == NB_NONE) {
            nb_delete(work->reverse);
            work->reverse = NULL;
            break;
        }
    }
    return status;
}

/* Whether the candidate keeps the traffic. Every demand has an image of the
 * same weight, and images differ, so there are no others. */
static bool symmetry_keeps(struct symmetry_work *work, bool is_reversal)
{
    const struct nb_traffic *traffic = work->traffic;
    for (size_t d = 0; traffic != NULL && d < traffic->demand_count; d++) {
        const struct nb_demand *demand = &traffic->demands[d];
        const uint32_t from = work->map[demand->source];
        const uint32_t to = work->map[demand->target];
        work->lookups++;
        if (nb_traffic_demand(traffic, is_reversal ? to : from,
                              is_reversal ? from : to) != demand->weight)
            return false;
    }
    return true;
}

static enum nb_status symmetry_add(struct symmetry_work *work, bool is_reversal,
                                   struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    const size_t n = topology->router_count, m = topology->channel_count;
    struct nb_symmetry *out = work->out;
    const size_t count = out->generator_count;
    const char *what = "symmetries";
    enum nb_status status = NB_OK;
    NB_TRY(nb_grow(&out->router, (count + 1) * n, sizeof(uint32_t), what, err));
    NB_TRY(
        nb_grow(&out->channel, (count + 1) * m, sizeof(uint32_t), what, err));
    NB_TRY(nb_grow(&out->is_reversal, count + 1, sizeof(bool), what, err));
    memcpy(out->router + count * n, work->map, n * sizeof(uint32_t));
    for (uint32_t c = 0; c < m; c++)
        out->channel[count * m + c] = nb_channel_image(
            topology, work->map, is_reversal ? work->reverse[c] : c);
    out->is_reversal[count] = is_reversal;
    out->generator_count++;
done:
    return status;
}

/* Takes the candidate in, turned round or not, if it keeps the traffic. */
static enum nb_status symmetry_try(struct symmetry_work *work, bool *is_kept,
                                   struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *is_kept = symmetry_keeps(work, false);
    if (*is_kept) {
        NB_TRY(symmetry_add(work, false, err));
    } else if (work->reverse != NULL && symmetry_keeps(work, true)) {
        NB_TRY(symmetry_add(work, true, err));
    }
done:
    return status;
}

/* The powers of a generator that keeps nothing itself, up to one that does. */
static enum nb_status symmetry_try_powers(struct symmetry_work *work, size_t g,
                                          struct nb_error *err)
{
    const size_t n = work->topology->router_count;
    const uint32_t *generator = work->generator + g * n;
    bool is_kept = false;
    enum nb_status status = NB_OK;
    memcpy(work->map, generator, n * sizeof(uint32_t));
    NB_TRY(symmetry_try(work, &is_kept, err));
    for (size_t power = 2;
         !is_kept && work->lookups < SYMMETRY_LOOKUPS && power <= n; power++) {
        for (size_t r = 0; r < n; r++)
            work->map[r] = generator[work->map[r]];
        is_kept = symmetry_keeps(work, false);
        if (is_kept)
            NB_TRY(symmetry_add(work, false, err));
    }
done:
    return status;
}

/* Products of two generators; what they add to those already there is known
 * only later, and a generator too many does no harm. */
static enum nb_status symmetry_try_products(struct symmetry_work *work,
                                            struct nb_error *err)
{
    const size_t n = work->topology->router_count;
    bool is_kept;
    enum nb_status status = NB_OK;
    for (size_t g = 0; g < work->count; g++) {
        for (size_t h = 0; h < work->count; h++) {
            if (h == g || work->lookups > SYMMETRY_LOOKUPS)
                continue;
            for (size_t r = 0; r < n; r++)
                work->map[r] =
                    work->generator[g * n + work->generator[h * n + r]];
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
    if (work->reverse != NULL && symmetry_keeps(work, true))
        NB_TRY(symmetry_add(work, true, err));
    if (work->traffic != NULL && work->traffic->demand_count > 0) {
        for (size_t g = 0; g < work->count; g++)
            NB_TRY(symmetry_try_powers(work, g, err));
        NB_TRY(symmetry_try_products(work, err));
    } else {
        for (size_t g = 0; g < work->count; g++) {
            memcpy(work->map, work->generator + g * n, n * sizeof(uint32_t));
            NB_TRY(symmetry_try(work, &is_kept, err));
        }
    }
done:
    return status;
}

/* The network's generators: offered or, where there are none, found. */
static enum nb_status symmetry_find_generators(struct symmetry_work *work,
                                               struct nb_error *err)
{
    const struct nb_routing any = { .topology = work->topology,
                                    .symmetries = NB_ANY_SYMMETRY };
    bool is_whole;
    if (work->topology->kind->symmetry != NULL)
        return nb_symmetries_find(&any, NB_ANY_SYMMETRY, &work->generator,
                                  &work->count, err);
    return nb_automorphisms_find(work->topology, NB_KEEPING_CHANNELS,
                                 &work->generator, &work->count, &is_whole,
                                 err);
}

enum nb_status nb_symmetry_find(const struct nb_topology *topology,
                                const struct nb_traffic *traffic,
                                struct nb_symmetry *out, struct nb_error *err)
{
    struct symmetry_work work = { .topology = topology,
                                  .traffic = traffic,
                                  .out = out };
    enum nb_status status = NB_OK;
    *out = (struct nb_symmetry){ 0 };
    NB_TRY(traffic == NULL ? nb_topology_check(topology, err)
                           : nb_traffic_check(traffic, topology, err));
    out->router_count = topology->router_count;
    out->channel_count = topology->channel_count;
    NB_TRY(nb_new(&work.map, topology->router_count, sizeof(uint32_t),
                  "symmetries", err));
    NB_TRY(symmetry_find_reverse(&work, err));
    NB_TRY(symmetry_find_generators(&work, err));
    NB_TRY(symmetry_run(&work, err));
done:
    nb_delete(work.map);
    nb_delete(work.reverse);
    nb_delete(work.generator);
    if (status != NB_OK)
        nb_symmetry_release(out);
    return status;
}

enum nb_status nb_symmetry_find_automorphisms(
    const struct nb_topology *topology, enum nb_automorphism_kind kind,
    struct nb_symmetry *out, bool *is_whole, struct nb_error *err)
{
    const size_t n = topology->router_count;
    struct symmetry_work work = { .topology = topology, .out = out };
    enum nb_status status = NB_OK;
    *out = (struct nb_symmetry){ .router_count = n,
                                 .channel_count = topology->channel_count };
    NB_TRY(nb_automorphisms_find(topology, kind, &work.generator, &work.count,
                                 is_whole, err));
    for (size_t g = 0; g < work.count; g++) {
        work.map = work.generator + g * n;
        NB_TRY(symmetry_add(&work, false, err));
    }
done:
    nb_delete(work.generator);
    if (status != NB_OK)
        nb_symmetry_release(out);
    return status;
}
