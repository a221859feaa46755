#include "questions/latency/latency_predicted.h"

#include "optimum/best_flow.h"
#include "optimum/scheme_paths.h"
#include "core/memory.h"
#include "report/tree.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#define PREDICTED_IDLE     1e-6 /* a rate at which packets never meet */
#define PREDICTED_RESIDUAL 0.01 /* above it the rounds have not converged */
#define PREDICTED_SAME     0.02 /* that much is no difference */

static enum nb_compared
predicted_compared(const struct nb_latency_answer *answer)
{
    switch (answer->request.delay_model) {
    case NB_LATENCY_SINGH:
        return NB_COMPARED_MEANS;
    case NB_LATENCY_BERNOULLI:
        return NB_COMPARED_INPUTS;
    default:
        return NB_COMPARED_POISSON;
    }
}

static double predicted_middle(struct nb_enclosure value)
{
    return value.lower + (value.upper - value.lower) / 2;
}

/* A number found in rounds, with its last change as the interval. */
static struct nb_enclosure predicted_about(double value, double residual)
{
    if (value == 0)
        return nb_enclosure_of_whole(0);
    return (struct nb_enclosure){ .lower = value * (1 - fmin(residual, 1)),
                                  .upper = value * (1 + residual) };
}

/* Repeats the rounds from other starting points, which may end elsewhere. */
static enum nb_status predicted_try_others(struct nb_equilibrium_net *net,
                                           struct nb_latency_answer *answer,
                                           double rate, struct nb_error *err)
{
    static const enum nb_outset others[] = { NB_OUTSET_LAST, NB_OUTSET_EVEN };
    const struct nb_equilibrium *first = &answer->equilibrium;
    answer->least = answer->most_latency = first->hops + first->wait;
    answer->minimal_least = answer->minimal_most = first->minimal;
    for (size_t i = 0; i < 2; i++) {
        struct nb_equilibrium other;
        const enum nb_status status =
            nb_equilibrium_find(net, rate, others[i], true, &other, err);
        if (status != NB_OK)
            return status;
        answer->least = fmin(answer->least, other.hops + other.wait);
        answer->most_latency =
            fmax(answer->most_latency, other.hops + other.wait);
        answer->minimal_least = fmin(answer->minimal_least, other.minimal);
        answer->minimal_most = fmax(answer->minimal_most, other.minimal);
        nb_equilibrium_release(&other);
    }
    return NB_OK;
}

/* Sets the states of all channels between routers, and their loads. */
static void predicted_set_queues(struct nb_latency_answer *answer, double rate)
{
    const struct nb_equilibrium *found = &answer->equilibrium;
    for (size_t c = 0; c < answer->queues.channel_count; c++) {
        const struct nb_equilibrium_channel *channel = &found->channel[c];
        const double load = channel->load / rate;
        answer->queues.queue[c].load = (struct nb_bracket){ load, load };
        answer->state[c] = (struct nb_queue_state){
            .utilisation = { channel->load, channel->load },
            .wait = { channel->wait, channel->wait },
        };
    }
}

/* The most that the scheme's paths can carry, whatever it chooses; +inf if that
 * is not known. */
static enum nb_status predicted_bound(const struct nb_problem *problem,
                                      const struct nb_run *run, double *bound,
                                      struct nb_error *err)
{
    struct nb_scheme_paths paths = { 0 };
    struct nb_path_class class;
    struct nb_best_flow flow = { 0 };
    const struct nb_best_flow_question request = {
        .topology = &problem->topology,
        .traffic = &problem->traffic,
        .path_class = &class,

        .seconds = INFINITY,
    };
    enum nb_status status = NB_OK;
    *bound = INFINITY;
    status = nb_path_class_init_scheme(&problem->routing, &paths, &class, err);
    if (status == NB_INVALID)
        return NB_OK;
    if (status == NB_OK)
        status = nb_best_flow_find(&request, run, &flow, err);
    if (status == NB_OK)
        *bound = flow.throughput.upper;
    nb_best_flow_release(&flow);
    nb_scheme_paths_release(&paths);
    return status;
}

/* The last saturation found; all points of a sweep over loads have the same. */
static struct {
    pthread_mutex_t lock;
    char of[NB_EQUILIBRIUM_DIGEST]; /* "": none yet */
    struct nb_bracket found;
} predicted_last = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The rate from which the network's queues grow without bound; at most what is
 * proved. */
static enum nb_status predicted_saturate(struct nb_equilibrium_net *net,
                                         const struct nb_latency_answer *answer,
                                         const struct nb_run *run,
                                         struct nb_bracket *out,
                                         struct nb_error *err)
{
    const struct nb_problem *problem = &answer->problem;
    char of[NB_EQUILIBRIUM_DIGEST];
    double bound;
    enum nb_status status = NB_OK;
    NB_TRY(nb_equilibrium_digest(net, of, err));
    pthread_mutex_lock(&predicted_last.lock);
    const bool is_known = strcmp(of, predicted_last.of) == 0;
    *out = predicted_last.found;
    pthread_mutex_unlock(&predicted_last.lock);
    if (is_known)
        goto done;
    NB_TRY(predicted_bound(problem, run, &bound, err));
    *out = nb_equilibrium_saturation(
        net,
        fmin(bound, nb_problem_terminal_limit(problem, answer->most).upper));
    pthread_mutex_lock(&predicted_last.lock);
    predicted_last.found = *out;
    memcpy(predicted_last.of, of, sizeof of);
    pthread_mutex_unlock(&predicted_last.lock);
done:
    return status;
}

