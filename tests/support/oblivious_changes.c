#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "oblivious_changes.h"

#include "core/memory.h"

#include <string.h>

void oblivious_copy(const struct nb_best_oblivious *from, size_t routers,
                    struct nb_best_oblivious *out)
{
    *out = *from;
    out->paths = (struct nb_path_table){ 0 };
    for (size_t p = 0; p < from->paths.path_count; p++) {
        const struct nb_table_path *path = &from->paths.path[p];
        assert_int_equal(nb_path_table_add(&out->paths, path->source,
                                           path->destination, path->weight,
                                           from->paths.channel + path->first,
                                           path->length, NULL),
                         NB_OK);
    }
    out->duals = nb_new_array(from->dual_count, sizeof *out->duals);
    out->weights = nb_new_array(from->weight_count, sizeof *out->weights);
    assert_true(out->duals != NULL && out->weights != NULL);
    memcpy(out->weights, from->weights,
           from->weight_count * sizeof *out->weights);
    for (size_t d = 0; d < from->dual_count; d++) {
        const size_t bytes = routers * sizeof(int64_t);
        out->duals[d] = from->duals[d];
        out->duals[d].row = nb_new_array(routers, sizeof(int64_t));
        out->duals[d].column = nb_new_array(routers, sizeof(int64_t));
        assert_true(out->duals[d].row != NULL && out->duals[d].column != NULL);
        memcpy(out->duals[d].row, from->duals[d].row, bytes);
        memcpy(out->duals[d].column, from->duals[d].column, bytes);
    }
}

/* A number near another one, or far from it. */
static int64_t changes_of_number(struct nb_random *random, int64_t old)
{
    static const int64_t others[] = {
        0,
        1,
        -1,
        INT64_MAX,
        INT64_MIN,
        (int64_t)1 << 40,
        ((int64_t)1 << 40) + 1,
        (int64_t)1 << 61,
    };
    switch (nb_random_below(random, 5)) {
    case 0:
        return old - 1;
    case 1:
        return old + 1;
    case 2:
        return old / 2;
    case 3:
        return (int64_t)((uint64_t)old * 2);
    default:
        return others[nb_random_below(random, sizeof others / sizeof *others)];
    }
}

static uint32_t changes_draw_router(struct nb_random *random,
                                    const struct nb_topology *topology)
{
    return (uint32_t)nb_random_below(random, topology->router_count + 1);
}

static uint32_t changes_draw_channel(struct nb_random *random,
                                     const struct nb_topology *topology)
{
    return (uint32_t)nb_random_below(random, topology->channel_count + 1);
}

static void changes_of_path(struct nb_random *random,
                            const struct nb_topology *topology,
                            struct nb_path_table *paths)
{
    const size_t p = nb_random_below(random, paths->path_count);
    struct nb_table_path *path = &paths->path[p];
    struct nb_table_path *next = &paths->path[(p + 1) % paths->path_count];
    const struct nb_table_path old = *path;
    switch (nb_random_below(random, 9)) {
    case 0:
        path->weight =
            (uint64_t)changes_of_number(random, (int64_t)path->weight);
        break;
    case 1: /* the sum is kept if they belong to one pair */
    case 2:
        path->weight--;
        next->weight++;
        break;
    case 3:
        paths->channel[path->first + nb_random_below(random, path->length)] =
            changes_draw_channel(random, topology);
        break;
    case 4:
        path->source = changes_draw_router(random, topology);
        break;
    case 5:
        path->destination = changes_draw_router(random, topology);
        break;
    case 6:
        path->length--;
        break;
    case 7:
        *path = paths->path[--paths->path_count];
        break;
    default:
        *path = *next;
        *next = old;
    }
}

static void changes_of_dual(struct nb_random *random,
                            const struct nb_topology *topology,
                            struct nb_best_oblivious *best)
{
    const size_t r = nb_random_below(random, topology->router_count);
    struct nb_oblivious_dual *dual =
        &best->duals[nb_random_below(random, best->dual_count)];
    int64_t *const old = dual->row;
    switch (nb_random_below(random, 7)) {
    case 0:
    case 1:
        dual->row[r] = changes_of_number(random, dual->row[r]);
        break;
    case 2:
        dual->column[r] = changes_of_number(random, dual->column[r]);
        break;
    case 3:
        dual->row = dual->column;
        dual->column = old;
        break;
    case 4:
        dual->channel = changes_draw_channel(random, topology);
        break;
    case 5: /* the sums are kept, those of one side fall */
        for (size_t d = 0; d < best->dual_count; d++)
            for (size_t i = 0; i < topology->router_count; i++) {
                best->duals[d].row[i]--;
                best->duals[d].column[i]++;
            }
        break;
    default:
        for (size_t i = 0; i < topology->router_count; i++)
            dual->row[i] = changes_of_number(random, dual->row[i]);
    }
}

static void changes_of_weight(struct nb_random *random,
                              const struct nb_topology *topology,
                              struct nb_best_oblivious *best)
{
    if (best->weight_count == 0)
        return;
    struct nb_adversary_weight *weight =
        &best->weights[nb_random_below(random, best->weight_count)];
    switch (nb_random_below(random, 8)) {
    case 0:
    case 1:
        weight->weight = changes_of_number(random, weight->weight);
        break;
    case 2:
        weight->source = changes_draw_router(random, topology);
        break;
    case 3:
        weight->destination = changes_draw_router(random, topology);
        break;
    case 4:
        weight->channel = changes_draw_channel(random, topology);
        break;
    case 5:
        *weight = best->weights[--best->weight_count];
        break;
    case 6:
        best->weight_scale = changes_of_number(random, best->weight_scale);
        break;
    default:
        for (size_t i = 0; i < best->weight_count; i++)
            best->weights[i].weight =
                changes_of_number(random, best->weights[i].weight);
    }
}

void oblivious_change(struct nb_random *random,
                      const struct nb_topology *topology,
                      struct nb_best_oblivious *best)
{
    switch (nb_random_below(random, 3)) {
    case 0:
        changes_of_path(random, topology, &best->paths);
        break;
    case 1:
        changes_of_dual(random, topology, best);
        break;
    default:
        changes_of_weight(random, topology, best);
    }
}
