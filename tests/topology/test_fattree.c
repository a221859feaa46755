/* Fat trees: known numbers of the k-ary n-tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/ratio_checks.h"
#include "../support/shape_checks.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "topology/metrics.h"

/* Switches, terminals and channels by the definition; mean distances of pairs
 * of leaves counted by hand, e.g. k=2, n=3: of 4 leaves one is the same, one
 * is 2 hops away, two are 4: (0 + 2 + 4 + 4) / 4. */
static const struct shape_case shapes[] = {
    { "fattree:k=2,n=2", 4, 4, 8, 2, { 1, 1 }, { 0, 0 }, { 0, 0 } },
    { "fattree:k=2,n=3", 12, 8, 32, 4, { 5, 2 }, { 0, 0 }, { 0, 0 } },
    { "fattree:n=3,k=4", 48, 64, 256, 4, { 27, 8 }, { 0, 0 }, { 0, 0 } },
    { "fattree:k=3,n=2", 6, 9, 18, 2, { 4, 3 }, { 0, 0 }, { 0, 0 } },
    { "fattree:k=16,n=3",
      768,
      4096,
      16384,
      4,
      { 495, 128 },
      { 0, 0 },
      { 0, 0 } },
    { "fattree:k=4,n=2,bandwidth=1/2",
      8,
      16,
      32,
      2,
      { 3, 2 },
      { 0, 0 },
      { 0, 0 } },
    { "fattree:k=4,n=2,bandwidth=3/4",
      8,
      16,
      32,
      2,
      { 3, 2 },
      { 0, 0 },
      { 0, 0 } },
    { "fattree:k=4,n=2,bandwidth=7",
      8,
      16,
      32,
      2,
      { 3, 2 },
      { 0, 0 },
      { 0, 0 } },
};

static void test_shapes(void **state)
{
    (void)state;
    shapes_must_hold(shapes, sizeof shapes / sizeof *shapes);
}

/* The digit at one place of a word. */
static uint32_t fattree_digit(uint32_t word, uint32_t k, uint32_t place)
{
    for (; place > 0; place--)
        word /= k;
    return word % k;
}

/* Every pair of switches, digit by digit. */
static void fattree_check_joins(const char *name, uint32_t k, uint32_t n,
                                uint32_t words)
{
    struct nb_topology topology = { 0 };
    topology_must_build(name, &topology);
    assert_int_equal(topology.router_count, n * words);
    for (uint32_t a = 0; a < n * words; a++) {
        uint32_t c = topology.out_start[a];
        assert_int_equal(topology.terminals[a], a < words ? k : 0);
        for (uint32_t b = 0; b < n * words; b++) {
            const uint32_t from = a / words, to = b / words;
            bool is_joined = from + 1 == to || to + 1 == from;
            for (uint32_t d = 0; d < n - 1; d++)
                is_joined = is_joined && (d == (from < to ? from : to) ||
                                          fattree_digit(a % words, k, d) ==
                                              fattree_digit(b % words, k, d));
            if (is_joined)
                TOPOLOGY_CHECK(topology.channels[c].source == a &&
                                   topology.channels[c++].target == b,
                               "%s: %u to %u", name, a, b);
        }
        assert_int_equal(c, topology.out_start[a + 1]);
    }
    nb_topology_release(&topology);
}

static void test_joins(void **state)
{
    (void)state;
    fattree_check_joins("fattree:k=2,n=2", 2, 2, 2);
    fattree_check_joins("fattree:k=3,n=3", 3, 3, 9);
    fattree_check_joins("fattree:k=2,n=5", 2, 5, 16);
    fattree_check_joins("fattree:k=5,n=2", 5, 2, 5);
}

/* Unlimited unless the kind differs; twice the traffic, half the rate. */
static void test_terminal_limit(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    topology_must_build("torus:4x4", &topology);
    assert_true(
        nb_ratio_is_infinite(nb_terminal_limit(&topology, nb_ratio_one)));
    nb_topology_release(&topology);
    topology_must_build("fattree:k=2,n=2,bandwidth=5", &topology);
    ratio_must_equal(nb_terminal_limit(&topology, nb_ratio_one), nb_ratio_one,
                     "unit");
    ratio_must_equal(nb_terminal_limit(&topology, (struct nb_ratio){ 7, 3 }),
                     (struct nb_ratio){ 3, 7 }, "7/3");
    assert_true(
        nb_ratio_is_infinite(nb_terminal_limit(&topology, nb_ratio_zero)));
    nb_topology_release(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_joins),
        cmocka_unit_test(test_terminal_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
