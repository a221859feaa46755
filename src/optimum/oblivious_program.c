#include "optimum/oblivious_program.h"

#include "bounds/linear/linear.h"
#include "optimum/whole.h"
#include "core/memory.h"
#include "routing/routing.h"

#include <math.h>
#include <string.h>

/* The arcs of the pairs, one pair at a time; owns its arrays. Nodes are router
 * * state_count + state. */
struct oblivious_arcs {
    const struct nb_oblivious_case *here;
    struct nb_pool pool;
    struct nb_path_search search;
    size_t index; /* of the pair */
    uint32_t source, destination;
    uint32_t begin;    /* node */
    uint32_t *reached; /* [node] 1 + index of the pair that last reached it */
    uint32_t *queue;   /* [node] */
};

static void oblivious_arcs_release(struct oblivious_arcs *arcs)
{
    nb_path_search_release(&arcs->search);
    nb_pool_release(&arcs->pool);
    *arcs = (struct oblivious_arcs){ 0 };
}

/* Errors: NB_NO_MEMORY; to be released even then. */
static enum nb_status oblivious_arcs_init(const struct nb_oblivious_case *here,
                                          struct oblivious_arcs *out,
                                          struct nb_error *err)
{
    const struct nb_path_class *class = here->question->path_class;
    const size_t nodes = here->topology->router_count * class->state_count;
    enum nb_status status = NB_OK;
    *out = (struct oblivious_arcs){ .here = here };
    out->reached = nb_pool_array(&out->pool, nodes, sizeof *out->reached);
    out->queue = nb_pool_array(&out->pool, nodes, sizeof *out->queue);
    NB_TRY(nb_pool_check(&out->pool, "paths of a pair", err));
    NB_TRY(nb_path_search_init(class, &out->search, err));
done:
    return status;
}

