/* Traffic matrices in files. */
#ifndef NB_TRAFFIC_MATRIX_H
#define NB_TRAFFIC_MATRIX_H

#include "traffic/traffic.h"

/* Recognised by a file name's ending. */
enum nb_matrix_format {
    NB_MATRIX_CSV,
    NB_MATRIX_JSON,
    NB_MATRIX_NOXIM,
    NB_MATRIX_UNKNOWN,
};

enum { NB_MATRIX_BYTES = 1 << 28 }; /* larger files are refused */

NB_INTERNAL_BEGIN

/* Endings are compared ignoring case. */
enum nb_matrix_format nb_matrix_format_find(const char *path);

/* ".csv, .json, ...": the endings known to nb_matrix_format_find. */
extern const char nb_matrix_endings[];

/*
 * Reads a traffic matrix and adds it to a traffic as demands, setting its
 * denominator.
 *
 * allow_inadmissible  accept rows and columns above 1 per terminal
 *
 * Errors: NB_IO if the file cannot be read; NB_INVALID naming file, line,
 * value and what is permitted if it is malformed or has more than
 * NB_MATRIX_BYTES bytes, and naming row or column and its sum if it is
 * inadmissible; NB_OVERFLOW if the common denominator does not fit in 62 bits.
 */
enum nb_status nb_matrix_add_file(const char *path,
                                  const struct nb_topology *topology,
                                  bool allow_inadmissible,
                                  struct nb_traffic *out, struct nb_error *err);

NB_INTERNAL_END

#endif
