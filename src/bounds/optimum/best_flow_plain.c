/* What no routing carries whatever lengths are given (declared in
 * best_flow_work.h). */
#include "bounds/optimum/best_flow_work.h"

#include "bounds/optimum/whole.h"
#include "core/memory.h"

/* What the pairs' packets need of all channels together: their hops. */
static enum nb_status plain_by_hops(const struct nb_flow_orbits *orbits,
                                    struct nb_path_search *search,
                                    struct nb_enclosure *out,
                                    struct nb_error *err)
{
    const size_t channels = orbits->topology->channel_count;
    const char *what = "hops of the traffic";
    int64_t *length = NULL, *hops = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&length, channels, sizeof *length, what, err));
    NB_TRY(nb_new(&hops, orbits->pair_count, sizeof *hops, what, err));
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
    nb_delete(length);
    nb_delete(hops);
    return status;
}

/* One router's channels, and the rates that have to take them. */
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

/* What leaves and what reaches each router. */
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
            const uint64_t rate = orbits->pair[orbits->orbit[p]].rate;
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

enum nb_status nb_flow_plain_bound(const struct nb_flow_orbits *orbits,
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