/* The same, whether or not the pair's packets reach the channel. */
static bool arcs_allow(const struct oblivious_arcs *arcs, uint32_t channel,
                       uint32_t layer, uint32_t *from, uint32_t *to)
{
    const struct nb_topology *topology = arcs->here->topology;
    const struct nb_path_class *class = arcs->here->question->path_class;
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

/* Moves on to the pair of this index. */
static void oblivious_arcs_set(struct oblivious_arcs *arcs, size_t index)
{
    const struct nb_oblivious_case *here = arcs->here;
    const struct nb_topology *topology = here->topology;
    const struct nb_path_class *class = here->question->path_class;
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

/* Whether packets of the pair can cross a channel in a layer; gives the nodes
 * on its sides. Channels into the source and out of the destination are left
 * out, as they are of no use. */
static bool oblivious_arcs_has(const struct oblivious_arcs *arcs,
                               uint32_t channel, uint32_t layer, uint32_t *from,
                               uint32_t *to)
{
    return arcs_allow(arcs, channel, layer, from, to) &&
           arcs->reached[*from] == arcs->index + 1;
}

/* State while flows are built. */
struct flows_work {
    struct nb_oblivious_program *program;
    struct nb_linear_row row;
    struct oblivious_arcs arcs;
    uint64_t *seen; /* [node] hashes of the pair's rows */
    size_t seen_count;
};

/* A variable for every crossing and layer of a pair, one per orbit. */
static enum nb_status flows_add_variables(struct flows_work *work,
                                          struct nb_error *err)
{
    struct nb_oblivious_program *program = work->program;
    const struct nb_oblivious_case *here = program->here;
    const struct nb_topology *topology = here->topology;
    const size_t index = work->arcs.index, pair = here->pair[index];
    const size_t m = topology->channel_count;
    const size_t layers = here->question->path_class->layer_count;
    const double share = (double)topology->terminals[work->arcs.source] *
                         topology->terminals[work->arcs.destination] *
                         nb_oblivious_pair_size(here, pair);
    const bool has_cost = here->question->goal == NB_LEAST_MEAN_HOPS;
    enum nb_status status = NB_OK;
    for (uint32_t c = 0; c < m; c++) {
        const size_t least = here->cell[pair * m + c] % m;
        const double cost = has_cost ? share * here->alike[index * m + c] : 0;
        for (uint32_t layer = 0; layer < layers; layer++) {
            size_t *flow = &program->flow[(index * m + c) * layers + layer];
            uint32_t from, to;
            *flow = SIZE_MAX;
            if (!oblivious_arcs_has(&work->arcs, c, layer, &from, &to))
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
    const size_t layers = program->here->question->path_class->layer_count;
    uint32_t from, to;
    for (uint32_t layer = 0; layer < layers; layer++) {
        const size_t flow =
            program->flow[(work->arcs.index * m + channel) * layers + layer];
        if (flow != SIZE_MAX &&
            oblivious_arcs_has(&work->arcs, channel, layer, &from, &to) &&
            (sign > 0 ? from : to) == node)
            nb_linear_row_put(&work->row, flow, sign);
    }
}

/* A node's outflow equals its inflow, plus 1 at the begin. Symmetry makes many
 * of these rows equal: one of them suffices. (A row lost by a collision of
 * hashes would cost the answer its proof, but not make it wrong.) */
static enum nb_status flows_conserve(struct flows_work *work, uint32_t node,
                                     struct nb_error *err)
{
    const struct nb_topology *topology = work->program->here->topology;
    const uint32_t router =
        node / work->program->here->question->path_class->state_count;
    const bool is_begin = node == work->arcs.begin;
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++)
        flows_put(work, c, node, 1);
    for (uint32_t i = topology->in_start[router];
         i < topology->in_start[router + 1]; i++)
        flows_put(work, topology->in_channel[i], node, -1);
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
    const uint32_t states = here->question->path_class->state_count;
    const size_t nodes = here->topology->router_count * states;
    enum nb_status status = NB_OK;
    work->seen_count = 0;
    oblivious_arcs_set(&work->arcs, index);
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
    const struct nb_path_class *class = here->question->path_class;
    const size_t flows =
        here->pair_count * here->topology->channel_count * class->layer_count;
    const size_t nodes = here->topology->router_count * class->state_count;
    const char *what = "the linear program";
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&program->flow, flows, sizeof(size_t), what, err));
    NB_TRY(nb_new(&work->seen, nodes, sizeof *work->seen, what, err));
    NB_TRY(oblivious_arcs_init(here, &work->arcs, err));
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
    oblivious_arcs_release(&work.arcs);
    nb_linear_row_release(&work.row);
    if (status != NB_OK)
        nb_oblivious_program_release(out);
    return status;
}

/* State while the rest of the program is built. */
struct program_work {
    struct nb_oblivious_program *program;
    struct nb_linear_row row;
};

/* The variable of a side, created on first use. */
static enum nb_status program_find_side(struct program_work *work, size_t side,
                                        size_t *column, struct nb_error *err)
{
    struct nb_oblivious_program *program = work->program;
    size_t *place = &program->side[program->here->sides.of[side]];
    enum nb_status status = NB_OK;
    if (*place == SIZE_MAX)
        NB_TRY(nb_linear_add_column(program->linear, 0, INFINITY, 0, NULL, NULL,
                                    place, err));
    *column = *place;
done:
    return status;
}

/* The flow of a crossing, over all layers, is at most the sum of the duals of
 * its sides. */
static enum nb_status program_add_cell(struct program_work *work, size_t index,
                                       uint32_t channel, struct nb_error *err)
{
    struct nb_oblivious_program *program = work->program;
    const size_t m = program->here->topology->channel_count;
    const size_t e = program->here->e;
    const size_t layers = program->here->question->path_class->layer_count;
    const size_t pair = program->here->pair[index];
    const size_t *flow = &program->flow[(index * m + channel) * layers];
    size_t row, column;
    bool is_crossed = false;
    enum nb_status status = NB_OK;
    for (size_t layer = 0; layer < layers; layer++) {
        if (flow[layer] == SIZE_MAX)
            continue;
        nb_linear_row_put(&work->row, flow[layer], 1);
        is_crossed = true;
    }
    if (!is_crossed)
        return NB_OK;
    NB_TRY(program_find_side(work, channel * 2 * e + pair / e, &row, err));
    NB_TRY(
        program_find_side(work, channel * 2 * e + e + pair % e, &column, err));
    nb_linear_row_put(&work->row, row, -1);
    nb_linear_row_put(&work->row, column, -1);
    NB_TRY(nb_linear_row_add(&work->row, program->linear, NB_AT_MOST, 0,
                             &program->cell[index * m + channel], err));
done:
    return status;
}

static enum nb_status program_add_cells(struct program_work *work,
                                        struct nb_error *err)
{
    struct nb_oblivious_program *program = work->program;
    const struct nb_oblivious_case *here = program->here;
    const size_t m = here->topology->channel_count;
    enum nb_status status = NB_OK;
    for (size_t index = 0; index < here->pair_count; index++) {
        for (uint32_t c = 0; c < m; c++) {
            program->cell[index * m + c] = SIZE_MAX;
            if (here->cell[here->pair[index] * m + c] == index * m + c)
                NB_TRY(program_add_cell(work, index, c, err));
        }
    }
done:
    return status;
}

/* The duals of every focus channel bound its load, per bandwidth, by lambda or
 * by the given load. */
static enum nb_status program_add_loads(struct program_work *work,
                                        struct nb_error *err)
{
    struct nb_oblivious_program *program = work->program;
    const struct nb_oblivious_case *here = program->here;
    const struct nb_oblivious_question *question = here->question;
    const struct nb_topology *topology = here->topology;
    const size_t e = here->e;
    const double rate = nb_ratio_value(question->rate);
    const bool is_given = question->goal == NB_LEAST_MEAN_HOPS;
    double all = 0;
    size_t load = SIZE_MAX;
    enum nb_status status = NB_OK;
    if (is_given && nb_ratio_is_infinite(question->most_load))
        return NB_OK; /* no limit */
    for (uint32_t c = 0; c < topology->channel_count; c++)
        all += nb_ratio_value(topology->channels[c].bandwidth);
    if (!is_given)
        NB_TRY(nb_linear_add_column(program->linear, all, INFINITY, 0, NULL,
                                    NULL, &load, err));
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const double bandwidth =
            nb_ratio_value(topology->channels[c].bandwidth);
        if (nb_orbits_least(&here->channels, c) != c)
            continue;
        for (size_t i = 0; i < 2 * e; i++) {
            const size_t side = program->side[here->sides.of[c * 2 * e + i]];
            const double terminals = topology->terminals[here->endpoint[i % e]];
            if (side != SIZE_MAX)
                nb_linear_row_put(&work->row, side,
                                  i < e ? rate * terminals : terminals);
        }
        if (!is_given)
            nb_linear_row_put(&work->row, load, -bandwidth);
        const double most = is_given ? bandwidth * (1 + program->slack) *
                                           nb_ratio_value(question->most_load)
                                     : 0;
        NB_TRY(nb_linear_row_add(&work->row, program->linear, NB_AT_MOST, most,
                                 NULL, err));
    }
done:
    return status;
}

