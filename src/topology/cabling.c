#include "topology/cabling.h"

#include "core/memory.h"
#include "topology/fabric.h"
#include "topology/switch_levels.h"

#include <stdlib.h>

enum { CABLING_ACROSS = 10 }; /* at most 1 cable in 10 within a level */

static const char cabling_what[] = "cabling";

/* A number, its kind, and its router or channel. */
struct cabling_number {
    struct nb_ratio value;
    uint32_t of;
    uint32_t kind;
};

/* A search; owns its array. */
struct cabling_work {
    const struct nb_topology *topology;
    struct nb_cabling *out;
    struct cabling_number *number;
    size_t count, room;
};

static bool cabling_joins_switches(const struct nb_cabling *cabling,
                                   const struct nb_channel *at)
{
    return cabling->level[at->source] != NB_NONE &&
           cabling->level[at->target] != NB_NONE;
}

/* Counts hosts. Until levels are found, every switch has level 0. */
static void cabling_count_hosts(const struct nb_topology *topology,
                                struct nb_cabling *out)
{
    for (uint32_t r = 0; r < topology->router_count; r++) {
        const bool is_switch = nb_is_switch(topology, r);
        out->level[r] = is_switch ? 0 : NB_NONE;
        if (!nb_has_hosts(topology))
            out->hosts[r] = is_switch ? topology->terminals[r] : 0;
    }
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *at = &topology->channels[c];
        if (nb_has_hosts(topology) && out->level[at->source] != NB_NONE)
            out->hosts[at->source] += topology->terminals[at->target];
    }
}

/* Whether a cable between switches stays within a level. All others join
 * neighbouring levels, unless channels lead one way. */
static bool cabling_is_across(const struct nb_cabling *cabling,
                              const struct nb_channel *at)
{
    const uint32_t from = cabling->level[at->source];
    const uint32_t to = cabling->level[at->target];
    return from + 1 != to && to + 1 != from;
}

static bool cabling_is_tree(const struct nb_topology *topology,
                            const struct nb_cabling *cabling)
{
    size_t count = 0, across = 0;
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *at = &topology->channels[c];
        if (!cabling_joins_switches(cabling, at))
            continue;
        count++;
        across += cabling_is_across(cabling, at);
    }
    return cabling->levels > 1 && CABLING_ACROSS * across <= count;
}

static enum nb_status cabling_add_odd(struct cabling_work *work,
                                      const struct nb_odd_cable *odd,
                                      struct nb_error *err)
{
    struct nb_cabling *out = work->out;
    const enum nb_status status =
        nb_reserve(&out->odd, &out->odd_room, out->odd_count + 1,
                   sizeof *out->odd, cabling_what, err);
    if (status == NB_OK)
        out->odd[out->odd_count++] = *odd;
    return status;
}

static enum nb_status cabling_add(struct cabling_work *work, uint32_t kind,
                                  uint32_t of, struct nb_ratio value,
                                  struct nb_error *err)
{
    const enum nb_status status =
        nb_reserve(&work->number, &work->room, work->count + 1,
                   sizeof *work->number, cabling_what, err);
    if (status == NB_OK)
        work->number[work->count++] =
            (struct cabling_number){ value, of, kind };
    return status;
}

static int cabling_compare(const void *left, const void *right)
{
    const struct cabling_number *a = left, *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    const int order = nb_ratio_compare(a->value, b->value);
    return order != 0 ? order : (a->of > b->of) - (a->of < b->of);
}

/* Whether more than half of the sorted numbers equal the middle one; if any
 * number is that frequent, it is the middle one. */
static bool cabling_is_usual(const struct cabling_number *number, size_t count)
{
    size_t alike = 0;
    for (size_t i = 0; i < count; i++)
        alike +=
            nb_ratio_compare(number[i].value, number[count / 2].value) == 0;
    return 2 * alike > count;
}

