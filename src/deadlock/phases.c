/*
 * Dependencies of two-phase schemes, phase by phase (declared in waits.h):
 * first the routes to every intermediate router, then those from there to every
 * destination. The classes that packets hold when they reach an intermediate
 * router are stored by what the packets remember there. They wait for the first
 * hops of the second phase.
 */
#include "deadlock/waits.h"

#include "core/memory.h"
#include "routing/intermediates.h"
#include "routing/two_phase.h"
#include "topology/fabric.h"

/* With fewer routers than this, routes through a quadrant are walked as wholes:
 * that is fast enough and adds no dependencies. */
enum { PHASES_ROUTERS = 100 };

/* The states in which packets reach an intermediate router: what they remember
 * (0 is always included), their directions, and, by channel into the router,
 * the classes in which they are then held. */
struct phases_end {
    size_t count;
    uint32_t *memory;    /* [count] */
    uint32_t *direction; /* [count] direction class, 0 where there are none */
    uint64_t *held;      /* [count * channels into the router] */
};

struct phases_work {
    struct nb_waits *waits;
    size_t n;
    bool is_anywhere; /* or treated so: all pairs */
    uint32_t *turn;   /* [turn_count] intermediate routers */
    size_t turn_count;
    uint32_t directions;    /* direction classes that both phases keep */
    uint8_t *first;         /* [source * n + intermediate] taken */
    uint8_t *second;        /* [destination * n + intermediate] the same */
    struct phases_end *end; /* [router] */
    struct nb_pool pool;
};

bool nb_waits_has_phases(const struct nb_waits *waits)
{
    const struct nb_routing *routing = waits->classes->routing;
    return !nb_has_failures(waits->topology) && routing->phase != NULL &&
           !routing->phase->leaves_source && !routing->leaves_source &&
           !routing->is_progressive &&
           (routing->intermediate != NB_IN_QUADRANT ||
            waits->topology->router_count >= PHASES_ROUTERS) &&
           waits->classes->rule->escape == NULL;
}

static bool phases_takes(const struct phases_work *work, const uint8_t *marks,
                         uint32_t router, uint32_t intermediate)
{
    return work->is_anywhere || marks[router * work->n + intermediate] != 0;
}

static void phases_mark(uint8_t *mark)
{
    __atomic_store_n(mark, 1, __ATOMIC_RELAXED);
}

/* Marks the intermediate routers of all pairs of a source. Packets that go
 * straight begin the second phase at their source. */
static enum nb_status phases_mark_source(void *context, int thread,
                                         size_t index, struct nb_error *err)
{
    struct phases_work *work = context;
    const struct nb_routing *routing = work->waits->classes->routing;
    const uint32_t source = work->waits->source[index];
    struct nb_intermediates set;
    (void)thread, (void)err;
    for (size_t i = 0; i < work->waits->source_count; i++) {
        const uint32_t destination = work->waits->source[i];
        if (routing->direct > 0)
            phases_mark(&work->second[destination * work->n + source]);
        for (size_t s = 0; s < routing->sets; s++) {
            routing->find_intermediates(routing, s, source, destination, &set);
            for (uint64_t q = 0; q < set.count; q++) {
                const uint32_t router = nb_intermediates_router(&set, q);
                phases_mark(&work->first[source * work->n + router]);
                phases_mark(&work->second[destination * work->n + router]);
            }
        }
    }
    return NB_OK;
}

/* Finds the index of a direction class and memory in the list of an
 * intermediate router, adding it if new. */
static enum nb_status phases_find_memory(struct phases_end *end,
                                         uint32_t direction, uint32_t memory,
                                         size_t inputs, size_t *out,
                                         struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (*out = 0; *out < end->count; ++*out)
        if (end->memory[*out] == memory && end->direction[*out] == direction)
            return NB_OK;
    NB_TRY(nb_grow(&end->direction, end->count + 1, sizeof *end->direction,
                   "dependencies", err));
    NB_TRY(nb_grow(&end->memory, end->count + 1, sizeof *end->memory,
                   "dependencies", err));
    NB_TRY(nb_grow(&end->held, (end->count + 1) * inputs, sizeof *end->held,
                   "dependencies", err));
    end->direction[end->count] = direction;
    end->memory[end->count++] = memory;
    for (size_t i = 0; i < inputs; i++)
        end->held[*out * inputs + i] = 0;
done:
    return status;
}

