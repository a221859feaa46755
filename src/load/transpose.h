/* Transpose: rows and columns of a square matrix exchanged in place. */
#ifndef NB_LOAD_TRANSPOSE_H
#define NB_LOAD_TRANSPOSE_H

#include <stddef.h>
#include <stdint.h>

/* cell  [n * n] of eight bytes each; tile by tile, so that both sides of the
 * diagonal stay in cache. */
void nb_transpose(uint64_t *cell, size_t n);

#endif
