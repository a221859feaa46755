/* Path text: paths read one after another (used by path_*.c alone). */
#ifndef NB_ROUTING_PATH_TEXT_H
#define NB_ROUTING_PATH_TEXT_H

#include "routing/path_table.h"

/* Where a path is read to, and what helps to see that it meets a router
 * twice. Another owns the arrays. */
struct nb_path_reading {
    const struct nb_topology *topology;
    uint32_t *channel; /* [router_count] out */
    uint32_t *met;     /* [router] the last path that met it; NULL: what a path
                        * met is looked for along it */
    uint32_t stamp;    /* this path; that of no other in met */
};

/* As nb_path_read; source: out, the router where the path begins. */
const char *nb_path_text_read(const struct nb_path_reading *reading,
                              const char *text, uint32_t *source,
                              size_t *length, char wrong[NB_PATH_WRONG]);

#endif
