#include "queueing/arrivals.h"

#include "core/memory.h"
#include "core/twofold.h"
#include "queueing/onoff.h"
#include "queueing/slotted.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const struct nb_parameter arrivals_onoff[] = {
    NB_PARAMETER("burst", NUMBER, "5", "mean packets per burst",
                 .is_leading = true, .least = 1, .most = 1e4),
    NB_PARAMETER("spread", CHOICE, "packet",
                 "whether each packet, or each burst, draws its queue",
                 .detail = "packet: each packet draws its own queue. burst: "
                           "all packets of a burst go to one queue.",
                 .choices = "packet|burst"),
    { 0 },
};

static const struct nb_parameter arrivals_mmp[] = {
    NB_PARAMETER("alpha", NUMBER, "0.1",
                 "probability per cycle that a burst begins: gaps last 1/alpha "
                 "cycles on average",
                 .least = 1e-6, .most = 1),
    NB_PARAMETER("beta", NUMBER, "0.9",
                 "probability per cycle that a burst ends: bursts last 1/beta "
                 "cycles on average",
                 .least = 1e-6, .most = 1),
    NB_PARAMETER("low", NUMBER, "0",
                 "rate between bursts, as a fraction of the rate in a burst",
                 .most = 1),
    { 0 },
};

/* By nb_arrival_kind. */
static const struct nb_kind arrivals_kinds[] = {
    [NB_ARRIVE_BERNOULLI] = { .name = "bernoulli",
                              .summary = "independent inputs" },
    [NB_ARRIVE_POISSON] = { .name = "poisson",
                            .summary =
                                "the limit of bernoulli for many inputs" },
    [NB_ARRIVE_ONOFF] = { .name = "onoff",
                          .aliases = "bursty",
                          .summary = "sources with geometric bursts",
                          .parameters = arrivals_onoff },
    [NB_ARRIVE_MMP] = { .name = "mmp",
                        .aliases = "mmbp",
                        .summary = "sources of two states, each with a rate "
                                   "(Markov-modulated)",
                        .parameters = arrivals_mmp },
};

const struct nb_kind *nb_arrival_kind_at(size_t index)
{
    const size_t count = sizeof arrivals_kinds / sizeof *arrivals_kinds;
    return index < count ? &arrivals_kinds[index] : NULL;
}

bool nb_arrivals_have_bursts(const struct nb_arrivals *arrivals)
{
    return arrivals->kind == NB_ARRIVE_ONOFF || arrivals->kind == NB_ARRIVE_MMP;
}

enum nb_status nb_arrivals_read(const char *text, struct nb_arrivals *out,
                                struct nb_error *err)
{
    struct nb_specification specification = { 0 };
    size_t index = 0;
    const enum nb_status status =
        nb_specification_read(text, "arrivals", nb_arrival_kind_at, NULL,
                              &specification, &index, err);
    if (status != NB_OK)
        return status;
    out->kind = (enum nb_arrival_kind)index;
    if (out->kind == NB_ARRIVE_ONOFF) {
        out->burst = nb_specification_ratio(&specification, "burst");
        out->spread = nb_specification_is(&specification, "spread", "burst")
                          ? NB_SPREAD_BURST
                          : NB_SPREAD_PACKET;
    }
    if (out->kind == NB_ARRIVE_MMP) {
        out->alpha = nb_specification_ratio(&specification, "alpha");
        out->beta = nb_specification_ratio(&specification, "beta");
        out->low = nb_specification_ratio(&specification, "low");
    }
    nb_specification_release(&specification);
    return NB_OK;
}

/* One part of the list, p or COUNT*p. */
static enum nb_status arrivals_read_part(const char *part, int64_t *count,
                                         struct nb_ratio *p,
                                         struct nb_error *err)
{
    char text[64];
    const char *star = strchr(part, '*');
    const size_t length = star == NULL ? 0 : (size_t)(star - part);
    *count = 1;
    if (star != NULL && length < sizeof text) {
        memcpy(text, part, length);
        text[length] = '\0';
        if (nb_integer_read(text, "inputs", 1, NB_ARRIVALS_INPUTS, count,
                            NULL) != NB_OK)
            *count = 0;
    }
    if (*count > 0 && length < sizeof text &&
        nb_ratio_read(star == NULL ? part : star + 1, p, NULL) == NB_OK &&
        p->numerator >= 0 && nb_ratio_compare(*p, nb_ratio_one) <= 0)
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "inputs \"%.60s\" is not permitted (permitted: "
                   "probabilities from 0 to 1 such as 0.2,8*0.05,1/3, of up to "
                   "%d inputs)",
                   part, NB_ARRIVALS_INPUTS);
}

