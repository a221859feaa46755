/* lane: forwarding tables; the virtual lane of each hop is read from them.
 * Whether packets can wait for each other in a cycle depends on who made the
 * tables. */
#include "routing/table_ways.h"

const struct nb_vc_rule nb_vc_rule_lane = {
    .name = "lane",
    .summary = "virtual lanes of forwarding tables",
    .source = "",
    .is_unprotected = true,
    .suits = nb_layers_suit,
    .build = nb_layers_set,
    .find = nb_layers_find,
};
