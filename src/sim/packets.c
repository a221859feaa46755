#include "sim/packets.h"

#include "core/memory.h"

enum nb_status nb_packets_init(uint32_t capacity, struct nb_packets *out,
                               struct nb_error *err)
{
    *out = (struct nb_packets){ .capacity = capacity, .free = NB_NONE };
    const struct nb_array arrays[] = {
        NB_ARRAY(out->age, capacity),    NB_ARRAY(out->state, capacity),
        NB_ARRAY(out->source, capacity), NB_ARRAY(out->target, capacity),
        NB_ARRAY(out->number, capacity), NB_ARRAY(out->memory, capacity),
        NB_ARRAY(out->next, capacity),   NB_ARRAY(out->child, capacity),
        NB_ARRAY(out->hops, capacity),   NB_ARRAY(out->flits, capacity),
        NB_ARRAY(out->start, capacity),  { 0 },
    };
    return nb_new_arrays(arrays, "packets under way", err);
}

void nb_packets_release(struct nb_packets *packets)
{
    nb_delete(packets->age);
    *packets = (struct nb_packets){ 0 };
}
