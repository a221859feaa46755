/*
 * gal: globally adaptive load-balanced routing. A router keeps the packets it
 * sends in queues, one for each destination and quadrant. A packet joins the
 * queue of the quadrant with the fewest hops among those that hold fewer
 * packets than the threshold; if there is none, the shortest queue. Within the
 * quadrant routing is adaptive.
 *
 * stable=yes varies the threshold of each pair of routers: it rises by one if
 * the pair's queues drained less than before, and falls otherwise. A threshold
 * at its maximum does not apply, so that all packets take shortest paths.
 * Source: [Singh2005, sections 5.1 and 5.2.4].
 */
#include "routing/quadrant_ways.h"

#include "core/memory.h"

/*
 * Every GAL_PERIOD cycles, the departures of the last GAL_WINDOW cycles are
 * compared with those of the window one period earlier. The overlap cancels:
 * what remains are the last period and the one that ended a window earlier,
 * both made of slots of GAL_SLOT cycles.
 */
enum {
    GAL_SLOT = 10,
    GAL_PERIOD = 20,                                  /* n_2 */
    GAL_WINDOW = 50,                                  /* n_1 */
    GAL_SLOTS = (GAL_WINDOW + GAL_PERIOD) / GAL_SLOT, /* slots kept */
    GAL_MOST = 65535,                                 /* [packet] */
};
_Static_assert(GAL_PERIOD == 2 * GAL_SLOT && GAL_WINDOW % GAL_SLOT == 0,
               "a period is the two slots that gal_adjust adds up");

struct gal_plan {
    struct nb_quadrant_ways ways;
    uint32_t threshold; /* [packet] minimum, if it varies */
    uint32_t most;      /* [packet] */
    bool is_stable;
};

/* The queues of a pair of routers. */
struct gal_set {
    uint16_t left[GAL_SLOTS]; /* [packet] departures in slot i modulo
                               * GAL_SLOTS */
    uint16_t raised;          /* [packet] threshold minus its minimum */
};

struct gal_memory {
    struct nb_quadrant_memory common;
    struct gal_set set[]; /* [source * router_count + destination] if stable */
};

static size_t gal_sets(const struct nb_routing *routing)
{
    const struct gal_plan *plan = routing->plan;
    const size_t n = routing->topology->router_count;
    return plan->is_stable ? n * n : 0;
}

static size_t gal_memory(const struct nb_routing *routing)
{
    return sizeof(struct gal_memory) +
           gal_sets(routing) * sizeof(struct gal_set);
}

static enum nb_status gal_build(struct nb_routing *out, struct nb_error *err)
{
    const struct nb_specification *given = &out->specification;
    const double n = (double)out->topology->router_count;
    const uint32_t threshold =
        (uint32_t)nb_specification_whole(given, "threshold");
    const uint32_t most = (uint32_t)nb_specification_whole(given, "most");
    const bool is_stable = nb_specification_is(given, "stable", "yes");
    enum nb_status status = NB_OK;
    if (is_stable && most < threshold)
        return nb_fail(err, NB_INVALID,
                       "routing gal: most=%u is below threshold=%u "
                       "(permitted: %u to %d)",
                       most, threshold, threshold, GAL_MOST);
    if (is_stable)
        NB_TRY(nb_memory_require(n * n * sizeof(struct gal_set),
                                 "thresholds of all pairs", err));
    NB_TRY(nb_quadrant_ways_build(out, sizeof(struct gal_plan), err));
    struct gal_plan *plan = out->plan;
    plan->threshold = threshold;
    plan->most = most;
    plan->is_stable = is_stable;
done:
    return status;
}

static struct gal_set *gal_set_of(const struct nb_routing *routing,
                                  const struct nb_view *view, uint32_t source,
                                  uint32_t destination)
{
    struct gal_memory *memory = view->memory;
    return memory->set + source * routing->topology->router_count + destination;
}

static bool gal_is_below(const struct nb_routing *routing,
                         const struct nb_view *view, uint32_t source,
                         uint32_t destination, uint32_t waiting)
{
    const struct gal_plan *plan = routing->plan;
    uint32_t threshold = plan->threshold;
    if (plan->is_stable)
        threshold += gal_set_of(routing, view, source, destination)->raised;
    return waiting < threshold || (plan->is_stable && threshold == plan->most);
}

