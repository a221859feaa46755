/* Embedded: files that the program carries within (tools/embed.sh). */
#ifndef NB_CORE_EMBEDDED_H
#define NB_CORE_EMBEDDED_H

#include <stddef.h>

/* A table of these ends with a row whose name is NULL. */
struct nb_embedded {
    const char *name;  /* of the file, without its folder */
    const char *bytes; /* its contents, and a NUL that length does not count */
    size_t length;
};

#endif
