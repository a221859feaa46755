/* Traffic matrices in files, before they are checked and added up. */
#ifndef NB_TRAFFIC_MATRIX_H
#define NB_TRAFFIC_MATRIX_H

#include "core/lines.h"
#include "traffic/traffic.h"

/* Recognised by a file name's ending. */
enum nb_matrix_format {
    NB_MATRIX_CSV,
    NB_MATRIX_JSON,
    NB_MATRIX_NOXIM,
    NB_MATRIX_UNKNOWN,
};

/* Endings are compared without regard to case. */
enum nb_matrix_format nb_matrix_format_find(const char *path);

/* ".csv, .json, ...": the endings nb_matrix_format_find knows. */
extern const char nb_matrix_endings[];

enum { NB_MATRIX_BYTES = 1 << 28 }; /* a larger file is refused */

struct nb_matrix_entry {
    uint32_t source; /* terminal or router */
    uint32_t target;
    struct nb_ratio rate; /* > 0 */
};

/* A matrix being read. Terminals are numbered router by router. Owns lines,
 * entries and router. */
struct nb_matrix {
    struct nb_lines lines;
    const struct nb_topology *topology;

    bool is_of_terminals; /* otherwise of routers */
    uint32_t size;        /* rows: terminals or routers */
    uint32_t *router;     /* [terminals]: the router of a terminal */
    uint64_t denominator; /* least common multiple of the rates' */
    size_t entry_count;
    size_t entry_capacity;
    struct nb_matrix_entry *entries;
};

/*
 * Reads a traffic matrix and adds it to a traffic as demands, setting its
 * denominator.
 *
 * allow_inadmissible  accept rows and columns above 1 per terminal
 *
 * Errors: NB_IO if the file cannot be read; NB_INVALID naming file, line,
 * value and what is permitted if it is malformed or has more than
 * NB_MATRIX_BYTES bytes, and naming row or column and its sum if it is
 * inadmissible; NB_OVERFLOW if the common denominator leaves 62 bits.
 */
enum nb_status nb_matrix_add_file(const char *path,
                                  const struct nb_topology *topology,
                                  bool allow_inadmissible,
                                  struct nb_traffic *out, struct nb_error *err);

/* The rest of this header is for the readers of the formats. */

/* Each reads all of matrix->lines. */
enum nb_status nb_matrix_read_csv(struct nb_matrix *matrix,
                                  struct nb_error *err);
enum nb_status nb_matrix_read_json(struct nb_matrix *matrix,
                                   struct nb_error *err);
enum nb_status nb_matrix_read_noxim(struct nb_matrix *matrix,
                                    struct nb_error *err);

/* Sets what rows and columns stand for. */
void nb_matrix_set_level(struct nb_matrix *matrix, bool is_of_terminals);

/*
 * Sets it from the number of rows: terminals if there are so many, else
 * routers.
 *
 * Errors: NB_INVALID if it is neither.
 */
enum nb_status nb_matrix_set_size(struct nb_matrix *matrix, size_t rows,
                                  struct nb_error *err);

/* Errors: NB_INVALID unless text is a whole number below matrix->size. */
enum nb_status nb_matrix_read_index(const struct nb_matrix *matrix,
                                    const char *what, const char *text,
                                    uint32_t *index, struct nb_error *err);

/* Errors: NB_INVALID unless text is a ratio or decimal >= 0; NB_OVERFLOW. */
enum nb_status nb_matrix_read_rate(const struct nb_matrix *matrix,
                                   const char *text, struct nb_ratio *rate,
                                   struct nb_error *err);

/*
 * One more rate, in packets/cycle at injection rate 1; those of one pair add
 * up.
 *
 * Errors: NB_OVERFLOW if the common denominator leaves 62 bits; NB_NO_MEMORY.
 */
enum nb_status nb_matrix_add(struct nb_matrix *matrix, uint32_t source,
                             uint32_t target, struct nb_ratio rate,
                             struct nb_error *err);

#endif
