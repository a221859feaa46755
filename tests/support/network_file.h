/* Networks written to files by nb_graph_write, and read back. */
#ifndef NB_TESTS_SUPPORT_NETWORK_FILE_H
#define NB_TESTS_SUPPORT_NETWORK_FILE_H

#include "scratch.h"
#include "topology/topology.h"

enum { NETWORK_FILE_LIMIT = 1 << 20 }; /* [byte] of a test's file */

/* Writes a network to a new file; path is "" if that was refused, and the test
 * fails if a file is left then. */
void network_file_write(const struct nb_topology *topology, const char *ending,
                        char path[NB_SCRATCH_FILE], struct nb_error *err);

/* Builds file:PATH with parameters, which start with a comma or are "", and
 * removes the file. */
void network_file_read(const char *path, const char *parameters,
                       struct nb_topology *out);

/* Fails the test unless the file written has this text. */
void network_file_check_text(const struct nb_topology *topology,
                             const char *ending, const char *expected);

/* Fails the test unless groups, coordinates, levels, nested parts and closed
 * forms are equal. */
void network_file_compare_places(const struct nb_topology *topology,
                                 const struct nb_topology *read,
                                 const char *name);

/* Fails the test unless GraphML gives the same network back: routers and
 * channels in order, names, terminals, all bandwidths. name: for messages. */
void network_file_check_graphml(const struct nb_topology *topology,
                                const char *name);

/* Fails the test unless both are the same, router by router and channel by
 * channel, in order. */
void network_file_compare(const struct nb_topology *a,
                          const struct nb_topology *b, const char *name);

/* Whether the terminals' channels have the same bandwidth, or none. */
bool network_file_same_limit(const struct nb_topology *a,
                             const struct nb_topology *b);

#endif
