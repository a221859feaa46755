/* Group ways: where Valiant's first phase may end, by groups. */
#ifndef NB_ROUTING_GROUP_WAYS_H
#define NB_ROUTING_GROUP_WAYS_H

#include "routing/routing.h"

/* Rows of the parameters that say where intermediate routers may lie. */
#define NB_PARAMETER_POLICY                                                    \
    {                                                                          \
        .name = "policy",                                                      \
        .help = "local (l) and global (g) hops to the intermediate router; "   \
                "lgl: any router",                                             \
        .detail = "lgl: any router.\nlg-: a router where a global channel of " \
                  "the source's group ends.\n-gl: any router of a group to "   \
                  "which the source router has a channel.\n-g-: a router at "  \
                  "the end of one of the source router's global channels.",    \
        .type = NB_CHOICE, .initial = "lgl", .choices = "lgl|lg-|-gl|-g-",     \
    }
#define NB_PARAMETER_SOURCE_GROUP                                              \
    {                                                                          \
        .name = "source-group",                                                \
        .help = "whether the intermediate router may lie in the source's "     \
                "group; auto: only with lgl",                                  \
        .detail = "With lg- and -g-: whether it may be the source itself.",    \
        .type = NB_CHOICE, .initial = "auto", .choices = "auto|yes|no",        \
    }
#define NB_PARAMETER_DESTINATION_GROUP                                         \
    {                                                                          \
        .name = "destination-group",                                           \
        .help = "whether the intermediate router may lie in the "              \
                "destination's group",                                         \
        .type = NB_CHOICE, .initial = "yes", .choices = "yes|no",              \
    }

#define NB_PARAMETER_RESTRICTED                                                \
    {                                                                          \
        .name = "restricted",                                                  \
        .help = "draw intermediate routers from the part of the network that " \
                "both ends share",                                             \
        .detail = "yes: as with rvlb. no: as with val.", .type = NB_CHOICE,    \
        .initial = "yes", .choices = "yes|no",                                 \
    }

/*
 * For builders, after nb_two_phase_build: restricts the intermediate routers of
 * a scheme from all routers with terminals to those selected by its parameters
 * policy, source-group and destination-group. Each global channel counts once:
 * if several join two groups, their ends may be listed several times.
 *
 * is_restricted  two routers that share a part of the network (intermediates.h)
 *                have their intermediate routers anywhere in it, whatever the
 *                policy
 *
 * Errors: NB_INVALID if the network has no groups or parts, if a pair has no
 * intermediate router left, or if routers at the ends of global channels have
 * no terminals; NB_NO_MEMORY. Source: [Benito2020, Table 5-1 and section 5.2].
 */
enum nb_status nb_group_ways_build(struct nb_routing *out, bool is_restricted,
                                   struct nb_error *err);

/* The same for several policies, such as "-g- lgl": one set for each. The last
 * policy must permit everything that the others do. Ignores the parameter
 * policy. */
enum nb_status nb_group_ways_list(struct nb_routing *out, const char *policies,
                                  bool is_restricted, struct nb_error *err);

#endif
