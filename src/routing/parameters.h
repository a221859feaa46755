/* Rows of parameter tables that several schemes share (initialisers, since a
 * constant object cannot be copied into a static table). */
#ifndef NB_ROUTING_PARAMETERS_H
#define NB_ROUTING_PARAMETERS_H

#define NB_PARAMETER_ORDER(default_order)                                      \
    {                                                                          \
        .name = "order",                                                       \
        .help = "order in which the dimensions are travelled",                 \
        .type = NB_CHOICE, .is_leading = true, .initial = (default_order),     \
        .choices = "fixed|random",                                             \
    }
#define NB_PARAMETER_TIES                                                      \
    {                                                                          \
        .name = "ties",                                                        \
        .help = "direction at distance exactly k/2: half each way, always "    \
                "up, or by parity",                                            \
        .type = NB_CHOICE, .initial = "split", .choices = "split|plus|parity", \
    }
#define NB_PARAMETER_THRESHOLD(default_threshold)                              \
    {                                                                          \
        .name = "threshold",                                                   \
        .help = "always take the shorter direction if its distance is below "  \
                "this fraction of the radix",                                  \
        .type = NB_NUMBER, .initial = (default_threshold), .least = 0,         \
        .most = 0.5,                                                           \
    }
#define NB_PARAMETER_BACKTRACKING                                              \
    {                                                                          \
        .name = "backtracking",                                                \
        .help = "whether both phases take shortest paths instead of the "      \
                "directions drawn",                                            \
        .type = NB_CHOICE, .initial = "no", .choices = "yes|no",               \
    }

#define NB_PARAMETER_SWEEPS(default_sweeps)                                    \
    {                                                                          \
        .name = "sweeps",                                                      \
        .help = "times that the paths of every destination are chosen again, " \
                "to divide the load",                                          \
        .type = NB_WHOLE, .initial = (default_sweeps), .least = 0,             \
        .most = 1000,                                                          \
    }
#define NB_PARAMETER_LAYERS(default_layers)                                    \
    {                                                                          \
        .name = "layers", .help = "number of layers of virtual channels",      \
        .type = NB_WHOLE, .initial = (default_layers), .least = 1, .most = 64, \
    }

/* drawn: what is drawn, a string literal */
#define NB_PARAMETER_SEED(drawn)                                               \
    {                                                                          \
        .name = "seed", .help = "seed of " drawn, .type = NB_WHOLE,            \
        .initial = "1", .least = 0, .most = 0x1p53,                            \
    }

#endif
