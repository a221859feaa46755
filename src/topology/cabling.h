/* Cabling: whether switches are a tree, and which cables are not as the rest.
 */
#ifndef NB_TOPOLOGY_CABLING_H
#define NB_TOPOLOGY_CABLING_H

#include "topology/topology.h"

NB_PUBLIC_BEGIN

/*
 * What is odd where more than half of its kind are alike; usual is what those
 * have.
 */
enum nb_odd {
    NB_ODD_UP,    /* cables of a switch to the level above, of its level */
    NB_ODD_DOWN,  /* the same to the level below */
    NB_ODD_TRUNK, /* cables between two switches that have any, of those between
                   * the same levels, or of all where there are no levels */
    NB_ODD_SPEED, /* one cable's bandwidth, of the same cables */
    NB_ODD_HOSTS, /* hosts of a switch above the leaves; usual: none */
    NB_ODD_ACROSS, /* a cable between two switches of one level of a tree;
                    * found: the level */
    NB_ODD_SELF,   /* a cable that joins a switch with itself */
};

struct nb_odd_cable {
    enum nb_odd rule;
    uint32_t at, to;              /* routers; to: NB_NONE where it is one */
    uint32_t channel;             /* of NB_ODD_SPEED */
    struct nb_ratio found, usual; /* of NB_ODD_SELF: its ports */
};

/* Owns its arrays; zero-initialised is valid and empty. */
struct nb_cabling {
    uint32_t levels; /* of switches, the leaves' the first; 0: it is no tree */
    uint32_t *level; /* [router] from 0, where they are one; NB_NONE: it is no
                      * switch */
    uint64_t *hosts; /* [router] at a switch */
    /* Cables that lack in numbers of which more than half are alike: the more
     * of those up, all together, and those of trunks; without levels the
     * latter. */
    uint64_t missing;
    struct nb_odd_cable *odd;
    size_t odd_count, odd_room;
};

/*
 * Leaves are switches with more than half as many hosts as the one that has
 * most; a switch's level is its distance to the nearest leaf. The switches are
 * a tree if all cables between two of them lead from one level to the next, and
 * there are two levels or more. Routers with terminals are switches with as
 * many hosts unless the network is a fabric.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_cabling_find(const struct nb_topology *topology,
                               struct nb_cabling *out, struct nb_error *err);
void nb_cabling_release(struct nb_cabling *cabling);

/* Cables from a switch to those of a level; each way of a cable counts. */
uint64_t nb_cabling_cables(const struct nb_topology *topology,
                           const struct nb_cabling *cabling, uint32_t router,
                           uint32_t level);

NB_PUBLIC_END

#endif
