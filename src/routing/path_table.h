/* Path table: a routing given by the paths of each pair and their weights. */
#ifndef NB_ROUTING_PATH_TABLE_H
#define NB_ROUTING_PATH_TABLE_H

#include "core/text.h"
#include "topology/topology.h"

NB_PUBLIC_BEGIN

/* One path from source to destination, taken with probability weight / sum of
 * the pair's weights: channels channel[first .. first + length). */
struct nb_table_path {
    uint32_t source;
    uint32_t destination;
    uint64_t weight; /* > 0 */
    size_t first;
    uint32_t length;
    uint32_t line; /* line of the file it was read from; 0: none */
    /* For paths of an adaptive scheme (scheme_paths.h), else 0: the start in
     * which it begins, or to which it turns after straight hops; and the hops
     * up to the end of its first phase, all if it has only one. */
    uint32_t start, turn, leg;
};

/* Owns its arrays; zero-initialised is valid and empty. */
struct nb_path_table {
    size_t path_count;
    size_t path_capacity;
    struct nb_table_path *path;
    size_t channel_count;
    size_t channel_capacity;
    uint32_t *channel;
};

/*
 * Writes a table as CSV with lines of "source,destination,weight,path", in the
 * table's order, completely or not at all.
 *
 * Errors: NB_IO; NB_NO_MEMORY.
 */
enum nb_status nb_path_table_write(const struct nb_path_table *table,
                                   const struct nb_topology *topology,
                                   const char *file, struct nb_error *err);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/* Adds a path; its channels are copied. Errors: NB_INVALID unless weight > 0
 * and length < 2^32 - 1; NB_NO_MEMORY. */
enum nb_status nb_path_table_add(struct nb_path_table *table, uint32_t source,
                                 uint32_t destination, uint64_t weight,
                                 const uint32_t *channel, size_t length,
                                 struct nb_error *err);
void nb_path_table_release(struct nb_path_table *table);

/* Orders the paths by destination, then source, then channels, then start,
 * turn and leg. */
void nb_path_table_sort(struct nb_path_table *table);

/* Merges paths of a sorted table that differ only in their weights. */
void nb_path_table_unite(struct nb_path_table *table);

/* The end of the paths of a pair that begin at first in a sorted table. */
size_t nb_path_table_end(const struct nb_path_table *table, size_t first);

/*
 * Finds where the paths of each pair of routers begin in a sorted table: those
 * of pair k = destination * router_count + source are pair[k] .. pair[k + 1] -
 * 1.
 *
 * pair  out, [router_count^2 + 1]
 */
void nb_path_table_index(const struct nb_path_table *table, size_t router_count,
                         size_t *pair);

/* Prints the path as routers joined by "-": "0-1-5". Among parallel channels,
 * "/r" after the router that they lead to denotes the r-th (from 0) after the
 * first. */
void nb_path_print(const struct nb_topology *topology, uint32_t source,
                   const uint32_t *channel, size_t length,
                   struct nb_text *text);

/*
 * Reads such a path.
 *
 * channel  out, [router_count]
 *
 * Returns NULL, or a description of the error ("no channel from router 0 to 5",
 * "router 3 twice"), written into wrong.
 */
enum { NB_PATH_WRONG = 120 };
const char *nb_path_read(const struct nb_topology *topology, const char *text,
                         uint32_t *channel, size_t *length,
                         char wrong[NB_PATH_WRONG]);

/*
 * Reads such a file; the table is sorted.
 *
 * Errors: NB_IO; NB_INVALID naming file, line, the offending value and what is
 * permitted: for a router that does not exist or has no terminals, a weight
 * that is not a whole number from 1 to 2^53, a path that does not join the pair
 * or meets a router twice, a path given twice, or a pair of different routers
 * with terminals that has no path.
 */
enum nb_status nb_path_table_read(const struct nb_topology *topology,
                                  const char *file, struct nb_path_table *out,
                                  struct nb_error *err);

NB_INTERNAL_END

#endif
