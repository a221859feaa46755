#include "load/hop_classes.h"

#include "core/enclosure.h"

void nb_hop_classes_find(const struct nb_topology *topology,
                         const struct nb_channel_loads *loads,
                         struct nb_hop_classes *out)
{
    struct nb_enclosure sum[2] = { nb_enclosure_of_whole(0),
                                   nb_enclosure_of_whole(0) };
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        struct nb_enclosure *of = &sum[nb_channel_is_global(topology, c)];
        *of = nb_enclosure_add(*of, loads->load[c]);
    }
    const struct nb_enclosure all = nb_enclosure_add(sum[0], sum[1]);
    for (int i = 0; i < 2 && all.upper > 0; i++)
        sum[i] = nb_enclosure_multiply(loads->mean_hops,
                                       nb_enclosure_divide(sum[i], all));
    *out = (struct nb_hop_classes){ .local = sum[0], .global = sum[1] };
}