/* The index of a channel among those into its target. */
static size_t phases_input(const struct nb_topology *topology, uint32_t channel)
{
    const uint32_t target = topology->channels[channel].target;
    size_t i = topology->in_start[target];
    while (topology->in_channel[i] != channel)
        i++;
    return i - topology->in_start[target];
}

/* Stores the classes held by packets that have reached the intermediate
 * router. */
static enum nb_status phases_keep(struct phases_work *work,
                                  const struct nb_walker *walker,
                                  uint32_t direction, struct nb_error *err)
{
    const struct nb_topology *topology = work->waits->topology;
    const uint32_t router = walker->destination;
    const size_t inputs =
        topology->in_start[router + 1] - topology->in_start[router];
    const bool forgets = work->waits->classes->rule->forgets_phase;
    struct phases_end *end = &work->end[router];
    size_t at;
    enum nb_status status = NB_OK;
    NB_TRY(phases_find_memory(end, direction, 0, inputs, &at, err));
    for (size_t h = 0; h < walker->hop_count; h++) {
        if (walker->hop[h].node == NB_NONE)
            continue;
        const struct nb_walk_node *node = &walker->node[walker->hop[h].node];
        if (node->router != router)
            continue;
        NB_TRY(phases_find_memory(end, direction, forgets ? 0 : node->memory,
                                  inputs, &at, err));
        end->held[at * inputs +
                  phases_input(topology, walker->hop[h].channel)] |=
            walker->hop_classes[h];
    }
done:
    return status;
}

/* Walks the first phases to an intermediate router, for one direction class. */
static enum nb_status phases_walk_to(struct phases_work *work,
                                     struct nb_waits_scratch *scratch,
                                     uint32_t router, uint32_t direction,
                                     struct nb_error *err)
{
    struct nb_waits *waits = work->waits;
    size_t count = 0;
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < waits->source_count; i++) {
        const uint32_t source = waits->source[i];
        if (source != router && phases_takes(work, work->first, source, router))
            scratch->begin[count++] = (struct nb_walk_begin){
                .state = nb_two_phase_through(waits->classes->routing,
                                              direction, source, router),
                .router = source,
            };
    }
    NB_TRY(
        nb_walker_from(&scratch->walker, router, scratch->begin, count, err));
    NB_TRY(nb_waits_add_walk(waits, scratch, 0, err));
    NB_TRY(phases_keep(work, &scratch->walker, direction, err));
done:
    return status;
}

static enum nb_status phases_walk_first(void *context, int thread, size_t index,
                                        struct nb_error *err)
{
    struct phases_work *work = context;
    struct nb_waits *waits = work->waits;
    struct nb_waits_scratch *scratch = &waits->scratch[thread];
    enum nb_status status = NB_OK;
    scratch->walker.keeps_missing =
        true; /* directions that do not lead there */
    NB_TRY(nb_reserve(&scratch->begin, &scratch->begin_room,
                      waits->source_count, sizeof *scratch->begin,
                      "dependencies", err));
    for (uint32_t d = 0; d < work->directions; d++)
        NB_TRY(phases_walk_to(work, scratch, work->turn[index], d, err));
done:
    return status;
}

/* Lists the nodes at which second phases begin. */
static enum nb_status phases_begin(const struct phases_work *work,
                                   struct nb_waits_scratch *scratch,
                                   uint32_t destination, size_t *count,
                                   struct nb_error *err)
{
    const struct nb_waits *waits = work->waits;
    enum nb_status status = NB_OK;
    *count = 0;
    for (size_t i = 0; i < work->turn_count; i++) {
        const uint32_t router = work->turn[i];
        const struct phases_end *end = &work->end[router];
        if (router == destination ||
            !phases_takes(work, work->second, destination, router))
            continue;
        NB_TRY(nb_reserve(&scratch->begin, &scratch->begin_room,
                          *count + end->count, sizeof *scratch->begin,
                          "dependencies", err));
        for (size_t m = 0; m < end->count; m++)
            scratch->begin[(*count)++] = (struct nb_walk_begin){
                .state = nb_two_phase_through(
                    waits->classes->routing, end->direction[m], router, router),
                .memory = end->memory[m],
                .router = router,
            };
    }
done:
    return status;
}

/* Classes held where a second phase begins wait for its first hops. memory: its
 * index in the router's list. */
