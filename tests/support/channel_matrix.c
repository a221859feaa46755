#include "channel_matrix.h"

#include "load/pair_loads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

int64_t channel_matrix(const struct nb_ratio *all,
                       const struct nb_topology *topology, uint32_t channel,
                       int64_t *matrix)
{
    const size_t n = topology->router_count, m = topology->channel_count;
    const size_t t = topology->terminal_count;
    uint32_t router[MATRIX_SIDES] = { 0 };
    size_t count = 0;
    int64_t denominator = 1;
    assert_true(t <= MATRIX_SIDES);
    for (uint32_t r = 0; r < n; r++)
        for (uint32_t k = 0; k < topology->terminals[r]; k++)
            router[count++] = r;
    for (size_t k = 0; k < n * n; k++) {
        const int64_t own = all[k * m + channel].denominator;
        assert_true(own > 0);
        denominator *=
            own / (int64_t)nb_gcd((uint64_t)own, (uint64_t)denominator);
        assert_true(denominator > 0 && denominator < (int64_t)1 << 40);
    }
    for (size_t k = 0; k < t * t; k++) {
        const struct nb_ratio load =
            all[(router[k / t] * n + router[k % t]) * m + channel];
        matrix[k] = load.numerator * (denominator / load.denominator);
    }
    return denominator;
}

size_t channel_matrix_values(const struct nb_routing *routing, uint32_t channel,
                             double *matrix)
{
    struct nb_pair_loads loads = { 0 };
    assert_int_equal(
        nb_pair_loads_find(routing, 1, &channel, NULL, &loads, NULL), NB_OK);
    const size_t n = loads.n;
    assert_true(n <= MATRIX_SIDES);
    for (size_t k = 0; k < n * n; k++)
        matrix[k] = nb_pair_load_value(&loads, k / n, k % n);
    nb_pair_loads_release(&loads);
    return n;
}
