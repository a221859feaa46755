/* Helpers for patterns: permutations of coordinates and of index bits. */
#ifndef NB_TRAFFIC_PATTERN_H
#define NB_TRAFFIC_PATTERN_H

#include "traffic/traffic.h"

/* Changes a router's coordinates, in place, to those of its destination. */
typedef void nb_pattern_move(const struct nb_grid *grid, uint32_t *coordinate,
                             const void *context);

/* The destination of terminal `source` among 2^bits terminals. */
typedef uint32_t nb_pattern_bit_move(uint32_t source, unsigned bits);

/* The offset of a pattern in a dimension of the given radix. */
typedef uint32_t nb_pattern_step(uint32_t radix);

/* The value of "dims" and its row in a kind's table. */
extern const struct nb_parameter nb_pattern_dims[];

/* The coordinates for patterns, those of a HyperX included; NULL if the network
 * has none or a router has no terminals. */
const struct nb_grid *nb_pattern_grid(const struct nb_traffic_request *request);

/*
 * Every router's terminals send to those of the router at its moved
 * coordinates, terminal t to terminal t. A network without coordinates counts
 * as one dimension of terminals.
 *
 * move  a bijection of the grid's coordinates
 *
 * Errors: those of nb_traffic_add_map; NB_NO_MEMORY.
 */
enum nb_status nb_pattern_move_all(const struct nb_traffic_request *request,
                                   nb_pattern_move *move, const void *context,
                                   struct nb_traffic *out,
                                   struct nb_error *err);

/*
 * The same, step(k) places further, modulo k, in dimension 0 or in every
 * dimension.
 *
 * dims  "first" or "all"
 *
 * Errors: those of nb_pattern_move_all.
 */
enum nb_status nb_pattern_shift(const struct nb_traffic_request *request,
                                nb_pattern_step *step, const char *dims,
                                struct nb_traffic *out, struct nb_error *err);

/*
 * Every terminal sends to the terminal that move gives for its number, written
 * with log2(terminal_count) bits.
 *
 * Errors: NB_INVALID naming the number of terminals unless it is a power of
 * two; NB_NO_MEMORY.
 */
enum nb_status nb_pattern_move_bits(const struct nb_traffic_request *request,
                                    nb_pattern_bit_move *move,
                                    struct nb_traffic *out,
                                    struct nb_error *err);

/* The bits of source rotated left by places, 0 <= places <= bits <= 32. */
uint32_t nb_pattern_rotate(uint32_t source, unsigned bits, unsigned places);

#endif
