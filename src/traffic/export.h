/* Permutations as files that this program and simulators read. */
#ifndef NB_TRAFFIC_EXPORT_H
#define NB_TRAFFIC_EXPORT_H

#include "core/status.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Writes a permutation of terminals, the format by the file's ending:
 *
 *     .csv               "source,destination", then a line per terminal
 *     .json              {"size": N, "matrix": [[rate, ...], ...]}
 *     .txt .tbl .noxim   a Noxim traffic table "source destination", which
 *                        leaves the injection rate to the simulator
 *
 * destination  [count]  terminals < count; NB_NONE: this one is silent
 *
 * Errors: NB_INVALID if the ending or a destination is none of these, or if
 * a JSON matrix would have more than NB_MATRIX_BYTES bytes; NB_IO naming path
 * and cause; NB_NO_MEMORY.
 */
enum nb_status nb_permutation_write(const char *path, size_t count,
                                    const uint32_t *destination,
                                    struct nb_error *err);

#endif
