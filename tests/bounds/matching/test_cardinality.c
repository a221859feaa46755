/* Hopcroft-Karp against plain augmenting paths, and Koenig's cover. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bounds/matching/cardinality.h"
#include "core/memory.h"

#include <string.h>

enum { LEFT = 60, RIGHT = 60, EDGES = LEFT * RIGHT };

struct graph {
    size_t left, right;
    size_t row_start[LEFT + 1];
    uint32_t column[EDGES];
};

struct answer {
    uint32_t match[LEFT];
    bool left_cover[LEFT], right_cover[RIGHT];
    size_t size;
};

static uint64_t test_next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

/* A graph with each edge present once in `rarity` times. */
static void test_make(struct graph *g, uint64_t seed)
{
    uint64_t state = seed;
    g->left = test_next(&state) % LEFT;
    g->right = test_next(&state) % RIGHT;
    const uint64_t rarity = 1 + test_next(&state) % 30;
    size_t count = 0;
    for (size_t i = 0; i < g->left; i++) {
        g->row_start[i] = count;
        for (uint32_t j = 0; j < g->right; j++)
            if (test_next(&state) % rarity == 0)
                g->column[count++] = j;
    }
    g->row_start[g->left] = count;
}

static bool test_visit(const struct graph *g, size_t i, bool *seen,
                       size_t *left_of)
{
    for (size_t k = g->row_start[i]; k < g->row_start[i + 1]; k++) {
        const uint32_t j = g->column[k];
        if (seen[j])
            continue;
        seen[j] = true;
        if (left_of[j] == SIZE_MAX ||
            test_visit(g, left_of[j], seen, left_of)) {
            left_of[j] = i;
            return true;
        }
    }
    return false;
}

/* The oracle: one augmenting path at a time. */
static size_t test_oracle(const struct graph *g)
{
    size_t left_of[RIGHT];
    size_t size = 0;
    for (size_t j = 0; j < RIGHT; j++)
        left_of[j] = SIZE_MAX;
    for (size_t i = 0; i < g->left; i++) {
        bool seen[RIGHT] = { false };
        size += test_visit(g, i, seen, left_of);
    }
    return size;
}

static enum nb_status test_solve(const struct graph *g, struct answer *a,
                                 struct nb_error *err)
{
    return nb_cardinality_matching(g->left, g->right, g->row_start, g->column,
                                   a->match, a->left_cover, a->right_cover,
                                   &a->size, err);
}

static bool test_is_proved(const struct graph *g, const struct answer *a)
{
    bool used[RIGHT] = { false };
    size_t matched = 0;
    size_t cover = 0;
    for (size_t j = 0; j < g->right; j++)
        cover += a->right_cover[j];
    for (size_t i = 0; i < g->left; i++) {
        bool is_edge = a->match[i] == NB_UNMATCHED;
        cover += a->left_cover[i];
        for (size_t k = g->row_start[i]; k < g->row_start[i + 1]; k++) {
            is_edge = is_edge || g->column[k] == a->match[i];
            if (!a->left_cover[i] && !a->right_cover[g->column[k]])
                return false;
        }
        if (a->match[i] == NB_UNMATCHED)
            continue;
        if (!is_edge || used[a->match[i]])
            return false;
        used[a->match[i]] = true;
        matched++;
    }
    return matched == a->size && cover == a->size;
}

static void test_random_graphs(void **state)
{
    (void)state;
    static struct graph g;
    static struct answer a;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        test_make(&g, seed);
        assert_int_equal(test_solve(&g, &a, NULL), NB_OK);
        const size_t expected = test_oracle(&g);
        if (a.size != expected || !test_is_proved(&g, &a))
            fail_msg("seed %lu, %zu and %zu vertices: size %zu, expected %zu",
                     (unsigned long)seed, g.left, g.right, a.size, expected);
    }
}

/* A path on which greedy choices block each other. */
static void test_chain(void **state)
{
    (void)state;
    static struct graph g = { .left = 50, .right = 50 };
    static struct answer a;
    for (uint32_t i = 0; i < 50; i++) {
        g.row_start[i + 1] = g.row_start[i];
        g.column[g.row_start[i + 1]++] = i;
        if (i > 0)
            g.column[g.row_start[i + 1]++] = i - 1;
    }
    assert_int_equal(test_solve(&g, &a, NULL), NB_OK);
    assert_int_equal(a.size, 50);
    assert_true(test_is_proved(&g, &a));
}

static void test_errors(void **state)
{
    (void)state;
    static struct answer a;
    static struct graph g = {
        .left = 1, .right = 3, .row_start = { 0, 1 }, .column = { 3 }
    };
    struct nb_error err = { 0 };
    assert_int_equal(test_solve(&g, &a, &err), NB_INVALID);
    assert_non_null(strstr(err.message, "right vertex 3; permitted: below 3"));
    g.row_start[0] = 2;
    assert_int_equal(test_solve(&g, &a, NULL), NB_INVALID);
    g.left = 2;
    g.row_start[0] = 0;
    g.column[0] = 0;
    assert_int_equal(test_solve(&g, &a, NULL), NB_INVALID);
    g.left = (size_t)1 << 33;
    err = (struct nb_error){ 0 };
    assert_int_equal(test_solve(&g, &a, &err), NB_INVALID);
    assert_string_equal(err.message,
                        "a matching of 8589934592 and 3 vertices; permitted: "
                        "0 .. 4294967294 each");
}

static void test_memory(void **state)
{
    (void)state;
    static struct graph g;
    static struct answer a;
    test_make(&g, 7);
    const long before = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    for (long allowed = 0; status != NB_OK; allowed++) {
        assert_true(allowed < 20);
        struct nb_error err = { 0 };
        nb_memory_allow(allowed);
        status = test_solve(&g, &a, &err);
        nb_memory_allow(-1);
        assert_int_equal(nb_memory_live_blocks(), before);
        assert_true(status == NB_OK || status == NB_NO_MEMORY);
        assert_int_equal(err.status, status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_graphs),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
