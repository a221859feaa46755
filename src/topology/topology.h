/* Topology: routers, the terminals at them, and the channels between them. */
#ifndef NB_TOPOLOGY_TOPOLOGY_H
#define NB_TOPOLOGY_TOPOLOGY_H

#include "core/ratio.h"
#include "core/specification.h"
#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

NB_PUBLIC_BEGIN

#define NB_NONE UINT32_MAX /* "no router", "no channel" */

enum { NB_MAX_GRID = 24 }; /* dimensions of a grid; a hypercube has many */

/* One direction of a link. */
struct nb_channel {
    uint32_t source;           /* router */
    uint32_t target;           /* router */
    struct nb_ratio bandwidth; /* [packets/cycle] > 0 */
};

/* Coordinates, for networks that have them. The first radix is dimension 0,
 * the least significant digit of the router number. */
struct nb_grid {
    size_t dimensions; /* 0: the network has no coordinates */
    uint32_t radix[NB_MAX_GRID];
    bool wraps; /* torus: the last router of a dimension joins the first */
    /* [router][dimension][0: minus, 1: plus] -> channel, NB_NONE at a mesh's
     * border or if it failed; at radix 2 both directions name the same channel.
     * Owned. */
    uint32_t *channel;
};

/* The switches of a fat tree: router = level * words + word, where a word has
 * levels - 1 digits in base arity, digit 0 the least significant. The channels
 * of each router to the level below come first, then those to the level above,
 * both in order of the digit that they change: digit l between levels l and l +
 * 1. Failed ones are missing. */
struct nb_tree {
    uint32_t levels; /* 0: not a fat tree; level 0: the leaves */
    uint32_t arity;
    uint32_t words; /* switches per level */
};

/*
 * The division of a network into groups, such as those of a Dragonfly, the rows
 * of a HyperX along dimension 0, or the subtrees below the roots of a fat tree.
 * Channels within a group are local, those between groups global.
 */
struct nb_groups {
    uint32_t count; /* 0: no groups */
    /* Shortest paths have the fewest global channels and, among these, the
     * fewest local ones, as in minimal routing of a Dragonfly; else, as
     * everywhere, the fewest channels. */
    bool counts_global_first;
    uint32_t *of; /* [router] its group; NB_NONE: in no group. Owned. */
    /* The routers of group g, ascending: member[start[g]] ..
     * member[start[g + 1] - 1]. Owned; made from `of` by nb_topology_build. */
    uint32_t *start; /* [count + 1] */
    uint32_t *member;
};

/* Partitions of the routers with terminals, which then are routers 0, 1, ..:
 * routers i and j share a part of level l if i / size[l] = j / size[l]. Each
 * size divides the next; the whole network is not one of the parts. */
struct nb_nest {
    size_t levels; /* 0: none */
    uint32_t size[NB_MAX_GRID];
};

/* Why a link failed. */
enum nb_failed_cause {
    NB_NOT_FAILED,
    NB_FAILED_NAMED,
    NB_FAILED_RANDOM, /* drawn at random */
    NB_FAILED_ROUTER, /* with a router at one end */
};

/* A cable: one channel each way, or one alone. */
struct nb_failed_link {
    uint32_t low, high; /* routers */
    /* In a fabric, its port at low; else its number among the cables between
     * these routers, from 1: their first channels are cable 1, and so on. */
    uint32_t cable;
    uint32_t cables; /* between these routers, before anything failed */
    enum nb_failed_cause cause;
};

/* What the parameter fail removed (failures.h); owns its arrays. */
struct nb_failures {
    size_t link_count; /* links of failed routers included */
    size_t router_count;
    size_t host_count; /* those that are hosts of a fabric and failed with a
                        * switch */
    struct nb_failed_link *link; /* [link_count] sorted */
    uint32_t *terminals;         /* [router] before failures; NULL: nothing
                                  * failed */
    bool *is_router;             /* [router]; NULL: nothing failed */
};

/* The effect of an automorphism; routing schemes declare which they keep. */
enum nb_symmetry_class {
    NB_TRANSLATION = 1,      /* one step in one dimension */
    NB_EVEN_TRANSLATION = 2, /* an even number of steps in even radices */
    NB_REFLECTION = 4,       /* one dimension reversed */
    NB_AXIS_SWAP = 8,        /* two dimensions of equal radix exchanged */
    NB_OTHER_SYMMETRY = 16,  /* any other automorphism */
    NB_ANY_SYMMETRY = 31,
};