static enum nb_status program_reserve(struct program_work *work,
                                      struct nb_error *err)
{
    struct nb_oblivious_program *program = work->program;
    const struct nb_oblivious_case *here = program->here;
    const size_t m = here->topology->channel_count;
    const size_t cells = here->pair_count * m;
    const size_t sides = here->sides.count;
    const size_t columns = program->flow_count + sides + 1;
    const char *what = "the linear program";
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&program->cell, cells, sizeof(size_t), what, err));
    NB_TRY(nb_new(&program->side, sides, sizeof(size_t), what, err));
    for (size_t i = 0; i < sides; i++)
        program->side[i] = SIZE_MAX;
    NB_TRY(nb_linear_row_init(&work->row, columns, err));
done:
    return status;
}

enum nb_status nb_oblivious_program_build(const struct nb_oblivious_case *here,
                                          double slack,
                                          struct nb_oblivious_program *out,
                                          struct nb_error *err)
{
    struct program_work work = { .program = out };
    enum nb_status status = NB_OK;
    NB_TRY(nb_oblivious_program_build_flows(here, out, err));
    out->slack = slack;
    NB_TRY(program_reserve(&work, err));
    NB_TRY(program_add_cells(&work, err));
    NB_TRY(program_add_loads(&work, err));
done:
    nb_linear_row_release(&work.row);
    if (status != NB_OK)
        nb_oblivious_program_release(out);
    return status;
}

void nb_oblivious_program_release(struct nb_oblivious_program *program)
{
    nb_linear_release(&program->linear);
    nb_delete(program->flow);
    nb_delete(program->cell);
    nb_delete(program->side);
    *program = (struct nb_oblivious_program){ 0 };
}

/* Removes loops from a path (the hops between two visits of a router); returns
 * its new length. at: [router_count] zeros on entry and on return. */
