#include "bounds/optimum/oblivious_arcs.h"

#include "bounds/linear/linear_row.h"
#include "core/memory.h"

#include <math.h>

/* Building under way. */
struct flows_work {
    struct nb_oblivious_program *program;
    struct nb_linear_row row;
    struct nb_oblivious_arcs arcs;
    uint64_t *seen; /* [node] hashes of the pair's rows */
    size_t seen_count;
};

/* A variable for every crossing and layer of a pair, one for those alike. */
static enum nb_status flows_add_variables(struct flows_work *work,
                                          struct nb_error *err)
{
    struct nb_oblivious_program *program = work->program;
    const struct nb_oblivious_case *here = program->here;
    const struct nb_topology *topology = here->topology;
    const size_t index = work->arcs.index, pair = here->pair[index];
    const size_t m = topology->channel_count;
    const size_t layers = here->question->class->layer_count;
    const double share = (double)topology->terminals[work->arcs.source] *
                         topology->terminals[work->arcs.destination] *
                         here->orbits.pair_size[pair];
    const bool has_cost = here->question->goal == NB_LEAST_MEAN_HOPS;
    enum nb_status status = NB_OK;
    for (uint32_t c = 0; c < m; c++) {
        const size_t least = nb_oblivious_crossing(&here->orbits, pair, c) % m;
        const double cost = has_cost ? share * here->alike[index * m + c] : 0;
        for (uint32_t layer = 0; layer < layers; layer++) {
            size_t *flow = &program->flow[(index * m + c) * layers + layer];
            uint32_t from, to;
            *flow = SIZE_MAX;
            if (!nb_oblivious_arcs_has(&work->arcs, c, layer, &from, &to))
                continue;
            *flow = program->flow[(index * m + least) * layers + layer];
            if (least == c)
                NB_TRY(nb_linear_add_column(program->linear, cost, INFINITY, 0,
                                            NULL, NULL, flow, err));
        }
    }
done:
    return status;
}

/* Puts the flow over a channel where it leaves (sign 1) or enters (-1) a
 * node. */
static void flows_put(struct flows_work *work, uint32_t channel, uint32_t node,
                      int sign)
{
    const struct nb_oblivious_program *program = work->program;
    const size_t m = program->here->topology->channel_count;
    const size_t layers = program->here->question->class->layer_count;
    uint32_t from, to;
    for (uint32_t layer = 0; layer < layers; layer++) {
        const size_t flow =
            program->flow[(work->arcs.index * m + channel) * layers + layer];
        if (flow != SIZE_MAX &&
            nb_oblivious_arcs_has(&work->arcs, channel, layer, &from, &to) &&
            (sign > 0 ? from : to) == node)
            nb_linear_row_put(&work->row, flow, sign);
    }
}

/* What leaves a node is what enters it; from the begin, 1 more. Symmetry makes
 * many of these rows the same: one is enough. (One lost by a mere coincidence
 * of hashes would spoil the answer's proof, not its truth.) */
static enum nb_status flows_conserve(struct flows_work *work, uint32_t node,
                                     struct nb_error *err)
{
    const struct nb_topology *topology = work->program->here->topology;
    const uint32_t router =
        node / work->program->here->question->class->state_count;
    const bool is_begin = node == work->arcs.begin;
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++)
        flows_put(work, c, node, 1);
    for (uint32_t i = topology->in_start[router];
         i < topology->in_start[router + 1]; i++)
        flows_put(work, topology->in_channel[i], node, -1);
    nb_linear_row_tidy(&work->row);
    const uint64_t hash = nb_linear_row_hash(&work->row);
    bool is_new = work->row.count > 0;
    for (size_t i = 0; i < work->seen_count && is_new && !is_begin; i++)
        is_new = work->seen[i] != hash;
    if (is_new)
        work->seen[work->seen_count++] = hash;
    return nb_linear_row_add(&work->row, is_new ? work->program->linear : NULL,
                             NB_EQUAL, is_begin, NULL, err);
}

static enum nb_status flows_add_pair(struct flows_work *work, size_t index,
                                     struct nb_error *err)
{
    const struct nb_oblivious_case *here = work->program->here;
    const uint32_t states = here->question->class->state_count;
    const size_t nodes = here->topology->router_count * states;
    enum nb_status status = NB_OK;
    work->seen_count = 0;
    nb_oblivious_arcs_set(&work->arcs, index);
    NB_TRY(flows_add_variables(work, err));
    NB_TRY(flows_conserve(work, work->arcs.begin, err));
    for (uint32_t node = 0; node < nodes; node++)
        if (node != work->arcs.begin && work->arcs.reached[node] == index + 1 &&
            node / states != work->arcs.destination)
            NB_TRY(flows_conserve(work, node, err));
done:
    return status;
}

static enum nb_status flows_reserve(struct flows_work *work,
                                    struct nb_error *err)
{
    struct nb_oblivious_program *program = work->program;
    const struct nb_oblivious_case *here = program->here;
    const struct nb_path_class *class = here->question->class;
    const size_t flows =
        here->pair_count * here->topology->channel_count * class->layer_count;
    const size_t nodes = here->topology->router_count * class->state_count;
    const char *what = "the linear program";
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&program->flow, flows, sizeof(size_t), what, err));
    NB_TRY(nb_new(&work->seen, nodes + 1, sizeof *work->seen, what, err));
    NB_TRY(nb_oblivious_arcs_init(here, &work->arcs, err));
    NB_TRY(nb_linear_row_init(&work->row, flows, err));
done:
    return status;
}

enum nb_status
nb_oblivious_program_build_flows(const struct nb_oblivious_case *here,
                                 struct nb_oblivious_program *out,
                                 struct nb_error *err)
{
    struct flows_work work = { .program = out };
    enum nb_status status = NB_OK;
    *out = (struct nb_oblivious_program){ .here = here };
    NB_TRY(nb_linear_new(&out->linear, err));
    NB_TRY(flows_reserve(&work, err));
    for (size_t index = 0; index < here->pair_count; index++)
        NB_TRY(flows_add_pair(&work, index, err));
    out->flow_count = nb_linear_column_count(out->linear);
done:
    nb_delete(work.seen);
    nb_oblivious_arcs_release(&work.arcs);
    nb_linear_row_release(&work.row);
    if (status != NB_OK)
        nb_oblivious_program_release(out);
    return status;
}
