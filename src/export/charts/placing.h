/* Placing: where the routers and channels of a network stand on a drawing. */
#ifndef NB_EXPORT_CHARTS_PLACING_H
#define NB_EXPORT_CHARTS_PLACING_H

#include "topology/topology.h"

/* In units of a drawing, y downward. */
struct nb_place {
    double x, y;
};

enum nb_placing_form {
    NB_PLACED_CIRCLE, /* rings, and networks of diameter 2 at most */
    /* Grids: dimension 0 to the right, 1 downward, 2 aslant into the page;
     * those after that put copies of all before side by side. */
    NB_PLACED_GRID,
    NB_PLACED_LEVELS, /* fat trees: routers with terminals at the bottom */
    NB_PLACED_GROUPS, /* groups around a circle, the routers of each near */
    NB_PLACED_SPREAD, /* distances as near to the hops as may be */
};

/* Owns its array; zero-initialised is empty. */
struct nb_placing {
    enum nb_placing_form form;
    double width, height;    /* of the drawing */
    double radius;           /* of a router's circle */
    double step;             /* least distance between two routers */
    struct nb_place *router; /* [router_count] */
};

/* A part of a channel: a quadratic curve from edge to edge of the routers, its
 * control point bend times its length beside its middle, on the left of its
 * way (export/view.h). */
struct nb_wire {
    struct nb_place from, to;
    double bend;
};

enum { NB_PLACING_WIRES = 2 }; /* most that a channel is drawn as */

/*
 * Places the routers.
 *
 * width  of the drawing; its height follows, 640 at most
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_placing_build(const struct nb_topology *topology,
                                double width, struct nb_placing *out,
                                struct nb_error *err);

void nb_placing_release(struct nb_placing *placing);

/*
 * The wires of a channel. Each keeps to the right of its way, so that
 * opposite channels lie side by side. A channel that joins the ends of a line
 * of a torus is two stubs, one that leaves the drawing and one that comes in.
 *
 * Returns how many there are.
 */
size_t nb_placing_wires(const struct nb_topology *topology,
                        const struct nb_placing *placing, uint32_t channel,
                        struct nb_wire out[NB_PLACING_WIRES]);

#endif
