/* Store: the files that a run reads, each once, so that all who read one see
 * the same bytes, whatever happens to it meanwhile. */
#ifndef NB_CORE_STORE_H
#define NB_CORE_STORE_H

#include "core/text.h"

enum { NB_STORE_BYTES = 1 << 30 }; /* a larger file is not read */

/* Owns everything; zero-initialised is valid and empty. */
struct nb_store {
    size_t count;
    struct nb_store_file {
        char *path;
        struct nb_text text;
    } * files;
};

/*
 * Lends the library a store, which nb_store_read fills and reads from; NULL
 * takes it back. Without one, which is how it begins, every read is a new one.
 * A program calls it before it has threads.
 */
void nb_store_use(struct nb_store *store);

/* Like nb_text_read_file; a file that was read before gives what was read then,
 * by whatever spelling or links. Any thread may call it. Errors: as there. */
enum nb_status nb_store_read(const char *path, size_t limit,
                             struct nb_text *text, struct nb_error *err);

void nb_store_release(struct nb_store *store);

#endif