static enum nb_status arrivals_add_part(const char *part,
                                        struct nb_arrivals *out,
                                        struct nb_error *err)
{
    int64_t count;
    struct nb_ratio p;
    enum nb_status status = arrivals_read_part(part, &count, &p, err);
    const size_t sum = out->probability_count + (size_t)count;
    if (status == NB_OK && sum > NB_ARRIVALS_INPUTS)
        status = nb_fail(err, NB_INVALID,
                         "%zu inputs are too many (permitted: up to %d)", sum,
                         NB_ARRIVALS_INPUTS);
    if (status == NB_OK)
        status = nb_grow(&out->probabilities, sum, sizeof p, "inputs", err);
    if (status != NB_OK)
        return status;
    while (out->probability_count < sum)
        out->probabilities[out->probability_count++] = p;
    return NB_OK;
}

enum nb_status nb_arrivals_read_inputs(const char *text,
                                       struct nb_arrivals *out,
                                       struct nb_ratio *load,
                                       struct nb_error *err)
{
    enum nb_status status = NB_OK;
    size_t parts = 0;
    char *const copy = nb_new_string(text);
    char *rest = copy, *part;
    if (copy == NULL)
        return nb_fail(err, NB_NO_MEMORY, "no memory for inputs");
    while ((part = strsep(&rest, ",+")) != NULL) {
        if (++parts > NB_ARRIVALS_PARTS) {
            status = nb_fail(err, NB_INVALID,
                             "a list of more than %d inputs is not permitted "
                             "(COUNT*p means COUNT inputs with probability p)",
                             NB_ARRIVALS_PARTS);
            goto done;
        }
        NB_TRY(arrivals_add_part(part, out, err));
    }
    status =
        nb_inputs_sum(out->probabilities, out->probability_count, load, err);
done:
    nb_delete(copy);
    return status;
}

void nb_arrivals_release(struct nb_arrivals *arrivals)
{
    nb_delete(arrivals->probabilities);
    *arrivals = (struct nb_arrivals){ 0 };
}

static bool arrivals_is_chance(struct nb_ratio p)
{
    return p.denominator >= 1 && p.numerator >= 0 &&
           p.numerator <= p.denominator;
}

static enum nb_status arrivals_check_mmp(const struct nb_arrivals *arrivals,
                                         struct nb_error *err)
{
    const struct nb_ratio alpha = arrivals->alpha, beta = arrivals->beta;
    const struct nb_ratio low = arrivals->low;
    if (!arrivals_is_chance(alpha) || alpha.numerator == 0 ||
        !arrivals_is_chance(beta) || beta.numerator == 0 ||
        !arrivals_is_chance(low))
        return nb_fail(err, NB_INVALID,
                       "arrivals mmp with alpha %g, beta %g and low %g "
                       "(permitted: alpha and beta above 0, all up to 1)",
                       nb_ratio_value(alpha), nb_ratio_value(beta),
                       nb_ratio_value(low));
    if (!nb_ratio_is_known(nb_mmp_most(arrivals)))
        return nb_fail(err, NB_INVALID,
                       "arrivals mmp with alpha %g, beta %g and low %g have "
                       "no mean rate that is a ratio of 64-bit numbers "
                       "(permitted: fewer digits)",
                       nb_ratio_value(alpha), nb_ratio_value(beta),
                       nb_ratio_value(low));
    return NB_OK;
}

