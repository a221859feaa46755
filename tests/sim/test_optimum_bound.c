/* No scheme, adaptive or not, carries more in motion than the optimum of its
 * own paths, with the best split it can produce: the accepted rates of all
 * pairs are a flow, and nb_best_flow bounds it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "optimum/best_flow.h"
#include "optimum/scheme_paths.h"
#include "support/cases.h"
#include "support/simulation.h"

#include <gsl/gsl_errno.h>
#include <math.h>

struct bound_case {
    const char *example; /* routing@topology */
    const char *traffic;
};

static const struct bound_case cases[] = {
    { "min-adaptive@torus:4x4", "transpose" },
    { "min-adaptive@torus:4x4", "tornado" },
    { "min-adaptive@torus:5x5", "bit-complement" },
    { "min-adaptive@mesh:4x4", "transpose" },
    { "min-adaptive@mesh:4x4", "random-permutation:seed=3" },
    { "min-adaptive@hypercube:4", "bit-reverse" },
    { "gal@ring:8", "tornado" },
    { "cqr@torus:4x4", "transpose" },
    { "cqr@ring:7", "random-permutation:seed=8" },
    { "gal@torus:4x4", "random-permutation:seed=2" },
    { "gal:stable=yes@torus:4x3", "random-permutation:seed=6" },
    { "goal@torus:4x4", "tornado" },
    { "goal@torus:5x4", "random-permutation:seed=4" },
    { "goal@mesh:4x3", "random-permutation:seed=7" },
    { "ugal@torus:4x4", "random-permutation:seed=3" },
    { "ugal@complete:6", "neighbour" },
    { "ugal:candidates=3@complete:6", "random-permutation:seed=1" },
    { "ugal:view=global@ccc:3", "random-permutation:seed=2" },
    { "ugal:threshold=9@mesh:3x3", "random-permutation:seed=5" },
    { "ugal:policy=-g-@dragonfly:h=2,a=2,p=1", "adversarial" },
    { "ugal@dragonfly:h=1", "adversarial" },
    { "par@dragonfly:h=1", "adversarial" },
    { "par@dragonfly:h=2", "random-permutation:seed=1" },
    { "pb@dragonfly:h=1", "adversarial" },
    { "pb@dragonfly:h=2", "random-permutation:seed=3" },
    { "mar-bp@dragonfly:h=1", "adversarial" },
    { "qcn-switch@dragonfly:h=1", "adversarial" },
    { "qcn-switch@dragonfly:h=2", "random-permutation:seed=2" },
    { "vlb-recomp@dragonfly:h=1", "adversarial" },
    { "vlb-recomp@dragonfly:h=2", "random-permutation:seed=4" },
    { "acor@dragonfly:h=1", "adversarial" },
    { "acor:variant=packet,sequence=2l-b@dragonfly:h=2", "adversarial" },
    { "pb-acor@dragonfly:h=1", "adversarial" },
    { "pb-recomp@dragonfly:h=1", "adversarial" },
    { "pb-acor@dragonfly:h=2", "random-permutation:seed=5" },
    { "tpr@dragonfly:h=2", "adversarial-consecutive" },
    { "tpr:policy=-gl@dragonfly:h=2", "random-permutation:seed=6" },
    { "lian@dragonfly:h=1", "adversarial" },
    { "lian@dragonfly:h=2", "adversarial:offset=2" },
    { "lian@dragonfly:h=2", "random-permutation:seed=7" },
    { "val@torus:4x4", "random-permutation:seed=5" },
    { "chaos@torus:4x4", "transpose" },
    { "chaos@torus:4x4", "random-permutation:seed=7" },
    { "chaos@mesh:4x4", "random-permutation:seed=3" },
    { "chaos@hypercube:4", "bit-reverse" },
};

/* The multiple of the traffic that no choice of the scheme's paths exceeds; for
 * an oblivious scheme, and for chaos, no routing does. */
static double bound_find(const struct simulation *s)
{
    struct nb_error err = { 0 };
    struct nb_path_class class;
    struct nb_scheme_paths paths = { 0 };
    struct nb_best_flow flow = { 0 };
    const bool is_adaptive =
        s->routing.kind->is_adaptive && !s->routing.kind->is_deflecting;
    SIMULATION_CHECK(
        is_adaptive ? nb_path_class_init_scheme(&s->routing, &paths, &class,
                                                &err) == NB_OK
                    : nb_path_class_init(&s->topology, NB_PATHS_ANY,
                                         nb_ratio_one, &class, &err) == NB_OK,
        "%s: %s", s->name, err.message);
    const struct nb_best_flow_question question = {
        .topology = &s->topology,
        .traffic = &s->traffic,
        .path_class = &class,
        .seconds = INFINITY,
    };
    SIMULATION_CHECK(nb_best_flow_find(&question, NULL, &flow, &err) == NB_OK,
                     "%s: %s", s->name, err.message);
    const double upper = flow.throughput.upper;
    nb_best_flow_release(&flow);
    nb_scheme_paths_release(&paths);
    return upper;
}

/* Beyond saturation the worst pair gets no more than the optimum, and something
 * if sources do not starve. */
static void test_carries_no_more(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!nb_cases_have(i, 3))
            continue;
        struct simulation s;
        struct nb_simulation_result result;
        simulation_open(&s, cases[i].example, cases[i].traffic, 1);
        const double most = bound_find(&s);
        const bool is_chaos = s.routing.kind->is_deflecting;
        s.plan.router.model = is_chaos ? NB_ROUTER_CHAOS : NB_ROUTER_CREDIT;
        s.plan.router.shared_queue = 8;
        s.plan.injection.rate = 1.25 * most;
        s.plan.warm_up = 2000;
        s.plan.cycles = 4000;
        s.plan.is_drained = false;
        simulation_run(&s, &result);
        const double carried = result.least.lower * s.plan.injection.rate;
        SIMULATION_CHECK(carried <= most, "%s %s: %g carried, bound %g", s.name,
                         cases[i].traffic, carried, most);
        SIMULATION_CHECK(is_chaos || result.least.value > 0,
                         "%s %s: nothing is carried", s.name, cases[i].traffic);
        nb_simulation_result_release(&result);
        simulation_close(&s);
    }
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_carries_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
