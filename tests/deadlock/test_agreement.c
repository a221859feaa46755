/* The checker agrees with the simulator's watchdog: schemes with a cycle come
 * to a standstill under heavy traffic, and the circular wait that is reported
 * consists of dependencies that were found; schemes without a cycle do not
 * stop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/simulation.h"

#include "deadlock/deadlock.h"

#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <string.h>

static bool waits_for(const struct nb_dependencies *found, uint32_t from,
                      uint32_t to)
{
    const unsigned classes = found->classes->count;
    for (unsigned one = 0; one < classes; one++)
        for (unsigned other = 0; other < classes; other++)
            if (nb_dependencies_have(found, from * classes + one,
                                     to * classes + other))
                return true;
    return false;
}

/* Reads the channels of "deadlock at cycle T: channel C (router A to B) waits
 * for channel ..., ... N more ... channel C; ..." and looks up each pair. */
static void check_circle(const struct nb_deadlock *found, const char *message)
{
    const char *at = strstr(message, ": ");
    uint32_t last = NB_NONE, channel;
    size_t count = 0;
    int used;
    SIMULATION_CHECK(at != NULL, "%s", message);
    at += 2;
    for (used = 1; used > 0; at += used) {
        used = 0; /* unchanged unless all of this is there */
        sscanf(at, "channel %u (router %*u to %*u) waits for %n", &channel,
               &used);
        if (used == 0)
            break;
        if (last != NB_NONE)
            SIMULATION_CHECK(waits_for(&found->dependencies, last, channel),
                             "%u to %u: %s", last, channel, message);
        last = channel;
        count++;
    }
    SIMULATION_CHECK(count > 1, "%s", message);
    if (strncmp(at, "...", 3) == 0)
        return;
    SIMULATION_CHECK(sscanf(at, "channel %u", &channel) == 1 &&
                         waits_for(&found->dependencies, last, channel) &&
                         count >= found->proof.order.length,
                     "%s", message);
}

static const struct {
    const char *scheme;
    const char *rule; /* NULL: that of the scheme */
    const char *traffic;
    bool is_free;
} cases[] = {
    { "min@ring:4", NULL, "uniform", false },
    { "min@ring:5", NULL, "uniform", false },
    { "min@ring:9", NULL, "tornado", false },
    { "min@torus:4x4", NULL, "uniform", false },
    { "min@mesh:3x3", NULL, "uniform", false },
    { "dor@ring:8", "any", "tornado", false },
    { "dor@torus:4x4", "any", "uniform", false },
    { "min@ccc:3", "any", "uniform", false },
    { "val@complete:5", "any", "uniform", false },
    { "min@ring:3", NULL, "uniform", true },
    { "min:classes=hop@ring:5", NULL, "uniform", true },
    { "dor@ring:8", NULL, "tornado", true },
    { "dor@torus:4x4", NULL, "uniform", true },
    { "dor@mesh:3x3", "any", "uniform", true },
    { "val@complete:5", NULL, "uniform", true },
    { "min@ccc:3", NULL, "uniform", true },
    { "min@fattree:k=2,n=3", "any", "uniform", true },
    { "min-adaptive@torus:4x4", NULL, "uniform", true },
    { "updown@torus:4x4", NULL, "uniform", true },
    { "minhop@ring:5", NULL, "uniform", false },
    { "dfsssp@ring:5", "any", "uniform", false },
    { "dfsssp@ring:5", NULL, "uniform", true },
    { "dfsssp@torus:4x4", NULL, "uniform", true },
    { "lash@torus:4x4", NULL, "uniform", true },
    { "tor@torus:4x4", NULL, "uniform", true },
    { "lash-tor:layers=2@torus:4x4", NULL, "uniform", true },
    { "nue:layers=2@torus:4x4", NULL, "uniform", true },
};

static void check_case(size_t i)
{
    struct simulation s;
    struct nb_deadlock found;
    struct nb_error err = { 0 };
    enum nb_status status = NB_OK;
    simulation_open(&s, cases[i].scheme, cases[i].traffic, 3);
    if (cases[i].rule != NULL)
        s.routing.vc_rule = cases[i].rule;
    s.plan.router.model = NB_ROUTER_CREDIT;
    s.plan.router.switching = NB_WORMHOLE;
    s.plan.router.buffer = 2;
    s.plan.router.arbitration = NB_IN_TURN;
    s.plan.injection.flits = 3;
    SIMULATION_CHECK(nb_deadlock_find(&s.routing, NULL, &found, &err) == NB_OK,
                     "%s: %s", s.name, err.message);
    SIMULATION_CHECK(found.verdict == (cases[i].is_free ? NB_DEADLOCK_FREE
                                                        : NB_DEADLOCK_POSSIBLE),
                     "%s: %d", s.name, (int)found.verdict);
    simulation_start(&s);
    while (status == NB_OK && s.network.cycle < 20000)
        status = nb_network_cycle(&s.network, &err);
    if (cases[i].is_free)
        SIMULATION_CHECK(status == NB_OK, "%s: %s", s.name, err.message);
    else
        SIMULATION_CHECK(status == NB_INVALID, "%s: no deadlock", s.name);
    if (status == NB_INVALID)
        check_circle(&found, err.message);
    nb_deadlock_release(&found);
    simulation_close(&s);
}

static void test_watchdog_agrees(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_watchdog_agrees),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
