#include "core/store.h"

#include "core/memory.h"

#include <pthread.h>
#include <string.h>

static struct nb_store *store_used;
static pthread_mutex_t store_lock = PTHREAD_MUTEX_INITIALIZER;

void nb_store_use(struct nb_store *store)
{
    store_used = store;
}

/* The text read from a path, or from another path to the same file; NULL:
 * none. */
static const struct nb_store_file *store_look(const struct nb_store *store,
                                              const char *path)
{
    for (size_t i = 0; i < store->count; i++)
        if (strcmp(store->files[i].path, path) == 0)
            return &store->files[i];
    /* Standard input may be the rest of a file already read. */
    if (strcmp(path, NB_FILE_STDIN) == 0)
        return NULL;
    for (size_t i = 0; i < store->count; i++)
        if (strcmp(store->files[i].path, NB_FILE_STDIN) != 0 &&
            nb_file_is_same(store->files[i].path, path))
            return &store->files[i];
    return NULL;
}

/* The file of a path, read now unless it is in the store. */
static enum nb_status store_find(struct nb_store *store, const char *path,
                                 size_t limit, const struct nb_text **out,
                                 struct nb_error *err)
{
    struct nb_store_file file = { 0 };
    const struct nb_store_file *known = store_look(store, path);
    enum nb_status status = NB_OK;
    if (known != NULL) {
        *out = &known->text;
        return nb_text_check_limit(path, *out, limit, err);
    }
    NB_TRY(nb_text_read_file(path, limit, &file.text, err));
    NB_TRY(nb_new_copy(&file.path, path, "a path", err));
    NB_TRY(nb_grow(&store->files, store->count + 1, sizeof file, "files", err));
    store->files[store->count] = file;
    file = (struct nb_store_file){ 0 };
    *out = &store->files[store->count++].text;
done:
    nb_delete(file.path);
    nb_text_release(&file.text);
    return status;
}

enum nb_status nb_store_read(const char *path, size_t limit,
                             struct nb_text *text, struct nb_error *err)
{
    const struct nb_text *found = NULL;
    if (store_used == NULL)
        return nb_text_read_file(path, limit, text, err);
    pthread_mutex_lock(&store_lock);
    enum nb_status status = store_find(store_used, path, limit, &found, err);
    if (status == NB_OK) {
        nb_text_add(text, found->bytes, found->length);
        status = nb_text_check(text, err);
    }
    pthread_mutex_unlock(&store_lock);
    return status;
}

void nb_store_release(struct nb_store *store)
{
    for (size_t i = 0; i < store->count; i++) {
        nb_delete(store->files[i].path);
        nb_text_release(&store->files[i].text);
    }
    nb_delete(store->files);
    *store = (struct nb_store){ 0 };
}
