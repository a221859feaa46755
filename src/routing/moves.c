#include "routing/moves.h"

#include <string.h>

enum nb_status nb_moves_init(const struct nb_topology *topology,
                             struct nb_moves *out, struct nb_error *err)
{
    const size_t n = topology->router_count;
    struct nb_pool *pool = &out->pool;
    *out = (struct nb_moves){ .topology = topology };
    nb_random_init(&out->random, 1, 0);
    out->users = nb_pool_array(pool, n, sizeof *out->users);
    for (size_t i = 0; i < NB_MOST_MOVED; i++)
        out->moved[i].next = nb_pool_array(pool, n, sizeof(uint32_t));
    return nb_pool_check(pool, "next hops", err);
}

void nb_moves_release(struct nb_moves *moves)
{
    nb_pool_release(&moves->pool);
    *moves = (struct nb_moves){ 0 };
}

uint32_t nb_moves_number(struct nb_moves *moves, size_t count)
{
    return (uint32_t)(nb_random_next(&moves->random) % count);
}

/* Draws one of the fullest channels. */
static uint32_t moves_draw_channel(struct nb_moves *moves, const double *load)
{
    const struct nb_topology *topology = moves->topology;
    const double most = nb_load_most(topology, load);
    uint32_t channel = 0;
    size_t fullest = 0;
    for (uint32_t c = 0; c < topology->channel_count; c++)
        if (load[c] >= most && nb_is_choice(topology, c) &&
            nb_moves_number(moves, ++fullest) == 0)
            channel = c;
    return channel;
}

void nb_moves_draw(struct nb_moves *moves, const double *load,
                   const uint32_t *next)
{
    const struct nb_topology *topology = moves->topology;
    const size_t n = topology->router_count;
    const bool takes_all = nb_moves_number(moves, 2) == 0;
    const size_t wanted = 1 + nb_moves_number(moves, NB_MOST_MOVED);
    const uint32_t channel = moves_draw_channel(moves, load);
    const uint32_t from = topology->channels[channel].source;
    size_t users = 0;
    for (uint32_t d = 0; d < n; d++)
        if (topology->terminals[d] > 0 &&
            (takes_all || next[d * n + from] == channel))
            moves->users[users++] = d;
    for (moves->count = 0; moves->count < wanted && users > 0;) {
        struct nb_moved *moved = &moves->moved[moves->count++];
        const size_t place = nb_moves_number(moves, users);
        moved->destination = moves->users[place];
        moves->users[place] = moves->users[--users];
        memcpy(moved->next, next + moved->destination * n,
               n * sizeof *moved->next);
    }
}

double nb_load_most(const struct nb_topology *topology, const double *load)
{
    double most = 0;
    for (uint32_t c = 0; c < topology->channel_count; c++)
        if (load[c] > most && nb_is_choice(topology, c))
            most = load[c];
    return most;
}

double nb_load_strain(const struct nb_topology *topology, const double *load,
                      double most)
{
    double sum = 0;
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const double power =
            nb_is_choice(topology, c) ? nb_eighth_power(load[c] / most) : 0;
        sum += power * power;
    }
    return sum;
}
