/* Twofold numbers against whole numbers of 106 bits, which they hold exactly,
 * and quotients of them. */
#include "core/random.h"
#include "core/twofold.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { TRIALS = 20000 };

/* Fails unless the number is a whole one. */
static void check_is(struct nb_twofold number, nb_int128 whole,
                     const char *what)
{
    if ((nb_int128)number.high + (nb_int128)number.low != whole ||
        number.high + number.low != number.high)
        fail_msg("%s: %a + %a", what, number.high, number.low);
}

/* A whole number of up to that many bits. */
static nb_int128 draw(struct nb_random *random, unsigned bits)
{
    const unsigned many = (unsigned)nb_random_below(random, bits) + 1;
    const nb_int128 high = (nb_int128)(nb_random_next(random) >> 1);
    return ((high << 64) + (nb_int128)nb_random_next(random)) >> (127 - many);
}

static void whole_numbers_are_exact(void **state)
{
    struct nb_random random;
    (void)state;
    nb_random_init(&random, 1, 0);
    for (int trial = 0; trial < TRIALS; trial++) {
        const nb_int128 a = draw(&random, 105), b = draw(&random, 105);
        const nb_int128 c = draw(&random, 53), d = draw(&random, 53) + 1;
        const struct nb_twofold twofold = nb_twofold_of(a);
        check_is(twofold, a, "of");
        check_is(nb_twofold_add(twofold, nb_twofold_of(b)), a + b, "add");
        check_is(nb_twofold_more(twofold, (double)c), a + c, "more");
        check_is(nb_twofold_sum((double)c, (double)d), c + d, "sum");
        check_is(nb_twofold_product((double)c, (double)d), c * d, "product");
        check_is(nb_twofold_multiply(nb_twofold_of(c), nb_twofold_of(d)), c * d,
                 "multiply");
        check_is(nb_twofold_divide(nb_twofold_of(c * d), nb_twofold_of(d)), c,
                 "divide");
    }
}

/* (a/b) b, against a: the error of a quotient and of a product. */
static void quotients_have_their_error(void **state)
{
    struct nb_random random;
    (void)state;
    nb_random_init(&random, 2, 0);
    for (int trial = 0; trial < TRIALS; trial++) {
        const nb_int128 a = draw(&random, 105) + 1, b = draw(&random, 105) + 1;
        const struct nb_twofold back = nb_twofold_multiply(
            nb_twofold_divide(nb_twofold_of(a), nb_twofold_of(b)),
            nb_twofold_of(b));
        const double error = back.high - (double)a +
                             (back.low - (double)(a - (nb_int128)(double)a));
        if (!(fabs(error) <= 2 * NB_TWOFOLD_ERROR * (double)a))
            fail_msg("%a / %a: error %g", (double)a, (double)b,
                     error / (double)a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers_are_exact),
        cmocka_unit_test(quotients_have_their_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
