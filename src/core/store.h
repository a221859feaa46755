/* Store: the files that a run reads, each once, so that all readers see the
 * same bytes even if the file changes meanwhile. */
#ifndef NB_CORE_STORE_H
#define NB_CORE_STORE_H

#include "core/text.h"

enum { NB_STORE_BYTES = 1 << 30 }; /* larger files are refused */

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
 * takes it back. Without one, the initial state, every call reads the file
 * again. Call it before any thread is started.
 */
void nb_store_use(struct nb_store *store);

/* Like nb_text_read_file, with the same errors, but a file read before gives
 * the same bytes again, whatever spelling or link names it. Thread-safe. */
enum nb_status nb_store_read(const char *path, size_t limit,
                             struct nb_text *text, struct nb_error *err);

void nb_store_release(struct nb_store *store);

#endif
