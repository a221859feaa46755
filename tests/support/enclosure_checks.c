#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "enclosure_checks.h"

#include "topology_checks.h"

void nb_must_be_same(const char *name, enum nb_paths paths,
                     struct nb_enclosure a, struct nb_enclosure b)
{
    TOPOLOGY_CHECK(a.exact.numerator == b.exact.numerator &&
                       a.exact.denominator == b.exact.denominator &&
                       a.lower == b.lower && a.upper == b.upper,
                   "%s, paths %d: found %.17g .. %.17g, checked %.17g .. %.17g",
                   name, (int)paths, a.lower, a.upper, b.lower, b.upper);
    TOPOLOGY_CHECK(0 <= a.lower && a.lower <= a.upper,
                   "%s, paths %d: %.17g .. %.17g", name, (int)paths, a.lower,
                   a.upper);
}
