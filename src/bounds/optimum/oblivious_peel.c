#include "bounds/optimum/oblivious_arcs.h"

#include "core/memory.h"

/* Taking the flow of one pair after another apart. */
struct peel {
    const struct nb_oblivious_program *program;
    struct nb_oblivious_arcs arcs;
    struct nb_path_table *paths;
    int64_t *flow;     /* [channel * layer_count + layer] left */
    size_t *position;  /* [node] place in the walk, plus 1; 0: not in it */
    uint32_t *node;    /* [nodes] the walk */
    size_t *arc;       /* [nodes] and what leads on from each */
    size_t length;     /* arcs of the walk */
    uint32_t *channel; /* [router_count] the path */
    size_t *at;        /* [router] place on the path, plus 1 */
};

static void peel_release(struct peel *peel)
{
    nb_oblivious_arcs_release(&peel->arcs);
    nb_delete(peel->flow);
    nb_delete(peel->position);
    nb_delete(peel->node);
    nb_delete(peel->arc);
    nb_delete(peel->channel);
    nb_delete(peel->at);
}

static enum nb_status peel_reserve(const struct nb_oblivious_case *here,
                                   struct peel *peel, struct nb_error *err)
{
    const struct nb_path_class *class = here->question->class;
    const size_t n = here->topology->router_count;
    const size_t nodes = n * class->state_count;
    const size_t arcs = here->topology->channel_count * class->layer_count;
    const char *what = "paths of a flow";
    enum nb_status status = NB_OK;
    NB_TRY(nb_oblivious_arcs_init(here, &peel->arcs, err));
    NB_TRY(nb_new(&peel->flow, arcs, sizeof *peel->flow, what, err));
    NB_TRY(nb_new(&peel->position, nodes, sizeof(size_t), what, err));
    NB_TRY(nb_new(&peel->node, nodes + 1, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&peel->arc, nodes, sizeof(size_t), what, err));
    NB_TRY(nb_new(&peel->channel, nodes, sizeof(uint32_t), what, err));
    NB_TRY(nb_new(&peel->at, n, sizeof(size_t), what, err));
done:
    return status;
}

/* The arc of greatest flow out of a node and where it leads; false if all are
 * spent. */
static bool peel_onward(const struct peel *peel, uint32_t node, size_t *arc,
                        uint32_t *to)
{
    const struct nb_topology *topology = peel->arcs.here->topology;
    const struct nb_path_class *class = peel->arcs.here->question->class;
    const uint32_t router = node / class->state_count;
    int64_t most = 0;
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++) {
        for (uint32_t layer = 0; layer < class->layer_count; layer++) {
            const size_t here = (size_t)c * class->layer_count + layer;
            uint32_t from, target;
            if (peel->flow[here] <= most ||
                !nb_oblivious_arcs_has(&peel->arcs, c, layer, &from, &target) ||
                from != node)
                continue;
            most = peel->flow[here];
            *arc = here;
            *to = target;
        }
    }
    return most > 0;
}

/* Takes the least flow of the walk's arcs from a place on off all of them, at
 * most so much; returns it. */
static int64_t peel_take(struct peel *peel, size_t first, int64_t most)
{
    for (size_t i = first; i < peel->length; i++)
        if (peel->flow[peel->arc[i]] < most)
            most = peel->flow[peel->arc[i]];
    for (size_t i = first; i < peel->length; i++)
        peel->flow[peel->arc[i]] -= most;
    return most;
}

/* Walks from the source along flow. Returns whether the destination was
 * reached; if not, a circle or a blind end was taken out, and more may be
 * tried while the walk got anywhere. */
static bool peel_walk(struct peel *peel)
{
    const uint32_t states = peel->arcs.here->question->class->state_count;
    bool has_arrived = false, is_over = false;
    peel->length = 0;
    peel->node[0] = peel->arcs.begin;
    while (!is_over) {
        const uint32_t node = peel->node[peel->length];
        size_t *arc = &peel->arc[peel->length];
        uint32_t to;
        has_arrived = node / states == peel->arcs.destination;
        is_over = has_arrived;
        if (!is_over && peel->position[node] > 0) {
            peel_take(peel, peel->position[node] - 1, INT64_MAX);
            break;
        }
        if (!is_over && !peel_onward(peel, node, arc, &to)) {
            if (peel->length > 0)
                peel->flow[peel->arc[peel->length - 1]] = 0;
            is_over = true;
        }
        if (!is_over) {
            peel->position[node] = peel->length + 1;
            peel->node[++peel->length] = to;
        }
    }
    for (size_t i = 0; i <= peel->length; i++)
        peel->position[peel->node[i]] = 0;
    return has_arrived;
}

static enum nb_status peel_no_path(const struct peel *peel,
                                   struct nb_error *err)
{
    return nb_fail(err, NB_INVALID,
                   "no permitted path leads from router %u to router %u",
                   peel->arcs.source, peel->arcs.destination);
}

static enum nb_status peel_pair(struct peel *peel, int64_t denominator,
                                struct nb_error *err)
{
    struct nb_path_table *paths = peel->paths;
    const struct nb_topology *topology = peel->arcs.here->topology;
    const uint32_t layers = peel->arcs.here->question->class->layer_count;
    const uint32_t source = peel->arcs.source;
    const uint32_t destination = peel->arcs.destination;
    const size_t first = paths->path_count;
    int64_t left = denominator;
    enum nb_status status = NB_OK;
    while (left > 0) {
        const bool has_arrived = peel_walk(peel);
        if (!has_arrived && peel->length == 0)
            break;
        if (!has_arrived)
            continue;
        const int64_t taken = peel_take(peel, 0, left);
        for (size_t i = 0; i < peel->length; i++)
            peel->channel[i] = (uint32_t)(peel->arc[i] / layers);
        const size_t length = nb_oblivious_shorten(
            topology, source, peel->channel, peel->length, peel->at);
        NB_TRY(nb_oblivious_add_path(paths, first, source, destination, taken,
                                     peel->channel, length, err));
        left -= taken;
    }
    if (left == 0)
        return NB_OK;
    if (paths->path_count > first) {
        paths->path[first].weight += (uint64_t)left;
        return NB_OK;
    }
    if (nb_path_search_distance(&peel->arcs.search, source) == INT64_MAX)
        return peel_no_path(peel, err);
    const size_t length =
        nb_path_search_path(&peel->arcs.search, source, peel->channel);
    status = nb_path_table_add(paths, source, destination, (uint64_t)left,
                               peel->channel, length, err);
done:
    return status;
}

enum nb_status nb_oblivious_peel(const struct nb_oblivious_program *program,
                                 const int64_t *flow, int64_t denominator,
                                 struct nb_path_table *paths,
                                 struct nb_error *err)
{
    const struct nb_oblivious_case *here = program->here;
    const size_t arcs =
        here->topology->channel_count * here->question->class->layer_count;
    struct peel peel = { .program = program, .paths = paths };
    enum nb_status status = NB_OK;
    *paths = (struct nb_path_table){ 0 };
    NB_TRY(peel_reserve(here, &peel, err));
    for (size_t index = 0; index < here->pair_count; index++) {
        nb_oblivious_arcs_set(&peel.arcs, index);
        for (size_t a = 0; a < arcs; a++) {
            const size_t variable = program->flow[index * arcs + a];
            peel.flow[a] = variable == SIZE_MAX ? 0 : flow[variable];
        }
        NB_TRY(peel_pair(&peel, denominator, err));
    }
    nb_path_table_sort(paths);
done:
    peel_release(&peel);
    if (status != NB_OK)
        nb_path_table_release(paths);
    return status;
}
