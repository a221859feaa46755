/* Published: the numbers of the literature that tests compare with, one row
 * each in data/published/. */
#ifndef NB_TESTS_SUPPORT_PUBLISHED_H
#define NB_TESTS_SUPPORT_PUBLISHED_H

#include "core/ratio.h"
#include "core/text.h"

#include <stddef.h>

/* The columns, in the order of the files; all texts. */
struct published_row {
    const char *id;
    const char *source; /* key in data/references.bib */
    const char *table;
    const char *cell;
    const char *topology, *routing, *traffic; /* specifications */
    const char *quantity;
    const char *printed; /* as in the source; "" if it prints none */
    const char *exact;   /* p/q by independent computation, or "" */
    const char *unit;
    const char *verdict; /* agrees, explained, disagrees or pending */
    const char *note;    /* the reason, unless it agrees */
};

/* All rows of all files. Owns rows and the texts they point into. */
struct published {
    size_t count;
    struct published_row *rows;
    size_t file_count;
    struct nb_text *files;
};

/* Reads the files that a glob pattern finds, as seen from the root of the
 * repository; fails the test if there is none or one is malformed. */
void published_read(const char *pattern, struct published *out);
void published_release(struct published *published);

/* Whether a value is within half a unit of a printed decimal's last place. */
bool published_agrees(const char *printed, struct nb_ratio value);

#endif