/* Adds a number that is not the usual one. */
static enum nb_status cabling_tell(struct cabling_work *work, enum nb_odd rule,
                                   const struct cabling_number *number,
                                   struct nb_ratio usual, struct nb_error *err)
{
    const bool is_channel = rule == NB_ODD_TRUNK || rule == NB_ODD_SPEED;
    const struct nb_channel *at =
        is_channel ? &work->topology->channels[number->of] : NULL;
    return cabling_add_odd(
        work,
        &(struct nb_odd_cable){ .rule = rule,
                                .at = is_channel ? at->source : number->of,
                                .to = is_channel ? at->target : NB_NONE,
                                .channel = is_channel ? number->of : NB_NONE,
                                .found = number->value,
                                .usual = usual },
        err);
}

/*
 * Adds the numbers that differ from the usual one of their kind, then empties
 * the list.
 *
 * missing  out: by how much they fall short in total; 0 for NB_ODD_SPEED
 */
static enum nb_status cabling_judge(struct cabling_work *work, enum nb_odd rule,
                                    uint64_t *missing, struct nb_error *err)
{
    size_t count;
    enum nb_status status = NB_OK;
    *missing = 0;
    if (work->count > 0)
        qsort(work->number, work->count, sizeof *work->number, cabling_compare);
    for (size_t first = 0; first < work->count; first += count) {
        const struct cabling_number *number = work->number + first;
        for (count = 1; first + count < work->count &&
                        number[count].kind == number[0].kind;)
            count++;
        const struct nb_ratio usual = number[count / 2].value;
        for (size_t i = 0; i < count && cabling_is_usual(number, count); i++) {
            const int order = nb_ratio_compare(number[i].value, usual);
            if (order != 0)
                NB_TRY(cabling_tell(work, rule, &number[i], usual, err));
            if (order < 0 && rule != NB_ODD_SPEED)
                *missing +=
                    (uint64_t)(usual.numerator - number[i].value.numerator);
        }
    }
    work->count = 0;
done:
    return status;
}

uint64_t nb_cabling_cables(const struct nb_topology *topology,
                           const struct nb_cabling *cabling, uint32_t router,
                           uint32_t level)
{
    uint64_t cables = 0;
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++)
        cables += cabling->level[topology->channels[c].target] == level;
    return cables;
}

/* Counts the cables of each switch to the level above, or below. */
static enum nb_status cabling_judge_levels(struct cabling_work *work,
                                           enum nb_odd rule, uint64_t *missing,
                                           struct nb_error *err)
{
    const struct nb_cabling *cabling = work->out;
    const uint32_t top = cabling->levels - 1;
    enum nb_status status = NB_OK;
    for (uint32_t r = 0; r < work->topology->router_count; r++) {
        const uint32_t level = cabling->level[r];
        if (level == NB_NONE || level == (rule == NB_ODD_UP ? top : 0))
            continue;
        const uint64_t cables =
            nb_cabling_cables(work->topology, cabling, r,
                              rule == NB_ODD_UP ? level + 1 : level - 1);
        NB_TRY(cabling_add(work, level, r, nb_ratio_make((nb_int128)cables, 1),
                           err));
    }
    NB_TRY(cabling_judge(work, rule, missing, err));
done:
    return status;
}

/* Counts the cables between two switches, from the lower number to the
 * higher. */
static enum nb_status cabling_judge_trunks(struct cabling_work *work,
                                           enum nb_odd rule, uint64_t *missing,
                                           struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    const struct nb_cabling *cabling = work->out;
    enum nb_status status = NB_OK;
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *at = &topology->channels[c];
        struct nb_ratio value = at->bandwidth;
        if (!cabling_joins_switches(cabling, at) || at->source > at->target ||
            (rule == NB_ODD_TRUNK && nb_channel_rank(topology, c) > 0))
            continue;
        const uint32_t from = cabling->level[at->source];
        const uint32_t to = cabling->level[at->target];
        uint32_t width = 1;
        while (nb_channel_find(topology, at->source, at->target, width) !=
               NB_NONE)
            width++;
        if (rule == NB_ODD_TRUNK)
            value = nb_ratio_make(width, 1);
        NB_TRY(cabling_add(work,
                           cabling->levels == 0 ? 0
                           : from < to          ? from
                                                : to,
                           c, value, err));
    }
    NB_TRY(cabling_judge(work, rule, missing, err));
