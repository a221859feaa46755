/* Crossings at random places, with inconclusive trials nearby: both ends come
 * as close to these as was asked for, and never pass the place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/crossing.h"
#include "core/random.h"

#include <math.h>

enum { SEED = 7, CROSSINGS = 1000 };

static void test_random_crossings(void **state)
{
    (void)state;
    struct nb_random stream;
    nb_random_init(&stream, SEED, 0);
    for (int i = 0; i < CROSSINGS; i++) {
        const double at = nb_random_unit(&stream);
        const double doubt = i % 2 == 0 ? 0 : 0.2 * nb_random_unit(&stream);
        const double enough = ldexp(1, -(int)nb_random_below(&stream, 12));
        struct nb_crossing crossing = nb_crossing_between(0, 1);
        double place, share = 0;
        int trials = 0;
        while (!isnan(place = nb_crossing_next(&crossing, enough))) {
            assert_true(place > crossing.low && place < crossing.high);
            assert_true(++trials <= 30);
            nb_crossing_add(&crossing, place,
                            place < at - doubt   ? NB_SIDE_LOW
                            : place > at + doubt ? NB_SIDE_HIGH
                                                 : NB_SIDE_OPEN);
            const double now = nb_crossing_share(&crossing, 1, enough);
            assert_true(now >= share && now <= 1);
            share = now;
        }
        assert_true(crossing.low <= at && at <= crossing.high);
        assert_true(crossing.low >= at - doubt - enough &&
                    crossing.high <= at + doubt + enough);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_crossings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