struct nb_fabric;

/* The part of a file's network that was read, among those that no link joins.
 */
struct nb_file_part {
    size_t index, count; /* from 1, by size; count 0: the network is whole */
    size_t routers, all; /* in it and in all parts */
};

/*
 * Zero-initialised is valid and empty; owns every array. Channels are sorted by
 * source router: those leaving r are out_start[r] .. out_start[r+1]-1.
 */
struct nb_topology {
    const struct nb_topology_kind *kind;
    struct nb_topology_kind *own_kind; /* NULL: that of the registry. Owned. */
    struct nb_specification specification;
    size_t router_count;
    /* The first of the hosts (hosts.h), which stand for terminals; 0: no router
     * does. */
    uint32_t first_host;
    /* Of a file that tells nodes from switches: routers from this one on are
     * nodes, which forward nothing; 0: it does not. */
    uint32_t first_node;
    /* [router] level of each switch, as the file says; NULL: it does not. */
    uint32_t *level;
    size_t channel_count;
    size_t terminal_count;
    struct nb_channel *channels;
    uint32_t *terminals; /* [router] */
    uint32_t *out_start; /* [router_count + 1] */
    bool targets_ascend; /* those of each router are sorted by target, too */
    uint32_t *in_start;  /* [router_count + 1] into in_channel */
    uint32_t *in_channel;
    /* Searches read only these two, so they are stored compactly. */
    uint32_t *in_source;  /* of each entry of in_channel */
    uint32_t *out_target; /* [channel] */
    struct nb_grid grid;
    struct nb_tree tree;
    /* Coordinates of a HyperX, fully connected along each dimension; its
     * channel is NULL. grid is then empty. */
    struct nb_grid hyperx;
    struct nb_groups groups;
    struct nb_nest nest;
    struct nb_failures failures;
    /* [packets/cycle] of the channel from each terminal to its router, and of
     * that back; not known, as zero-initialised: unlimited. */
    struct nb_ratio terminal_bandwidth;
    /* How a file was read: links without a bandwidth, of how many, if others
     * have one. */
    size_t bare_links, listed_links;
    struct nb_file_part part;
    /* What else was assumed, a line each: a name, a tab and a text; NULL:
     * nothing. */
    char *notes;
    /* Names of routers from a file, one after another, each terminated; NULL if
     * routers have only numbers. */
    char *names;
    size_t *name_start; /* [router_count] */
    /* For a network from a file: the topology of another kind with the same
     * routers and channels; NULL: not known. Owned. */
    struct nb_topology *like;
    /* For an InfiniBand network (fabric.h), else NULL. Owned. */
    struct nb_fabric *fabric;
};

/* A closed form: its value and its source. */
struct nb_closed_form {
    struct nb_ratio value; /* not known ({0, 0}): no closed form here, */
    const char *source;    /* or, if source is NULL, out of memory */
};

struct nb_fit_demand; /* fit.h */
struct nb_fit;
struct nb_fit_search;

struct nb_topology_kind {
    struct nb_kind kind;
    /* Specifications for the conformance tests, separated by spaces. */
    const char *examples;
    /* The kind sets its terminals; it has no parameter "terminals", and the
     * channels of terminals have bandwidth 1 unless the parameter differs. */
    bool has_own_terminals;
    /* Every channel leads one level up or down, from routers with terminals:
     * bandwidths may be given by level. */
    bool has_levels;
    /* Terminals send to the first stage and receive from the last one: packets
     * to the own router cross the network, too, and none passes through another
     * router with terminals. Every pair has one path. */
    bool is_one_way;

    /* Makes routers and channels (nb_topology_build sets terminals and
     * bandwidths, unless the kind does). */
    enum nb_status (*build)(const struct nb_specification *specification,
                            struct nb_topology *out, struct nb_error *err);

    /* Closed forms for one terminal per router, or the kind's own, and
     * bandwidth 1; NULL or an unknown value where there is none. Diameter in
     * hops; mean distance over all ordered pairs, self included; bisection in
     * packets/cycle, both directions counted; capacity: the largest rate per
     * terminal of uniform traffic, self included, that the channels between
     * routers carry under the best routing. */
    struct nb_closed_form (*diameter)(const struct nb_topology *topology);
    struct nb_closed_form (*mean_distance)(const struct nb_topology *topology);
    struct nb_closed_form (*bisection)(const struct nb_topology *topology);
    struct nb_closed_form (*capacity)(const struct nb_topology *topology);

