#include "load/necessary.h"

#include "core/memory.h"
#include "load/focus.h"
#include "routing/walker.h"

/* Scratch of one thread. */
struct necessary_scratch {
    struct nb_walker walker;
    uint32_t *parent; /* [node] */
    uint32_t *depth;  /* [node] in the tree */
    uint32_t *next;   /* [node] place of its next child */
};

/* The tasks: task t fills tree t. */
struct necessary_work {
    struct nb_necessary *necessary;
    struct nb_pool pool;
    uint32_t *endpoint;
    size_t endpoint_count;
    struct necessary_scratch *scratch;
};

/* The first node that all paths from both nodes pass. */
static uint32_t necessary_meet(const struct necessary_scratch *scratch,
                               uint32_t a, uint32_t b)
{
    while (a != b) {
        uint32_t *deeper = scratch->depth[a] > scratch->depth[b] ? &a : &b;
        *deeper = scratch->parent[*deeper];
    }
    return a;
}

/* Sets parents, depths and only channels; the destination is its own parent. */
static void necessary_find_parents(const struct necessary_scratch *scratch,
                                   uint32_t *only)
{
    const struct nb_walker *walker = &scratch->walker;
    for (size_t k = 0; k < walker->node_count; k++) {
        const uint32_t node = walker->order[k];
        const size_t first = walker->node[node].first;
        const size_t end = walker->node[node + 1].first;
        uint32_t parent = first < end ? walker->hop[first].node : node;
        for (size_t h = first + 1; h < end; h++)
            parent = necessary_meet(scratch, parent, walker->hop[h].node);
        scratch->parent[node] = parent;
        scratch->depth[node] = first < end ? scratch->depth[parent] + 1 : 0;
        if (end - first == 1)
            only[walker->node[node].router] = walker->hop[first].channel;
    }
}

/* Gives every subtree its places, in the order in which parents come before
 * their children. */
static void necessary_find_places(const struct necessary_scratch *scratch,
                                  uint32_t *place, uint32_t *extent,
                                  uint32_t *list)
{
    const struct nb_walker *walker = &scratch->walker;
    for (size_t k = walker->node_count; k-- > 0;) {
        const uint32_t node = walker->order[k];
        const uint32_t router = walker->node[node].router;
        const uint32_t parent = walker->node[scratch->parent[node]].router;
        extent[router]++;
        if (k > 0)
            extent[parent] += extent[router];
    }
    for (size_t k = 0; k < walker->node_count; k++) {
        const uint32_t node = walker->order[k];
        const uint32_t router = walker->node[node].router;
        uint32_t *next = &scratch->next[scratch->parent[node]];
        place[router] = k > 0 ? *next : 0;
        if (k > 0)
            *next += extent[router];
        scratch->next[node] = place[router] + 1;
        list[place[router]] = router;
    }
}

static enum nb_status necessary_task(void *context, int thread, size_t index,
                                     struct nb_error *err)
{
    const struct necessary_work *work = context;
    struct nb_necessary *necessary = work->necessary;
    struct necessary_scratch *scratch = &work->scratch[thread];
    const size_t n = necessary->topology->router_count;
    const size_t at = index * n;
    enum nb_status status = NB_OK;
    NB_TRY(nb_walker_go(&scratch->walker, necessary->root[index],
                        work->endpoint, work->endpoint_count, 0, 0, err));
    for (size_t r = 0; r < n; r++)
        necessary->only[at + r] = NB_NONE;
    necessary_find_parents(scratch, necessary->only + at);
    necessary_find_places(scratch, necessary->place + at,
                          necessary->extent + at, necessary->list + at);
done:
    return status;
}

