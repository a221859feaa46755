/* Permutations and traffic matrices as files that this program and simulators
 * read. */
#ifndef NB_TRAFFIC_EXPORT_H
#define NB_TRAFFIC_EXPORT_H

#include "traffic/traffic.h"

NB_PUBLIC_BEGIN

/*
 * Writes a permutation of terminals; the file's ending selects the format:
 *
 *     .csv               "source,destination", then a line per terminal
 *     .json              {"size": N, "matrix": [[rate, ...], ...]}
 *     .txt .tbl .noxim   a Noxim traffic table "source destination", which
 *                        leaves the injection rate to the simulator
 *
 * destination  [count]  terminals < count; NB_NONE: this one is silent
 *
 * Errors: NB_INVALID if there is no such ending or destination, or if a JSON
 * matrix would have more than NB_MATRIX_BYTES bytes; NB_IO naming path and
 * cause; NB_NO_MEMORY.
 */
enum nb_status nb_permutation_write(const char *path, size_t count,
                                    const uint32_t *destination,
                                    struct nb_error *err);

/*
 * Writes a traffic as the matrix of rates between terminals at injection rate
 * 1; the file's ending selects the format:
 *
 *     .csv               "source,destination,rate", then a line for each rate
 *                        that is not 0
 *     .json              {"size": N, "matrix": [[rate, ...], ...]}
 *     .txt .tbl .noxim   a Noxim traffic table "source destination rate"
 *
 * The traffic from one router to another is divided evenly among their
 * terminals. Rates are decimals or p/q (a string in JSON), so that traffic
 * file: reads the same traffic back. Noxim only reads decimals: a rate that is
 * not a decimal of at most 18 digits is rounded down, and the table's last line
 * says so.
 *
 * Errors: NB_INVALID if there is no such ending, the file would have more than
 * NB_MATRIX_BYTES bytes or a rate of a Noxim table is above 1; NB_OVERFLOW if
 * the rates' common denominator does not fit in 62 bits, so that they could not
 * be read back; NB_IO naming path and cause; NB_NO_MEMORY.
 */
enum nb_status nb_traffic_write(const char *path,
                                const struct nb_traffic *traffic,
                                const struct nb_topology *topology,
                                struct nb_error *err);

/* Whether the two functions above have a format for a path's ending.
 * Errors: NB_INVALID. */
enum nb_status nb_permutation_accepts(const char *path, struct nb_error *err);
enum nb_status nb_traffic_accepts(const char *path, struct nb_error *err);

NB_PUBLIC_END

#endif
