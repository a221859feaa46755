/* Embedded: files built into the program (tools/embed.sh). */
#ifndef NB_CORE_EMBEDDED_H
#define NB_CORE_EMBEDDED_H

#include <stddef.h>

/* A table of these ends with a row whose name is NULL. */
struct nb_embedded {
    const char *name;  /* file name without its folder */
    const char *bytes; /* the contents, and a NUL not counted in length */
    size_t length;
};

#endif
