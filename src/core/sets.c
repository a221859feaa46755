#include "core/sets.h"

void nb_sets_init(uint32_t *parent, size_t count)
{
    for (size_t i = 0; i < count; i++)
        parent[i] = (uint32_t)i;
}

uint32_t nb_sets_find(uint32_t *parent, uint32_t number)
{
    while (parent[number] != number)
        number = parent[number] = parent[parent[number]];
    return number;
}

void nb_sets_join(uint32_t *parent, uint32_t one, uint32_t other)
{
    const uint32_t a = nb_sets_find(parent, one);
    const uint32_t b = nb_sets_find(parent, other);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}
