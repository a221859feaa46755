#include "routing/traffic_counts.h"

#include "core/try.h"

static size_t counts_size(const struct nb_routing *routing)
{
    return routing->topology->router_count * routing->topology->groups.count;
}

enum nb_status nb_counts_read(const struct nb_routing *routing,
                              struct nb_counts_plan *out, struct nb_error *err)
{
    const struct nb_specification *given = &routing->specification;
    *out = (struct nb_counts_plan){
        .window = (uint32_t)nb_specification_whole(given, "window"),
        .low = nb_ratio_value(nb_specification_ratio(given, "low")),
        .high = nb_ratio_value(nb_specification_ratio(given, "high")),
        .benign = (int32_t)nb_specification_whole(given, "benign"),
        .mixed = (int32_t)nb_specification_whole(given, "threshold"),
        .adverse = (int32_t)nb_specification_whole(given, "adverse"),
    };
    if (routing->topology->groups.count == 0)
        return nb_routing_refuse(
            routing, "a network of groups (permitted: such as dragonfly:h=2)",
            err);
    if (out->high < out->low)
        return nb_fail(err, NB_INVALID,
                       "routing %s: high=%g is below low=%g (permitted: %g and "
                       "more)",
                       routing->kind->kind.name, out->high, out->low, out->low);
    return NB_OK;
}

int32_t nb_counts_threshold(const struct nb_counts_plan *plan, double count)
{
    if (count < plan->low)
        return plan->benign;
    return count < plan->high ? plan->mixed : plan->adverse;
}

size_t nb_counts_memory(const struct nb_routing *routing,
                        const struct nb_counts_plan *plan)
{
    return sizeof(struct nb_counts) +
           counts_size(routing) * (2 * sizeof(uint32_t) + plan->window);
}

/* The counters of packets that left in a cycle. */
static uint8_t *counts_of_cycle(const struct nb_routing *routing,
                                struct nb_counts *counts, uint32_t cycle)
{
    const size_t size = counts_size(routing);
    return (uint8_t *)(counts->of_group + 2 * size) + cycle * size;
}

static size_t counts_place(const struct nb_routing *routing, uint32_t source,
                           uint32_t destination)
{
    const struct nb_groups *groups = &routing->topology->groups;
    return (size_t)source * groups->count + groups->of[destination];
}

void nb_counts_came(const struct nb_routing *routing, struct nb_counts *counts,
                    uint32_t source, uint32_t destination)
{
    counts->of_group[counts_place(routing, source, destination)]++;
}

void nb_counts_left(const struct nb_routing *routing, struct nb_counts *counts,
                    uint32_t source, uint32_t destination)
{
    const size_t place = counts_place(routing, source, destination);
    uint8_t *now = counts_of_cycle(routing, counts, counts->now);
    /* If queues do not count, no packet was counted as it came. */
    if (counts->of_group[place] > 0)
        counts->of_group[place]--;
    if (now[place] == UINT8_MAX)
        return;
    now[place]++;
    counts->of_group[counts_size(routing) + place]++;
}

void nb_counts_observe(const struct nb_routing *routing,
                       const struct nb_counts_plan *plan,
                       struct nb_counts *counts)
{
    const size_t size = counts_size(routing);
    counts->now = (counts->now + 1) % plan->window;
    uint8_t *first = counts_of_cycle(routing, counts, counts->now);
    uint32_t *left = counts->of_group + size;
    for (size_t i = 0; i < size; i++) {
        left[i] -= first[i];
        first[i] = 0;
    }
}
