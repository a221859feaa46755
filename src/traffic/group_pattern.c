#include "traffic/group_pattern.h"

#include "core/try.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum nb_status
nb_group_pattern_require(const struct nb_traffic_request *request,
                         uint32_t least, struct nb_error *err)
{
    const struct nb_topology *topology = request->topology;
    const char *name = request->specification->kind->name;
    if (topology->groups.count == 0)
        return nb_fail(err, NB_INVALID,
                       "traffic %s needs groups; topology %s has none "
                       "(permitted: dragonfly, megafly, hyperx of 2 dimensions "
                       "or more, clos and fattree of 3 levels or more)",
                       name, topology->kind->kind.name);
    if (topology->groups.count < least)
        return nb_fail(err, NB_INVALID,
                       "traffic %s: the network has %" PRIu32
                       " group (permitted: at least %" PRIu32 ")",
                       name, topology->groups.count, least);
    for (size_t i = 0; i < request->endpoint_count; i++)
        if (topology->groups.of[request->endpoint[i]] == NB_NONE)
            return nb_fail(err, NB_INVALID,
                           "traffic %s: router %" PRIu32
                           " has terminals but is in no group (permitted: "
                           "every terminal in a group)",
                           name, request->endpoint[i]);
    return NB_OK;
}

static uint64_t
group_pattern_count_terminals(const struct nb_topology *topology,
                              uint32_t group)
{
    const struct nb_groups *groups = &topology->groups;
    uint64_t count = 0;
    for (uint32_t m = groups->start[group]; m < groups->start[group + 1]; m++)
        count += topology->terminals[groups->member[m]];
    return count;
}

enum nb_status
nb_group_pattern_terminals(const struct nb_traffic_request *request,
                           uint64_t *terminals, struct nb_error *err)
{
    const struct nb_topology *topology = request->topology;
    enum nb_status status;
    NB_TRY(nb_group_pattern_require(request, 2, err));
    *terminals = group_pattern_count_terminals(topology, 0);
    for (uint32_t g = 1; g < topology->groups.count; g++) {
        const uint64_t count = group_pattern_count_terminals(topology, g);
        if (count != *terminals)
            return nb_fail(err, NB_INVALID,
                           "traffic %s: group 0 has %" PRIu64
                           " terminals, group %" PRIu32 " has %" PRIu64
                           " (permitted: equal numbers, else some terminals "
                           "would receive more than one packet/cycle)",
                           request->specification->kind->name, *terminals, g,
                           count);
    }
done:
    return status;
}

static enum nb_status
group_pattern_refuse(const struct nb_traffic_request *request, const char *text,
                     const char *part, size_t length, uint32_t count,
                     size_t capacity, struct nb_error *err)
{
    char number[61] = "";
    memcpy(number, part, length < sizeof number ? length : sizeof number - 1);
    char permitted[64] = "a whole number";
    if (capacity > 1)
        snprintf(permitted, sizeof permitted,
                 "up to %zu whole numbers joined by \"+\", each", capacity);
    const uint32_t most = count - 1;
    return nb_fail(err, NB_INVALID,
                   "traffic %s: offset \"%s\" of \"%.60s\" is not permitted "
                   "(permitted: %s from 1 to %" PRIu32 " or from -%" PRIu32
                   " to -1)",
                   request->specification->kind->name, number, text, permitted,
                   most, most);
}

/* Reads text[0 .. length), which may begin with a minus. */
static bool group_pattern_offset_read(const char *text, size_t length,
                                      uint32_t count, int64_t *offset)
{
    char digits[16] = "";
    const bool is_negative = length > 0 && *text == '-';
    if (length >= sizeof digits)
        return false;
    memcpy(digits, text, length);
    const enum nb_status status = nb_integer_read(
        digits + is_negative, "offset", 1, (int64_t)count - 1, offset, NULL);
    if (is_negative && status == NB_OK)
        *offset = -*offset;
    return status == NB_OK;
}

enum nb_status
nb_group_pattern_offsets_read(const struct nb_traffic_request *request,
                              uint32_t count, size_t capacity, int64_t *offset,
                              size_t *offset_count, struct nb_error *err)
{
    const char *text = nb_specification_text(request->specification, "offset");
    *offset_count = 0;
    for (const char *part = text; part != NULL;) {
        const size_t length = strcspn(part, "+");
        if (*offset_count == capacity ||
            !group_pattern_offset_read(part, length, count,
                                       &offset[*offset_count]))
            return group_pattern_refuse(request, text, part, length, count,
                                        capacity, err);
        ++*offset_count;
        part = part[length] == '+' ? part + length + 1 : NULL;
    }
    return NB_OK;
}

uint32_t nb_group_pattern_shift(uint32_t index, int64_t offset, uint32_t count)
{
    return (uint32_t)((index + offset + count) % count);
}

enum nb_status nb_group_pattern_add(const struct nb_traffic_request *request,
                                    int64_t offset, struct nb_traffic *out,
                                    struct nb_error *err)
{
    const uint32_t *terminals = request->topology->terminals;
    const struct nb_groups *groups = &request->topology->groups;
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < request->endpoint_count; i++) {
        const uint32_t source = request->endpoint[i];
        const uint32_t group =
            nb_group_pattern_shift(groups->of[source], offset, groups->count);
        for (uint32_t m = groups->start[group]; m < groups->start[group + 1];
             m++) {
            const uint32_t target = groups->member[m];
            const uint64_t pairs =
                (uint64_t)terminals[source] * terminals[target];
            NB_TRY(nb_traffic_add(out, source, target, pairs, err));
        }
    }
done:
    return status;
}