    /* The index-th network of the kind that meets a demand (fit.h), from closed
     * forms only; 0 routers past the last. NULL: none. Errors: NB_NO_MEMORY. */
    enum nb_status (*fit)(const struct nb_fit_demand *demand, size_t index,
                          struct nb_fit *out, struct nb_error *err);

    /* Offers a search (fit.h) every network of the kind that might be the best.
     * NULL: none. Errors: NB_NO_MEMORY. */
    enum nb_status (*search)(struct nb_fit_search *search,
                             struct nb_error *err);

    /* The index-th generator of the automorphism group: fills router_map
     * [router_count] and returns its class, 0 past the last. Generators of
     * subgroups (even translations) are offered as well. NULL: none known. */
    unsigned (*symmetry)(const struct nb_topology *topology, size_t index,
                         uint32_t *router_map);
};

extern const struct nb_topology_kind *const nb_topology_kinds[];

/*
 * Reads a specification and builds the network.
 *
 * Errors: NB_INVALID if it is malformed, out of range or, failed routers
 * excepted, not strongly connected (naming a router that is not reached, and
 * what failed); NB_NO_MEMORY if it does not fit, before anything is allocated.
 */
enum nb_status nb_topology_build(const char *specification,
                                 struct nb_topology *out, struct nb_error *err);

void nb_topology_release(struct nb_topology *topology);

/* The channel of a rank, from 0, among those from one router to another;
 * NB_NONE if there is none. */
uint32_t nb_channel_find(const struct nb_topology *topology, uint32_t source,
                         uint32_t target, uint32_t rank);

/* The router's name, NULL if it has only a number or does not exist. */
const char *nb_router_name(const struct nb_topology *topology, uint32_t router);

/* The router that the first `length` bytes of a text name: by name where
 * routers have names, else, or if no name matches, by number; NB_NONE if there
 * is none. */
uint32_t nb_router_find(const struct nb_topology *topology, const char *text,
                        size_t length);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/* Builds the network as it was before anything failed. Errors: those of
 * nb_topology_build. */
enum nb_status nb_topology_build_intact(const struct nb_topology *topology,
                                        struct nb_topology *out,
                                        struct nb_error *err);

/* The registry for nb_specification_read. */
const struct nb_kind *nb_topology_kind_at(size_t index);

/* Parameters of every topology: terminals per router (first, so that kinds with
 * their own can skip it), bandwidths of channels and of terminals, failures. */
extern const struct nb_parameter nb_topology_parameters[];

/* The first check of every function that takes a network. Errors: NB_INVALID if
 * it is NULL or not built. */
enum nb_status nb_topology_check(const struct nb_topology *topology,
                                 struct nb_error *err);

/* For kinds: refuses sizes as nb_topology_reserve does, before anything is
 * allocated. */
enum nb_status nb_topology_require(const struct nb_topology *topology,
                                   double router_count, double channel_count,
                                   struct nb_error *err);

/*
 * For kinds: makes room for routers and channels. The kind then sets every
 * channel's source and target, in any order, and may set bandwidth (all
 * zero: 1) and terminals (all zero: as the specification says).
 *
 * Errors: NB_INVALID if there are no routers or 2^32 - 1 or more; NB_OVERFLOW
 * above nb_topology_limit; NB_NO_MEMORY.
 */
enum nb_status nb_topology_reserve(struct nb_topology *out, double router_count,
                                   double channel_count, struct nb_error *err);

/*
 * For kinds with coordinates: routers, channels and the grid itself of a
 * mesh (wraps = false) or torus with the given radices, each >= 2.
 */
enum nb_status nb_grid_build(size_t dimensions, const uint32_t *radix,
                             bool wraps, struct nb_topology *out,
                             struct nb_error *err);

/* For kinds with groups: makes room for groups.of, [router_count], which the
 * kind fills in. Errors: NB_NO_MEMORY. */
enum nb_status nb_groups_reserve(struct nb_topology *out, uint32_t count,
                                 struct nb_error *err);

