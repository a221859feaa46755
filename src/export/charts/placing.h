/* Placing: the places of a network's routers and channels on a drawing. */
#ifndef NB_EXPORT_CHARTS_PLACING_H
#define NB_EXPORT_CHARTS_PLACING_H

#include "topology/topology.h"

/* In units of a drawing, y downward. */
struct nb_place {
    double x, y;
};

enum nb_placing_form {
    NB_PLACED_CIRCLE, /* rings, and networks of diameter 2 at most */
    /* Grids: dimension 0 to the right, 1 downward, 2 at a slant into the page;
     * further dimensions put copies of everything before side by side. */
    NB_PLACED_GRID,
    NB_PLACED_LEVELS, /* fat trees: routers with terminals at the bottom */
    NB_PLACED_GROUPS, /* groups around a circle, the routers of each close
                       * together */
    NB_PLACED_SPREAD, /* distances as close to the hops as possible */
};

/* Owns its array; zero-initialised is empty. */
struct nb_placing {
    enum nb_placing_form form;
    double width, height;    /* of the drawing */
    double radius;           /* of a router's circle */
    double step;             /* least distance between two routers */
    struct nb_place *router; /* [router_count] */
};

/* A part of a channel: a quadratic curve from edge to edge of the routers. Its
 * control point lies bend times its length to the side of its middle, on the
 * left when travelling along it (export/view.h). */
struct nb_wire {
    struct nb_place from, to;
    double bend;
};

enum { NB_PLACING_WIRES = 2 }; /* maximum parts of a channel */

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
 * The wires of a channel. Each keeps to the right of its direction, so that
 * opposite channels lie side by side. A channel that joins the ends of a line
 * of a torus is two stubs: one leaves the drawing and one enters it.
 *
 * Returns their number.
 */
size_t nb_placing_wires(const struct nb_topology *topology,
                        const struct nb_placing *placing, uint32_t channel,
                        struct nb_wire out[NB_PLACING_WIRES]);

#endif
