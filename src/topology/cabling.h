/* Cabling: whether switches form a tree, and which cables differ from the
 * usual. */
#ifndef NB_TOPOLOGY_CABLING_H
#define NB_TOPOLOGY_CABLING_H

#include "topology/topology.h"

/*
 * A number is odd if it differs from the usual one, which more than half of its
 * kind have.
 */
enum nb_odd {
    NB_ODD_UP,     /* cables of a switch to the level above; kind: its level */
    NB_ODD_DOWN,   /* the same to the level below */
    NB_ODD_TRUNK,  /* cables between two switches that have any; kind: the lower
                    * of their levels, or one kind where there are no levels */
    NB_ODD_SPEED,  /* the bandwidth of one cable; kinds as for NB_ODD_TRUNK */
    NB_ODD_HOSTS,  /* hosts of a switch above the leaves; usual: none */
    NB_ODD_ACROSS, /* a cable between two switches of the same level of a tree;
                    * found: the level */
    NB_ODD_SELF,   /* a cable that joins a switch with itself */
};

struct nb_odd_cable {
    enum nb_odd rule;
    uint32_t at, to;              /* routers; to: NB_NONE if only one is
                                   * meant */
    uint32_t channel;             /* for NB_ODD_TRUNK, _SPEED and _ACROSS; else
                                   * NB_NONE */
    struct nb_ratio found, usual; /* for NB_ODD_SELF: its ports */
};

/* Owns its arrays; zero-initialised is valid and empty. */
struct nb_cabling {
    uint32_t levels; /* levels of switches, the leaves first; 0: no tree */
    uint32_t *level; /* [router] from 0, meaningful in a tree; NB_NONE: not a
                      * switch */
    uint64_t *hosts; /* [router] hosts at a switch */
    /* Cables missing from the usual numbers: the larger of two totals, over
     * cables to the level above and over trunks; without levels, that over
     * trunks. */
    uint64_t missing;
    struct nb_odd_cable *odd;
    size_t odd_count, odd_room;
};

/*
 * Levels are those of nb_switch_levels_find. The switches are a tree if there
 * are two levels or more and at least nine in ten cables between switches lead
 * from one level to the next. In a network that is no fabric, every router is a
 * switch, with its terminals as hosts.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_cabling_find(const struct nb_topology *topology,
                               struct nb_cabling *out, struct nb_error *err);
void nb_cabling_release(struct nb_cabling *cabling);

/* Cables from a switch to those of a level: the number of its channels
 * there. */
uint64_t nb_cabling_cables(const struct nb_topology *topology,
                           const struct nb_cabling *cabling, uint32_t router,
                           uint32_t level);

#endif
