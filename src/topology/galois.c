#include "topology/galois.h"

/* order = characteristic^degree, if it is a power of a prime. */
static bool galois_split(uint32_t order, struct nb_galois *out)
{
    uint32_t prime = 2, rest = order;
    if (order < 2 || order > NB_GALOIS_MOST)
        return false;
    while (order % prime != 0)
        prime++;
    *out = (struct nb_galois){ .order = order, .characteristic = prime };
    for (; rest % prime == 0; rest /= prime)
        out->degree++;
    return rest == 1;
}

/* a + times b, digit by digit. */
static uint32_t galois_add(const struct nb_galois *field, uint32_t a,
                           uint32_t times, uint32_t b)
{
    const uint32_t prime = field->characteristic;
    uint32_t sum = 0;
    for (uint32_t place = 1; place < field->order; place *= prime)
        sum += (a / place + times * (b / place)) % prime * place;
    return sum;
}

/* Lists the powers of an element z with z^degree = rest, a polynomial of lower
 * degree; returns whether they are all elements except 0. Then these
 * polynomials are a field, since each except 0 has an inverse. */
static bool galois_find_powers(struct nb_galois *field, uint32_t rest)
{
    const uint32_t prime = field->characteristic;
    const uint32_t top = field->order / prime;
    uint32_t power = 1;
    for (uint32_t i = 0; i < field->order - 1; i++) {
        if (power == 0 || (power == 1 && i > 0))
            return false;
        field->power[i] = (uint8_t)power;
        field->logarithm[power] = (uint8_t)i;
        power = galois_add(field, power % top * prime, power / top, rest);
    }
    return power == 1;
}

static void galois_fill(struct nb_galois *field)
{
    for (uint32_t a = 0; a < field->order; a++)
        for (uint32_t b = 0; b < field->order; b++) {
            const uint32_t sum = galois_add(field, a, 1, b);
            field->sum[a][b] = (uint8_t)sum;
            if (sum == 0)
                field->negative[a] = (uint8_t)b;
            if (a > 0 && b > 0)
                field->product[a][b] =
                    field->power[(uint32_t)(field->logarithm[a] +
                                            field->logarithm[b]) %
                                 (field->order - 1)];
        }
}

bool nb_galois_build(uint32_t order, struct nb_galois *out)
{
    if (!galois_split(order, out))
        return false;
    /* There is a primitive polynomial of every degree. */
    uint32_t rest = 1;
    while (!galois_find_powers(out, rest))
        rest++;
    galois_fill(out);
    return true;
}
