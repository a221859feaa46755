#include "bounds/matching/cardinality.h"

#include "core/memory.h"

#include <inttypes.h>

struct cardinality {
    size_t left_count, right_count;
    const size_t *row_start;
    const uint32_t *column;
    uint32_t *match_of_left;  /* left_count, the caller's */
    uint32_t *match_of_right; /* right_count */
    uint32_t *level;          /* left_count; NB_UNMATCHED: not reached */
    uint32_t *queue;          /* left_count; also the stack of a path */
    size_t *next;             /* left_count, the edge to be tried */
};

static enum nb_status cardinality_check(const struct cardinality *c,
                                        struct nb_error *err)
{
    if (c->left_count >= NB_UNMATCHED || c->right_count >= NB_UNMATCHED)
        return nb_fail(err, NB_INVALID,
                       "a matching of %zu and %zu vertices; permitted: 0 .. "
                       "%" PRIu32 " each",
                       c->left_count, c->right_count, NB_UNMATCHED - 1);
    if (c->row_start[0] != 0)
        return nb_fail(err, NB_INVALID,
                       "edges of a matching start at %zu; permitted: 0",
                       c->row_start[0]);
    for (size_t i = 0; i < c->left_count; i++) {
        if (c->row_start[i + 1] < c->row_start[i])
            return nb_fail(err, NB_INVALID,
                           "edges of left vertex %zu end at %zu; permitted: "
                           "%zu or more",
                           i, c->row_start[i + 1], c->row_start[i]);
        for (size_t k = c->row_start[i]; k < c->row_start[i + 1]; k++)
            if (c->column[k] >= c->right_count)
                return nb_fail(err, NB_INVALID,
                               "left vertex %zu of a matching has right "
                               "vertex %" PRIu32 "; permitted: below %zu",
                               i, c->column[k], c->right_count);
    }
    return NB_OK;
}

/* Levels of all left vertices reached from unmatched ones by alternating
 * paths; returns whether some path ends in an unmatched right vertex. */
static bool cardinality_layer(struct cardinality *c)
{
    size_t count = 0;
    bool is_open = false;
    for (size_t i = 0; i < c->left_count; i++) {
        c->level[i] = NB_UNMATCHED;
        c->next[i] = c->row_start[i];
        if (c->match_of_left[i] == NB_UNMATCHED) {
            c->level[i] = 0;
            c->queue[count++] = (uint32_t)i;
        }
    }
    for (size_t head = 0; head < count; head++) {
        const uint32_t i = c->queue[head];
        for (size_t k = c->row_start[i]; k < c->row_start[i + 1]; k++) {
            const uint32_t partner = c->match_of_right[c->column[k]];
            if (partner == NB_UNMATCHED) {
                is_open = true;
            } else if (c->level[partner] == NB_UNMATCHED) {
                c->level[partner] = c->level[i] + 1;
                c->queue[count++] = partner;
            }
        }
    }
    return is_open;
}

/* Matches the vertices of a path: each takes the edge it tried last. */
static void cardinality_exchange(struct cardinality *c, size_t depth)
{
    for (size_t d = 0; d < depth; d++) {
        const uint32_t i = c->queue[d];
        const uint32_t j = c->column[c->next[i] - 1];
        c->match_of_left[i] = j;
        c->match_of_right[j] = i;
    }
}

/*
 * Looks for a path from an unmatched left vertex along rising levels; each edge
 * is tried once per phase, so that a phase takes time linear in the edges.
 */
static bool cardinality_augment(struct cardinality *c, uint32_t root)
{
    size_t depth = 1;
    c->queue[0] = root;
    while (depth > 0) {
        const uint32_t i = c->queue[depth - 1];
        if (c->next[i] == c->row_start[i + 1]) {
            depth--;
            continue;
        }
        const uint32_t partner = c->match_of_right[c->column[c->next[i]++]];
        if (partner == NB_UNMATCHED) {
            cardinality_exchange(c, depth);
            return true;
        }
        if (c->level[partner] == c->level[i] + 1)
            c->queue[depth++] = partner;
    }
    return false;
}

static size_t cardinality_run(struct cardinality *c)
{
    size_t size = 0;
    for (size_t i = 0; i < c->left_count; i++)
        c->match_of_left[i] = NB_UNMATCHED;
    for (size_t j = 0; j < c->right_count; j++)
        c->match_of_right[j] = NB_UNMATCHED;
    while (cardinality_layer(c))
        for (size_t i = 0; i < c->left_count; i++)
            if (c->match_of_left[i] == NB_UNMATCHED)
                size += cardinality_augment(c, (uint32_t)i);
    return size;
}

/* Left vertices the last search did not reach, and right vertices it did. */
static void cardinality_cover(const struct cardinality *c, bool *left_cover,
                              bool *right_cover)
{
    for (size_t j = 0; j < c->right_count; j++)
        right_cover[j] = false;
    for (size_t i = 0; i < c->left_count; i++) {
        left_cover[i] = c->level[i] == NB_UNMATCHED;
        if (!left_cover[i])
            for (size_t k = c->row_start[i]; k < c->row_start[i + 1]; k++)
                right_cover[c->column[k]] = true;
    }
}

enum nb_status nb_cardinality_matching(size_t left_count, size_t right_count,
                                       const size_t *row_start,
                                       const uint32_t *column,
                                       uint32_t *match_of_left,
                                       bool *left_cover, bool *right_cover,
                                       size_t *size, struct nb_error *err)
{
    struct nb_pool pool = { 0 };
    struct cardinality c = { .left_count = left_count,
                             .right_count = right_count,
                             .row_start = row_start,
                             .column = column,
                             .match_of_left = match_of_left };
    enum nb_status status;
    NB_TRY(cardinality_check(&c, err));
    c.match_of_right = nb_pool_array(&pool, right_count, sizeof(uint32_t));
    c.level = nb_pool_array(&pool, left_count, sizeof(uint32_t));
    c.queue = nb_pool_array(&pool, left_count, sizeof(uint32_t));
    c.next = nb_pool_array(&pool, left_count, sizeof(size_t));
    NB_TRY(nb_pool_check(&pool, "a matching", err));
    *size = cardinality_run(&c);
    cardinality_cover(&c, left_cover, right_cover);
done:
    nb_pool_release(&pool);
    return status;
}
