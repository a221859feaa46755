#include "load/sides.h"

#include "core/memory.h"

enum nb_status nb_sides_find(const struct nb_topology *topology,
                             struct nb_sides *out, struct nb_error *err)
{
    enum nb_status status = nb_topology_check(topology, err);
    *out = (struct nb_sides){ 0 };
    if (status != NB_OK)
        return status;
    const size_t n = topology->router_count;
    uint32_t alike = 0;
    size_t endpoints = 0;
    bool are_alike = true;
    for (size_t r = 0; r < n; r++) {
        const uint32_t own = topology->terminals[r];
        if (own == 0)
            continue;
        endpoints++;
        are_alike = are_alike && (alike == 0 || alike == own);
        alike = own;
    }
    *out = (struct nb_sides){
        .count = are_alike ? endpoints : topology->terminal_count,
        .multiplicity = are_alike ? alike : 1,
    };
    status =
        nb_new(&out->router, out->count, sizeof *out->router, "sides", err);
    size_t side = 0;
    for (uint32_t r = 0; r < n && status == NB_OK; r++) {
        const uint32_t own = topology->terminals[r];
        for (uint32_t t = 0; t < own && (t == 0 || !are_alike); t++)
            out->router[side++] = r;
    }
    return status;
}

void nb_sides_release(struct nb_sides *sides)
{
    nb_delete(sides->router);
    *sides = (struct nb_sides){ 0 };
}

double nb_sides_bytes(const struct nb_sides *sides,
                      const struct nb_routing *routing, size_t channels)
{
    const double endpoints = nb_pair_loads_bytes(routing, channels);
    const double n = (double)sides->count;
    const double own = n * n * 8 * (double)channels;
    return own > endpoints ? endpoints + own : endpoints;
}

/* The endpoint of each side: sides of one router are adjacent. */
static size_t sides_endpoint(const struct nb_sides *sides, size_t side,
                             size_t before)
{
    return side > 0 && sides->router[side] != sides->router[side - 1]
               ? before + 1
               : before;
}

enum nb_status nb_sides_expand(const struct nb_sides *sides,
                               struct nb_pair_loads *loads,
                               struct nb_error *err)
{
    const size_t n = sides->count, old = loads->n;
    const size_t rows = loads->is_separable ? 2 : n;
    int64_t *weight = NULL;
    double *value = NULL;
    enum nb_status status = NB_OK;
    if (n == old)
        return NB_OK;
    if (loads->is_exact)
        NB_TRY(nb_new(&weight, rows * n, sizeof *weight, "pair loads", err));
    else
        NB_TRY(nb_new(&value, rows * n, sizeof *value, "pair loads", err));
    for (size_t i = 0, a = 0; i < rows; i++) {
        a = loads->is_separable ? i : sides_endpoint(sides, i, a);
        for (size_t j = 0, b = 0; j < n; j++) {
            b = sides_endpoint(sides, j, b);
            if (loads->is_exact)
                weight[i * n + j] = loads->weight[a * old + b];
            else
                value[i * n + j] = loads->value[a * old + b];
        }
    }
    nb_delete(loads->weight);
    nb_delete(loads->value);
    nb_delete(loads->has_load); /* of other rows */
    loads->weight = weight;
    loads->value = value;
    loads->has_load = NULL;
    loads->n = n;
done:
    return status;
}
