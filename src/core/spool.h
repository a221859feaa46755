/* Spool: bytes kept until they are wanted, in memory that does not grow: many
 * go to a file without a name, which nothing that ends the program leaves. */
#ifndef NB_CORE_SPOOL_H
#define NB_CORE_SPOOL_H

#include "core/text.h"

#include <stdio.h>

/* Zero-initialised is empty; place may be set before the first bytes: a path
 * in whose folder the file is to be (NULL: the folder for temporary files).
 * The bytes are those of the file, if there is one, then those of text. */
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
 * place  a path: it is in the folder of that file, where it can be; NULL, or a
 *        pipe or device: in $TMPDIR, or /tmp
 *
 * Errors: NB_IO naming the folder and the cause.
 */
enum nb_status nb_spool_open(const char *place, FILE **out,
                             struct nb_error *err);

/* Writes the bytes to a file as nb_file_write does. Errors: as there. */
enum nb_status nb_file_write_spool(const char *path,
                                   const struct nb_spool *spool,
                                   struct nb_error *err);

/* Copies the whole of a file to another; false if it cannot be read or
 * written. */
bool nb_spool_copy(FILE *from, FILE *to);

#endif
