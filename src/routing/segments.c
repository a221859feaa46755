#include "routing/segments.h"

#include "core/memory.h"
#include "core/random.h"

struct segment_work {
    const struct nb_topology *topology;
    struct nb_turns *turns;
    struct nb_segment_counts *counts;
    struct nb_random random;
    bool is_shortest;
    struct nb_pool pool;
    bool *is_used;    /* [channel] its link is in a segment */
    uint32_t *subnet; /* [router] its subnet; NB_NONE: none */
    bool *is_alone;   /* [router] in no subnet, since it is on no cycle */
    uint32_t *met;    /* [router] the last search that met it */
    uint32_t *before; /* [router] the channel by which it was met */
    uint32_t *queue;  /* [router] */
    uint32_t *member; /* [member_count] the subnet's routers; those from head on
                       * may have unused links */
    uint32_t *order;  /* [channel_count] channels of a router, in random
                       * order */
    uint32_t *segment; /* [router_count + 1] its channels */
    uint32_t searches;
    size_t member_count, head;
};

static enum nb_status segment_init(struct segment_work *work,
                                   struct nb_error *err)
{
    const size_t n = work->topology->router_count;
    const size_t m = work->topology->channel_count;
    struct nb_pool *pool = &work->pool;
    work->is_used = nb_pool_array(pool, m, sizeof *work->is_used);
    work->subnet = nb_pool_array(pool, n, sizeof *work->subnet);
    work->is_alone = nb_pool_array(pool, n, sizeof *work->is_alone);
    work->met = nb_pool_array(pool, n, sizeof *work->met);
    work->before = nb_pool_array(pool, n, sizeof *work->before);
    work->queue = nb_pool_array(pool, m + 1, sizeof *work->queue);
    work->member = nb_pool_array(pool, n, sizeof *work->member);
    work->order = nb_pool_array(pool, m, sizeof *work->order);
    work->segment = nb_pool_array(pool, n + 1, sizeof *work->segment);
    for (size_t r = 0; r < n && work->subnet != NULL; r++)
        work->subnet[r] = NB_NONE;
    return nb_pool_check(pool, "segments", err);
}

/* Marks all channels of a link. */
static void segment_use(struct segment_work *work, uint32_t channel)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t a = topology->channels[channel].source;
    const uint32_t b = topology->channels[channel].target;
    for (uint32_t c = topology->out_start[a]; c < topology->out_start[a + 1];
         c++)
        if (topology->channels[c].target == b)
            work->is_used[c] = true;
    for (uint32_t c = topology->out_start[b]; c < topology->out_start[b + 1];
         c++)
        if (topology->channels[c].target == a)
            work->is_used[c] = true;
}

/* Lists the channels out of a router, in random order unless the shortest
 * segment is wanted; returns their number. */
static size_t segment_list(struct segment_work *work, uint32_t router,
                           uint32_t *order)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t first = topology->out_start[router];
    const size_t count = topology->out_start[router + 1] - first;
    for (size_t i = 0; i < count; i++) {
        const size_t j = work->is_shortest
                             ? i
                             : nb_random_below(&work->random, (uint64_t)i + 1);
        order[i] = order[j];
        order[j] = first + (uint32_t)i;
    }
    return count;
}

/*
 * Searches for the subnet from the end of a channel that leads from the subnet
 * to a router outside it, over unused links and routers in no subnet:
 * breadth-first for the shortest, else depth-first. Returns the number of
 * channels of the segment, which it lists; 0 if there is no path.
 */
static size_t segment_search(struct segment_work *work, uint32_t channel,
                             uint32_t subnet)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t root = topology->channels[channel].source;
    const uint32_t begin = topology->channels[channel].target;
    size_t head = 0, tail = 1, length = 0;
    work->searches++;
    work->met[begin] = work->searches;
    work->before[begin] = channel;
    work->queue[0] = begin;
    while (head < tail) {
        const uint32_t r =
            work->is_shortest ? work->queue[head++] : work->queue[--tail];
        const size_t count = segment_list(work, r, work->order);
        for (size_t i = 0; i < count; i++) {
            const uint32_t c = work->order[i];
            const uint32_t to = topology->channels[c].target;
            const bool is_back = r == begin && to == root;
            if (work->is_used[c] || is_back ||
                to == topology->channels[work->before[r]].source)
                continue;
            if (work->subnet[to] == subnet) {
                work->segment[length++] = c;
                for (uint32_t at = r; at != root;
                     at = topology->channels[work->before[at]].source)
                    work->segment[length++] = work->before[at];
                return length;
            }
            if (work->subnet[to] != NB_NONE || work->is_alone[to] ||
                work->met[to] == work->searches)
                continue;
            work->met[to] = work->searches;
            work->before[to] = c;
            work->queue[tail++] = to;
        }
    }
    return 0;
}

static bool segment_is_end(const struct nb_topology *topology, uint32_t router)
{
    const uint32_t first = topology->out_start[router];
    for (uint32_t c = first; c < topology->out_start[router + 1]; c++)
        if (topology->channels[c].target != topology->channels[first].target)
            return false;
    return true;
}

