/* Problem: the network, traffic and routing that a question names, and the
 * quantities that several commands report. */
#ifndef NB_QUESTIONS_PROBLEM_H
#define NB_QUESTIONS_PROBLEM_H

#include "core/public.h"
#include "bounds/cuts/capacity.h"
#include "bounds/worst_case/unbalanced.h"
#include "optimum/worst_traffic.h"
#include "ask/question.h"
#include "core/enclosure.h"
#include "routing/routing.h"
#include "traffic/traffic.h"

/* Rows of option tables that several commands share (initialisers, since a
 * constant object cannot be copied into a static table). */
#define NB_OPTION_TOPOLOGY(place)                                              \
    NB_OPTION("topology", place, NETWORK, WORD, NULL,                          \
              "the network, such as torus:8x8 (netbound list topologies)",     \
              .is_first = true)
#define NB_OPTION_TRAFFIC(place)                                               \
    NB_OPTION("traffic", place, TRAFFIC, WORD, "uniform",                      \
              "traffic pattern, such as transpose (netbound list traffics)",   \
              .is_first = true)
#define NB_OPTION_ROUTING(place)                                               \
    NB_OPTION(                                                                 \
        "routing", place, NETWORK, WORD, "min",                                \
        "routing scheme, such as dor:ties=split (netbound list routings)",     \
        .is_first = true)

/* When unbalanced traffic saturates a channel (enum nb_overload). */
#define NB_OPTION_SATURATED(place)                                             \
    NB_OPTION("saturated", place, MEASUREMENT, CHOICE, "meets",                \
              "with --unbalanced: when a channel saturates",                   \
              .detail = "meets: when its load equals its bandwidth, as in "    \
                        "TowlesDally2002. exceeds: when its load is larger.",  \
              .choices = "meets|exceeds", .with = "unbalanced")

/* Owns its parts; those that the question has no option for stay empty. */
struct nb_problem {
    struct nb_topology topology;
    /* If terminals were made hosts (topology/hosts.h): the network before that,
     * else empty. */
    struct nb_topology routers;
    struct nb_routing routing;
    struct nb_traffic traffic;
    struct nb_capacity capacity;
    struct nb_channel_loads loads; /* if the capacity needed them, else empty */
    /* The search for the traffic "worst"; its routing is not set. */
    struct nb_worst_search worst;
    bool counts_flits; /* packets have several flits: rates and capacity count
                        * flits, since a channel of bandwidth 1 sends one in a
                        * cycle */
};

/* The names that a question gives for a network. */
struct nb_network_names {
    const char *topology;
    const char *routing, *traffic; /* NULL: none */
    /* A scheme that is built later; NULL: none. */
    const char *later_routing;
    bool allows_inadmissible;
    bool refuses_adaptive;
};

/* Notes that rates count flits where packets have several flits. */
#define NB_FLITS_COUNTED                                                       \
    "loads, capacity and all rates found count flits, --rate counts packets"

NB_INTERNAL_BEGIN

/*
 * Builds the problem and computes the capacity.
 *
 * run  NULL: all cores
 *
 * Errors: those of the builders.
 */
enum nb_status nb_problem_open(const struct nb_network_names *names,
                               const struct nb_run *run, struct nb_problem *out,
                               struct nb_error *err);

void nb_problem_release(struct nb_problem *problem);

/* Builds the network, with hosts where the scheme needs them. routing: NULL:
 * none. Errors: those of nb_topology_build. */
enum nb_status nb_problem_build_network(const char *topology,
                                        const char *routing,
                                        struct nb_problem *out,
                                        struct nb_error *err);

/* Says which of a host's LIDs packets use, where hosts have several. */
void nb_problem_note_lids(const struct nb_routing *routing,
                          struct nb_point *point);

/* Says how the file of a network was read, where it leaves a choice. */
void nb_note_file(const struct nb_topology *topology, struct nb_point *point);

/* Says what bandwidths of a file mean: the speed of bandwidth 1, and links
 * without one. */
void nb_note_bandwidths(const struct nb_topology *topology,
                        struct nb_point *point);

/* Notes that terminals are hosts. */
void nb_problem_note_terminals(const struct nb_problem *problem,
                               struct nb_point *point);

/* Transfers the loads of its traffic under its routing to the caller; computes
 * them if it has none. Errors: those of nb_channel_loads_find. */