static size_t oblivious_shorten(const struct nb_topology *topology,
                                uint32_t source, uint32_t *channel,
                                size_t length, size_t *at)
{
    size_t kept = 0;
    at[source] = 1;
    for (size_t i = 0; i < length; i++) {
        const uint32_t to = topology->channels[channel[i]].target;
        if (at[to] > 0) { /* back at a router: forget those behind it */
            while (kept + 1 > at[to])
                at[topology->channels[channel[--kept]].target] = 0;
            at[to] = kept + 1;
        } else {
            channel[kept++] = channel[i];
            at[to] = kept + 1;
        }
    }
    at[source] = 0;
    for (size_t i = 0; i < kept; i++)
        at[topology->channels[channel[i]].target] = 0;
    return kept;
}

/* Adds a path of the pair, or its weight to an identical path; the pair's paths
 * begin at first. Errors: NB_NO_MEMORY. */
static enum nb_status oblivious_add_path(struct nb_path_table *paths,
                                         size_t first, uint32_t source,
                                         uint32_t destination, int64_t weight,
                                         const uint32_t *channel, size_t length,
                                         struct nb_error *err)
{
    for (size_t p = first; p < paths->path_count; p++) {
        struct nb_table_path *path = &paths->path[p];
        if (path->length == length &&
            memcmp(paths->channel + path->first, channel,
                   length * sizeof *channel) == 0) {
            path->weight += (uint64_t)weight;
            return NB_OK;
        }
    }
    return nb_path_table_add(paths, source, destination, (uint64_t)weight,
                             channel, length, err);
}

/* Paths that need no solution, each of the same weight. */
struct plain_work {
    const struct nb_oblivious_case *here;
    int64_t weight;
    struct nb_path_search search; /* of the question's class */
    struct nb_path_table paths;
    struct nb_pool pool;
    uint32_t *channel; /* [2 * router_count] path under construction */
};

/* A shortest path of the class for every pair. Errors: NB_NO_MEMORY. */
static enum nb_status plain_find_short(struct plain_work *work,
                                       struct nb_error *err)
{
    const struct nb_oblivious_case *here = work->here;
    enum nb_status status = NB_OK;
    for (size_t index = 0; index < here->pair_count; index++) {
        const uint32_t source = nb_oblivious_source(here, here->pair[index]);
        const uint32_t destination =
            nb_oblivious_destination(here, here->pair[index]);
        nb_path_search_run(&work->search, destination, NULL);
        const size_t count =
            nb_path_search_path(&work->search, source, work->channel);
        NB_TRY(nb_path_table_add(&work->paths, source, destination,
                                 (uint64_t)work->weight, work->channel, count,
                                 err));
    }
    nb_path_table_sort(&work->paths);
done:
    return status;
}

/* Appends the tree's path from a router to its root; returns the length. */
static size_t ways_follow(const struct nb_topology *topology,
                          const uint32_t *tree, uint32_t router,
                          uint32_t *channel, size_t length)
{
    while (tree[router] != NB_NONE) {
        channel[length++] = tree[router];
        router = topology->channels[tree[router]].target;
    }
    return length;
}

/* Paths of every pair through every router with terminals, for the class "any".
 * Errors: NB_NO_MEMORY. */
static enum nb_status plain_find_ways(struct plain_work *work,
                                      struct nb_error *err)
{
    const struct nb_oblivious_case *here = work->here;
    const struct nb_topology *topology = here->topology;
    const size_t n = topology->router_count, e = here->e;
    /* Shortest paths to every router with terminals: the next channel, NB_NONE
     * at the router itself. */
    uint32_t *tree = nb_pool_array(&work->pool, e * n, sizeof *tree);
    size_t *at = nb_pool_array(&work->pool, n, sizeof *at);
    enum nb_status status = NB_OK;
    NB_TRY(nb_pool_check(&work->pool, "shortest paths", err));
    for (size_t w = 0; w < e; w++) {
        nb_path_search_run(&work->search, here->endpoint[w], NULL);
        memcpy(tree + w * n, work->search.onward, n * sizeof *tree);
    }
    for (size_t index = 0; index < here->pair_count; index++) {
        const size_t pair = here->pair[index], first = work->paths.path_count;
        const uint32_t source = nb_oblivious_source(here, pair);
        for (size_t w = 0; w < e; w++) {
            size_t length =
                ways_follow(topology, tree + w * n, source, work->channel, 0);
            length = ways_follow(topology, tree + pair % e * n,
                                 here->endpoint[w], work->channel, length);
            length =
                oblivious_shorten(topology, source, work->channel, length, at);
            NB_TRY(oblivious_add_path(&work->paths, first, source,
                                      nb_oblivious_destination(here, pair),
                                      work->weight, work->channel, length,
                                      err));
        }
    }
    nb_path_table_sort(&work->paths);
done:
    return status;
}

