/* Spool: bytes kept until they are wanted, in bounded memory: the rest goes to
 * a file without a name, which vanishes however the program ends. */
#ifndef NB_CORE_SPOOL_H
#define NB_CORE_SPOOL_H

#include "core/text.h"

#include <stdio.h>

/* Zero-initialised is empty; place may be set before the first bytes: a path
 * whose folder gets the file (NULL: the folder for temporary files). The bytes
 * are those of the file, if any, then those of text. */
struct nb_spool {
    const char *place;
    FILE *file;
    struct nb_text text;
};

/* Errors: NB_IO if the file cannot be written; NB_NO_MEMORY. */
enum nb_status nb_spool_add(struct nb_spool *spool, const char *bytes,
                            size_t length, struct nb_error *err);
void nb_spool_release(struct nb_spool *spool);

/*
 * A new file without a name, for writing and reading.
 *
 * place  a path: the file goes into its folder if possible; NULL, or a pipe or
 *        device: into $TMPDIR, or /tmp
 *
 * Errors: NB_IO naming the folder and the cause.
 */
enum nb_status nb_spool_open(const char *place, FILE **out,
                             struct nb_error *err);

/* Writes the bytes to a file like nb_file_write, with the same errors. */
enum nb_status nb_file_write_spool(const char *path,
                                   const struct nb_spool *spool,
                                   struct nb_error *err);

/* Copies the whole of a file to another; false if reading or writing fails. */
bool nb_spool_copy(FILE *from, FILE *to);

#endif
