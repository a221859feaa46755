/* Source: a file read piece by piece, more than once if wanted. */
#ifndef NB_CORE_SOURCE_H
#define NB_CORE_SOURCE_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

enum { NB_SOURCE_PIECE = 1 << 16 };

/* A pipe can be read only once. If it will be read again, it is copied to a
 * file without a name during the first reading. */
struct nb_source {
    const char *path; /* as in messages */
    FILE *file;
    FILE *copy; /* NULL: not needed */
    bool is_regular;
    off_t start; /* regular file: where reading begins */
};

/* Opens a file, or standard input for "-", for reading. Returns NULL and sets
 * errno if it cannot. Defined in file.c. */
FILE *nb_file_open(const char *path);

/* Errors: NB_IO if it cannot be read, naming path and cause. */
enum nb_status nb_source_open(const char *path, bool is_read_again,
                              struct nb_source *out, struct nb_error *err);
/* The size in bytes; 0 for a pipe or device. */
size_t nb_source_size(const struct nb_source *source);
/* The next bytes; count 0 at the end. Errors: as above. */
enum nb_status nb_source_read(struct nb_source *source,
                              char bytes[NB_SOURCE_PIECE], size_t *count,
                              struct nb_error *err);
/* Back to the beginning, after reading to the end. Errors: as above. */
enum nb_status nb_source_rewind(struct nb_source *source, struct nb_error *err);
/* Reads the rest of a pipe, so that its writer does not fail. */
void nb_source_drain(struct nb_source *source);
void nb_source_close(struct nb_source *source);

#endif
