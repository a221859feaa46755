/*
 * Why NB_RING_BEST is best. Let f(a) be the probability of plus with a hops
 * ahead in that direction, f(k) = 0. Since both directions are treated equally,
 * f(a) + f(k - a) = 1, and the mean hops are (2/k) sum_a a f(a). Call b the
 * hops from a source to a channel and d those from the channel to a
 * destination: the pair puts f(b + d + 1) on the channel, nothing where b + d +
 * 1 >= k.
 *
 * Even k = 2m. Permutations that map b = 0 .. m-1 to d = 0 .. m-1 load the
 * channel with m/2 on average, whatever the distribution, so the worst load is
 * at least C = m/2. If it is C, all of them have the load C, so the entries of
 * this block are r(b) + c(d), and f(1) .. f(k - 1) lie on a line, f(a) = 1/2 +
 * s (m - a). The steepest line with f(1) <= 1 has the least mean hops.
 *
 * Odd k = 2m + 1. Let S = p(1) + .. + p(m) be the sum of the probabilities of
 * the shorter direction. Permutations that map 0 .. m to 0 .. m have an average
 * load of (m(m + 1)/2 + m - S) / (m + 1), those that map 0 .. m-1 to 0 .. m-1
 * one of (m(m - 1)/2 + S) / m. No average exceeds the worst load C, so m(m + 1)
 * <= (2m + 1) C, and if equality holds here, it holds in both: f(1) .. f(k) lie
 * on a line, and f(k) = 0 and f(a) + f(k - a) = 1 leave only one: (k - a)/k.
 *
 * These lines do have the worst load C: with slope -s, f(b + d + 1) <= r(b) +
 * r(d) for r(b) = max(0, f(1)/2 - s b), and 2 sum_b r(b) = C. For NB_RING_EVEN
 * and even k the same holds with r(b) = max(0, (k - 1)/2 - b)/k.
 */
#include "routing/ring_law.h"

/* How much a weight is below that of NB_RING_EVEN. */
static uint32_t ring_law_cut(enum nb_ring_law distribution, uint32_t k)
{
    return distribution == NB_RING_BEST && k % 2 == 0 && k > 2;
}

uint64_t nb_ring_total(enum nb_ring_law distribution, uint32_t k)
{
    return k - 2 * ring_law_cut(distribution, k);
}

size_t nb_ring_ways(enum nb_ring_law distribution, uint32_t k, uint32_t ahead,
                    struct nb_ring_way *ways)
{
    const uint32_t cut = ring_law_cut(distribution, k);
    size_t count = 0;
    if (ahead == 0 || k == 2) {
        ways[0] = (struct nb_ring_way){ true, nb_ring_total(distribution, k) };
        return 1;
    }
    if (k - cut > ahead)
        ways[count++] = (struct nb_ring_way){ true, k - cut - ahead };
    if (ahead > cut)
        ways[count++] = (struct nb_ring_way){ false, ahead - cut };
    return count;
}