done:
    return status;
}

static enum nb_status cabling_tell_hosts(struct cabling_work *work,
                                         struct nb_error *err)
{
    const struct nb_cabling *cabling = work->out;
    enum nb_status status = NB_OK;
    for (uint32_t r = 0; r < work->topology->router_count; r++) {
        const struct nb_odd_cable odd = {
            .rule = NB_ODD_HOSTS,
            .at = r,
            .to = NB_NONE,
            .channel = NB_NONE,
            .found = nb_ratio_make((nb_int128)cabling->hosts[r], 1),
            .usual = nb_ratio_zero,
        };
        if (cabling->level[r] != NB_NONE && cabling->level[r] > 0 &&
            cabling->hosts[r] > 0)
            NB_TRY(cabling_add_odd(work, &odd, err));
    }
done:
    return status;
}

static enum nb_status cabling_tell_across(struct cabling_work *work,
                                          struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    enum nb_status status = NB_OK;
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *at = &topology->channels[c];
        const struct nb_odd_cable odd = {
            .rule = NB_ODD_ACROSS,
            .at = at->source,
            .to = at->target,
            .channel = c,
            .found = nb_ratio_make(work->out->level[at->source], 1),
            .usual = nb_ratio_zero,
        };
        if (cabling_joins_switches(work->out, at) && at->source < at->target &&
            cabling_is_across(work->out, at))
            NB_TRY(cabling_add_odd(work, &odd, err));
    }
done:
    return status;
}

static enum nb_status cabling_tell_selves(struct cabling_work *work,
                                          struct nb_error *err)
{
    const struct nb_fabric *fabric = work->topology->fabric;
    enum nb_status status = NB_OK;
    for (size_t p = 0; fabric != NULL && p < fabric->port_count; p++) {
        const struct nb_fabric_port *port = &fabric->port[p];
        const struct nb_odd_cable odd = {
            .rule = NB_ODD_SELF,
            .at = port->router,
            .to = port->target,
            .channel = NB_NONE,
            .found = nb_ratio_make(port->port, 1),
            .usual = nb_ratio_make(port->target_port, 1),
        };
        if (port->router == port->target && port->port <= port->target_port &&
            !nb_router_has_failed(work->topology, port->router))
            NB_TRY(cabling_add_odd(work, &odd, err));
    }
done:
    return status;
}

enum nb_status nb_cabling_find(const struct nb_topology *topology,
                               struct nb_cabling *out, struct nb_error *err)
{
    const size_t n = topology->router_count;
    struct cabling_work work = { .topology = topology, .out = out };
    uint64_t up = 0, trunks = 0, ignored;
    enum nb_status status;
    *out = (struct nb_cabling){ 0 };
    NB_TRY(nb_new(&out->level, n, sizeof *out->level, cabling_what, err));
    NB_TRY(nb_new(&out->hosts, n, sizeof *out->hosts, cabling_what, err));
    cabling_count_hosts(topology, out);
    NB_TRY(nb_switch_levels_find(topology, out->hosts, out->level, &out->levels,
                                 err));
    if (!cabling_is_tree(topology, out)) {
        out->levels = 0;
    } else {
        NB_TRY(cabling_judge_levels(&work, NB_ODD_UP, &up, err));
        NB_TRY(cabling_judge_levels(&work, NB_ODD_DOWN, &ignored, err));
        NB_TRY(cabling_tell_hosts(&work, err));
        NB_TRY(cabling_tell_across(&work, err));
    }
    NB_TRY(cabling_judge_trunks(&work, NB_ODD_TRUNK, &trunks, err));
    NB_TRY(cabling_judge_trunks(&work, NB_ODD_SPEED, &ignored, err));
    NB_TRY(cabling_tell_selves(&work, err));
    out->missing = up > trunks ? up : trunks;
done:
    nb_delete(work.number);
    return status;
}

void nb_cabling_release(struct nb_cabling *cabling)
{
    nb_delete(cabling->level);
    nb_delete(cabling->hosts);
    nb_delete(cabling->odd);
    *cabling = (struct nb_cabling){ 0 };
}
