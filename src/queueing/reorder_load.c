#include "queueing/reorder_load.h"

#include "core/memory.h"
#include "queueing/convolve.h"
#include "queueing/large_deviations.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>

#include <float.h>
#include <math.h>

double nb_reorder_least(double probability)
{
    const double least = probability * 1e-25;
    return least > NB_REORDER_LEAST ? least : NB_REORDER_LEAST;
}

struct nb_reorder_source
nb_reorder_source_of(const struct nb_reorder_network *network,
                     struct nb_queue_load load)
{
    struct nb_reorder_source source = { .load = load };
    if (network->arrivals != NULL && network->arrivals->kind == NB_ARRIVE_ONOFF)
        source.burst = network->arrivals->burst;
    if (network->arrivals != NULL && network->arrivals->kind == NB_ARRIVE_MMP)
        source.mmp = network->arrivals;
    return source;
}

/* Checks the network only, whatever its load. */
static enum nb_status load_check(const struct nb_reorder_network *network,
                                 struct nb_error *err)
{
    if (network->arrivals != NULL && network->hops >= 1)
        return nb_arrivals_check(network->arrivals, nb_load_of_value(0), err);
    return nb_fail(err, NB_INVALID,
                   "%s over %lld hops (permitted: arrivals, 1 hop and more)",
                   network->arrivals != NULL ? "arrivals" : "no arrivals",
                   (long long)network->hops);
}

/* Checks the question too. */
static enum nb_status
load_check_question(const struct nb_reorder_network *network,
                    enum nb_reorder_way way, size_t depth, struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(load_check(network, err));
    if (depth < 1 || depth > NB_REORDER_DELAYS)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "reorder buffer of depth %zu (permitted: 1 to %d)",
                       depth, NB_REORDER_DELAYS));
    if (way == NB_REORDER_CHERNOFF &&
        nb_arrivals_have_bursts(network->arrivals))
        status = nb_fail(err, NB_INVALID,
                         "the bound of Theorem 7 for bursty sources "
                         "(permitted: bernoulli, poisson)");
done:
    return status;
}

/* The distribution of one hop's delay. */
static enum nb_status load_hop(const struct nb_reorder_network *network,
                               struct nb_queue_load load,
                               struct nb_distribution *out,
                               struct nb_error *err)
{
    struct nb_distribution queue = { 0 };
    enum nb_status status = nb_arrivals_law(network->arrivals, load, out, err);
    if (status != NB_OK || network->distribution == NB_HOP_QUEUE ||
        load.rho.high == 0)
        return status; /* the queue is empty if nothing is sent */
    queue = *out;
    *out = (struct nb_distribution){ 0 };
    status = nb_distribution_wait(&queue, out, err);
    nb_distribution_release(&queue);
    return status;
}

enum nb_status nb_reorder_delay(const struct nb_reorder_network *network,
                                struct nb_queue_load load, double least,
                                struct nb_distribution *out,
                                struct nb_error *err)
{
    const size_t hops = (size_t)network->hops;
    struct nb_distribution hop = { 0 };
    const struct nb_distribution **distributions = NULL;
    double length;
    enum nb_status status = NB_OK;
    *out = (struct nb_distribution){ 0 };
    NB_TRY(load_check(network, err));
    if (!(least >= NB_REORDER_LEAST))
        NB_TRY(nb_fail(err, NB_INVALID,
                       "delays cut where %g is left (permitted: %g and more)",
                       least, NB_REORDER_LEAST));
    NB_TRY(load_hop(network, load, &hop, err));
    NB_TRY(nb_new(&distributions, hops, sizeof *distributions, "hops", err));
    for (size_t i = 0; i < hops; i++)
        distributions[i] = &hop;
    const struct nb_distribution_sum sum = { distributions, hops, NULL };
    NB_TRY(nb_deviation_depth(&sum, least, &length, err));
    if (!(length <= NB_REORDER_DELAYS))
        NB_TRY(nb_fail(err, NB_INVALID,
                       "load %.15g over %zu hops needs delays up to %.0f "
                       "cycles (permitted: up to %d)",
                       load.rho.high, hops, length, NB_REORDER_DELAYS));
    NB_TRY(nb_distributions_convolve(distributions, hops, (size_t)length, out,
                                     err));
done:
    nb_delete(distributions);
    nb_distribution_release(&hop);
    return status;
}

