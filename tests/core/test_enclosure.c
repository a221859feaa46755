#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/ratio_checks.h"

#include "core/enclosure.h"
#include "core/random.h"

#include <math.h>

/* A ratio >= 0. */
static struct nb_ratio enclosure_draw(struct nb_random *random)
{
    struct nb_ratio a = ratio_draw(random, 30);
    if (a.numerator < 0)
        a.numerator = -a.numerator;
    return a;
}

/* The same number without its ratio, so that the bracket must be used. */
static struct nb_enclosure enclosure_forget(struct nb_ratio a)
{
    struct nb_enclosure result = nb_enclosure_of_ratio(a);
    result.exact = (struct nb_ratio){ 0, 0 };
    return result;
}

/* Whether the bracket contains a and spans only a few steps of doubles: one per
 * operand, at most doubled, and two of the result. */
static bool encloses(struct nb_enclosure found, struct nb_ratio a)
{
    const struct nb_enclosure true_one = nb_enclosure_of_ratio(a);
    double top = true_one.lower;
    for (int i = 0; i < 8; i++)
        top = nextafter(top, INFINITY);
    return found.lower <= true_one.lower && found.upper >= true_one.upper &&
           found.upper <= top;
}

/* Brackets contain the exact result, and exact operands give it. */
static void test_arithmetic(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 1, 0);
    for (int i = 0; i < 20000; i++) {
        const struct nb_ratio a = enclosure_draw(&random);
        const struct nb_ratio b = enclosure_draw(&random);
        const struct nb_enclosure known_a = nb_enclosure_of_ratio(a);
        const struct nb_enclosure known_b = nb_enclosure_of_ratio(b);
        const struct nb_enclosure blind_a = enclosure_forget(a);
        const struct nb_enclosure blind_b = enclosure_forget(b);
        const struct nb_ratio sum = nb_ratio_add(a, b);
        const struct nb_ratio product = nb_ratio_multiply(a, b);
        RATIO_CHECK(encloses(nb_enclosure_add(blind_a, blind_b), sum), a, b);
        RATIO_CHECK(ratio_same(nb_enclosure_add(known_a, known_b).exact, sum),
                    a, b);
        RATIO_CHECK(encloses(nb_enclosure_multiply(blind_a, blind_b), product),
                    a, b);
        RATIO_CHECK(
            ratio_same(nb_enclosure_multiply(known_a, known_b).exact, product),
            a, b);
        if (b.numerator == 0)
            continue;
        const struct nb_ratio quotient = nb_ratio_divide(a, b);
        RATIO_CHECK(encloses(nb_enclosure_divide(blind_a, blind_b), quotient),
                    a, b);
        RATIO_CHECK(
            ratio_same(nb_enclosure_divide(known_a, known_b).exact, quotient),
            a, b);
    }
}

/* The excess of one over the other, and which is larger. */
static void test_order(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 2, 0);
    for (int i = 0; i < 20000; i++) {
        const struct nb_ratio a = enclosure_draw(&random);
        const struct nb_ratio b = enclosure_draw(&random);
        const struct nb_enclosure blind_a = enclosure_forget(a);
        const struct nb_enclosure blind_b = enclosure_forget(b);
        const int order = nb_ratio_compare(a, b);
        const struct nb_ratio more =
            order > 0 ? nb_ratio_subtract(a, b) : nb_ratio_zero;
        const struct nb_enclosure found = nb_enclosure_excess(blind_a, blind_b);
        const struct nb_enclosure least = nb_enclosure_least(blind_a, blind_b);
        const struct nb_enclosure most = nb_enclosure_most(blind_a, blind_b);
        const struct nb_enclosure exact = nb_enclosure_of_ratio(more);
        RATIO_CHECK(found.lower <= exact.lower && found.upper >= exact.upper, a,
                    b);
        RATIO_CHECK(ratio_same(nb_enclosure_excess(nb_enclosure_of_ratio(a),
                                                   nb_enclosure_of_ratio(b))
                                   .exact,
                               more),
                    a, b);
        RATIO_CHECK(encloses(least, order < 0 ? a : b), a, b);
        RATIO_CHECK(encloses(most, order > 0 ? a : b), a, b);
        RATIO_CHECK(nb_enclosure_compare(nb_enclosure_of_ratio(a),
                                         nb_enclosure_of_ratio(b)) == order,
                    a, b);
        RATIO_CHECK(nb_enclosure_compare(blind_a, blind_b) * order >= 0, a, b);
        RATIO_CHECK(nb_enclosure_compare(blind_a, blind_a) == 0, a, a);
    }
}