enum nb_status nb_latency_predict(struct nb_latency_answer *answer,
                                  const struct nb_run *run,
                                  struct nb_error *err)
{
    const struct nb_problem *problem = &answer->problem;
    const double rate = predicted_middle(answer->rate);
    const struct nb_equilibrium_question request = {
        .routing = &problem->routing,
        .traffic = &problem->traffic,
        .compared = predicted_compared(answer),
        .delay = answer->queues.delay,
        .flits = answer->flits,
        .seed = 1,
    };
    struct nb_equilibrium_net *net = NULL;
    struct nb_equilibrium idle = { 0 };
    struct nb_bracket full;
    enum nb_status status = NB_OK;
    NB_TRY(nb_equilibrium_open(&request, &net, err));
    NB_TRY(nb_equilibrium_find(net, fmax(rate, PREDICTED_IDLE), NB_OUTSET_FIRST,
                               false, &answer->equilibrium, err));
    if (problem->routing.kind->cost != NULL &&
        !answer->equilibrium.is_saturated)
        NB_TRY(
            predicted_try_others(net, answer, fmax(rate, PREDICTED_IDLE), err));
    NB_TRY(nb_equilibrium_find(net, PREDICTED_IDLE, NB_OUTSET_FIRST, true,
                               &idle, err));
    NB_TRY(predicted_saturate(net, answer, run, &full, err));
    const struct nb_equilibrium *found = &answer->equilibrium;
    answer->saturation =
        isinf(full.lower)
            ? nb_enclosure_of_ratio(nb_ratio_infinity)
            : (struct nb_enclosure){ .lower = full.lower, .upper = full.upper };
    answer->hops = predicted_about(found->hops, found->residual);
    answer->minimal = predicted_about(found->minimal, found->residual);
    answer->idle_hops = predicted_about(idle.hops, idle.residual);
    answer->wait = found->is_saturated || rate >= full.upper
                       ? nb_enclosure_of_ratio(nb_ratio_infinity)
                       : predicted_about(found->wait, found->residual);
    predicted_set_queues(answer, fmax(rate, PREDICTED_IDLE));
done:
    nb_equilibrium_release(&idle);
    nb_equilibrium_close(net);
    return status;
}

static const char *const predicted_notes[] = {
    [NB_COMPARED_POISSON] =
        ("a model, not a bound: the equilibrium of the scheme if each queue "
         "it compares is independent of the others, has its own length "
         "distribution, and is joined at random (delay-model "
         "pollaczek-khinchine)"),
    [NB_COMPARED_INPUTS] =
        ("a model, not a bound: the equilibrium of the scheme if each queue "
         "it compares is independent of the others, has its own length "
         "distribution, and is joined by one packet of each input in a slot "
         "(delay-model bernoulli)"),
    [NB_COMPARED_MEANS] =
        ("a model, not a bound: the equilibrium of the scheme if it compares "
         "mean queues (delay-model singh)"),
};

/* Reports the number found itself: its interval is only its last change, and
 * neither end is certain. */
static void predicted_report_middles(struct nb_point *out)
{
    static const char *const names[] = { "mean_latency", "mean_hops",
                                         "mean_wait", "minimal_fraction" };
    for (size_t i = 0; i < out->quantity_count && !out->has_failed; i++)
        for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
            struct nb_quantity *quantity = &out->quantities[i];
            if (strcmp(quantity->name, names[n]) == 0 &&
                !isinf(quantity->upper))
                quantity->value = (quantity->lower + quantity->upper) / 2;
        }
}

void nb_latency_report_predicted(const struct nb_latency_answer *answer,
                                 struct nb_point *out)
{
    const struct nb_equilibrium *found = &answer->equilibrium;
    const double spread =
        (answer->most_latency - answer->least) / answer->least;
    nb_point_add_enclosure(out, "minimal_fraction",
                           predicted_about(found->minimal, found->residual),
                           "1", NB_LATENCY_PREDICTED,
                           NB_LATENCY_PREDICTED_SOURCE);
    predicted_report_middles(out);
    nb_point_add_note(out, "prediction",
                      predicted_notes[predicted_compared(answer)]);
    if (found->residual > PREDICTED_RESIDUAL && !found->is_saturated)
        nb_point_note(out, "convergence",
                      "not settled: after %zu rounds the result still changed "
                      "by %.2g, relative",
                      found->rounds, found->residual);
    if (spread > PREDICTED_SAME + 2 * found->residual)
        nb_point_note(out, "equilibria",
                      "not the only one: other starting points gave mean "
                      "latencies of %.6g to %.6g cycles between routers, and "
                      "%.4g to %.4g of the packets minimal",
                      answer->least, answer->most_latency,
                      answer->minimal_least, answer->minimal_most);
}
