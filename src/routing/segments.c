#include "routing/segments.h"

#include "core/memory.h"
#include "core/random.h"

struct segment_work {
    const struct nb_topology *topology;
    struct nb_turns *turns;
    struct nb_segment_counts *counts;
    struct nb_random random;
    bool is_shortest; /* searches find the shortest segment */
    bool is_drawn;    /* the order of routers and links is */
    bool draws_turns; /* which turn of a segment is prohibited, too; and another
                       * router is drawn only when one has no segment left */
    const struct nb_segment_rule *rule;
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
                       * order; of a walk, those of all its routers */
    uint32_t *listed; /* [router_count] of a walk: where those of its routers
                       * begin */
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
    work->listed = nb_pool_array(pool, n, sizeof *work->listed);
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

/* Lists the channels out of a router, in random order if they are drawn;
 * returns their number. */
static size_t segment_list(struct segment_work *work, uint32_t router,
                           uint32_t *order)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t first = topology->out_start[router];
    const size_t count = topology->out_start[router + 1] - first;
    for (size_t i = 0; i < count; i++) {
        const size_t j = work->is_drawn
                             ? nb_random_below(&work->random, (uint64_t)i + 1)
                             : i;
        order[i] = order[j];
        order[j] = first + (uint32_t)i;
    }
    return count;
}

/* Whether a path that has come to a router may go on over a channel: its link
 * is unused, and does not lead back. */
static bool segment_may_take(const struct segment_work *work, uint32_t router,
                             uint32_t channel)
{
    const struct nb_channel *channels = work->topology->channels;
    return !work->is_used[channel] &&
           channels[channel].target != channels[work->before[router]].source;
}

/* Whether the path may visit a router, which then counts as met. */
static bool segment_meet(struct segment_work *work, uint32_t channel)
{
    const uint32_t to = work->topology->channels[channel].target;
    if (work->subnet[to] != NB_NONE || work->is_alone[to] ||
        work->met[to] == work->searches)
        return false;
    work->met[to] = work->searches;
    work->before[to] = channel;
    return true;
}

/* Lists the channels from the last one back to the root; returns their
 * number. */
static size_t segment_trace(struct segment_work *work, uint32_t root,
                            uint32_t last)
{
    const struct nb_channel *channels = work->topology->channels;
    size_t length = 0;
    work->segment[length++] = last;
    for (uint32_t at = channels[last].source; at != root;
         at = channels[work->before[at]].source)
        work->segment[length++] = work->before[at];
    return length;
}

/* Breadth-first for the shortest segment, else from the last router met. */
static size_t segment_search(struct segment_work *work, uint32_t channel,
                             uint32_t subnet)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t root = topology->channels[channel].source;
    size_t head = 0, tail = 1;
    work->queue[0] = topology->channels[channel].target;
    while (head < tail) {
        const uint32_t r =
            work->is_shortest ? work->queue[head++] : work->queue[--tail];
        const size_t count = segment_list(work, r, work->order);
        for (size_t i = 0; i < count; i++) {
            const uint32_t c = work->order[i];
            const uint32_t to = topology->channels[c].target;
            if (!segment_may_take(work, r, c))
                continue;
            if (work->subnet[to] == subnet)
                return segment_trace(work, root, c);
            if (segment_meet(work, c))
                work->queue[tail++] = to;
        }
    }
    return 0;
}

/* A walk that visits no router twice; from a dead end it steps back. The
 * channels not yet tried of its routers lie in one array, router after
 * router. */
static size_t segment_walk(struct segment_work *work, uint32_t channel,
                           uint32_t subnet)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t root = topology->channels[channel].source;
    size_t height = 1, left = 0;
    work->queue[0] = topology->channels[channel].target;
    work->listed[0] = 0;
    left += segment_list(work, work->queue[0], work->order);
    while (height > 0) {
        const uint32_t r = work->queue[height - 1];
        if (left == work->listed[height - 1]) {
            height--;
            continue;
        }
        const uint32_t c = work->order[--left];
        const uint32_t to = topology->channels[c].target;
        if (!segment_may_take(work, r, c))
            continue;
        if (work->subnet[to] == subnet)
            return segment_trace(work, root, c);
        if (!segment_meet(work, c))
            continue;
        work->queue[height] = to;
        work->listed[height++] = (uint32_t)left;
        left += segment_list(work, to, work->order + left);
    }
    return 0;
}

/*
 * Searches for the subnet from the end of a channel that leads from the subnet
 * to a router outside it, over unused links and routers in no subnet. Returns
 * the number of channels of the segment, which it lists; 0 if there is no path.
 */
static size_t segment_reach(struct segment_work *work, uint32_t channel,
                            uint32_t subnet)
{
    work->searches++;
    if (!segment_meet(work, channel))
        return 0;
    return work->rule->search == NB_SEGMENTS_WALK
               ? segment_walk(work, channel, subnet)
               : segment_search(work, channel, subnet);
}