/* Decomposition of flows into paths, pair by pair. */
struct peel {
    const struct nb_oblivious_program *program;
    struct oblivious_arcs arcs;
    struct nb_path_table *paths;
    struct nb_pool pool;
    int64_t *flow;     /* [channel * layer_count + layer] remaining flow */
    size_t *position;  /* [node] place in the walk, plus 1; 0: not in it */
    uint32_t *node;    /* [nodes] the walk */
    size_t *arc;       /* [nodes] arc out of each */
    size_t length;     /* arcs of the walk */
    uint32_t *channel; /* [router_count] the path */
    size_t *at;        /* [router] place on the path, plus 1 */
};

static void peel_release(struct peel *peel)
{
    oblivious_arcs_release(&peel->arcs);
    nb_pool_release(&peel->pool);
}

static enum nb_status peel_reserve(const struct nb_oblivious_case *here,
                                   struct peel *peel, struct nb_error *err)
{
    const struct nb_path_class *class = here->question->path_class;
    const size_t n = here->topology->router_count;
    const size_t nodes = n * class->state_count;
    const size_t arcs = here->topology->channel_count * class->layer_count;
    struct nb_pool *pool = &peel->pool;
    enum nb_status status = NB_OK;
    peel->flow = nb_pool_array(pool, arcs, sizeof *peel->flow);
    peel->position = nb_pool_array(pool, nodes, sizeof(size_t));
    peel->node = nb_pool_array(pool, nodes + 1, sizeof(uint32_t));
    peel->arc = nb_pool_array(pool, nodes, sizeof(size_t));
    peel->channel = nb_pool_array(pool, nodes, sizeof(uint32_t));
    peel->at = nb_pool_array(pool, n, sizeof(size_t));
    NB_TRY(nb_pool_check(pool, "paths of a flow", err));
    NB_TRY(oblivious_arcs_init(here, &peel->arcs, err));
done:
    return status;
}

/* The arc of greatest flow out of a node and its end; false if there is no flow
 * left. */
static bool peel_onward(const struct peel *peel, uint32_t node, size_t *arc,
                        uint32_t *to)
{
    const struct nb_topology *topology = peel->arcs.here->topology;
    const struct nb_path_class *class = peel->arcs.here->question->path_class;
    const uint32_t router = node / class->state_count;
    int64_t most = 0;
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++) {
        for (uint32_t layer = 0; layer < class->layer_count; layer++) {
            const size_t here = (size_t)c * class->layer_count + layer;
            uint32_t from, target;
            if (peel->flow[here] <= most ||
                !oblivious_arcs_has(&peel->arcs, c, layer, &from, &target) ||
                from != node)
                continue;
            most = peel->flow[here];
            *arc = here;
            *to = target;
        }
    }
    return most > 0;
}

/* Subtracts the least flow of the walk's arcs from place `first` on, at most
 * `most`, from all of them; returns it. */
static int64_t peel_take(struct peel *peel, size_t first, int64_t most)
{
    for (size_t i = first; i < peel->length; i++)
        if (peel->flow[peel->arc[i]] < most)
            most = peel->flow[peel->arc[i]];
    for (size_t i = first; i < peel->length; i++)
        peel->flow[peel->arc[i]] -= most;
    return most;
}

/* Walks from the source along flow. Returns whether it reached the destination;
 * if not, a cycle or dead end was removed, and another try makes sense if the
 * walk has any arcs. */
