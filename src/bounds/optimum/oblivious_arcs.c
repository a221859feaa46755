#include "bounds/optimum/oblivious_arcs.h"

#include "core/memory.h"
#include "routing/routing.h"

enum nb_status nb_oblivious_arcs_init(const struct nb_oblivious_case *here,
                                      struct nb_oblivious_arcs *out,
                                      struct nb_error *err)
{
    const struct nb_path_class *class = here->question->class;
    const size_t nodes = here->topology->router_count * class->state_count;
    const char *what = "ways of a pair";
    enum nb_status status = NB_OK;
    *out = (struct nb_oblivious_arcs){ .here = here };
    NB_TRY(nb_path_search_init(class, &out->search, err));
    NB_TRY(nb_new(&out->reached, nodes, sizeof *out->reached, what, err));
    NB_TRY(nb_new(&out->queue, nodes, sizeof *out->queue, what, err));
done:
    if (status != NB_OK)
        nb_oblivious_arcs_release(out);
    return status;
}

void nb_oblivious_arcs_release(struct nb_oblivious_arcs *arcs)
{
    nb_path_search_release(&arcs->search);
    nb_delete(arcs->reached);
    nb_delete(arcs->queue);
    *arcs = (struct nb_oblivious_arcs){ 0 };
}

/* The same without asking whether the pair's packets reach the channel. */
static bool arcs_allow(const struct nb_oblivious_arcs *arcs, uint32_t channel,
                       uint32_t layer, uint32_t *from, uint32_t *to)
{
    const struct nb_topology *topology = arcs->here->topology;
    const struct nb_path_class *class = arcs->here->question->class;
    const struct nb_channel *at = &topology->channels[channel];
    const struct nb_route_table table = { .distance = arcs->search.hops };
    uint32_t before, after;
    if (!nb_path_class_layer(class, channel, layer, &before, &after) ||
        at->target == arcs->source || at->source == arcs->destination)
        return false;
    if (class->paths == NB_PATHS_MINIMAL &&
        !nb_is_on_the_way(topology, &table, channel))
        return false;
    if (class->paths == NB_PATHS_STRETCH &&
        after < arcs->search.hops[at->target])
        return false;
    *from = at->source * class->state_count + before;
    *to = at->target * class->state_count + after;
    return true;
}

void nb_oblivious_arcs_set(struct nb_oblivious_arcs *arcs, size_t index)
{
    const struct nb_oblivious_case *here = arcs->here;
    const struct nb_topology *topology = here->topology;
    const struct nb_path_class *class = here->question->class;
    const uint32_t mark = (uint32_t)index + 1;
    size_t tail = 0;
    uint32_t from, to;
    arcs->index = index;
    arcs->source = nb_oblivious_source(here, here->pair[index]);
    arcs->destination = nb_oblivious_destination(here, here->pair[index]);
    nb_path_search_run(&arcs->search, arcs->destination, NULL);
    arcs->begin = arcs->source * class->state_count +
                  nb_path_class_start(class, arcs->search.hops[arcs->source]);
    arcs->queue[tail++] = arcs->begin;
    arcs->reached[arcs->begin] = mark;
    for (size_t head = 0; head < tail; head++) {
        const uint32_t router = arcs->queue[head] / class->state_count;
        const uint32_t end = topology->out_start[router + 1];
        for (uint32_t c = topology->out_start[router]; c < end; c++) {
            for (uint32_t layer = 0; layer < class->layer_count; layer++) {
                if (!arcs_allow(arcs, c, layer, &from, &to) ||
                    from != arcs->queue[head] || arcs->reached[to] == mark)
                    continue;
                arcs->reached[to] = mark;
                arcs->queue[tail++] = to;
            }
        }
    }
}

bool nb_oblivious_arcs_has(const struct nb_oblivious_arcs *arcs,
                           uint32_t channel, uint32_t layer, uint32_t *from,
                           uint32_t *to)
{
    return arcs_allow(arcs, channel, layer, from, to) &&
           arcs->reached[*from] == arcs->index + 1;
}
