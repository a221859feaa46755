#include "questions/validate/validate_laws.h"

#include "core/memory.h"

#include <math.h>

enum { TAIL_POINTS = 4000 };

void nb_tail_release(struct nb_tail *tail)
{
    nb_delete(tail->value);
    nb_delete(tail->probability);
    *tail = (struct nb_tail){ 0 };
}

static enum nb_status tail_reserve(size_t count, struct nb_tail *out,
                                   struct nb_error *err)
{
    enum nb_status status;
    *out = (struct nb_tail){ 0 };
    NB_TRY(nb_new(&out->value, count, sizeof(double), "a distribution", err));
    NB_TRY(nb_new(&out->probability, count, sizeof(double), "a distribution",
                  err));
done:
    if (status != NB_OK)
        nb_tail_release(out);
    return status;
}

enum nb_status nb_tail_of(double (*at)(const void *of, double n),
                          const void *of, double last, struct nb_tail *out,
                          struct nb_error *err)
{
    const double step = fmax(1, ceil((last + 1) / TAIL_POINTS));
    const enum nb_status status = tail_reserve(TAIL_POINTS + 2, out, err);
    for (double n = 0; n < last + step && last >= 0 && status == NB_OK;
         n += step) {
        out->value[out->count] = fmin(n, last);
        out->probability[out->count] = at(of, fmin(n, last));
        out->count += out->probability[out->count] > 0;
    }
    return status;
}

enum nb_status nb_tail_of_histogram(const struct nb_histogram *histogram,
                                    struct nb_tail *out, struct nb_error *err)
{
    uint64_t rest = histogram->total;
    const enum nb_status status = tail_reserve(histogram->size + 1, out, err);
    for (size_t n = 0; n <= histogram->size && rest > 0 && status == NB_OK;
         n++) {
        out->value[out->count] = (double)n;
        out->probability[out->count++] =
            (double)rest / (double)histogram->total;
        rest -= histogram->count[n];
    }
    return status;
}

/* Interpolates between two points, in logarithms. */
static double tail_between(const struct nb_tail *tail, size_t i, double n)
{
    const double *x = tail->value, *p = tail->probability;
    const double share = (n - x[i - 1]) / (x[i] - x[i - 1]);
    return p[i - 1] * pow(p[i] / p[i - 1], share);
}

double nb_tail_at(const struct nb_tail *tail, double n)
{
    size_t i = 0;
    while (i < tail->count && tail->value[i] < n)
        i++;
    if (i == tail->count)
        return NAN;
    if (tail->value[i] == n)
        return tail->probability[i];
    return i == 0 ? 1 : tail_between(tail, i, n);
}

double nb_tail_depth(const struct nb_tail *tail, double probability)
{
    const double *x = tail->value, *p = tail->probability;
    size_t i = 0;
    while (i < tail->count && p[i] > probability)
        i++;
    if (i == tail->count)
        return INFINITY;
    if (i == 0 || p[i] == probability)
        return x[i];
    const double share = log(p[i - 1] / probability) / log(p[i - 1] / p[i]);
    return x[i - 1] + share * (x[i] - x[i - 1]);
}

static const struct nb_histogram *
tails_histogram(const struct nb_simulation_result *result, int of)
{
    return of == NB_TAILS_LATENCY   ? &result->latencies
           : of == NB_TAILS_REORDER ? &result->reorder
                                    : &result->depths[of];
}

enum nb_status nb_tails_find(const struct nb_validate_answer *answer, int of,
                             struct nb_tails *out, struct nb_error *err)
{
    const size_t count = answer->simulation.plan.replications;
    enum nb_status status;
    *out = (struct nb_tails){ 0 };
    NB_TRY(nb_new(&out->tail, count, sizeof *out->tail, "distributions", err));
    out->count = count;
    NB_TRY(nb_new(&out->scratch, count, sizeof(double), "distributions", err));
    for (size_t i = 0; i < count; i++) {
        NB_TRY(nb_tail_of_histogram(
            tails_histogram(&answer->replication[i], of), &out->tail[i], err));
        if (out->tail[i].count > out->length)
            out->length = out->tail[i].count;
    }
done:
    if (status != NB_OK)
        nb_tails_release(out);
    return status;
}

void nb_tails_release(struct nb_tails *tails)
{
    for (size_t i = 0; i < tails->count; i++)
        nb_tail_release(&tails->tail[i]);
    nb_delete(tails->tail);
    nb_delete(tails->scratch);
    *tails = (struct nb_tails){ 0 };
}

static struct nb_estimate
tails_estimate(const struct nb_tails *tails, double at, double confidence,
               double (*find)(const struct nb_tail *, double))
{
    for (size_t i = 0; i < tails->count; i++)
        tails->scratch[i] = find(&tails->tail[i], at);
    return nb_estimate_mean(tails->scratch, tails->count, confidence);
}

/* Values above the largest counted one have probability 0. */
static double tails_seen(const struct nb_tail *tail, double n)
{
    const double probability = nb_tail_at(tail, n);
    return isnan(probability) ? 0 : probability;
}

struct nb_estimate nb_tails_at(const struct nb_tails *tails, double n,
                               double confidence)
{
    return tails_estimate(tails, n, confidence, tails_seen);
}

struct nb_estimate nb_tails_depth(const struct nb_tails *tails,
                                  double probability, double confidence)
{
    return tails_estimate(tails, probability, confidence, nb_tail_depth);
}