static void test_root(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 3, 0);
    for (int i = 0; i < 20000; i++) {
        const struct nb_ratio a = enclosure_draw(&random);
        const struct nb_ratio square = nb_ratio_multiply(a, a);
        RATIO_CHECK(
            ratio_same(nb_enclosure_root(nb_enclosure_of_ratio(square)).exact,
                       a),
            a, square);
        RATIO_CHECK(encloses(nb_enclosure_root(enclosure_forget(square)), a), a,
                    square);
        /* (p^2 + 1)/q^2 is a square only for p = 0. */
        const struct nb_ratio next =
            nb_ratio_make((nb_int128)square.numerator + 1, square.denominator);
        if (a.numerator > 0 && next.denominator == square.denominator) {
            const struct nb_enclosure root =
                nb_enclosure_root(nb_enclosure_of_ratio(next));
            RATIO_CHECK(!nb_ratio_is_known(root.exact), a, next);
            RATIO_CHECK(root.lower < root.upper, a, next);
        }
    }
    /* Neighbours of the largest square of 63 bits. */
    const int64_t root = 3037000499;
    const struct nb_ratio largest = { root * root, 1 };
    assert_int_equal(
        nb_enclosure_root(nb_enclosure_of_ratio(largest)).exact.numerator,
        root);
    for (int step = -1; step <= 1; step += 2) {
        const struct nb_ratio beside = { root * root + step, 1 };
        assert_false(nb_ratio_is_known(
            nb_enclosure_root(nb_enclosure_of_ratio(beside)).exact));
    }
}

/* Zero and infinity are answers. */
static void test_extremes(void **state)
{
    (void)state;
    const struct nb_enclosure zero = nb_enclosure_of_whole(0);
    const struct nb_enclosure one = nb_enclosure_of_whole(1);
    const struct nb_enclosure third =
        enclosure_forget((struct nb_ratio){ 1, 3 });
    const struct nb_enclosure unbounded = nb_enclosure_divide(one, zero);
    assert_true(nb_ratio_is_infinite(unbounded.exact));
    assert_true(nb_ratio_is_infinite(nb_enclosure_add(unbounded, third).exact));
    assert_true(
        nb_ratio_is_infinite(nb_enclosure_multiply(third, unbounded).exact));
    assert_true(
        nb_ratio_is_infinite(nb_enclosure_divide(unbounded, third).exact));
    assert_true(nb_enclosure_is_zero(nb_enclosure_multiply(zero, third)));
    assert_true(nb_enclosure_is_zero(nb_enclosure_excess(third, one)));
    assert_true(nb_enclosure_is_zero(nb_enclosure_root(zero)));
    assert_false(nb_enclosure_is_zero(nb_enclosure_excess(third, third)));
    assert_true(
        nb_enclosure_divide(one, nb_enclosure_excess(third, third)).upper ==
        INFINITY);
}

static void test_doubles(void **state)
{
    (void)state;
    const struct {
        double value;
        struct nb_ratio exact;
    } cases[] = {
        { 0, { 0, 1 } },
        { 0.5, { 1, 2 } },
        { 1, { 1, 1 } },
        { 6.25, { 25, 4 } },
        { 0x1p-62, { 1, (int64_t)1 << 62 } },
        { 0x1p-63, { 0, 0 } },
        { 1e300, { 0, 0 } },
        { INFINITY, { 1, 0 } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct nb_enclosure found =
            nb_enclosure_of_double(cases[i].value);
        assert_true(found.exact.numerator == cases[i].exact.numerator &&
                    found.exact.denominator == cases[i].exact.denominator);
        assert_true(found.lower == cases[i].value &&
                    found.upper == cases[i].value);
    }
}

/* Five equal values: 1 - 0.05^(1/5) = 0.450720 of all may be others. */
static void test_interval_of_equal(void **state)
{
    (void)state;
    const struct nb_interval five = nb_interval_of_equal(0.5, 5, 1);
    assert_true(five.value == 0.5);
    assert_true(fabs(five.lower - 0.2746401358265294) < 1e-15);
    assert_true(fabs(five.upper - 0.7253598641734706) < 1e-15);
    const struct nb_interval one = nb_interval_of_equal(2, 1, INFINITY);
    assert_true(fabs(one.lower - 0.1) < 1e-15 && isinf(one.upper));
    const struct nb_interval most = nb_interval_of_equal(1, 5, 1);
    assert_true(most.upper == 1 && most.lower < 0.55);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_root),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_doubles),
        cmocka_unit_test(test_interval_of_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
