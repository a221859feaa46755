#include "topology/global_links.h"

#include "core/memory.h"
#include "core/random.h"

#include <inttypes.h>

static enum nb_arrangement
global_links_arrangement(const struct nb_specification *specification)
{
    const char *name = "arrangement";
    if (nb_specification_is(specification, name, "random"))
        return NB_RANDOM;
    return nb_specification_is(specification, name, "consecutive") ||
                   nb_specification_is(specification, name, "absolute")
               ? NB_CONSECUTIVE
               : NB_PALMTREE;
}

enum nb_status
nb_global_links_read(const struct nb_specification *specification,
                     uint64_t routers, uint64_t ports,
                     struct nb_global_links *out, struct nb_error *err)
{
    const uint64_t most = routers * ports;
    *out = (struct nb_global_links){
        .groups = (uint64_t)nb_specification_whole(specification, "groups"),
        .routers = routers,
        .trunking = (uint64_t)nb_specification_whole(specification, "trunking"),
        .arrangement = global_links_arrangement(specification),
        .seed = (uint64_t)nb_specification_whole(specification, "seed"),
    };
    if (out->groups == 0)
        out->groups = most + 1;
    if (out->groups < 2 || out->groups > most + 1)
        return nb_fail(err, NB_INVALID,
                       "groups \"%" PRIu64 "\" is not permitted (permitted: "
                       "from 2 to %" PRIu64 ", one more than the global "
                       "channels of a group, or 0 for the most)",
                       out->groups, most + 1);
    const uint64_t fitting = most / (out->groups - 1);
    if (out->trunking == 0)
        out->trunking = fitting;
    if (out->trunking > fitting)
        return nb_fail(err, NB_INVALID,
                       "trunking \"%" PRIu64 "\" is not permitted (permitted: "
                       "from 1 to %" PRIu64 ", as a group has %" PRIu64
                       " global channels for %" PRIu64 " other groups, or 0 "
                       "for the most)",
                       out->trunking, fitting, most, out->groups - 1);
    return NB_OK;
}

uint64_t nb_global_links_count(const struct nb_global_links *links)
{
    return links->trunking * (links->groups - 1);
}

uint64_t nb_global_links_least(const struct nb_global_links *links)
{
    return nb_global_links_count(links) / links->routers;
}

uint64_t nb_global_links_most(const struct nb_global_links *links)
{
    return (nb_global_links_count(links) + links->routers - 1) / links->routers;
}

/* By the middle of the link's place; the second half mirrors the first. */
uint32_t nb_global_links_router(const struct nb_global_links *links, uint64_t l)
{
    const uint64_t count = nb_global_links_count(links);
    const bool is_first = 2 * l + 1 <= count;
    const uint64_t near = is_first ? l : count - 1 - l;
    const uint64_t j = (2 * near + 1) * links->routers / (2 * count);
    return (uint32_t)(is_first ? j : links->routers - 1 - j);
}

uint64_t nb_global_links_before(const struct nb_global_links *links, uint64_t j)
{
    const uint64_t count = nb_global_links_count(links), a = links->routers;
    return 2 * j <= a ? (2 * count * j + a - 1) / (2 * a)
                      : count - nb_global_links_before(links, a - j);
}

/* The other end of link l of a group, as group * count + link. */
static uint64_t global_links_end(const struct nb_global_links *links,
                                 uint64_t group, uint64_t l)
{
    const uint64_t others = links->groups - 1;
    const uint64_t count = nb_global_links_count(links);
    const uint64_t q = l % others;
    if (links->arrangement == NB_CONSECUTIVE) {
        const uint64_t to = q < group ? q : q + 1;
        return to * count + (l - q) + (group < to ? group : group - 1);
    }
    const uint64_t to = (group + others - q) % links->groups;
    return to * count + count - 1 - l;
}

enum nb_status nb_global_links_join(const struct nb_global_links *links,
                                    uint32_t first, struct nb_channel *channel,
                                    struct nb_error *err)
{
    const uint64_t count = nb_global_links_count(links);
    const bool is_random = links->arrangement == NB_RANDOM;
    uint32_t *place = NULL;
    enum nb_status status = NB_OK;
    if (is_random)
        NB_TRY(nb_new(&place, count, sizeof *place, "global links", err));
    for (uint64_t g = 0; g < links->groups; g++) {
        struct nb_random random;
        nb_random_init(&random, links->seed, g);
        if (is_random)
            nb_random_permutation(&random, (uint32_t)count, place);
        const uint32_t group = first + (uint32_t)(g * links->routers);
        for (uint64_t l = 0; l < count; l++)
            channel[g * count + l].source =
                group + nb_global_links_router(links, is_random ? place[l] : l);
    }
    for (uint64_t g = 0; g < links->groups; g++)
        for (uint64_t l = 0; l < count; l++)
            channel[g * count + l].target =
                channel[global_links_end(links, g, l)].source;
done:
    nb_delete(place);
    return status;
}

/* Links l and count - 1 - l are at mirrored routers for all l. */
static bool global_links_is_mirrored(const struct nb_global_links *links)
{
    return nb_global_links_count(links) % 2 == 0 || links->routers % 2 == 1;
}

/* Reversing groups and links keeps both arrangements: with l, q also becomes
 * groups - 2 - q, and the group that link l leads to is reversed along with
 * i. */
enum nb_group_move nb_global_links_symmetry(const struct nb_global_links *links,
                                            size_t index)
{
    const bool is_palmtree = links->arrangement == NB_PALMTREE;
    if (links->arrangement == NB_RANDOM)
        return NB_NO_MOVE;
    if (is_palmtree && index == 0)
        return NB_ROTATION;
    return index == is_palmtree && global_links_is_mirrored(links) ? NB_REVERSAL
                                                                   : NB_NO_MOVE;
}

uint32_t nb_global_links_move(const struct nb_global_links *links,
                              enum nb_group_move move, uint32_t number)
{
    const uint32_t all = (uint32_t)(links->groups * links->routers);
    if (move == NB_ROTATION)
        return (uint32_t)((number + links->routers) % all);
    return move == NB_REVERSAL ? all - 1 - number : number;
}
