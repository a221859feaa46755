/* The check latency: mean latencies (declared in validate.h). */
#include "questions/validate/validate.h"

#include "core/try.h"

#include <math.h>
#include <stdio.h>

/* Of approximations there is no published one. */
#define LATENCY_TOLERANCE 0.05
/* Of hops, which are exact: as that of utilisations. */
#define LATENCY_HOPS_TOLERANCE 0.01

static struct nb_bracket latency_of(const struct nb_point *point,
                                    const char *name)
{
    const struct nb_quantity *quantity = nb_point_quantity(point, name);
    return (struct nb_bracket){ quantity->lower, quantity->upper };
}

/* What an analysis with a cycle for every hop lacks in this router: the same
 * for all packets of as many hops. */
static struct nb_bracket latency_add_router(const struct nb_router *router,
                                            struct nb_bracket latency,
                                            struct nb_bracket hops)
{
    const double more = router->model == NB_ROUTER_CREDIT
                            ? router->pipeline + router->channel_latency - 1.0
                            : 0;
    return (struct nb_bracket){ latency.lower + more * hops.lower,
                                latency.upper + more * hops.upper };
}

static enum nb_status latency_add_model(struct nb_validation *validation,
                                        const char *model, bool is_first,
                                        struct nb_error *err)
{
    const char *const options[] = { "delay-model", model, NULL };
    const double tolerance =
        nb_validation_tolerance(validation, LATENCY_TOLERANCE);
    const struct nb_router *router = &validation->asked.plan.router;
    struct nb_point point = { 0 };
    char name[80];
    const enum nb_status status =
        nb_validation_ask(validation, "latency", options, &point, err);
    if (status != NB_OK)
        return status;
    const struct nb_bracket hops = latency_of(&point, "mean_hops");
    /* Of a saturated network the packets of few hops are those that arrive. */
    if (is_first && validation->result.stability != NB_SATURATED)
        nb_validation_add_estimate(
            validation, "mean_hops", NB_VALIDATE_EXACT, hops,
            nb_interval_of(validation->result.hops, INFINITY),
            nb_validation_tolerance(validation, LATENCY_HOPS_TOLERANCE));
    if (is_first)
        nb_validation_add_latency(
            validation, "mean_latency without queues", NB_VALIDATE_BOUND,
            (struct nb_bracket){ latency_add_router(router, hops, hops).lower,
                                 INFINITY },
            0);
    snprintf(name, sizeof name, "mean_latency, %s", model);
    nb_validation_add_latency(
        validation, name, NB_VALIDATE_APPROXIMATION,
        latency_add_router(router, latency_of(&point, "mean_latency"), hops),
        tolerance);
    nb_point_release(&point);
    return NB_OK;
}

enum nb_status nb_validate_latency(struct nb_validation *validation,
                                   struct nb_error *err)
{
    static const char *const models[] = { "bernoulli", "pollaczek-khinchine",
                                          "singh" };
    enum nb_status status = NB_OK;
    NB_TRY(nb_validation_simulate(validation, err));
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        NB_TRY(latency_add_model(validation, models[i], i == 0, err));
    nb_validation_add_mean_latency(validation);
done:
    return status;
}
