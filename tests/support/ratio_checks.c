#include "ratio_checks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

bool ratio_same(struct nb_ratio a, struct nb_ratio b)
{
    return nb_ratio_is_known(a) && nb_ratio_is_known(b) &&
           nb_ratio_compare(a, b) == 0;
}

void ratio_must_equal(struct nb_ratio found, struct nb_ratio expected,
                      const char *name)
{
    char left[NB_RATIO_TEXT], right[NB_RATIO_TEXT];
    nb_ratio_print(found, left);
    nb_ratio_print(expected, right);
    if (!ratio_same(found, expected))
        fail_msg("%s: %s, expected %s", name, left, right);
}

struct nb_ratio ratio_draw(struct nb_random *random, unsigned bits)
{
    const uint64_t shift_top = 64 - 1 - nb_random_below(random, bits);
    const uint64_t shift_bottom = 64 - 1 - nb_random_below(random, bits);
    const nb_int128 top = (nb_int128)(nb_random_next(random) >> shift_top);
    const nb_int128 bottom =
        (nb_int128)(nb_random_next(random) >> shift_bottom) + 1;
    return nb_ratio_make(nb_random_below(random, 2) ? top : -top, bottom);
}
