#include "sim/packets.h"

#include "core/memory.h"

enum nb_status nb_packets_init(uint32_t capacity, struct nb_packets *out,
                               struct nb_error *err)
{
    *out = (struct nb_packets){ .capacity = capacity, .free = NB_NONE };
    struct nb_pool *pool = &out->pool;
    out->age = nb_pool_array(pool, capacity, sizeof *out->age);
    out->state = nb_pool_array(pool, capacity, sizeof *out->state);
    out->source = nb_pool_array(pool, capacity, sizeof *out->source);
    out->target = nb_pool_array(pool, capacity, sizeof *out->target);
    out->number = nb_pool_array(pool, capacity, sizeof *out->number);
    out->memory = nb_pool_array(pool, capacity, sizeof *out->memory);
    out->next = nb_pool_array(pool, capacity, sizeof *out->next);
    out->child = nb_pool_array(pool, capacity, sizeof *out->child);
    out->asked = nb_pool_array(pool, capacity, sizeof *out->asked);
    out->message = nb_pool_array(pool, capacity, sizeof *out->message);
    out->hops = nb_pool_array(pool, capacity, sizeof *out->hops);
    out->far = nb_pool_array(pool, capacity, sizeof *out->far);
    out->flits = nb_pool_array(pool, capacity, sizeof *out->flits);
    out->start = nb_pool_array(pool, capacity, sizeof *out->start);
    out->blocked = nb_pool_array(pool, capacity, sizeof *out->blocked);
    return nb_pool_check(pool, "packets under way", err);
}

void nb_packets_release(struct nb_packets *packets)
{
    nb_pool_release(&packets->pool);
    *packets = (struct nb_packets){ 0 };
}
