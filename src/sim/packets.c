#include "sim/packets.h"

#include "core/memory.h"

enum nb_status nb_packets_init(uint32_t capacity, struct nb_packets *out,
                               struct nb_error *err)
{
    const char *what = "packets under way";
    enum nb_status status = NB_OK;
    *out = (struct nb_packets){ .capacity = capacity, .free = NB_NONE };
    NB_TRY(nb_new(&out->age, capacity, sizeof *out->age, what, err));
    NB_TRY(nb_new(&out->state, capacity, sizeof *out->state, what, err));
    NB_TRY(nb_new(&out->source, capacity, sizeof *out->source, what, err));
    NB_TRY(nb_new(&out->target, capacity, sizeof *out->target, what, err));
    NB_TRY(nb_new(&out->number, capacity, sizeof *out->number, what, err));
    NB_TRY(nb_new(&out->memory, capacity, sizeof *out->memory, what, err));
    NB_TRY(nb_new(&out->next, capacity, sizeof *out->next, what, err));
    NB_TRY(nb_new(&out->child, capacity, sizeof *out->child, what, err));
    NB_TRY(nb_new(&out->hops, capacity, sizeof *out->hops, what, err));
    NB_TRY(nb_new(&out->flits, capacity, sizeof *out->flits, what, err));
    NB_TRY(nb_new(&out->start, capacity, sizeof *out->start, what, err));
done:
    if (status != NB_OK)
        nb_packets_release(out);
    return status;
}

void nb_packets_release(struct nb_packets *packets)
{
    nb_delete(packets->age);
    nb_delete(packets->state);
    nb_delete(packets->source);
    nb_delete(packets->target);
    nb_delete(packets->number);
    nb_delete(packets->memory);
    nb_delete(packets->next);
    nb_delete(packets->child);
    nb_delete(packets->hops);
    nb_delete(packets->flits);
    nb_delete(packets->start);
    *packets = (struct nb_packets){ 0 };
}
