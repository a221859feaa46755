/* Path class: the paths that an optimal routing may take. */
#ifndef NB_OPTIMUM_PATH_CLASS_H
#define NB_OPTIMUM_PATH_CLASS_H

#include "core/delete.h"
#include "core/ratio.h"
#include "topology/topology.h"

NB_PUBLIC_BEGIN

enum nb_paths {
    NB_PATHS_ANY,
    NB_PATHS_MINIMAL,  /* shortest ones by route tables (routing.h) */
    NB_PATHS_TWO_TURN, /* at most two turns from one dimension to the other
                        * (two-dimensional grid): along lines of either */
    NB_PATHS_SCHEME,   /* those of an adaptive scheme, in shares that it can
                        * give them: scheme_paths.h */
    NB_PATHS_STRETCH,  /* of at most stretch * shortest hops, rounded down */
};

struct nb_routing;
struct nb_scheme_paths;
struct nb_scheme_search;

/*
 * A class as layers of the network: a path is a walk over nodes (router, state)
 * that begins at (source, start state) and ends at its destination in any
 * state; a channel may be crossed in each of layer_count layers,
 *
 *     (source of channel, from_state) -> (target of channel, to_state).
 *
 * any, minimal  one layer, one state; minimal: only channels of shortest
 *               paths
 * stretch       state: number of hops left; layer r: r + 1 -> r
 * two-turn      state 0: not begun; then 1 + 2 t + d: on the t-th line (t = 0,
 *               1, 2), which is along dimension d. For a channel along d, layer
 *               0 begins the path, layers 1 + t go straight on, layers 4 and 5
 *               turn into line 1 and 2
 *
 * Automorphisms keep layers. A walk that meets a router twice does no harm: its
 * loop can be left out, and the rest is in the class. (two-turn: if two lines
 * merge into one along a dimension, there are fewer turns.)
 */
struct nb_path_class {
    const struct nb_topology *topology; /* borrowed */
    enum nb_paths paths;
    struct nb_ratio stretch; /* >= 1 */
    uint32_t layer_count;
    uint32_t state_count;
    int64_t most_length; /* of a channel, for searches */
    int64_t unit;        /* into which a pair's packets are divided: 1, or for a
                          * scheme's mixtures more */
    const struct nb_scheme_paths *scheme; /* borrowed; NULL: no scheme */
};

/*
 * stretch  used by NB_PATHS_STRETCH: known, >= 1
 *
 * Errors: NB_INVALID if the class is not defined on the network (two-turn) or
 * stretch is out of range; NB_NO_MEMORY.
 */
enum nb_status nb_path_class_init(const struct nb_topology *topology,
                                  enum nb_paths paths, struct nb_ratio stretch,
                                  struct nb_path_class *out,
                                  struct nb_error *err);

/* One path of a mixture and its share of a pair's packets. */
struct nb_path_way {
    int64_t units;             /* over the class's unit */
    uint32_t start, turn, leg; /* those of struct nb_table_path */
    uint32_t length;
    size_t first; /* first of its channels */
};

/* The paths of a pair's packets: one path or, for a scheme, several. Owns its
 * arrays; zero-initialised is valid and empty. */
struct nb_path_mix {
    size_t way_count, way_room;
    struct nb_path_way *way;
    size_t channel_count, channel_room;
    uint32_t *channel;
};

/*
 * Shortest permitted paths to one destination, under lengths of the channels.
 * Owns its arrays; zero-initialised is valid and empty; borrows the class.
 */
struct nb_path_search {
    const struct nb_path_class *path_class;
    uint32_t destination;
    uint32_t *hops;    /* [router] distance in hops (breadth first) to the
                        * destination; minimal: that of nb_ways_to */
    int64_t *distance; /* [router * state_count + state]; INT64_MAX: none */
    uint32_t *onward;  /* [the same] channel * layer_count + layer of the next
                        * hop; NB_NONE at the destination and if there is no
                        * path */
    int64_t *unit;     /* [channel_count] lengths of 1 */
    struct nb_scheme_search *scheme; /* owned; NULL: no scheme */
    struct nb_pool pool;
    /* Scratch. */
    uint32_t *count; /* [the same] hops of the path found; minimal: unused */
    uint32_t *queue;
    uint32_t *place;
};

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/*
 * The class of an adaptive scheme's paths, which has no layers; only for best
 * flows (best_flow.h) and adversaries. If packets are deflected: any path.
 *
 * routing  borrowed
 * scheme   out, borrowed by the class; empty if packets are deflected
 *
 * Errors: those of nb_path_class_init and nb_scheme_paths_init.
 */
enum nb_status nb_path_class_init_scheme(const struct nb_routing *routing,
                                         struct nb_scheme_paths *scheme,
                                         struct nb_path_class *out,
                                         struct nb_error *err);

/* The check that every function given a class makes first. Errors: NB_INVALID
 * if it is NULL, was not initialised, or belongs to another network; those of
 * nb_topology_check. */
enum nb_status nb_path_class_check(const struct nb_path_class *path_class,
                                   const struct nb_topology *topology,
                                   struct nb_error *err);

/* The state before the first hop of a pair at this distance. */
uint32_t nb_path_class_start(const struct nb_path_class *path_class,
                             uint32_t distance);

/* The states before and after a channel is crossed in a layer; false if the
 * channel does not have the layer. */
bool nb_path_class_layer(const struct nb_path_class *path_class,
                         uint32_t channel, uint32_t layer, uint32_t *from_state,
                         uint32_t *to_state);

/* The layers that lead to a state over some channel, at most 2: out. Returns
 * their number. */
size_t nb_path_class_layers_to(const struct nb_path_class *path_class,
                               uint32_t state, uint32_t layer[2]);

void nb_path_mix_release(struct nb_path_mix *mix);

/* Errors: NB_NO_MEMORY. */
enum nb_status nb_path_search_init(const struct nb_path_class *path_class,
                                   struct nb_path_search *out,
                                   struct nb_error *err);
void nb_path_search_release(struct nb_path_search *search);

/*
 * Finds the least sum of lengths over the permitted paths from every router to
 * a destination: Dijkstra's method against the channels (stretch: layer by
 * layer; minimal: by hops). The choice among equal paths depends only on the
 * arguments, and no path meets a router twice.
 *
 * length  [channel_count] each 0 .. most_length; NULL: 1 each
 */
void nb_path_search_run(struct nb_path_search *search, uint32_t destination,
                        const int64_t *length);

/* The least sum from a router, times the class's unit; 0 from the destination
 * itself. */
int64_t nb_path_search_distance(const struct nb_path_search *search,
                                uint32_t source);

/* The mixture of paths that attains this sum for a router's packets. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_path_search_mix(const struct nb_path_search *search,
                                  uint32_t source, struct nb_path_mix *out,
                                  struct nb_error *err);

/* Not for a scheme: hops of the path found from a router to the destination;
 * channel: out, [router_count], its channels, may be NULL. */
size_t nb_path_search_path(const struct nb_path_search *search, uint32_t source,
                           uint32_t *channel);

/* Not for a scheme: whether a path, given by its channels, is in the class and
 * joins the pair without meeting a router twice; search was run for its
 * destination. */
bool nb_path_search_permits(const struct nb_path_search *search,
                            uint32_t source, size_t length,
                            const uint32_t *channel);

NB_INTERNAL_END

#endif
