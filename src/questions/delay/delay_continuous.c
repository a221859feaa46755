#include "questions/delay/delay_continuous.h"

#include "questions/delay/delay_table.h"
#include "questions/queue_options.h"
#include "core/try.h"
#include "queueing/crommelin.h"
#include "queueing/slotted.h"

#include <math.h>
#include <string.h>

static const char continuous_method[] = "sum of positive terms";
static const char continuous_source[] = "Franx2001";
static const char continuous_moments[] = "Kleinrock1975";

bool nb_delay_is_continuous(const struct nb_question *question)
{
    return strcmp(nb_model_get(question->model, "arrivals"),
                  NB_DELAY_CONTINUOUS) == 0;
}

static enum nb_status continuous_check(const struct nb_model *model,
                                       bool has_load, struct nb_error *err)
{
    static const char *const others[] = { "topology", "routing", "traffic",
                                          "loads", "radix" };
    const char *hops = nb_model_get(model, "hops");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (nb_model_get(model, others[i]) != NULL)
            return nb_fail(err, NB_USAGE,
                           "--%s %.60s is not permitted with --arrivals md1, "
                           "one queue in continuous time (permitted: --hops 1)",
                           others[i], nb_model_get(model, others[i]));
    if (hops != NULL && strcmp(hops, "1") != 0)
        return nb_fail(err, NB_USAGE,
                       "--hops %.60s is not permitted with --arrivals md1 "
                       "(permitted: 1)",
                       hops);
    if (strcmp(nb_model_get(model, "law"), "wait") != 0)
        return nb_fail(err, NB_USAGE,
                       "--law %s is not permitted with --arrivals md1 "
                       "(permitted: wait)",
                       nb_model_get(model, "law"));
    if (strcmp(nb_model_get(model, "bound"), "exact") != 0)
        return nb_fail(err, NB_USAGE,
                       "--bound %s is not permitted with --arrivals md1 "
                       "(permitted: exact)",
                       nb_model_get(model, "bound"));
    if (!has_load)
        return nb_fail(err, NB_USAGE, "delay needs --load or --rate");
    return NB_OK;
}

static void continuous_add_moments(struct nb_queue_load load,
                                   struct nb_point *out)
{
    struct nb_ratio mean = nb_ratio_infinity, variance = nb_ratio_infinity;
    if (load.idle > 0)
        nb_crommelin_moments(load.exact, &mean, &variance);
    const double idle = (double)load.idle, rho = (double)load.rho;
    const double about = rho / (2 * idle);
    const double square = about * about + rho / (3 * idle);
    /* Where no ratio fits: rho and idle have one rounding each and about three
     * with them; its square seven, and the sum eight; two more come with the
     * bracket. The rest is room for the products of these errors. */
    const double wide = 16 * 0x1p-53;
    if (nb_ratio_is_known(mean))
        nb_point_add_exact(out, "mean_wait", mean, "cycles", "closed form",
                           continuous_moments);
    else
        nb_point_add_bracket(out, "mean_wait", about * (1 - wide),
                             about * (1 + wide), "cycles", "closed form",
                             continuous_moments);
    if (nb_ratio_is_known(variance))
        nb_point_add_exact(out, "variance_wait", variance, "cycles^2",
                           "closed form", continuous_moments);
    else
        nb_point_add_bracket(out, "variance_wait", square * (1 - wide),
                             square * (1 + wide), "cycles^2", "closed form",
                             continuous_moments);
}

/* P(W > t) for whole t from 0 to past the quantile. */
static void continuous_add_table(const struct nb_law *number,
                                 struct nb_queue_load load, double quantile,
                                 size_t table, struct nb_point *out)
{
    const double step = nb_delay_table_step(0, ceil(quantile), out);
    for (double t = 0; t < ceil(quantile) + step; t += step) {
        const struct nb_steps steps = { t, 0 };
        const struct nb_bracket tail = nb_crommelin_tail(number, load, steps);
        nb_table_add_number(out, table, t);
        nb_delay_table_add_bracket(out, table, tail);
    }
}

/* The answers of a queue that is not saturated. */
static enum nb_status continuous_add(const struct nb_question *question,
                                     struct nb_queue_load load, size_t table,
                                     struct nb_point *out, struct nb_error *err)
{
    const char *at = nb_model_get(question->model, "at");
    const struct nb_arrivals arrivals = { .kind = NB_ARRIVE_POISSON };
    struct nb_law number = { 0 };
    struct nb_ratio t;
    enum nb_status status = NB_OK;
    NB_TRY(nb_arrivals_law(&arrivals, load, &number, err));
    const struct nb_bracket quantile =
        nb_crommelin_quantile(&number, load, nb_question_overflow(question));
    nb_point_add_bracket(out, "wait_quantile", quantile.lower, quantile.upper,
                         "cycles", continuous_method, continuous_source);
    if (at != NULL) {
        NB_TRY(nb_ratio_read(at, &t, err));
        const struct nb_bracket tail =
            nb_crommelin_tail(&number, load, nb_steps_of_ratio(t));
        nb_point_add_bracket(out, "wait_ccdf", tail.lower, tail.upper, "1",
                             continuous_method, continuous_source);
    }
    continuous_add_table(&number, load, quantile.upper, table, out);
done:
    nb_law_release(&number);
    return status;
}

enum nb_status nb_delay_answer_continuous(const struct nb_question *question,
                                          struct nb_point *out,
                                          struct nb_error *err)
{
    struct nb_queue_load load;
    bool has_load;
    enum nb_status status = NB_OK;
    NB_TRY(nb_question_load(question, &load, &has_load, err));
    NB_TRY(continuous_check(question->model, has_load, err));
    nb_point_add_exact(out, "hops", nb_ratio_one, "hops", "as asked", "");
    continuous_add_moments(load, out);
    const size_t table =
        nb_point_add_table(out, "ccdf", false,
                           "delay:number [cycles],probability:number,"
                           "lower:number,upper:number");
    if (load.idle > 0)
        NB_TRY(continuous_add(question, load, table, out, err));
    else
        nb_delay_add_saturated(question, "wait", out);
    nb_point_add_note(out, "wait",
                      "the wait before service in continuous time, P(W > D); "
                      "the cycle of service itself is not counted");
done:
    return status;
}