static bool segment_is_end(const struct nb_topology *topology, uint32_t router)
{
    const uint32_t first = topology->out_start[router];
    for (uint32_t c = first; c < topology->out_start[router + 1]; c++)
        if (topology->channels[c].target != topology->channels[first].target)
            return false;
    return true;
}

/* Prohibits the turns at a router from one to another of two neighbours; unless
 * one-way, also those in the other direction. */
static void segment_prohibit(struct segment_work *work, uint32_t router,
                             uint32_t one, uint32_t other, bool is_one_way)
{
    const struct nb_topology *topology = work->topology;
    for (uint32_t i = topology->in_start[router];
         i < topology->in_start[router + 1]; i++) {
        const uint32_t from = topology->in_channel[i];
        const uint32_t source = topology->channels[from].source;
        if (source != one && (source != other || is_one_way))
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
    if (work->draws_turns ? nb_random_below(&work->random, 2) > 0 : far < at) {
        at = far;
        far = topology->channels[channel].source;
    }
    for (uint32_t c = topology->out_start[at]; c < topology->out_start[at + 1];
         c++) {
        const uint32_t to = topology->channels[c].target;
        if (to != far && !segment_is_end(topology, to))
            segment_prohibit(work, at, far, to, work->rule->is_one_way);
    }
}

/* Prohibits the turn at one of a segment's routers, except its two ends. */
static void segment_prohibit_regular(struct segment_work *work, size_t length)
{
    const struct nb_channel *channels = work->topology->channels;
    const size_t i =
        work->draws_turns
            ? 1 + nb_random_below(&work->random, (uint64_t)length - 1)
            : length - 1;
    const struct nb_channel *to = &channels[work->segment[i]];
    segment_prohibit(work, to->target, to->source,
                     channels[work->segment[i - 1]].target, false);
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
    segment_prohibit_regular(work, length);
}

/* Finds a segment from a router of the subnet; false if there is none. */
static bool segment_find(struct segment_work *work, uint32_t router,
                         uint32_t subnet)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t first = topology->out_start[router];
    const size_t count = topology->out_start[router + 1] - first;
    const size_t turn =
        work->is_drawn ? nb_random_below(&work->random, count) : 0;
    const bool takes_first =
        !work->is_shortest || (work->is_drawn && work->member_count == 1);
    uint32_t best = NB_NONE;
    size_t least = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t c = first + (uint32_t)((i + turn) % count);
        if (work->is_used[c])
            continue;
        const bool is_unitary =
            work->subnet[topology->channels[c].target] == subnet;
        const size_t length = is_unitary ? 1 : segment_reach(work, c, subnet);
        if (length == 0 || (best != NB_NONE && length >= least))
            continue;
        best = c;
        least = length;
        if (takes_first)
            break;
    }
    if (best == NB_NONE)
        return false;
    if (least == 1)
        work->segment[0] = best;
    else if (!takes_first)
        segment_reach(work, best, subnet);
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
    work->counts->starts++;
    if (!segment_find(work, start, subnet)) {
        work->subnet[start] = NB_NONE;
        work->is_alone[start] = true;
        return;
    }
    work->counts->subnets++;
    bool draws = work->rule->search == NB_SEGMENTS_RANDOM;
    for (work->head = 0; work->head < work->member_count;) {
        uint32_t *member = work->member + work->head;
        const size_t left = work->member_count - work->head;
        const size_t i = draws ? nb_random_below(&work->random, left) : 0;
        const uint32_t router = member[i];
        member[i] = member[0];
        member[0] = router;
        const bool is_found = segment_find(work, router, subnet);
        work->head += !is_found;
        if (work->draws_turns)
            draws = !is_found;
    }
}

/* Finds a router that is in no subnet, preferably next to one that is. */
static uint32_t segment_find_start(struct segment_work *work)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t n = (uint32_t)topology->router_count;
    const uint32_t turn =
        work->is_drawn ? (uint32_t)nb_random_below(&work->random, n) : 0;
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
                                const struct nb_segment_rule *rule,
                                struct nb_turns *turns,
                                struct nb_segment_counts *counts,
                                struct nb_error *err)
{
    const enum nb_segment_search search = rule->search;
    struct segment_work work = {
        .topology = topology,
        .turns = turns,
        .counts = counts,
        .rule = rule,
        .is_shortest = search == NB_SEGMENTS_SHORTEST ||
                       search == NB_SEGMENTS_SHORTEST_DRAWN,
        .is_drawn = search != NB_SEGMENTS_SHORTEST,
        .draws_turns =
            search == NB_SEGMENTS_SHORTEST_DRAWN || search == NB_SEGMENTS_WALK
    };
    *counts = (struct nb_segment_counts){ 0 };
    nb_random_init(&work.random, rule->seed, 0);
    const enum nb_status status = segment_init(&work, err);
    if (status == NB_OK)
        for (uint32_t start; (start = segment_find_start(&work)) != NB_NONE;)
            segment_grow(&work, start);
    nb_pool_release(&work.pool);
    return status;
}