/* For kinds: completes the groups once `of` is filled in. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_groups_finish(struct nb_topology *out, struct nb_error *err);

/* Whether a channel is that of a terminal: one from or to a host. */
static inline bool nb_channel_is_terminal(const struct nb_topology *topology,
                                          size_t channel)
{
    const struct nb_channel *at = &topology->channels[channel];
    return topology->first_host > 0 && (at->source >= topology->first_host ||
                                        at->target >= topology->first_host);
}

/* Whether terminals' channels are queues in addition to those of channels. */
static inline bool nb_has_terminal_queues(const struct nb_topology *topology)
{
    return topology->first_host == 0 &&
           nb_ratio_is_known(topology->terminal_bandwidth);
}

/* Whether a channel leads from one group to another; false for a channel that
 * the network does not have. */
static inline bool nb_channel_is_global(const struct nb_topology *topology,
                                        uint32_t channel)
{
    const uint32_t *of = topology->groups.of;
    if (of == NULL || channel >= topology->channel_count)
        return false;
    const struct nb_channel *at = &topology->channels[channel];
    return of[at->source] != of[at->target];
}

/* The rank of a channel among those parallel to it. */
uint32_t nb_channel_rank(const struct nb_topology *topology, uint32_t channel);

/* The channel between two other routers with the same rank and bandwidth;
 * NB_NONE if there is none. */
uint32_t nb_channel_alike(const struct nb_topology *topology, uint32_t channel,
                          uint32_t source, uint32_t target);

/* Whether links or routers failed. Coordinates, levels and parts of the network
 * then show where a router is, but not that its channels exist. */
static inline bool nb_has_failures(const struct nb_topology *topology)
{
    return topology->failures.terminals != NULL;
}

static inline bool nb_router_has_failed(const struct nb_topology *topology,
                                        uint32_t router)
{
    return nb_has_failures(topology) && topology->failures.is_router[router];
}

/* Whether closed forms apply: nothing failed, all channels have one bandwidth,
 * and all routers have the same number of terminals or those of the kind; false
 * for an empty network. */
bool nb_topology_is_regular(const struct nb_topology *topology);

/*
 * The largest multiple of some traffic that the terminals' own channels carry;
 * +inf if they are unlimited or nothing is sent, not known if it does not fit.
 *
 * most  the largest sum of a terminal's row or column, at rate 1: known
 */
struct nb_ratio nb_terminal_limit(const struct nb_topology *topology,
                                  struct nb_ratio most);

/* Lists the router of each terminal: they are numbered router by router. Owned
 * by the caller, [terminal_count]. Errors: NB_NO_MEMORY. */
enum nb_status nb_terminals_list(const struct nb_topology *topology,
                                 uint32_t **router, struct nb_error *err);

/* Appends a router's name, or its number if it has none. */
void nb_router_print(const struct nb_topology *topology, uint32_t router,
                     struct nb_text *text);

/* The coordinate of a router in a dimension. */
uint32_t nb_grid_coordinate(const struct nb_grid *grid, uint32_t router,
                            size_t dimension);
/* Splits a router's number into coordinates, and joins them again. */
void nb_grid_split(const struct nb_grid *grid, uint32_t router,
                   uint32_t *coordinate);
uint32_t nb_grid_join(const struct nb_grid *grid, const uint32_t *coordinate);

/* The coordinates of a network, those of a HyperX included; with 0 dimensions
 * if it has none. */
const struct nb_grid *nb_coordinates(const struct nb_topology *topology);

/* Generators of a grid's or HyperX's automorphisms; see
 * nb_topology_kind.symmetry. */
unsigned nb_grid_symmetry(const struct nb_topology *topology, size_t index,
                          uint32_t *router_map);

/*
 * Refuses, on this thread, networks of more channels before they are built.
 *
 * most  0: the number that fits in memory
 *
 * Returns the limit before.
 */
double nb_topology_limit(double most);

/* The network of a kind that a network is: another one if it is from a file. */
static inline const struct nb_topology *
nb_topology_like(const struct nb_topology *topology)
{
    return topology->like != NULL ? topology->like : topology;
}

/* Whether that kind sets its terminals. */
static inline bool nb_has_own_terminals(const struct nb_topology *topology)
{
    return nb_topology_like(topology)->kind->has_own_terminals;
}

NB_INTERNAL_END

#endif
