/* Sources' parts that both their beginning and their cycles need. */
#ifndef NB_SIM_SOURCES_WORK_H
#define NB_SIM_SOURCES_WORK_H

#include "sim/sources.h"

#define NB_SOURCES_NEVER UINT64_MAX

enum { NB_SOURCES_BLOCK = 64 }; /* terminals looked at together */

/* Room for so many births. Errors: NB_NO_MEMORY. */
enum nb_status nb_sources_reserve(struct nb_sources *sources, size_t births,
                                  struct nb_error *err);

/* Draws a burst: its length and, if it has one, its target. */
void nb_sources_begin_burst(struct nb_sources *sources, uint32_t terminal,
                            struct nb_random *random);

#endif