enum nb_status nb_problem_find_loads(struct nb_problem *problem,
                                     const struct nb_run *run,
                                     struct nb_channel_loads *out,
                                     struct nb_error *err);

/* Adds the note that explains the option saturated. */
void nb_point_note_overload(struct nb_point *point, enum nb_overload overload);

/*
 * The injection rate given by a rate or a load, at most one of them known; 1 if
 * neither is.
 *
 * Errors: NB_INVALID for a load where the capacity is infinite.
 */
enum nb_status nb_problem_rate(const struct nb_problem *problem,
                               struct nb_ratio rate, struct nb_ratio load,
                               struct nb_enclosure *out, struct nb_error *err);

/* Reports the upper ends of NAME and NAME_absolute as their values: for upper
 * bounds, that is the safe side. */
void nb_point_rely_on_upper(struct nb_point *point, const char *name);

/*
 * Builds a traffic of the problem's network; the traffic "worst" depends on its
 * routing.
 *
 * Errors: those of nb_traffic_build and nb_worst_search_run.
 */
enum nb_status nb_problem_build_traffic(const char *traffic,
                                        bool allow_inadmissible,
                                        const struct nb_run *run,
                                        struct nb_problem *problem,
                                        struct nb_error *err);

/* If the traffic is the routing's worst, names its channel and load. */
void nb_problem_note_worst(const struct nb_problem *problem,
                           struct nb_point *point);

/* nb_terminal_limit: the throughput that the terminals' own channels permit. */
struct nb_enclosure nb_problem_terminal_limit(const struct nb_problem *problem,
                                              struct nb_ratio most);

/* Adds NAME, as a fraction of capacity unless that is infinite, and
 * NAME_absolute. */
void nb_problem_add_rate(const struct nb_problem *problem,
                         struct nb_point *point, const char *name,
                         struct nb_enclosure absolute, const char *method,
                         const char *source);
/* The same of an estimate; nothing if it is NAN. */
void nb_problem_add_estimate(const struct nb_problem *problem,
                             struct nb_point *point, const char *name,
                             struct nb_interval absolute,
                             struct nb_interval fraction, const char *method,
                             const char *source);

/*
 * Adds NAME (fraction of capacity), NAME_absolute and capacity with its notes.
 * Adds the note terminal_limit if the terminals' own channels permit less than
 * those between routers, or may do so.
 *
 * channels  the throughput that the channels between routers permit
 * most      the largest sum of a terminal's row or column of the traffic
 */
void nb_problem_add_throughput(const struct nb_problem *problem,
                               struct nb_point *point, const char *name,
                               struct nb_enclosure channels,
                               struct nb_ratio most, const char *method,
                               const char *source);

/* Notes, on grids of several dimensions and unless schemes are compared, that
 * min splits evenly over shortest paths; many expect dimension order. */
void nb_problem_note_min(const struct nb_problem *problem,
                         struct nb_point *point);

/* The unit of capacity and of all rates reported with it. */
const char *nb_problem_rate_unit(const struct nb_problem *problem);

/* Adds the note failures if anything failed or was meant to fail. */
void nb_problem_note_failures(const struct nb_problem *problem,
                              struct nb_point *point);

/* Adds capacity with the note capacity_basis; the note shortest_paths if the
 * scheme takes those and they are not the shortest by hops; and, if part of the
 * network failed, the note failures. */
void nb_problem_add_capacity(const struct nb_problem *problem,
                             struct nb_point *point);

/* Adds the note traffic_rate, which explains multiples of a traffic whose rows
 * do not sum to 1. */
void nb_problem_note_rate(const struct nb_traffic_sums *sums,
                          struct nb_point *out);

/* Appends "router 3", with its name if it has one. */
void nb_problem_print_router(const struct nb_topology *topology,
                             uint32_t router, struct nb_text *text);

/* Reads "A,B", two routers with terminals, by number or name. Errors:
 * NB_INVALID. */
enum nb_status nb_problem_read_pair(const struct nb_problem *problem,
                                    const char *text, uint32_t pair[2],
                                    struct nb_error *err);

/* Adds the note that hops exclude the channels to terminals and latencies
 * include them, if these channels have a queue. */
void nb_problem_note_hops(struct nb_point *point);

/* Adds the note "NAME: channel C, router A to router B"; none if the network
 * has no such channel. */
void nb_problem_note_channel(const struct nb_problem *problem,
                             struct nb_point *point, const char *name,
                             uint32_t channel);

NB_INTERNAL_END

#endif
