/* Helpers for group patterns: traffic from group to group, at fixed offsets. */
#ifndef NB_TRAFFIC_GROUP_PATTERN_H
#define NB_TRAFFIC_GROUP_PATTERN_H

#include "traffic/traffic.h"

/*
 * Refuses networks whose terminals are not all in groups.
 *
 * least  the fewest groups for which the pattern is defined
 *
 * Errors: NB_INVALID naming the topology, the number of its groups or the
 * router.
 */
enum nb_status
nb_group_pattern_require(const struct nb_traffic_request *request,
                         uint32_t least, struct nb_error *err);

/*
 * The terminals per group, which must be the same in all groups; otherwise
 * traffic from group to group is not admissible.
 *
 * terminals  out
 *
 * Errors: those of nb_group_pattern_require for two groups; NB_INVALID naming
 * two groups that differ.
 */
enum nb_status
nb_group_pattern_terminals(const struct nb_traffic_request *request,
                           uint64_t *terminals, struct nb_error *err);

/*
 * Reads the setting "offset": whole numbers joined by +; each may be negative,
 * but none may be a multiple of count.
 *
 * count     number of items that the offsets wrap around, >= 2
 * capacity  of offset
 * offset    out, [offset_count], each in 1-count .. -1 or 1 .. count-1
 *
 * Errors: NB_INVALID naming the text, the number and what is permitted.
 */
enum nb_status
nb_group_pattern_offsets_read(const struct nb_traffic_request *request,
                              uint32_t count, size_t capacity, int64_t *offset,
                              size_t *offset_count, struct nb_error *err);

/* (index + offset) mod count, for -count < offset < count. */
uint32_t nb_group_pattern_shift(uint32_t index, int64_t offset, uint32_t count);

/*
 * Every terminal of group g sends 1 to each terminal of group g + offset
 * modulo the number of groups G: adds
 *
 *     weight(i, j) = terminals_i terminals_j
 *
 * for routers i of group g and j of group (g + offset) mod G.
 *
 * offset  -G < offset < G
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_group_pattern_add(const struct nb_traffic_request *request,
                                    int64_t offset, struct nb_traffic *out,
                                    struct nb_error *err);

#endif
