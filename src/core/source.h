/* Source: a file that is read piece by piece, more than once if wanted. */
#ifndef NB_CORE_SOURCE_H
#define NB_CORE_SOURCE_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

enum { NB_SOURCE_PIECE = 1 << 16 };

/* A pipe, which can be read once only, is copied to a file without a name
 * while it is read, if it is to be read again. */
struct nb_source {
    const char *path; /* as messages name it */
    FILE *file;
    FILE *copy; /* NULL: none is needed */
    bool is_regular;
    off_t start; /* of a regular file: where reading begins */
};

/* Opens a file, or standard input for "-", for reading. Returns NULL and sets
 * errno if it cannot. Defined in file.c. */
FILE *nb_file_open(const char *path);

/* Errors: NB_IO if it cannot be read, naming path and cause. */
enum nb_status nb_source_open(const char *path, bool is_read_again,
                              struct nb_source *out, struct nb_error *err);
/* The size in bytes; 0 of a pipe or device. */
size_t nb_source_size(const struct nb_source *source);
/* The next bytes; count 0 at the end. Errors: as above. */
enum nb_status nb_source_read(struct nb_source *source,
                              char bytes[NB_SOURCE_PIECE], size_t *count,
                              struct nb_error *err);
/* Back to the beginning, once all was read. Errors: as above. */
enum nb_status nb_source_rewind(struct nb_source *source, struct nb_error *err);
/* Reads what is left of a pipe, for whose writer this is no failure. */
void nb_source_drain(struct nb_source *source);
void nb_source_close(struct nb_source *source);

#endif
