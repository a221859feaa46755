/* Global links: how the groups of a Dragonfly or Megafly are joined; every two
 * groups have the same number of links. */
#ifndef NB_TOPOLOGY_GLOBAL_LINKS_H
#define NB_TOPOLOGY_GLOBAL_LINKS_H

#include "topology/topology.h"

/*
 * The U = trunking (groups - 1) links of a group are numbered; with q = l mod
 * (groups - 1), link l of group i leads
 *
 *     palmtree     to group i - q - 1 mod groups, there link U - 1 - l,
 *     consecutive  to the q-th other group, there the link that leads back
 *                  and is, like l, one of links c (groups - 1) ..,
 *     random       as palmtree.
 *
 * Link l is at router floor((l + 1/2) routers / U) of its group. Links of the
 * second half are mirrored: links l and U - 1 - l are at routers j and routers
 * - 1 - j, except for the middle link if U is odd and routers even. So each
 * router bears U / routers links, rounded down or up. Random: the links of each
 * group are permuted, each group with its own permutation.
 * Source: [Benito2020, section 2.2.1]; with every port used and one link
 * between any two groups, palmtree joins router j of group i, of h ports, with
 * router routers - 1 - j of groups i - (h j + m), m = 1 .. h.
 */
enum nb_arrangement { NB_PALMTREE, NB_CONSECUTIVE, NB_RANDOM };

struct nb_global_links {
    uint64_t groups;   /* >= 2 */
    uint64_t routers;  /* routers of a group that may bear global links */
    uint64_t trunking; /* links between any two groups */
    enum nb_arrangement arrangement;
    uint64_t seed;
};

/* Parameter rows that nb_global_links_read reads. */
#define NB_GLOBAL_LINK_PARAMETERS                                              \
    { .name = "groups",                                                        \
      .help = "number of groups, at least 2; 0: one more than the global "     \
              "channels of a group",                                           \
      .type = NB_WHOLE,                                                        \
      .initial = "0",                                                          \
      .least = 0,                                                              \
      .most = 4294967294.0 },                                                  \
        { .name = "arrangement",                                               \
          .help = "arrangement of the global links",                           \
          .detail =                                                            \
              "palmtree is also called relative, consecutive also absolute.",  \
          .type = NB_CHOICE,                                                   \
          .initial = "palmtree",                                               \
          .choices = "palmtree|relative|consecutive|absolute|random" },        \
        { .name = "trunking",                                                  \
          .help =                                                              \
              "global links between every two groups; 0: as many as possible", \
          .detail = "Ports that are left over are unused.",                    \
          .type = NB_WHOLE,                                                    \
          .initial = "0",                                                      \
          .least = 0,                                                          \
          .most = 4294967294.0 },                                              \
        { .name = "seed",                                                      \
          .help = "seed of the random arrangement",                            \
          .type = NB_WHOLE,                                                    \
          .initial = "1",                                                      \
          .least = 0,                                                          \
          .most = 0x1p53 },                                                    \
        { .name = "local-bandwidth",                                           \
          .help = "bandwidth of channels within groups; default: parameter "   \
                  "bandwidth",                                                 \
          .type = NB_NUMBER,                                                   \
          .initial = "",                                                       \
          .least = 1e-9,                                                       \
          .most = 1e9,                                                         \
          .unit = "packets/cycle" },                                           \
    {                                                                          \
        .name = "global-bandwidth",                                            \
        .help = "bandwidth of channels between groups; default: parameter "    \
                "bandwidth",                                                   \
        .type = NB_NUMBER, .initial = "", .least = 1e-9, .most = 1e9,          \
        .unit = "packets/cycle"                                                \
    }

/*
 * Reads the rows above.
 *
 * routers, ports  of a group: those that may bear global links, and the ports
 *                 of each; their product at most 2^62
 *
 * Errors: NB_INVALID if groups or trunking need more links than there are.
 */
enum nb_status
nb_global_links_read(const struct nb_specification *specification,
                     uint64_t routers, uint64_t ports,
                     struct nb_global_links *out, struct nb_error *err);

/* The number of global links of a group; the least and most that a router
 * bears. */
uint64_t nb_global_links_count(const struct nb_global_links *links);
uint64_t nb_global_links_least(const struct nb_global_links *links);
uint64_t nb_global_links_most(const struct nb_global_links *links);

/* The router of a group that bears its link l < nb_global_links_count; not for
 * random. */
uint32_t nb_global_links_router(const struct nb_global_links *links,
                                uint64_t l);

/* The number of links at the routers before router j <= routers; not for
 * random. */
uint64_t nb_global_links_before(const struct nb_global_links *links,
                                uint64_t j);

/*
 * Makes the channels, one each way for every link: groups times
 * nb_global_links_count. The routers of group g that bear links are numbered
 * from first + g routers.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_global_links_join(const struct nb_global_links *links,
                                    uint32_t first, struct nb_channel *channel,
                                    struct nb_error *err);

/* Automorphisms of the arrangement: every group to the next, and the reversal
 * of groups and their routers. */
enum nb_group_move { NB_NO_MOVE, NB_ROTATION, NB_REVERSAL };

/* The index-th of those that the arrangement has; NB_NO_MOVE past the last. */
enum nb_group_move nb_global_links_symmetry(const struct nb_global_links *links,
                                            size_t index);

/* The image of router `number` = group * routers + index in the group. */
uint32_t nb_global_links_move(const struct nb_global_links *links,
                              enum nb_group_move move, uint32_t number);

#endif