static uint64_t gal_cost(const struct nb_routing *routing,
                         const struct nb_view *view, uint32_t source,
                         uint32_t destination,
                         const struct nb_candidate *candidate)
{
    const uint32_t waiting =
        view->waiting(view->network, source, destination, candidate->index);
    const bool is_below =
        gal_is_below(routing, view, source, destination, waiting);
    return nb_quadrant_ways_cost(routing, view, source, destination,
                                 candidate->index,
                                 is_below ? 0 : (uint64_t)waiting + 1);
}

static void gal_left(const struct nb_routing *routing,
                     const struct nb_view *view, uint32_t source,
                     uint32_t destination, uint64_t cycle)
{
    const struct gal_plan *plan = routing->plan;
    if (!plan->is_stable)
        return;
    uint16_t *left = &gal_set_of(routing, view, source, destination)
                          ->left[cycle / GAL_SLOT % GAL_SLOTS];
    if (*left < UINT16_MAX)
        (*left)++;
}

/* At the beginning of a slot, adjusts all thresholds by what departed before
 * it. The slots of the oldest period are the next to be counted in. */
static void gal_adjust(const struct nb_routing *routing,
                       const struct nb_view *view, uint64_t slot)
{
    const struct gal_plan *plan = routing->plan;
    struct gal_memory *memory = view->memory;
    const size_t oldest = slot % GAL_SLOTS;
    const size_t next_oldest = (slot + 1) % GAL_SLOTS;
    const size_t last = (slot + GAL_SLOTS - 1) % GAL_SLOTS;
    const size_t next_last = (slot + GAL_SLOTS - 2) % GAL_SLOTS;
    const size_t count = gal_sets(routing);
    for (size_t i = 0; i < count; i++) {
        struct gal_set *set = &memory->set[i];
        const uint32_t now = (uint32_t)set->left[last] + set->left[next_last];
        const uint32_t before =
            (uint32_t)set->left[oldest] + set->left[next_oldest];
        if (now < before && set->raised < plan->most - plan->threshold)
            set->raised++;
        if (now >= before && set->raised > 0)
            set->raised--;
        set->left[oldest] = set->left[next_oldest] = 0;
    }
}

static void gal_observe(const struct nb_routing *routing,
                        const struct nb_view *view, uint64_t cycle)
{
    nb_quadrant_ways_observe(routing, view, cycle);
    if ((cycle + 1) % GAL_PERIOD == 0)
        gal_adjust(routing, view, (cycle + 1) / GAL_SLOT);
}

static const struct nb_parameter gal_parameters[] = {
    NB_PARAMETER(
        "threshold", WHOLE, "2",
        "queue length, in packets, from which to take the next quadrant",
        .is_leading = true, .least = 1, .most = GAL_MOST),
    NB_PARAMETER("stable", CHOICE, "no",
                 "adjust the threshold to how fast the queues drain, starting "
                 "from the given value",
                 .choices = "no|yes"),
    NB_PARAMETER("most", WHOLE, "128",
                 "with stable=yes: largest threshold; pairs that reach it take "
                 "only shortest paths",
                 .least = 1, .most = GAL_MOST),
    { 0 },
};

const struct nb_routing_kind nb_routing_gal = {
    .kind = { .name = "gal",
              .summary = "quadrant of fewest hops with a short queue",
              .detail = "Rings and tori.",
              .family = NB_FAMILY_GRIDS,
              .parameters = gal_parameters },
    .examples = "gal@ring:6 gal@torus:4x3 gal:stable=yes@torus:3x3 "
                "gal:1@ring:5 gal:4,stable=yes,most=16@ring:4",
    .is_adaptive = true,
    .build = gal_build,
    .start = nb_quadrant_ways_start,
    .step = nb_quadrant_ways_step,
    .cost = gal_cost,
    .has_injection_queues = true,
    .memory = gal_memory,
    .left = gal_left,
    .observe = gal_observe,
};
