#include "load/transpose.h"

enum { TRANSPOSE_TILE = 16 };

/* Exchanges one tile at or below the diagonal with its mirror image. */
static void transpose_tile(uint64_t *cell, size_t n, size_t row, size_t column)
{
    for (size_t i = row; i < row + TRANSPOSE_TILE && i < n; i++)
        for (size_t j = column; j < column + TRANSPOSE_TILE && j < i; j++) {
            const uint64_t kept = cell[i * n + j];
            cell[i * n + j] = cell[j * n + i];
            cell[j * n + i] = kept;
        }
}

void nb_transpose(uint64_t *cell, size_t n)
{
    for (size_t row = 0; row < n; row += TRANSPOSE_TILE)
        for (size_t column = 0; column <= row; column += TRANSPOSE_TILE)
            transpose_tile(cell, n, row, column);
}
