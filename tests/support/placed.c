#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "placed.h"

#include "topology_checks.h"

#include <math.h>

double placed_apart(struct nb_place one, struct nb_place other)
{
    return hypot(one.x - other.x, one.y - other.y);
}

void placed_build(const struct nb_topology *topology,
                  struct nb_placing *placing)
{
    struct nb_error error = { 0 };
    if (nb_placing_build(topology, PLACED_WIDTH, placing, &error) != NB_OK)
        fail_msg("%s", error.message);
}

void placed_check_inside(const struct nb_placing *placing,
                         struct nb_place place, double room, const char *name)
{
    TOPOLOGY_CHECK(place.x >= room && place.x <= placing->width - room &&
                       place.y >= room && place.y <= placing->height - room,
                   "%s: (%g, %g) of %g x %g", name, place.x, place.y,
                   placing->width, placing->height);
}
