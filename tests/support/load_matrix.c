#include "load_matrix.h"

#include <stdbool.h>
#include <stddef.h>

/* numerator / denominator, not reduced. */
struct load_fraction {
    uint64_t numerator, denominator;
};

/* Steps from a to b going up. */
static unsigned load_up(unsigned k, unsigned a, unsigned b)
{
    return (b + k - a) % k;
}

/* Twice the load of x-traffic from s to d on the channel 0 -> 1 of a ring. */
static unsigned load_ring_twice(unsigned k, unsigned s, unsigned d)
{
    const unsigned steps = load_up(k, s, d);
    if (2 * steps > k || load_up(k, s, 0) >= steps)
        return 0;
    return 2 * steps == k ? 1 : 2;
}

static struct load_fraction load_dor(unsigned k, unsigned i, unsigned j)
{
    const unsigned twice = i / k == 0 ? load_ring_twice(k, i % k, j % k) : 0;
    return (struct load_fraction){ twice, 2 };
}

/* (sum_q dor(i, q) + sum_q dor(q, j)) / N: in the first sum each column of
 * intermediate routers counts k times; in the second, only those of row 0
 * count. */
static struct load_fraction load_val(unsigned k, unsigned i, unsigned j)
{
    uint64_t twice = 0;
    for (unsigned x = 0; x < k; x++) {
        if (i / k == 0)
            twice += (uint64_t)k * load_ring_twice(k, i % k, x);
        twice += load_ring_twice(k, x, j % k);
    }
    return (struct load_fraction){ twice, 2 * (uint64_t)k * k };
}

/* y comes last: all traffic that ends in column 0 has come there before. */
static struct load_fraction load_dor_y(unsigned k, unsigned i, unsigned j)
{
    const unsigned twice = j % k == 0 ? load_ring_twice(k, i / k, j / k) : 0;
    return (struct load_fraction){ twice, 2 };
}

/* As load_val: intermediate routers of column 0 count in the first sum, rows of
 * them k times in the second. */
static struct load_fraction load_val_y(unsigned k, unsigned i, unsigned j)
{
    uint64_t twice = 0;
    for (unsigned y = 0; y < k; y++) {
        twice += load_ring_twice(k, i / k, y);
        if (j % k == 0)
            twice += (uint64_t)k * load_ring_twice(k, y, j / k);
    }
    return (struct load_fraction){ twice, 2 * (uint64_t)k * k };
}

/* a over b; below 2^63 for a <= 60. */
static uint64_t load_choose(unsigned a, unsigned b)
{
    uint64_t result = 1;
    for (unsigned t = 1; t <= b; t++)
        result = result * (a - b + t) / t;
    return result;
}

/* Paths from (sx, sy) by a fixed direction in y, through the channel: before it
 * `ahead` steps in x and `aside` in y, of width and height. */
static uint64_t load_through(unsigned width, unsigned height, unsigned ahead,
                             unsigned aside)
{
    if (aside > height)
        return 0;
    return load_choose(ahead + aside, ahead) *
           load_choose(width - ahead - 1 + height - aside, height - aside);
}

static struct load_fraction load_min(unsigned k, unsigned i, unsigned j)
{
    const unsigned right = load_up(k, i % k, j % k);
    const unsigned up = load_up(k, i / k, j / k);
    const unsigned width = 2 * right > k ? k - right : right;
    const unsigned height = 2 * up > k ? k - up : up;
    const uint64_t ways = (2 * right == k ? 2U : 1U) * (2 * up == k ? 2U : 1U);
    struct load_fraction f = { 0, ways * load_choose(width + height, width) };
    const unsigned ahead = load_up(k, i % k, 0);
    if (2 * right > k || ahead >= right)
        return f;
    if (2 * up <= k)
        f.numerator += load_through(width, height, ahead, load_up(k, i / k, 0));
    if (2 * up >= k)
        f.numerator += load_through(width, height, ahead, load_up(k, 0, i / k));
    return f;
}

static struct load_fraction load_entry(enum load_scheme scheme, unsigned k,
                                       unsigned i, unsigned j)
{
    switch (scheme) {
    case LOAD_DOR:
        return load_dor(k, i, j);
    case LOAD_VAL:
        return load_val(k, i, j);
    case LOAD_DOR_Y:
        return load_dor_y(k, i, j);
    case LOAD_VAL_Y:
        return load_val_y(k, i, j);
    case LOAD_MIN:
        break;
    }
    return load_min(k, i, j);
}

static uint64_t load_gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

int64_t load_matrix_denominator(enum load_scheme scheme, unsigned k)
{
    const uint64_t limit = ((uint64_t)1 << 62) / ((uint64_t)k * k);
    uint64_t common = 1;
    for (unsigned i = 0; i < k * k; i++)
        for (unsigned j = 0; j < k * k; j++) {
            const struct load_fraction f = load_entry(scheme, k, i, j);
            uint64_t part =
                f.denominator / load_gcd(f.denominator, f.numerator);
            part /= load_gcd(part, common);
            if (part >= limit / common)
                return 0;
            common *= part;
        }
    return (int64_t)common;
}

void load_matrix_integer(enum load_scheme scheme, unsigned k,
                         int64_t denominator, int64_t *matrix)
{
    for (unsigned i = 0; i < k * k; i++)
        for (unsigned j = 0; j < k * k; j++) {
            struct load_fraction f = load_entry(scheme, k, i, j);
            const uint64_t g = load_gcd(f.denominator, f.numerator);
            *matrix++ = (int64_t)(f.numerator / g) *
                        (denominator / (int64_t)(f.denominator / g));
        }
}

void load_matrix_double(enum load_scheme scheme, unsigned k, double *matrix)
{
    for (unsigned i = 0; i < k * k; i++)
        for (unsigned j = 0; j < k * k; j++) {
            const struct load_fraction f = load_entry(scheme, k, i, j);
            *matrix++ = (double)f.numerator / (double)f.denominator;
        }
}
