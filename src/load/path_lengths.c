#include "load/path_lengths.h"

#include "core/memory.h"
#include "routing/follow.h"

#include <stdlib.h>

/* A position of packets after some hops, with its probability. */
struct lengths_node {
    nb_route_state state;
    uint32_t router;
    struct nb_enclosure probability;
};

struct lengths_layer {
    size_t count, room;
    struct lengths_node *nodes;
};

struct lengths_work {
    const struct nb_routing *routing;
    uint32_t source, destination;
    struct lengths_layer layer, next;
    struct nb_start *starts;
    struct nb_hop *hops;
    struct nb_route_tables tables; /* destination of the last phase */
};

void nb_path_lengths_release(struct nb_path_lengths *lengths)
{
    nb_delete(lengths->probability);
    *lengths = (struct nb_path_lengths){ 0 };
}

static enum nb_status lengths_init(struct lengths_work *work,
                                   struct nb_error *err)
{
    const struct nb_routing *routing = work->routing;
    const char *what = "path lengths";
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&work->starts, routing->most_starts, sizeof *work->starts,
                  what, err));
    NB_TRY(
        nb_new(&work->hops, routing->most_hops, sizeof *work->hops, what, err));
    NB_TRY(nb_route_tables_init(routing, 1, &work->tables, err));
done:
    return status;
}

static void lengths_release(struct lengths_work *work)
{
    nb_delete(work->layer.nodes);
    nb_delete(work->next.nodes);
    nb_delete(work->starts);
    nb_delete(work->hops);
    nb_route_tables_release(&work->tables);
}

static enum nb_status lengths_add(struct lengths_layer *layer,
                                  struct lengths_node node,
                                  struct nb_error *err)
{
    const enum nb_status status =
        nb_reserve(&layer->nodes, &layer->room, layer->count + 1,
                   sizeof *layer->nodes, "path lengths", err);
    if (status == NB_OK)
        layer->nodes[layer->count++] = node;
    return status;
}

static int lengths_compare(const void *a, const void *b)
{
    const struct lengths_node *one = a, *other = b;
    if (one->router != other->router)
        return one->router < other->router ? -1 : 1;
    return (one->state > other->state) - (one->state < other->state);
}

/* Merges equal nodes. */
static void lengths_merge(struct lengths_layer *layer)
{
    size_t kept = 0;
    if (layer->count > 0)
        qsort(layer->nodes, layer->count, sizeof *layer->nodes,
              lengths_compare);
    for (size_t i = 0; i < layer->count; i++) {
        const struct lengths_node *node = &layer->nodes[i];
        struct lengths_node *last = kept > 0 ? &layer->nodes[kept - 1] : NULL;
        if (last != NULL && lengths_compare(last, node) == 0)
            last->probability =
                nb_enclosure_add(last->probability, node->probability);
        else
            layer->nodes[kept++] = *node;
    }
    layer->count = kept;
}

/* Adds every start. */
static enum nb_status lengths_begin(struct lengths_work *work,
                                    struct nb_error *err)
{
    const struct nb_routing *routing = work->routing;
    const size_t count =
        nb_route_starts(routing, work->source, work->destination, work->starts);
    nb_int128 total = 0;
    enum nb_status status = NB_OK;
    for (size_t s = 0; s < count; s++)
        total += work->starts[s].weight;
    for (size_t s = 0; s < count; s++) {
        const struct nb_start *start = &work->starts[s];
        const struct nb_enclosure each = nb_enclosure_divide(
            nb_enclosure_of_ratio(nb_ratio_make(start->weight, total)),
            nb_enclosure_of_ratio(nb_ratio_make(nb_start_ways(start), 1)));
        for (uint64_t w = 0; w < nb_start_ways(start); w++)
            NB_TRY(lengths_add(
                &work->layer,
                (struct lengths_node){
                    .state = nb_route_begin(routing, start, w, work->source,
                                            work->destination),
                    .router = work->source,
                    .probability = each },
                err));
    }
    lengths_merge(&work->layer);
done:
    return status;
}

/* Follows every hop from a node; arrived: increased by the probability that
 * ends there. */
static enum nb_status lengths_step(struct lengths_work *work,
                                   const struct lengths_node *node,
                                   struct nb_enclosure *arrived,
                                   struct nb_error *err)
{
    const struct nb_topology *topology = work->routing->topology;
    const struct nb_route_table *table;
    nb_int128 total = 0;
    enum nb_status status = NB_OK;
    NB_TRY(nb_route_tables_find(&work->tables, node->state, node->router,
                                work->destination, &table, err));
    const size_t count =
        nb_route_step(work->routing, table, node->state, node->router,
                      work->destination, work->hops);
    if (count == 0)
        *arrived = nb_enclosure_add(*arrived, node->probability);
    for (size_t h = 0; h < count; h++) {
        total += work->hops[h].weight;
        if (work->hops[h].weight == 0)
            NB_TRY(nb_fail(err, NB_OVERFLOW,
                           "router %u has too many paths to router %u to "
                           "count them",
                           node->router, work->destination));
    }
    for (size_t h = 0; h < count; h++) {
        const struct nb_hop *hop = &work->hops[h];
        const struct nb_enclosure share =
            nb_enclosure_of_ratio(nb_ratio_make(hop->weight, total));
        NB_TRY(lengths_add(
            &work->next,
            (struct lengths_node){
                .state = hop->next,
                .router = topology->channels[hop->channel].target,
                .probability =
                    nb_enclosure_multiply(node->probability, share) },
            err));
    }
done:
    return status;
}

/* From one layer to the next; *out: the probability that arrived after this
 * number of hops. */
static enum nb_status lengths_advance(struct lengths_work *work,
                                      struct nb_path_lengths *out,
                                      struct nb_error *err)
{
    const size_t phases = work->routing->phase != NULL ? 2 : 1;
    const size_t most = phases * (work->routing->topology->router_count - 1);
    enum nb_status status = NB_OK;
    if (out->count > most)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "routing %s loops from router %u to "
                       "router %u",
                       work->routing->kind->kind.name, work->source,
                       work->destination));
    NB_TRY(nb_grow(&out->probability, out->count + 1, sizeof *out->probability,
                   "path lengths", err));
    struct nb_enclosure *arrived = &out->probability[out->count++];
    *arrived = nb_enclosure_of_whole(0);
    for (size_t i = 0; i < work->layer.count; i++)
        NB_TRY(lengths_step(work, &work->layer.nodes[i], arrived, err));
    lengths_merge(&work->next);
    const struct lengths_layer last = work->layer;
    work->layer = work->next;
    work->next = last;
    work->next.count = 0;
done:
    return status;
}

enum nb_status nb_path_lengths_find(const struct nb_routing *routing,
                                    uint32_t source, uint32_t destination,
                                    struct nb_path_lengths *out,
                                    struct nb_error *err)
{
    struct lengths_work work = { .routing = routing,
                                 .source = source,
                                 .destination = destination };
    enum nb_status status = NB_OK;
    *out = (struct nb_path_lengths){ 0 };
    if (!nb_follow_moves(routing, source, destination)) {
        NB_TRY(nb_new(&out->probability, 1, sizeof *out->probability,
                      "path lengths", err));
        out->probability[out->count++] = nb_enclosure_of_whole(1);
        goto done;
    }
    NB_TRY(lengths_init(&work, err));
    NB_TRY(lengths_begin(&work, err));
    while (work.layer.count > 0)
        NB_TRY(lengths_advance(&work, out, err));
done:
    lengths_release(&work);
    if (status != NB_OK)
        nb_path_lengths_release(out);
    return status;
}