/* The same with delays cut at least, which determines the slack. */
static enum nb_status load_try(const struct nb_reorder_network *network,
                               enum nb_reorder_way way,
                               struct nb_queue_load load, size_t depth,
                               double least, struct nb_bracket *out,
                               struct nb_error *err)
{
    const struct nb_reorder_source source = nb_reorder_source_of(network, load);
    struct nb_distribution delay = { 0 };
    struct nb_reorder reorder = { 0 };
    struct nb_reorder_bound bound = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_reorder_delay(network, load, least, &delay, err));
    if (way == NB_REORDER_EXACT) {
        NB_TRY(nb_reorder_find(&delay, &source, least, depth, &reorder, err));
        *out = nb_reorder_tail(&reorder, depth);
    } else {
        NB_TRY(nb_reorder_bound_find(&delay, load, &bound, err));
        *out = nb_reorder_bound_tail(&bound, depth);
    }
done:
    nb_reorder_bound_release(&bound);
    nb_reorder_release(&reorder);
    nb_distribution_release(&delay);
    return status;
}

enum nb_status nb_reorder_probability(const struct nb_reorder_network *network,
                                      enum nb_reorder_way way,
                                      struct nb_queue_load load, size_t depth,
                                      struct nb_bracket *out,
                                      struct nb_error *err)
{
    double least = 1e-25;
    enum nb_status status = NB_OK;
    *out = (struct nb_bracket){ 1, 1 };
    NB_TRY(load_check_question(network, way, depth, err));
    NB_TRY(nb_load_check(load, DBL_MAX, err));
    if (load.idle.high <= 0)
        goto done;
    for (;;) {
        NB_TRY(load_try(network, way, load, depth, least, out, err));
        if (out->lower > 1e14 * least || out->upper == 0 ||
            least <= NB_REORDER_LEAST)
            break;
        least = nb_reorder_least(out->upper < least ? least : out->upper);
    }
done:
    return status;
}

/* A search for the load that gives a probability. */
struct search {
    const struct nb_reorder_network *network;
    enum nb_reorder_way way;
    size_t depth;
    double overflow;
    struct nb_error *err;
    enum nb_status status;
};

/* The probability at a load. If that needs too many delays, they are cut
 * earlier and earlier: next to saturation a wide bracket is enough. */
static struct nb_bracket search_at(struct search *search,
                                   struct nb_queue_load load)
{
    struct nb_bracket found = { 1, 1 };
    struct nb_error first = { 0 };
    double least = nb_reorder_least(search->overflow);
    if (search->status != NB_OK || load.idle.high <= 0)
        return found;
    do {
        search->status = load_try(search->network, search->way, load,
                                  search->depth, least, &found, &first);
        least = sqrt(least);
    } while (search->status == NB_INVALID && least < 0.1);
    if (search->status != NB_OK)
        nb_fail(search->err, search->status,
                "the search for the largest load with depth %zu: %s",
                search->depth, first.message);
    return found;
}

static struct nb_bracket search_at_value(struct search *search, double load)
{
    return search_at(search, nb_load_of_value(load));
}

/* ln(P / overflow); far below 0 if P is 0. */
static double search_logarithm(double load, void *context)
{
    struct search *search = context;
    const struct nb_bracket found = search_at_value(search, load);
    const double middle = found.lower / 2 + found.upper / 2;
    return middle > 0 ? log(middle) - log(search->overflow) : -1e3;
}

