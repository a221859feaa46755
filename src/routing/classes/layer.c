/* layer: schemes executed as tables; the layer of each hop is read from
 * them. */
#include "routing/table_ways.h"

const struct nb_vc_rule nb_vc_rule_layer = {
    .name = "layer",
    .summary = "layers of pairs",
    .source = "SkeieLysneTheiss2002",
    .suits = nb_layers_suit,
    .build = nb_layers_set,
    .find = nb_layers_find,
};