static void phases_join(const struct phases_work *work,
                        const struct nb_walker *walker,
                        const struct nb_walk_begin *begin, size_t memory)
{
    const struct nb_topology *topology = work->waits->topology;
    const uint32_t first = topology->in_start[begin->router];
    const size_t inputs = topology->in_start[begin->router + 1] - first;
    const uint64_t *held = work->end[begin->router].held + memory * inputs;
    const uint32_t node =
        nb_walker_find(walker, begin->state, begin->memory, begin->router);
    for (size_t h = walker->node[node].first; h < walker->node[node + 1].first;
         h++) {
        const uint64_t wanted =
            nb_vc_classes_escape(work->waits->classes, walker->hop_classes[h]);
        for (size_t i = 0; i < inputs; i++)
            nb_waits_add(work->waits, topology->in_channel[first + i], held[i],
                         walker->hop[h].channel, wanted);
    }
}

/* Walks the second phases to a destination. */
static enum nb_status phases_walk_second(void *context, int thread,
                                         size_t index, struct nb_error *err)
{
    struct phases_work *work = context;
    struct nb_waits *waits = work->waits;
    struct nb_waits_scratch *scratch = &waits->scratch[thread];
    size_t count, memory = 0;
    enum nb_status status = NB_OK;
    NB_TRY(phases_begin(work, scratch, waits->source[index], &count, err));
    NB_TRY(nb_walker_from(&scratch->walker, waits->source[index],
                          scratch->begin, count, err));
    NB_TRY(nb_waits_add_walk(waits, scratch, 1, err));
    for (size_t b = 0; b < count; b++) {
        const bool is_same =
            b > 0 && scratch->begin[b].router == scratch->begin[b - 1].router;
        memory = is_same ? memory + 1 : 0;
        phases_join(work, &scratch->walker, &scratch->begin[b], memory);
    }
done:
    return status;
}

/* Lists the intermediate routers: those with terminals or, once each, the
 * switches of hosts. */
static void phases_list_turns(struct phases_work *work, bool at_switches)
{
    const struct nb_waits *waits = work->waits;
    for (size_t i = 0; i < waits->source_count; i++) {
        const uint32_t router =
            at_switches ? nb_turn_router(waits->topology, waits->source[i])
                        : waits->source[i];
        bool is_new = true;
        for (size_t k = 0; at_switches && k < work->turn_count && is_new; k++)
            is_new = work->turn[k] != router;
        if (is_new)
            work->turn[work->turn_count++] = router;
    }
}

static enum nb_status phases_init(struct nb_waits *waits,
                                  struct phases_work *out, struct nb_error *err)
{
    const struct nb_routing *routing = waits->classes->routing;
    const size_t n = waits->topology->router_count;
    *out = (struct phases_work){
        .waits = waits,
        .n = n,
        .is_anywhere = routing->intermediate != NB_IN_SET,
        .directions = routing->directions == routing->phase
                          ? (uint32_t)routing->class_count
                          : 1,
    };
    const size_t pairs = out->is_anywhere ? 0 : n * n;
    out->first = nb_pool_array(&out->pool, pairs, sizeof *out->first);
    out->second = nb_pool_array(&out->pool, pairs, sizeof *out->second);
    out->end = nb_pool_array(&out->pool, n, sizeof *out->end);
    out->turn = nb_pool_array(&out->pool, n, sizeof *out->turn);
    const enum nb_status status =
        nb_pool_check(&out->pool, "dependencies", err);
    if (status == NB_OK)
        phases_list_turns(out, nb_two_phase_turns_at_switches(routing));
    return status;
}

enum nb_status nb_waits_walk_phases(struct nb_waits *waits,
                                    const struct nb_run *run, bool *is_wider,
                                    struct nb_error *err)
{
    const size_t count = waits->source_count;
    struct phases_work work;
    enum nb_status status = NB_OK;
    NB_TRY(phases_init(waits, &work, err));
    *is_wider = waits->classes->routing->intermediate != NB_ANYWHERE;
    if (!work.is_anywhere)
        NB_TRY(nb_run_tasks(run, "intermediate routers", count,
                            phases_mark_source, &work, err));
    NB_TRY(nb_run_tasks(run, "first phases", work.turn_count, phases_walk_first,
                        &work, err));
    NB_TRY(nb_run_tasks(run, "second phases", count, phases_walk_second, &work,
                        err));
done:
    for (size_t r = 0; work.end != NULL && r < work.n; r++) {
        nb_delete(work.end[r].memory);
        nb_delete(work.end[r].direction);
        nb_delete(work.end[r].held);
    }
    nb_pool_release(&work.pool);
    return status;
}
