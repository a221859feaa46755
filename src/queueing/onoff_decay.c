/* The decay of a queue of ON/OFF sources (declared in phases.h). */
#include "queueing/decay_root.h"
#include "queueing/phases.h"

#include <float.h>
#include <math.h>

struct setting {
    long double radix;
    const struct nb_source *source;
};

/*
 * Packets spread: lambda = 1 + mu is an eigenvalue of one source's matrix
 * with the column of ON multiplied by 1 + e, e = y / radix,
 *
 *     mu^2 + beta mu = a e,   beta = a + c - (1 - c) e,
 *
 * a and c the probabilities of turning ON and OFF; and the value is
 * log(1 + y) - radix log(1 + mu).
 */
static long double onoff_by_packet(const void *context, long double y,
                                   long double *slack)
{
    const struct setting *setting = context;
    const struct nb_source *source = setting->source;
    const long double e = y / setting->radix;
    const long double beta =
        source->starts + source->ends - source->goes_on * e;
    const long double root = sqrtl(beta * beta + 4 * source->starts * e);
    const long double mu =
        beta > 0 ? 2 * source->starts * e / (beta + root) : (root - beta) / 2;
    const long double own = log1pl(y);
    const long double all = setting->radix * log1pl(mu);
    /* beta cancels where its two parts are alike; root then outweighs it. */
    const long double lost =
        (source->starts + source->ends + source->goes_on * e) / root;
    *slack = (own + all * (1 + lost)) * 16 * LDBL_EPSILON;
    return own - all;
}

/*
 * Bursts spread: with lambda = 1 + mu = (1 + y)^(1/radix), the eigenvector's
 * equation for a source that is OFF, ON elsewhere or ON here,
 *
 *     mu = a ((y - mu) / (radix d) - (1 - 1/radix) mu / (mu + c)),
 *     d = mu + c - (1 - c) y > 0;
 *
 * the value is the left side less the right.
 */
static long double onoff_by_burst(const void *context, long double y,
                                  long double *slack)
{
    const struct setting *setting = context;
    const struct nb_source *source = setting->source;
    const long double k = setting->radix;
    const long double mu = expm1l(log1pl(y) / k);
    const long double d = mu + source->ends - source->goes_on * y;
    if (!(d > 0)) { /* beyond the pole; any negative number will do */
        *slack = 0;
        return -y;
    }
    const long double here = source->starts * (y - mu) / (k * d);
    const long double elsewhere =
        source->starts * (k - 1) * mu / (k * (mu + source->ends));
    const long double lost = (mu + source->ends + source->goes_on * y) / d;
    *slack = (mu + here * (1 + lost) + elsewhere) * 16 * LDBL_EPSILON;
    return mu - here + elsewhere;
}

enum nb_status nb_onoff_decay(const struct nb_arrivals *arrivals,
                              const struct nb_source *source, long double *rate,
                              long double *error, struct nb_error *err)
{
    const struct setting setting = { (long double)arrivals->radix, source };
    long double step;
    *rate = INFINITY;
    *error = 0;
    if (arrivals->radix <= 2 && source->goes_on == 0)
        return NB_OK;
    const enum nb_status status = nb_decay_root(
        arrivals->spread == NB_SPREAD_BURST ? onoff_by_burst : onoff_by_packet,
        &setting, INFINITY, &step, error, err);
    *rate = log1pl(step);
    *error += 2 * LDBL_EPSILON;
    return status;
}

/* lambda = 1 + mu; from lambda v_off = (1 - a) v_off + c (v_here + v_elsewhere)
 * and the equation of v_elsewhere, arranged without differences. */
void nb_phases_far(const struct nb_arrivals *arrivals,
                   const struct nb_phases *phases, long double rate,
                   long double *v)
{
    const struct nb_source *source = &phases->source;
    const bool by_burst = arrivals->spread == NB_SPREAD_BURST;
    const long double k = (long double)arrivals->radix;
    const long double a = source->starts, c = source->ends;
    const long double mu = expm1l(rate / k);
    const long double here =
        by_burst ? (mu + a * (mu + c / k) / (mu + c)) / c : (mu + a) / c;
    const long double elsewhere = by_burst ? a * (k - 1) / (k * (mu + c)) : 0;
    const size_t most = phases->most;
    long double first = 1;
    size_t phase = 0;
    for (size_t h = 0; h <= most; h++) {
        long double value = first;
        for (size_t e = 0; e <= (by_burst ? most - h : 0); e++) {
            v[phase++] = value;
            value *=
                (long double)(most - h - e) / (long double)(e + 1) * elsewhere;
        }
        first *= (long double)(most - h) / (long double)(h + 1) * here;
    }
}