/* Prohibits the turns at a router between its links to two other routers. */
static void segment_prohibit(struct segment_work *work, uint32_t router,
                             uint32_t one, uint32_t other)
{
    const struct nb_topology *topology = work->topology;
    for (uint32_t i = topology->in_start[router];
         i < topology->in_start[router + 1]; i++) {
        const uint32_t from = topology->in_channel[i];
        const uint32_t source = topology->channels[from].source;
        if (source != one && source != other)
            continue;
        for (uint32_t o = topology->out_start[router];
             o < topology->out_start[router + 1]; o++)
            if (topology->channels[o].target == (source == one ? other : one))
                work->turns->is_permitted[nb_turn(work->turns, from, o)] =
                    false;
    }
}

static void segment_prohibit_unitary(struct segment_work *work,
                                     uint32_t channel)
{
    const struct nb_topology *topology = work->topology;
    uint32_t at = topology->channels[channel].source;
    uint32_t far = topology->channels[channel].target;
    if (far < at) {
        at = far;
        far = topology->channels[channel].source;
    }
    for (uint32_t c = topology->out_start[at]; c < topology->out_start[at + 1];
         c++) {
        const uint32_t to = topology->channels[c].target;
        if (to != far && !segment_is_end(topology, to))
            segment_prohibit(work, at, far, to);
    }
}

/* Adds the segment's channels to the subnet, from the last one on. */
static void segment_keep(struct segment_work *work, size_t length,
                         uint32_t subnet)
{
    const struct nb_topology *topology = work->topology;
    for (size_t i = length; i-- > 0;) {
        const uint32_t to = topology->channels[work->segment[i]].target;
        segment_use(work, work->segment[i]);
        if (work->subnet[to] != NB_NONE)
            continue;
        work->subnet[to] = subnet;
        work->member[work->member_count++] = to;
    }
    if (length == 1) {
        segment_prohibit_unitary(work, work->segment[0]);
        work->counts->unitary++;
        return;
    }
    const struct nb_channel *first =
        &topology->channels[work->segment[length - 1]];
    segment_prohibit(work, first->target, first->source,
                     topology->channels[work->segment[length - 2]].target);
}

/* Finds a segment from a router of the subnet; false if there is none. */
static bool segment_find(struct segment_work *work, uint32_t router,
                         uint32_t subnet)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t first = topology->out_start[router];
    const size_t count = topology->out_start[router + 1] - first;
    const size_t turn =
        work->is_shortest ? 0 : nb_random_below(&work->random, count);
    uint32_t best = NB_NONE;
    size_t least = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t c = first + (uint32_t)((i + turn) % count);
        if (work->is_used[c])
            continue;
        const bool is_unitary =
            work->subnet[topology->channels[c].target] == subnet;
        const size_t length = is_unitary ? 1 : segment_search(work, c, subnet);
        if (length == 0 || (best != NB_NONE && length >= least))
            continue;
        best = c;
        least = length;
        if (!work->is_shortest)
            break;
    }
    if (best == NB_NONE)
        return false;
    if (least == 1)
        work->segment[0] = best;
    else if (work->is_shortest)
        segment_search(work, best, subnet);
    if (least > 1 && work->member_count == 1)
        work->counts->starting++;
    else if (least > 1)
        work->counts->regular++;
    segment_keep(work, least, subnet);
    return true;
}

/* Grows a subnet from a router; a router on no cycle has none. */
static void segment_grow(struct segment_work *work, uint32_t start)
{
    const uint32_t subnet = (uint32_t)work->counts->subnets;
    work->subnet[start] = subnet;
    work->member[0] = start;
    work->member_count = 1;
    if (!segment_find(work, start, subnet)) {
        work->subnet[start] = NB_NONE;
        work->is_alone[start] = true;
        return;
    }
    work->counts->subnets++;
    for (work->head = 0; work->head < work->member_count;) {
        uint32_t *member = work->member + work->head;
        const size_t left = work->member_count - work->head;
        const size_t i =
            work->is_shortest ? 0 : nb_random_below(&work->random, left);
        const uint32_t router = member[i];
        member[i] = member[0];
        member[0] = router;
        work->head += !segment_find(work, router, subnet);
    }
}

/* Finds a router that is in no subnet, preferably next to one that is. */
static uint32_t segment_find_start(struct segment_work *work)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t n = (uint32_t)topology->router_count;
    const uint32_t turn =
        work->is_shortest ? 0 : (uint32_t)nb_random_below(&work->random, n);
    uint32_t any = NB_NONE;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t r = (i + turn) % n;
        if (work->subnet[r] != NB_NONE || work->is_alone[r] ||
            topology->out_start[r + 1] == topology->out_start[r])
            continue;
        any = any == NB_NONE ? r : any;
        for (uint32_t c = topology->out_start[r];
             c < topology->out_start[r + 1]; c++) {
            const uint32_t to = topology->channels[c].target;
            if (work->subnet[to] != NB_NONE || work->is_alone[to])
                return r;
        }
    }
    return any;
}

enum nb_status nb_segments_find(const struct nb_topology *topology,
                                bool is_shortest, uint64_t seed,
                                struct nb_turns *turns,
                                struct nb_segment_counts *counts,
                                struct nb_error *err)
{
    struct segment_work work = { .topology = topology,
                                 .turns = turns,
                                 .counts = counts,
                                 .is_shortest = is_shortest };
    *counts = (struct nb_segment_counts){ 0 };
    nb_random_init(&work.random, seed, 0);
    const enum nb_status status = segment_init(&work, err);
    if (status == NB_OK)
        for (uint32_t start; (start = segment_find_start(&work)) != NB_NONE;)
            segment_grow(&work, start);
    nb_pool_release(&work.pool);
    return status;
}
