/* Lists of names, as Slurm writes them: a,n[0-3,12]. */
#ifndef NB_CORE_NAME_LIST_H
#define NB_CORE_NAME_LIST_H

#include "core/memory.h"
#include "core/status.h"

#include <stdbool.h>

enum { NB_NAME_LIST_MOST = 1000000 }; /* names per list */

/* Owns its array, but not the names. Zero-initialised is empty. */
struct nb_name_list {
    const char **name;
    size_t count, capacity;
};

void nb_name_list_release(struct nb_name_list *list);

/*
 * Appends every name of a list, in order: n[08-10]b stands for n08b, n09b and
 * n10b; "n4, rack 2" in quotes is one name.
 *
 * text  names joined by commas; blanks around them do not count
 * pool  owns the names
 *
 * Errors: NB_INVALID naming what is no such list; NB_NO_MEMORY.
 * Source: hostlist expressions in topology.conf(5) of Slurm.
 */
enum nb_status nb_name_list_read(const char *text, struct nb_pool *pool,
                                 struct nb_name_list *out,
                                 struct nb_error *err);

/* Whether a name, or its first word, fits a pattern, in which * is any text and
 * ? any character. Hosts of InfiniBand are called "n1 HCA-1", or "n4, rack 2
 * HCA-1": a comma does not belong to the first word. */
bool nb_name_fits(const char *pattern, const char *name);

#endif