/* Whether the parameters that the kind needs are set. */
static enum nb_status arrivals_check_kind(const struct nb_arrivals *arrivals,
                                          struct nb_error *err)
{
    const bool has_radix =
        arrivals->kind != NB_ARRIVE_POISSON && arrivals->probabilities == NULL;
    const struct nb_ratio burst = arrivals->burst;
    if (nb_arrival_kind_at((size_t)arrivals->kind) == NULL)
        return nb_fail(err, NB_INVALID,
                       "arrivals of kind %d (permitted: 0 to %d)",
                       (int)arrivals->kind, (int)NB_ARRIVE_MMP);
    if (has_radix && arrivals->radix < 1)
        return nb_fail(err, NB_INVALID, "%lld inputs (permitted: 1 and more)",
                       (long long)arrivals->radix);
    if (arrivals->kind == NB_ARRIVE_ONOFF &&
        (burst.denominator < 1 || burst.numerator < burst.denominator))
        return nb_fail(err, NB_INVALID,
                       "bursts of %g packets (permitted: 1 and more)",
                       nb_ratio_value(burst));
    return arrivals->kind == NB_ARRIVE_MMP ? arrivals_check_mmp(arrivals, err)
                                           : NB_OK;
}

enum nb_status nb_arrivals_check(const struct nb_arrivals *arrivals,
                                 struct nb_queue_load load,
                                 struct nb_error *err)
{
    enum nb_status status = arrivals_check_kind(arrivals, err);
    if (status == NB_OK)
        status = nb_load_check(load, DBL_MAX, err);
    if (status != NB_OK)
        return status;
    if (arrivals->kind == NB_ARRIVE_BERNOULLI &&
        arrivals->probabilities == NULL &&
        nb_twofold_is_less(nb_twofold_from((double)arrivals->radix), load.rho))
        return nb_fail(err, NB_INVALID,
                       "load %.15g is more than one packet per slot from "
                       "each of %lld inputs (permitted: 0 to %lld)",
                       load.rho.high, (long long)arrivals->radix,
                       (long long)arrivals->radix);
    if (arrivals->kind == NB_ARRIVE_MMP && load.idle.high <= 0)
        return nb_fail(err, NB_INVALID,
                       "load %.15g is not permitted with mmp arrivals "
                       "(permitted: below 1)",
                       load.rho.high);
    if (arrivals->kind == NB_ARRIVE_ONOFF && load.idle.high <= 0)
        return nb_fail(err, NB_INVALID,
                       "load %.15g is not permitted with onoff arrivals "
                       "(permitted: below 1, since a source pauses after each "
                       "burst)",
                       load.rho.high);
    return NB_OK;
}

struct nb_ratio nb_mmp_bursty(const struct nb_arrivals *arrivals)
{
    return nb_ratio_divide(arrivals->alpha,
                           nb_ratio_add(arrivals->alpha, arrivals->beta));
}

struct nb_ratio nb_mmp_most(const struct nb_arrivals *arrivals)
{
    const struct nb_ratio sum = nb_ratio_add(arrivals->alpha, arrivals->beta);
    return nb_ratio_divide(
        nb_ratio_add(arrivals->alpha,
                     nb_ratio_multiply(arrivals->low, arrivals->beta)),
        sum);
}

struct nb_ratio nb_arrivals_most(const struct nb_arrivals *arrivals)
{
    const struct nb_ratio burst = arrivals->burst;
    if (arrivals->kind == NB_ARRIVE_MMP)
        return nb_mmp_most(arrivals);
    if (arrivals->kind != NB_ARRIVE_ONOFF)
        return nb_ratio_one;
    return nb_ratio_make(burst.numerator,
                         (nb_int128)burst.numerator + burst.denominator);
}

bool nb_arrivals_are_stable(const struct nb_arrivals *arrivals,
                            struct nb_queue_load load)
{
    size_t senders = 0;
    if (arrivals->kind != NB_ARRIVE_BERNOULLI)
        return load.idle.high > 0;
    for (size_t i = 0; i < arrivals->probability_count; i++)
        senders += arrivals->probabilities[i].numerator > 0;
    if (arrivals->probabilities == NULL)
        senders = (size_t)arrivals->radix;
    return load.idle.high > 0 || (load.idle.high == 0 && senders == 1);
}

bool nb_arrivals_forget(const struct nb_arrivals *arrivals,
                        struct nb_queue_load load)
{
    const bool is_alone =
        arrivals->spread == NB_SPREAD_PACKET || arrivals->radix == 1;
    const struct nb_ratio pause = nb_ratio_subtract(nb_ratio_one, load.exact);
    if (arrivals->kind == NB_ARRIVE_MMP)
        return nb_ratio_compare(arrivals->low, nb_ratio_one) == 0 ||
               nb_ratio_compare(nb_ratio_add(arrivals->alpha, arrivals->beta),
                                nb_ratio_one) == 0;
    return arrivals->kind == NB_ARRIVE_ONOFF && is_alone &&
           nb_ratio_is_known(pause) && pause.numerator > 0 &&
           nb_ratio_compare(nb_ratio_divide(nb_ratio_one, pause),
                            arrivals->burst) == 0;
}

