/* A traffic matrix while its file is read. */
#ifndef NB_TRAFFIC_MATRIX_DRAFT_H
#define NB_TRAFFIC_MATRIX_DRAFT_H

#include "core/lines.h"
#include "traffic/traffic.h"

struct matrix_entry {
    uint32_t source; /* terminal or router */
    uint32_t target;
    struct nb_ratio rate; /* > 0 */
};

/* A matrix being read. Terminals are numbered router by router. Owns lines
 * and entries. */
struct matrix {
    struct nb_lines lines;
    const struct nb_topology *topology;

    bool is_of_terminals; /* else of routers */
    /* The file's rates have a unit of their own, such as Mbit/s, so that more
     * than 1 per terminal is permitted. */
    bool has_own_unit;
    uint32_t size;        /* rows: terminals or routers */
    uint64_t denominator; /* least common multiple of the rates' denominators */
    size_t entry_count;
    size_t entry_capacity;
    struct matrix_entry *entries;
};

/* Sets the meaning of rows and columns. */
void nb_matrix_set_level(struct matrix *matrix, bool is_of_terminals);
/* Sets them from the number of rows: terminals if their number is equal, else
 * routers. Errors: NB_INVALID if it is neither. */
enum nb_status nb_matrix_set_size(struct matrix *matrix, size_t rows,
                                  struct nb_error *err);

/* Adds a rate, in packets/cycle at injection rate 1; rates of the same pair add
 * up. Errors: NB_OVERFLOW, NB_NO_MEMORY. */
enum nb_status nb_matrix_add(struct matrix *matrix, uint32_t source,
                             uint32_t target, struct nb_ratio rate,
                             struct nb_error *err);

/*
 * Reads {"size": N, "matrix": [[rate, ...], ...]}, where a rate is a number or
 * a string "p/q", since no JSON number is 1/3; or the traffic of RapidChiplet,
 * by chiplet or by unit: {"__tuple__:[0, 1]": rate, ...}, where a chiplet is
 * the router of that name; its rates may be any, as sums of them are rounded.
 *
 * Errors: NB_INVALID naming the line of what is no JSON, else the row or the
 * key, and value; NB_OVERFLOW; NB_NO_MEMORY.
 * Source: inputs/traffic_by_* of github.com/spcl/rapidchiplet.
 */
enum nb_status nb_matrix_read_json(struct matrix *matrix, struct nb_error *err);

/*
 * Reads the demands of a network of SNDlib, between the routers that are called
 * like its nodes.
 *
 * Errors: NB_INVALID naming line and value; NB_OVERFLOW; NB_NO_MEMORY.
 */
enum nb_status nb_matrix_read_sndlib(struct matrix *matrix,
                                     struct nb_error *err);

#endif
