#include "questions/latency/latency_curve.h"

#include <math.h>

/* The distance to saturation halves every HALVING rows. A wait grows as its
 * inverse, so the curve turns by only a few degrees from one row to the next,
 * whatever share of the channels saturates. The last row is the first that is
 * HIGH times the latency at no load, or ROWS. */
enum { HALVING = 8, ROWS = 81, HIGH = 50 };

/* 2^(-i/8), the same on every machine. */
static const double halves[HALVING] = { 1.0,
                                        0.9170040432046712,
                                        0.8408964152537145,
                                        0.7711054127039704,
                                        0.7071067811865476,
                                        0.6484197773255048,
                                        0.5946035575013605,
                                        0.5452538663326288 };

/* The mean latency at a rate below saturation. */
static struct nb_enclosure curve_latency(const struct nb_latency_answer *answer,
                                         struct nb_enclosure rate)
{
    const struct nb_latency_queues *queues = &answer->queues;
    const struct nb_bracket wait = nb_latency_find_wait(
        queues->queue, queues->channel_count + queues->terminal_count,
        (struct nb_bracket){ rate.lower, rate.upper }, queues->total, NULL);
    return nb_enclosure_add(
        answer->travel,
        nb_enclosure_multiply(nb_enclosure_of_bracket(wait),
                              nb_enclosure_of_whole(answer->flits)));
}

/* Whether the queues found for one rate hold for all rates up to this one. */
static bool curve_has_queues(const struct nb_latency_answer *answer,
                             double rate)
{
    return answer->request.delay_model != NB_LATENCY_BERNOULLI ||
           fmax(rate, answer->rate.upper) <= answer->flits;
}

const struct nb_table_kind nb_latency_curve_table = {
    .name = "latency_curve",
    .columns = NB_SPELLED("load:number [fraction of capacity],"
                          "rate:number [packets/cycle],"
                          "mean_latency:number [cycles],"
                          "mean_latency_upper:number [cycles]")
};

void nb_latency_report_curve(const struct nb_latency_answer *answer,
                             struct nb_point *out)
{
    const struct nb_enclosure capacity = answer->problem.capacity.rate;
    const struct nb_enclosure limit = nb_enclosure_least(
        answer->saturation,
        nb_problem_terminal_limit(&answer->problem, answer->most));
    if (!(limit.lower > 0 && limit.upper < INFINITY &&
          capacity.upper < INFINITY) ||
        !curve_has_queues(answer, limit.upper))
        return;
    const size_t table = nb_table_start(out, &nb_latency_curve_table);
    struct nb_enclosure latency = { 0 };
    for (int i = 0;
         i < ROWS && !(latency.lower >= HIGH * answer->zero_load.lower); i++) {
        const double share = 1 - ldexp(halves[i % HALVING], -(i / HALVING));
        const double load = share * (limit.lower / capacity.upper);
        const struct nb_enclosure rate =
            nb_enclosure_multiply(nb_enclosure_of_double(load), capacity);
        latency = curve_latency(answer, rate);
        NB_ROW(out, table, load, rate.lower / answer->flits, latency.lower,
               latency.upper);
    }
}
