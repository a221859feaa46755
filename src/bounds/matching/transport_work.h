/* The network behind a transportation problem (used by transport*.c alone). */
#ifndef NB_BOUNDS_TRANSPORT_WORK_H
#define NB_BOUNDS_TRANSPORT_WORK_H

#include "bounds/matching/transport.h"
#include "core/ratio.h"

/*
 * The network. Nodes are the rows 0 .. n-1, the columns n .. 2n-1 and a hub
 * 2n that takes what rows keep and fills what columns lack, both at profit 0.
 * So every row sends exactly its supply, every column receives exactly its
 * demand, and no arc needs a capacity:
 *
 *     row i -> column j   cost -w_ij   reduced cost u_i + v_j - w_ij
 *     row i -> hub        cost 0       reduced cost u_i
 *     hub -> column j     cost 0       reduced cost v_j
 *
 * An arc with flow may be walked backwards; its reduced cost is 0. Nodes with
 * more than they may hold (balance > 0) send to nodes with less (< 0) along
 * paths of least reduced cost until every balance is 0.
 */
struct nb_transport_work {
    nb_int128 *balance;      /* 2n + 1 */
    int64_t *kept;           /* n; flow from each row to the hub */
    int64_t *filled;         /* n; flow from the hub to each column */
    uint32_t *row_of_entry;  /* one per entry */
    size_t *user_start;      /* n + 1; where each column starts in user */
    size_t *user;            /* the entries with flow before labelling */
    int64_t *distance;       /* 2n + 1; least reduced cost from an excess */
    uint32_t *hops;          /* 2n + 1; least arcs among these paths */
    uint32_t *heap;          /* 2n + 1; seen nodes, nearest first */
    uint32_t *heap_position; /* 2n + 1; place in the heap, or */
    uint32_t heap_count;     /*         nb_transport_unseen or _settled */
    size_t *cursor;          /* 2n + 1; the arc looked at next */
    uint32_t *path;          /* 2n + 1 */
};

/* In heap_position: not seen yet, and done with. */
static const uint32_t nb_transport_unseen = UINT32_MAX;
static const uint32_t nb_transport_settled = UINT32_MAX - 1;

/* Lists the entries with flow by column. */
void nb_transport_list_users(struct nb_transport *t);

/* Finds the least reduced cost from any excess to every node, and the least
 * number of arcs among these paths. */
void nb_transport_label(struct nb_transport *t);

/* Moves the duals so that the paths found have reduced cost 0. */
void nb_transport_update_duals(struct nb_transport *t);

#endif
