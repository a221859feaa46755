/* Drawn: networks of random links, drawn again until they are connected. */
#ifndef NB_TOPOLOGY_DRAWN_H
#define NB_TOPOLOGY_DRAWN_H

#include "core/random.h"
#include "topology/topology.h"

/* Parameter row of the seed. */
#define NB_PARAMETER_DRAWN                                                     \
    {                                                                          \
        .name = "seed", .help = "seed of the random network",                  \
        .type = NB_WHOLE, .initial = "1", .least = 0, .most = 0x1p53,          \
    }

/* The two ends of a link. */
struct nb_drawn_link {
    uint32_t a, b;
};

/* Links being drawn; owns its arrays. Zero-initialised is valid and empty. */
struct nb_drawn {
    uint32_t router_count;
    struct nb_random *random;
    struct nb_drawn_link *link;
    size_t count, room;
    uint32_t *parent; /* [router_count] scratch */
};

/* Errors: NB_NO_MEMORY. */
enum nb_status nb_drawn_add(struct nb_drawn *drawn, uint32_t a, uint32_t b,
                            struct nb_error *err);

/*
 * Draws links until they connect all routers, each time with a random stream of
 * its own, and builds the network from them: a channel each way.
 *
 * draw      fills an empty drawn with the links of one try; *is_whole: out,
 *           true on entry; false: the try got stuck, and the next one follows
 * routers   >= 2
 *
 * Errors: NB_INVALID naming the kind after NB_DRAWN_TRIES tries; those of draw;
 * NB_NO_MEMORY.
 */
enum { NB_DRAWN_TRIES = 10000 };
typedef enum nb_status
nb_drawn_draw(const struct nb_specification *specification,
              struct nb_drawn *drawn, bool *is_whole, struct nb_error *err);
enum nb_status nb_drawn_build(const struct nb_specification *specification,
                              uint32_t routers, nb_drawn_draw *draw,
                              struct nb_topology *out, struct nb_error *err);

#endif
