/* Sizing by closed forms, compared with the networks themselves. */
#ifndef NB_TESTS_SUPPORT_FIT_CHECKS_H
#define NB_TESTS_SUPPORT_FIT_CHECKS_H

#include "topology/fit.h"

/* The channels between groups, for a Slim Fly those between racks. */
uint64_t fit_global_channels(const struct nb_topology *topology);

/* Fails the test unless every number of a fit is that of the network built from
 * its specification. */
void fit_must_be_built(const struct nb_fit *fit);

/* The index-th network of a kind that meets a demand; false if there is
 * none. */
bool fit_find(const char *kind, const struct nb_fit_demand *demand,
              size_t index, struct nb_fit *out);

/* Runs that check on all fits of a kind for every radix and number of terminals
 * up to these whose network has at most this number of routers, and checks that
 * the demand is met; returns the number checked. */
size_t fit_check_kind(const char *kind, uint32_t most_radix,
                      uint64_t most_terminals, uint64_t most_routers);

/* The fit of a kind with this specification; fails the test if there is
 * none. */
struct nb_fit fit_must_find(const char *kind, uint64_t terminals,
                            uint32_t radix, const char *specification);

/* The number of networks of a kind that meet a demand. */
size_t fit_count(const char *kind, uint64_t terminals, uint32_t radix);

#endif
