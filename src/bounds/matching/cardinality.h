/* Maximum-cardinality matching of a bipartite graph, with its proof. */
#ifndef NB_BOUNDS_CARDINALITY_H
#define NB_BOUNDS_CARDINALITY_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The partner of a vertex without one. */
#define NB_UNMATCHED UINT32_MAX

/*
 * A matching with the largest number of edges, and a vertex cover of the same
 * size, which no matching can exceed.
 *
 *     max |matching| = min |cover|   (Koenig)
 *
 * left_count     0 .. 2^32 - 2
 * right_count    0 .. 2^32 - 2
 * row_start      left_count + 1; left vertex i has the edges row_start[i] ..
 *                row_start[i+1] - 1; row_start[0] = 0, never decreasing
 * column         of each edge, its right vertex; an edge may occur twice
 * match_of_left  left_count, out; the partner or NB_UNMATCHED
 * left_cover     left_count, out; whether the vertex is in the cover
 * right_cover    right_count, out
 * size           out; edges of the matching = vertices of the cover
 *
 * Errors: NB_INVALID if the edges are not of this form; NB_NO_MEMORY.
 * Source: [HopcroftKarp1973]; cover: [Konig1931].
 */
enum nb_status nb_cardinality_matching(size_t left_count, size_t right_count,
                                       const size_t *row_start,
                                       const uint32_t *column,
                                       uint32_t *match_of_left,
                                       bool *left_cover, bool *right_cover,
                                       size_t *size, struct nb_error *err);

#endif