static bool peel_walk(struct peel *peel)
{
    const uint32_t states = peel->arcs.here->question->path_class->state_count;
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
    const uint32_t layers = peel->arcs.here->question->path_class->layer_count;
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
        const size_t length = oblivious_shorten(topology, source, peel->channel,
                                                peel->length, peel->at);
        NB_TRY(oblivious_add_path(paths, first, source, destination, taken,
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

/*
 * Divides whole flows of every pair among paths: nearly all of the flow if it
 * is only nearly conserved, and all of it if it is conserved.
 *
 * flow   [flow_count] numerators over denominator
 * paths  out; each pair's weights add up to denominator
 *
 * Errors: NB_NO_MEMORY; NB_INVALID if a pair has no permitted path, naming it.
 */
static enum nb_status oblivious_peel(const struct nb_oblivious_program *program,
                                     const int64_t *flow, int64_t denominator,
                                     struct nb_path_table *paths,
                                     struct nb_error *err)
{
    const struct nb_oblivious_case *here = program->here;
    const size_t arcs =
        here->topology->channel_count * here->question->path_class->layer_count;
    struct peel peel = { .program = program, .paths = paths };
    enum nb_status status = NB_OK;
    *paths = (struct nb_path_table){ 0 };
    NB_TRY(peel_reserve(here, &peel, err));
    for (size_t index = 0; index < here->pair_count; index++) {
        oblivious_arcs_set(&peel.arcs, index);
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

/* Offers. */

/* Tolerance for reading a double as a ratio; 0: plain rounding, which always
 * works. */
static const double offer_tolerance[] = { 1e-11, 1e-8, 1e-6, 0 };
enum { OFFER_TRIES = sizeof offer_tolerance / sizeof offer_tolerance[0] };

/* Greater values are not read as ratios. */
#define OFFER_MOST 0x1p20

enum nb_status nb_oblivious_offer_flows(
    const struct nb_oblivious_program *program, const double *value,
    const struct nb_oblivious_keeper *keeper, struct nb_error *err)
{
    const size_t count = program->flow_count;
    struct nb_path_table paths = { 0 };
    int64_t *whole = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&whole, count, sizeof *whole, "flows", err));
    for (size_t t = 0; t < OFFER_TRIES && !keeper->is_met(keeper->context);
         t++) {
        const int64_t denominator = nb_whole_find(
            count, value, offer_tolerance[t], NB_OBLIVIOUS_ROUNDED, whole);
        if (denominator == 0)
            continue;
        NB_TRY(oblivious_peel(program, whole, denominator, &paths, err));
        NB_TRY(keeper->keep_paths(keeper->context, &paths, err));
    }
done:
    nb_delete(whole);
    nb_path_table_release(&paths);
    return status;
}

enum nb_status
nb_oblivious_offer_weights(size_t count, const double *value, int64_t limit,
                           const struct nb_oblivious_keeper *keeper,
                           struct nb_error *err)
{
    int64_t *whole = NULL;
    double most = 0;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&whole, count, sizeof *whole, "weights", err));
    for (size_t i = 0; i < count; i++)
        most = fmax(most, value[i]);
    for (size_t t = 0; t < OFFER_TRIES && limit > 0; t++) {
        if (keeper->is_met(keeper->context))
            break;
        if (most > OFFER_MOST && offer_tolerance[t] > 0)
            continue;
        const int64_t scale =
            nb_whole_find(count, value, offer_tolerance[t], limit, whole);
        if (scale > 0)
            NB_TRY(keeper->keep_weights(keeper->context, whole, scale, err));
    }
done:
    nb_delete(whole);
    return status;
}

enum nb_status
nb_oblivious_offer_plain(const struct nb_oblivious_case *here, int64_t weight,
                         const struct nb_oblivious_keeper *keeper,
                         struct nb_error *err)
{
    struct plain_work work = { .here = here, .weight = weight };
    enum nb_status status = NB_OK;
    work.channel = nb_pool_array(&work.pool, 2 * here->topology->router_count,
                                 sizeof *work.channel);
    NB_TRY(nb_pool_check(&work.pool, "a path", err));
    NB_TRY(nb_path_search_init(here->question->path_class, &work.search, err));
    NB_TRY(plain_find_short(&work, err));
    NB_TRY(keeper->keep_paths(keeper->context, &work.paths, err));
    if (here->question->path_class->paths == NB_PATHS_ANY) {
        NB_TRY(plain_find_ways(&work, err));
        NB_TRY(keeper->keep_paths(keeper->context, &work.paths, err));
    }
done:
    nb_path_search_release(&work.search);
    nb_path_table_release(&work.paths);
    nb_pool_release(&work.pool);
    return status;
}