/* A root between low, where the probability is too small, and high. */
static double search_root(struct search *search, double low, double high)
{
    gsl_function function = { search_logarithm, search };
    gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
    if (solver == NULL) {
        search->status =
            nb_fail(search->err, NB_NO_MEMORY, "no memory for a root finder");
        return low;
    }
    int step = gsl_root_fsolver_set(solver, &function, low, high);
    for (int i = 0; i < 100 && step == GSL_SUCCESS; i++) {
        step = gsl_root_fsolver_iterate(solver);
        if (gsl_root_test_interval(gsl_root_fsolver_x_lower(solver),
                                   gsl_root_fsolver_x_upper(solver), 0,
                                   1e-13) == GSL_SUCCESS)
            break;
    }
    const double root = gsl_root_fsolver_root(solver);
    gsl_root_fsolver_free(solver);
    return root;
}

/* Moves the ends of found to loads near the root, as close as the comparison
 * there is certain. */
static void search_verify(struct search *search, double root,
                          struct nb_bracket *found)
{
    double load = root;
    for (double step = 4e-13; search->status == NB_OK; step *= 4) {
        load = root * (1 - step);
        if (load <= found->lower ||
            search_at_value(search, load).upper < search->overflow)
            break;
    }
    found->lower = load > found->lower ? load : found->lower;
    for (double step = 4e-13; search->status == NB_OK; step *= 4) {
        load = root * (1 + step);
        if (load >= found->upper ||
            search_at_value(search, load).lower >= search->overflow)
            break;
    }
    found->upper = load < found->upper ? load : found->upper;
}

/* Brackets the load sought: first approaches the greatest load, where
 * evaluation costs more; or approaches 0, as far as waits are known. */
static void search_enclose(struct search *search, double most,
                           struct nb_bracket *found)
{
    const double end = found->upper;
    double load = most / 2;
    for (int i = 2; i < 1100 && search->status == NB_OK; i++) {
        const struct nb_bracket at = search_at_value(search, load);
        if (at.upper < search->overflow)
            found->lower = load;
        else if (at.lower >= search->overflow)
            found->upper = load;
        if (found->lower > 0 && (found->upper < end || i >= 40))
            break;
        load = found->upper < end ? load / 16 : most * (1 - ldexp(1, -i));
        if (search->network->distribution == NB_HOP_WAIT &&
            load < NB_DISTRIBUTION_LEAST_LOAD)
            break;
    }
}

/* The largest load to try: at their limit, sources with bursts of one packet
 * alternate forever. */
static struct nb_queue_load search_last(const struct nb_arrivals *arrivals)
{
    const struct nb_ratio most = nb_arrivals_most(arrivals);
    struct nb_bracket end;
    nb_ratio_bracket(most, &end.lower, &end.upper);
    return arrivals->kind == NB_ARRIVE_ONOFF &&
                   nb_ratio_compare(arrivals->burst, nb_ratio_one) == 0
               ? nb_load_of_value(end.lower * (1 - 1e-12))
               : nb_load_of_ratio(most);
}

enum nb_status nb_reorder_max_load(const struct nb_reorder_network *network,
                                   enum nb_reorder_way way, size_t depth,
                                   double overflow, struct nb_bracket *out,
                                   struct nb_error *err)
{
    struct search search = { network, way, depth, overflow, err, NB_OK };
    enum nb_status status = NB_OK;
    *out = (struct nb_bracket){ 0, 1 };
    NB_TRY(load_check_question(network, way, depth, err));
    NB_TRY(nb_overflow_check(overflow, NB_DISTRIBUTION_LEAST, err));
    const struct nb_queue_load last = search_last(network->arrivals);
    struct nb_bracket end;
    nb_ratio_bracket(nb_arrivals_most(network->arrivals), &end.lower,
                     &end.upper);
    *out = end;
    if (overflow >= 1) /* every probability is at most 1 */
        goto done;
    out->lower = 0;
    if (search_at(&search, last).upper < overflow)
        out->lower = fmin(end.lower, last.rho.high);
    else
        search_enclose(&search, end.lower, out);
    if (out->lower > 0 && out->upper < end.upper && search.status == NB_OK)
        search_verify(&search, search_root(&search, out->lower, out->upper),
                      out);
    status = search.status;
done:
    return status;
}
