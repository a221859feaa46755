#include "load/hop_classes.h"

#include "core/enclosure.h"

void nb_hop_classes_find(const struct nb_topology *topology,
                         const struct nb_channel_loads *loads,
                         struct nb_hop_classes *out)
{
    struct nb_enclosure sum[2] = { nb_enclosure_of_whole(0),
                                   nb_enclosure_of_whole(0) };
    const struct nb_enclosure mean = { loads->mean_hops, loads->mean_hops_lower,
                                       loads->mean_hops_upper };
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const struct nb_enclosure load = { loads->exact[c], loads->lower[c],
                                           loads->upper[c] };
        struct nb_enclosure *of = &sum[nb_channel_is_global(topology, c)];
        *of = nb_enclosure_add(*of, load);
    }
    const struct nb_enclosure all = nb_enclosure_add(sum[0], sum[1]);
    struct nb_enclosure part[2] = { sum[0], sum[1] };
    for (int i = 0; i < 2 && all.upper > 0; i++)
        part[i] = nb_enclosure_multiply(mean, nb_enclosure_divide(sum[i], all));
    *out = (struct nb_hop_classes){
        .local = part[0].exact,
        .global = part[1].exact,
        .local_lower = part[0].lower,
        .local_upper = part[0].upper,
        .global_lower = part[1].lower,
        .global_upper = part[1].upper,
    };
}