static enum nb_status arrivals_inputs(const struct nb_arrivals *arrivals,
                                      struct nb_queue_load load,
                                      struct nb_inputs *out,
                                      struct nb_error *err)
{
    if (arrivals->kind == NB_ARRIVE_POISSON) {
        *out = nb_inputs_poisson(load);
        return NB_OK;
    }
    if (arrivals->probabilities != NULL)
        return nb_inputs_unequal(arrivals->probabilities,
                                 arrivals->probability_count, load, out, err);
    return nb_inputs_bernoulli(load, (double)arrivals->radix, out, err);
}

/* Nothing ever arrives. */
static enum nb_status arrivals_none(struct nb_distribution *out,
                                    struct nb_error *err)
{
    const enum nb_status status = nb_distribution_reserve(out, 2, err);
    if (status != NB_OK)
        return status;
    out->mass[0] = out->tail[0] = nb_twofold_from(NB_DISTRIBUTION_SCALE);
    out->rate = nb_twofold_from(INFINITY);
    return NB_OK;
}

enum nb_status nb_arrivals_law(const struct nb_arrivals *arrivals,
                               struct nb_queue_load load,
                               struct nb_distribution *out,
                               struct nb_error *err)
{
    struct nb_inputs inputs = { 0 };
    enum nb_status status = NB_OK;
    *out = (struct nb_distribution){ 0 };
    NB_TRY(nb_arrivals_check(arrivals, load, err));
    if (load.rho.high == 0)
        return arrivals_none(out, err);
    if (!nb_arrivals_are_stable(arrivals, load))
        NB_TRY(nb_fail(err, NB_INVALID,
                       "at load %.15g the queue grows forever (permitted: "
                       "below 1)",
                       load.rho.high));
    if (nb_arrivals_have_bursts(arrivals))
        return nb_onoff_law(arrivals, load, out, err);
    NB_TRY(arrivals_inputs(arrivals, load, &inputs, err));
    NB_TRY(nb_slotted_law(&inputs, out, err));
done:
    nb_inputs_release(&inputs);
    return status;
}

void nb_arrivals_moments(const struct nb_arrivals *arrivals,
                         struct nb_queue_load load, struct nb_ratio *mean,
                         struct nb_ratio *variance)
{
    *mean = *variance = (struct nb_ratio){ 0, 0 };
    if (arrivals_check_kind(arrivals, NULL) != NB_OK)
        return;
    if (arrivals->kind == NB_ARRIVE_POISSON)
        nb_inputs_bernoulli_moments(load.exact, 0, mean, variance);
    if (arrivals->kind == NB_ARRIVE_BERNOULLI &&
        arrivals->probabilities == NULL)
        nb_inputs_bernoulli_moments(load.exact, arrivals->radix, mean,
                                    variance);
}

enum nb_status nb_arrivals_loss(const struct nb_arrivals *arrivals,
                                struct nb_queue_load load, int64_t depth,
                                const struct nb_distribution *distribution,
                                struct nb_bracket *loss, struct nb_error *err)
{
    struct nb_inputs inputs = { 0 };
    enum nb_status status = NB_OK;
    *loss = (struct nb_bracket){ 0, 0 };
    NB_TRY(nb_arrivals_check(arrivals, load, err));
    NB_TRY(nb_depth_check((double)depth, err));
    if (load.rho.high == 0)
        return NB_OK;
    if (nb_arrivals_have_bursts(arrivals))
        return nb_onoff_loss(arrivals, load, depth, loss, err);
    if (load.idle.high > 0) {
        NB_TRY(nb_distribution_check(distribution, 1, err));
        *loss = nb_slotted_loss(distribution, load, (double)depth);
        return NB_OK;
    }
    NB_TRY(arrivals_inputs(arrivals, load, &inputs, err));
    NB_TRY(nb_slotted_loss_saturated(&inputs, depth, loss, err));
done:
    nb_inputs_release(&inputs);
    return status;
}