/* One tree for each orbit of routers with sides, and the inverse maps. */
static enum nb_status necessary_name_trees(const struct nb_routing *routing,
                                           struct nb_necessary *out,
                                           struct nb_error *err)
{
    const size_t n = routing->topology->router_count;
    struct nb_pool *pool = &out->pool;
    enum nb_status status = NB_OK;
    NB_TRY(nb_vertex_orbits_find(routing, NB_ANY_SYMMETRY, &out->orbits, err));
    out->root = nb_pool_array(pool, n, sizeof(uint32_t));
    out->tree_of = nb_pool_array(pool, n, sizeof(uint32_t));
    if (out->orbits.map != NULL)
        out->inverse = nb_pool_array(pool, n * n, sizeof(uint32_t));
    NB_TRY(nb_pool_check(pool, "necessary channels", err));
    for (uint32_t r = 0; r < n; r++) { /* representatives come first */
        const uint32_t first = nb_orbits_least(&out->orbits.routers, r);
        const bool has_sides = out->side_start[r] < out->side_start[r + 1];
        if (has_sides && first == r)
            out->root[out->tree_count++] = r;
        out->tree_of[r] = !has_sides  ? NB_NONE
                          : first < r ? out->tree_of[first]
                                      : (uint32_t)out->tree_count - 1;
    }
    for (size_t r = 0; r < n && out->inverse != NULL; r++)
        for (size_t i = 0; i < n; i++)
            out->inverse[r * n + out->orbits.map[r * n + i]] = (uint32_t)i;
done:
    return status;
}

static enum nb_status necessary_reserve(struct nb_necessary *out,
                                        double scratch_bytes,
                                        struct nb_error *err)
{
    const char *what = "necessary channels";
    const size_t cells = out->tree_count * out->topology->router_count;
    enum nb_status status = NB_OK;
    NB_TRY(nb_memory_require(scratch_bytes + 16 * (double)cells, what, err));
    out->only = nb_pool_array(&out->pool, cells, sizeof(uint32_t));
    out->place = nb_pool_array(&out->pool, cells, sizeof(uint32_t));
    out->extent = nb_pool_array(&out->pool, cells, sizeof(uint32_t));
    out->list = nb_pool_array(&out->pool, cells, sizeof(uint32_t));
    NB_TRY(nb_pool_check(&out->pool, what, err));
done:
    return status;
}

/* Fills the trees, whose arrays are allocated. */
static enum nb_status necessary_fill(const struct nb_routing *routing,
                                     const struct nb_run *run, int threads,
                                     struct nb_necessary *out,
                                     struct nb_error *err)
{
    const size_t n = routing->topology->router_count;
    struct necessary_work work = { .necessary = out };
    struct nb_pool *pool = &work.pool;
    enum nb_status status = NB_OK;
    work.endpoint = nb_pool_array(pool, n, sizeof *work.endpoint);
    work.scratch = nb_pool_array(pool, (size_t)threads, sizeof *work.scratch);
    NB_TRY(nb_pool_check(pool, "scratch", err));
    work.endpoint_count = nb_endpoints(routing->topology, work.endpoint);
    for (int t = 0; t < threads; t++) {
        struct necessary_scratch *scratch = &work.scratch[t];
        scratch->parent = nb_pool_array(pool, n, sizeof(uint32_t));
        scratch->depth = nb_pool_array(pool, n, sizeof(uint32_t));
        scratch->next = nb_pool_array(pool, n, sizeof(uint32_t));
        NB_TRY(nb_walker_init(routing, NULL, &scratch->walker, err));
    }
    NB_TRY(nb_pool_check(pool, "necessary channels", err));
    NB_TRY(nb_run_tasks(run, "shortest paths", out->tree_count, necessary_task,
                        &work, err));
done:
    for (int t = 0; t < threads && work.scratch != NULL; t++)
        nb_walker_release(&work.scratch[t].walker);
    nb_pool_release(pool);
    return status;
}

