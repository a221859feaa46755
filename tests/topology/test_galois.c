/* Galois fields: the axioms, for every order, and arithmetic from other
 * sources. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "topology/galois.h"

/* order, characteristic, degree */
static const uint32_t fields[][3] = {
    { 2, 2, 1 },   { 3, 3, 1 },   { 4, 2, 2 },   { 5, 5, 1 },   { 7, 7, 1 },
    { 8, 2, 3 },   { 9, 3, 2 },   { 11, 11, 1 }, { 13, 13, 1 }, { 16, 2, 4 },
    { 17, 17, 1 }, { 19, 19, 1 }, { 23, 23, 1 }, { 25, 5, 2 },  { 27, 3, 3 },
    { 29, 29, 1 }, { 31, 31, 1 }, { 32, 2, 5 },
};

static void galois_each(void (*check)(const struct nb_galois *field))
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        struct nb_galois field;
        assert_true(nb_galois_build(fields[i][0], &field));
        check(&field);
    }
}

static void test_orders(void **state)
{
    (void)state;
    size_t next = 0;
    struct nb_galois field;
    for (uint32_t order = 0; order < 70; order++) {
        const bool is_one =
            next < sizeof fields / sizeof *fields && fields[next][0] == order;
        if (nb_galois_build(order, &field) != is_one)
            fail_msg("order %u", order);
        if (!is_one)
            continue;
        assert_int_equal(field.order, order);
        assert_int_equal(field.characteristic, fields[next][1]);
        assert_int_equal(field.degree, fields[next][2]);
        next++;
    }
    assert_int_equal(next, sizeof fields / sizeof *fields);
}

static void galois_check_triples(const struct nb_galois *field)
{
    const uint32_t q = field->order;
    for (uint32_t a = 0; a < q; a++)
        for (uint32_t b = 0; b < q; b++)
            for (uint32_t c = 0; c < q; c++) {
                const uint32_t bc = field->sum[b][c];
                const bool holds =
                    field->sum[a][bc] == field->sum[field->sum[a][b]][c] &&
                    field->product[a][field->product[b][c]] ==
                        field->product[field->product[a][b]][c] &&
                    field->product[a][bc] ==
                        field->sum[field->product[a][b]][field->product[a][c]];
                if (!holds)
                    fail_msg("order %u: %u, %u, %u", q, a, b, c);
            }
}

static void galois_check_pairs(const struct nb_galois *field)
{
    const uint32_t q = field->order;
    for (uint32_t a = 0; a < q; a++) {
        uint32_t inverses = 0;
        for (uint32_t b = 0; b < q; b++) {
            assert_int_equal(field->sum[a][b], field->sum[b][a]);
            assert_int_equal(field->product[a][b], field->product[b][a]);
            assert_true(field->sum[a][b] < q && field->product[a][b] < q);
            inverses += field->product[a][b] == 1;
        }
        assert_int_equal(inverses, a > 0);
        assert_int_equal(field->sum[a][0], a);
        assert_int_equal(field->product[a][1], a);
        assert_int_equal(field->sum[a][field->negative[a]], 0);
    }
}

/* The powers of the primitive element are all elements except 0, in the order
 * of products; 1 added `characteristic` times is 0. */
static void galois_check_powers(const struct nb_galois *field)
{
    bool is_power[NB_GALOIS_MOST] = { true };
    const uint32_t q = field->order;
    uint32_t sum = 0;
    assert_int_equal(field->power[0], 1);
    for (uint32_t i = 0; i < q - 1; i++) {
        const uint32_t power = field->power[i];
        assert_false(is_power[power]);
        is_power[power] = true;
        assert_int_equal(field->logarithm[power], i);
        assert_int_equal(field->product[power][field->power[1 % (q - 1)]],
                         field->power[(i + 1) % (q - 1)]);
    }
    for (uint32_t i = 1; i <= field->characteristic; i++) {
        sum = field->sum[sum][1];
        assert_int_equal(sum == 0, i == field->characteristic);
    }
}

static void test_axioms(void **state)
{
    (void)state;
    galois_each(galois_check_triples);
    galois_each(galois_check_pairs);
    galois_each(galois_check_powers);
}

/* A field of prime order: whole numbers modulo the prime. */
static void galois_check_residues(const struct nb_galois *field)
{
    const uint32_t q = field->order;
    for (uint32_t a = 0; a < q && field->degree == 1; a++)
        for (uint32_t b = 0; b < q; b++) {
            assert_int_equal(field->sum[a][b], (a + b) % q);
            assert_int_equal(field->product[a][b], a * b % q);
        }
}

static void test_residues(void **state)
{
    (void)state;
    galois_each(galois_check_residues);
}

/* The only field of 4 elements: z^2 = z + 1; sums of 9 by digits of base 3. */
static void test_known_elements(void **state)
{
    (void)state;
    static const uint8_t products[4][4] = {
        { 0, 0, 0, 0 }, { 0, 1, 2, 3 }, { 0, 2, 3, 1 }, { 0, 3, 1, 2 }
    };
    struct nb_galois field;
    assert_true(nb_galois_build(4, &field));
    for (size_t a = 0; a < 4; a++)
        for (size_t b = 0; b < 4; b++) {
            assert_int_equal(field.product[a][b], products[a][b]);
            assert_int_equal(field.sum[a][b], a ^ b);
        }
    assert_true(nb_galois_build(9, &field));
    assert_int_equal(field.sum[5][7], 0); /* 12 + 21 */
    assert_int_equal(field.sum[8][4], 0); /* 22 + 11 */
    assert_int_equal(field.sum[8][5], 1); /* 22 + 12 = 01 */
    assert_int_equal(field.negative[7], 5);
    assert_int_equal(field.power[1], 3); /* the primitive element itself */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_axioms),
        cmocka_unit_test(test_residues),
        cmocka_unit_test(test_known_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
