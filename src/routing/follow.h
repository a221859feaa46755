/* Follow: paths of packets, drawn one by one from the scheme's distribution. */
#ifndef NB_ROUTING_FOLLOW_H
#define NB_ROUTING_FOLLOW_H

#include "core/delete.h"
#include "core/random.h"
#include "routing/route_tables.h"

/*
 * Draws paths of one scheme. Data of a pair is computed once, and tables of the
 * routers that packets head for are kept, as many of them as fit in
 * NB_FOLLOW_TABLES. Owns its arrays; zero-initialised is valid and empty.
 *
 * Within a phase a path crosses no channel twice and at most router_count - 1
 * channels. So a path has at most most_length channels, and crosses none more
 * often than nb_follow_most_crossings reports.
 */
struct nb_follow {
    const struct nb_routing *routing;
    uint32_t source;
    uint32_t destination;
    size_t start_count;
    struct nb_start *starts; /* [most_starts] of the pair */
    size_t most_length;
    uint32_t *channel;   /* [most_length] the path last drawn */
    struct nb_hop *hops; /* [most_hops] scratch */
    struct nb_pool pool;
    struct nb_route_tables tables;
};

/* Bytes available for the tables of one struct nb_follow. */
#define NB_FOLLOW_TABLES 0x1p28

/* Upper bound on its memory, for nb_memory_require. */
double nb_follow_bytes(const struct nb_routing *routing);

/* The routing is borrowed. Errors: NB_NO_MEMORY. */
enum nb_status nb_follow_init(const struct nb_routing *routing,
                              struct nb_follow *out, struct nb_error *err);
void nb_follow_release(struct nb_follow *follow);

/* Whether packets from source to destination may have to move. Packets to their
 * own router stay there unless intermediate routers or the scheme send them
 * away. */
bool nb_follow_moves(const struct nb_routing *routing, uint32_t source,
                     uint32_t destination);

/* How often one path can cross a channel: once per phase, or once in total if
 * it is shortest or both phases keep the directions of the start. */
unsigned nb_follow_most_crossings(const struct nb_routing *routing);

/* Sets the pair whose paths are drawn next. */
void nb_follow_pair(struct nb_follow *follow, uint32_t source,
                    uint32_t destination);

/*
 * Draws one path of the pair into follow->channel: a start by its weight, an
 * intermediate router evenly, then hop after hop by weight (in whole numbers)
 * or, where weights do not fit those, by share.
 *
 * length  out: channels of the path
 *
 * Errors: NB_NO_MEMORY for a table; NB_INVALID if the path is too long.
 */
enum nb_status nb_follow_draw(struct nb_follow *follow,
                              struct nb_random *random, size_t *length,
                              struct nb_error *err);

#endif