enum nb_status nb_necessary_find(const struct nb_routing *routing,
                                 const struct nb_sides *sides,
                                 const struct nb_run *run,
                                 struct nb_necessary *out, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *out = (struct nb_necessary){ .sides = sides };
    NB_TRY(nb_routing_check(routing, err));
    const struct nb_topology *topology = routing->topology;
    const size_t n = topology->router_count;
    const int threads = nb_run_threads(run, n);
    const double bytes = 2 * nb_vertex_orbits_bytes(topology) +
                         nb_walker_bytes(routing) * threads;
    out->topology = topology;
    NB_TRY(nb_memory_require(bytes, "necessary channels", err));
    out->side_start = nb_pool_array(&out->pool, n + 1, sizeof(uint32_t));
    NB_TRY(nb_pool_check(&out->pool, "sides", err));
    for (size_t s = 0; s < sides->count; s++)
        out->side_start[sides->router[s] + 1]++;
    for (size_t r = 0; r < n; r++)
        out->side_start[r + 1] += out->side_start[r];
    NB_TRY(necessary_name_trees(routing, out, err));
    NB_TRY(necessary_reserve(out, bytes, err));
    NB_TRY(necessary_fill(routing, run, threads, out, err));
done:
    if (status != NB_OK)
        nb_necessary_release(out);
    return status;
}

void nb_necessary_release(struct nb_necessary *necessary)
{
    nb_vertex_orbits_release(&necessary->orbits);
    nb_pool_release(&necessary->pool);
    *necessary = (struct nb_necessary){ 0 };
}

/* Lists the sources of the pairs with this destination, if column is not NULL;
 * returns their number. */
static size_t necessary_sources(const struct nb_necessary *necessary,
                                uint32_t channel, uint32_t destination,
                                uint32_t *column)
{
    const struct nb_topology *topology = necessary->topology;
    const size_t n = topology->router_count;
    const size_t at = necessary->tree_of[destination] * n;
    const bool is_mapped =
        nb_orbits_least(&necessary->orbits.routers, destination) != destination;
    const uint32_t *map =
        is_mapped ? necessary->orbits.map + destination * n : NULL;
    const uint32_t seen =
        is_mapped ? nb_channel_image(
                        topology, necessary->inverse + destination * n, channel)
                  : channel;
    const uint32_t from = topology->channels[seen].source;
    size_t count = 0;
    if (necessary->only[at + from] != seen)
        return 0;
    const uint32_t *list = necessary->list + at + necessary->place[at + from];
    for (uint32_t k = 0; k < necessary->extent[at + from]; k++) {
        const uint32_t router = is_mapped ? map[list[k]] : list[k];
        const uint32_t end = necessary->side_start[router + 1];
        for (uint32_t s = necessary->side_start[router]; s < end; s++, count++)
            if (column != NULL)
                column[count] = s;
    }
    return count;
}

enum nb_status nb_necessary_pairs_find(const struct nb_necessary *necessary,
                                       uint32_t channel,
                                       struct nb_necessary_pairs *out,
                                       struct nb_error *err)
{
    const uint32_t *router = necessary->sides->router;
    const size_t sides = necessary->sides->count;
    enum nb_status status = NB_OK;
    *out = (struct nb_necessary_pairs){ 0 };
    NB_TRY(nb_new(&out->row_start, sides + 1, sizeof *out->row_start,
                  "necessary pairs", err));
    for (size_t s = 0; s < sides; s++)
        out->row_start[s + 1] =
            out->row_start[s] +
            necessary_sources(necessary, channel, router[s], NULL);
    NB_TRY(nb_new(&out->column, out->row_start[sides], sizeof *out->column,
                  "necessary pairs", err));
    for (size_t s = 0; s < sides; s++)
        necessary_sources(necessary, channel, router[s],
                          out->column + out->row_start[s]);
done:
    if (status != NB_OK)
        nb_necessary_pairs_release(out);
    return status;
}

void nb_necessary_pairs_release(struct nb_necessary_pairs *pairs)
{
    nb_delete(pairs->row_start);
    nb_delete(pairs->column);
    *pairs = (struct nb_necessary_pairs){ 0 };
}
