/* netbound optimum --worst-case: the oblivious routing with the best worst
 * case, and the least mean hops at a fraction of it. */
#include "questions/optimum/optimum.h"
#include "core/clock.h"
#include "core/memory.h"

#include <math.h>

static const char oblivious_source[] = "TowlesDallyBoyd2003";
static const char oblivious_method[] = "linear program over orbits of pairs "
                                       "and channels, with primal and dual";

/* A rate's bracket with a relative width below this counts as closed. */
#define OBLIVIOUS_WIDE 1e-6

struct oblivious_dual {
    uint32_t channel, router;
    int64_t row, column;
};
const struct nb_table_kind nb_optimum_duals = {
    .name = "duals",
    .columns =
        NB_COLUMNS(NB_FIELD(struct oblivious_dual, channel, NB_BELOW(channels)),
                   NB_FIELD(struct oblivious_dual, router, NB_BELOW(routers)),
                   NB_FIELD(struct oblivious_dual, row, NB_UP_TO(dual)),
                   NB_FIELD(struct oblivious_dual, column, NB_UP_TO(dual))),
    .is_certificate = true
};

static const struct nb_column_kind weights_columns[] = {
    NB_FIELD(struct nb_adversary_weight, source, NB_BELOW(routers)),
    NB_FIELD(struct nb_adversary_weight, destination, NB_BELOW(routers)),
    NB_FIELD(struct nb_adversary_weight, channel, NB_BELOW(channels)),
    NB_FIELD(struct nb_adversary_weight, weight, NB_AMONG(1, INT64_C(1) << 40)),
    { 0 },
};
const struct nb_table_kind nb_optimum_weights = { .name = "weights",
                                                  .columns = weights_columns,
                                                  .is_certificate = true };
const struct nb_table_kind nb_optimum_weights_above = {
    .name = "weights_above", .columns = weights_columns, .is_certificate = true
};

const struct nb_table_kind nb_optimum_weight_scale = {
    .name = "weight_scale",
    .columns = NB_COLUMNS(NB_COLUMN(struct nb_best_oblivious, weight_scale,
                                    "scale", NB_AMONG(1, NB_OBLIVIOUS_MOST))),
    .is_certificate = true
};

#define OBLIVIOUS_UNIT ":ratio [packets/cycle/terminal]"
const struct nb_table_kind nb_optimum_rates = {
    .name = "rates",
    .columns = NB_COLUMNS(NB_COLUMN(struct nb_best_unbalanced, rate,
                                    "proved" OBLIVIOUS_UNIT, NB_ANY),
                          NB_COLUMN(struct nb_best_unbalanced, below,
                                    "below" OBLIVIOUS_UNIT, NB_ANY),
                          NB_COLUMN(struct nb_best_unbalanced, above_rate,
                                    "above" OBLIVIOUS_UNIT, NB_ANY)),
    .is_certificate = true
};

/*
 * Adds the certificate: paths, duals (of each focus channel, without rows of
 * zeros except that of router 0), weights and, for least mean hops,
 * weight_scale.
 *
 * prefix  before the tables' names: "" or "optimal_"
 */
static void oblivious_add_tables(const struct nb_topology *topology,
                                 const char *prefix,
                                 enum nb_oblivious_goal goal,
                                 const struct nb_best_oblivious *best,
                                 struct nb_point *out)
{
    const struct nb_table_variant variant = { .prefix = prefix };
    nb_optimum_add_paths(topology, &nb_optimum_paths, prefix, &best->paths,
                         out);
    const size_t table = nb_table_start_as(out, &nb_optimum_duals, variant);
    for (size_t d = 0; d < best->dual_count; d++) {
        const struct nb_oblivious_dual *dual = &best->duals[d];
        for (uint32_t r = 0; r < topology->router_count; r++)
            /* Router 0 always has a row, so that the channel is named. */
            if (r == 0 || dual->row[r] != 0 || dual->column[r] != 0)
                NB_ROW(out, table, dual->channel, r, dual->row[r],
                       dual->column[r]);
    }
    nb_table_write(out, &nb_optimum_weights, variant, best->weights,
                   best->weight_count, sizeof *best->weights);
    if (goal == NB_LEAST_MEAN_HOPS)
        nb_table_write(out, &nb_optimum_weight_scale, variant, best, 1,
                       sizeof *best);
}

static void oblivious_read_duals(struct nb_table_reader *in,
                                 struct nb_best_oblivious *out)
{
    const size_t n = in->topology->router_count;
    struct nb_oblivious_dual *dual = NULL;
    struct oblivious_dual row;
    in->limits.dual = (INT64_C(1) << 62) / (int64_t)n; /* sum of all */
    nb_read_new(in, &out->duals, nb_read_count(in, &nb_optimum_duals),
                sizeof *out->duals);
    while (nb_read_row(in, &nb_optimum_duals, &row)) {
        if (dual == NULL || dual->channel != row.channel) {
            dual = &out->duals[out->dual_count++];
            dual->channel = row.channel;
            nb_read_new(in, &dual->row, n, sizeof *dual->row);
            nb_read_new(in, &dual->column, n, sizeof *dual->column);
            if (in->status != NB_OK)
                return;
        }
        dual->row[row.router] = row.row;
        dual->column[row.router] = row.column;
    }
}

/* Reads the claim back. */
static enum nb_status
oblivious_read_tables(const struct nb_topology *topology, const char *prefix,
                      enum nb_oblivious_goal goal, const struct nb_point *given,
                      struct nb_best_oblivious *out, struct nb_error *err)
{
    struct nb_table_reader in = nb_table_reader_make(given, topology, err);
    in.prefix = prefix;
    nb_optimum_read_paths(&in, &nb_optimum_paths, &out->paths);
    oblivious_read_duals(&in, out);
    nb_read_rows(&in, &nb_optimum_weights, &out->weights, &out->weight_count,
                 sizeof *out->weights);
    if (goal == NB_LEAST_MEAN_HOPS)
        nb_read_only(&in, &nb_optimum_weight_scale, out);
    return in.status;
}

/* For unbalanced traffic, the additional tables weights_above and rates (one
 * row). */
static void oblivious_add_rates(const struct nb_best_unbalanced *best,
                                struct nb_point *out)
{
    NB_WRITE_ROWS(out, &nb_optimum_weights_above, best->above.weights,
                  best->above.weight_count);
    NB_WRITE_ROWS(out, &nb_optimum_rates, best, 1);
}

/* Reads them back into above and the rates. */
static enum nb_status oblivious_read_rates(const struct nb_topology *topology,
                                           const struct nb_point *given,
                                           struct nb_best_unbalanced *out,
                                           struct nb_error *err)
{
    struct nb_table_reader in = nb_table_reader_make(given, topology, err);
    nb_read_only(&in, &nb_optimum_rates, out);
    nb_read_rows(&in, &nb_optimum_weights_above, &out->above.weights,
                 &out->above.weight_count, sizeof *out->above.weights);
    return in.status;
}

/* The question of the first step. */
static struct nb_oblivious_question
oblivious_ask(const struct nb_optimum *optimum)
{
    const struct nb_optimum_answer *answer = optimum->answer;
    return (struct nb_oblivious_question){
        .topology = &answer->problem.topology,
        .path_class = &optimum->class,
        .goal = NB_LEAST_WORST_LOAD,
        .rate = nb_ratio_one,
        .is_unbalanced = answer->request.unbalanced,
        .overload = answer->request.saturated,
        .most_load = nb_ratio_one,
        .seconds = answer->seconds,
    };
}

/*
 * A ratio with few digits slightly above a number: far enough that a routing
 * whose load is that number still meets the ratio when its paths' weights are
 * rounded to whole numbers, and that multiples of the ratio fit.
 */
static struct nb_ratio oblivious_round_up(double value)
{
    return nb_ratio_make((nb_int128)ceil(ldexp(value * (1 + 0x1p-30), 32)) + 1,
                         (nb_int128)1 << 32);
}

/* The load that the second step must keep: that of the best routing, or the
 * limit of the terminals' channels, over the fraction asked for. */
static struct nb_ratio
oblivious_most_load(const struct nb_optimum_answer *answer,
                    struct nb_ratio limit, struct nb_ratio at)
{
    const struct nb_enclosure load = answer->worst.best.load;
    const struct nb_ratio least = nb_ratio_divide(nb_ratio_one, limit);
    struct nb_ratio most = nb_ratio_is_known(load.exact)
                               ? load.exact
                               : oblivious_round_up(load.upper);
    if (nb_ratio_compare(least, most) > 0)
        most = least;
    const struct nb_ratio share = nb_ratio_divide(most, at);
    return nb_ratio_is_known(share)
               ? share
               : oblivious_round_up(nb_ratio_value(most) / nb_ratio_value(at));
}

/* The rate of unbalanced traffic that the second step must carry. */
static struct nb_ratio oblivious_rate(const struct nb_optimum_answer *answer,
                                      struct nb_ratio limit, struct nb_ratio at)
{
    const bool is_exact = nb_ratio_is_known(answer->worst.throughput.exact);
    const struct nb_ratio rate = nb_ratio_compare(limit, answer->worst.rate) < 0
                                     ? limit
                                     : answer->worst.rate;
    const struct nb_ratio share = nb_ratio_multiply(rate, at);
    if (is_exact && nb_ratio_is_known(share))
        return share;
    /* Inverting a value slightly above the inverse gives one slightly below. */
    return nb_ratio_divide(
        nb_ratio_one,
        oblivious_round_up(1 / (nb_ratio_value(rate) * nb_ratio_value(at))));
}

/* The question of the second step; the routing found in the first meets it. */
static struct nb_oblivious_question
oblivious_ask_least(const struct nb_optimum *optimum)
{
    struct nb_optimum_answer *answer = optimum->answer;
    const struct nb_topology *topology = &answer->problem.topology;
    struct nb_oblivious_question question = oblivious_ask(optimum);
    const struct nb_ratio given = answer->request.at;
    const struct nb_ratio at = nb_ratio_is_known(given) ? given : nb_ratio_one;
    const struct nb_ratio limit = nb_terminal_limit(topology, nb_ratio_one);
    const struct nb_ratio vacuous = nb_unbalanced_vacuous_rate(topology);
    question.goal = NB_LEAST_MEAN_HOPS;
    if (question.is_unbalanced) {
        answer->required = oblivious_rate(answer, limit, at);
        question.rate = nb_ratio_compare(answer->required, vacuous) < 0
                            ? answer->required
                            : vacuous;
    } else {
        question.most_load = oblivious_most_load(answer, limit, at);
        answer->required = nb_ratio_divide(nb_ratio_one, question.most_load);
    }
    return question;
}

/* The first step: solved, or read from the given tables. */
static enum nb_status oblivious_find_best(const struct nb_optimum *optimum,
                                          struct nb_error *err)
{
    const struct nb_point *given = optimum->given;
    const struct nb_oblivious_question question = oblivious_ask(optimum);
    struct nb_optimum_answer *answer = optimum->answer;
    struct nb_best_unbalanced *worst = &answer->worst;
    enum nb_status status = NB_OK;
    if (given != NULL)
        NB_TRY(oblivious_read_tables(question.topology,
                                     answer->with_locality ? "optimal_" : "",
                                     question.goal, given, &worst->best, err));
    if (question.is_unbalanced && given != NULL) {
        NB_TRY(oblivious_read_rates(question.topology, given, worst, err));
        NB_TRY(nb_best_unbalanced_check(&question, worst, err));
    } else if (question.is_unbalanced) {
        NB_TRY(nb_best_unbalanced_find(&question, optimum->run, worst, err));
    } else {
        NB_TRY(given != NULL
                   ? nb_best_oblivious_check(&question, &worst->best, err)
                   : nb_best_oblivious_find(&question, optimum->run,
                                            &worst->best, err));
        worst->throughput = nb_enclosure_divide(
            nb_enclosure_of_ratio(nb_ratio_one), worst->best.load);
    }
done:
    return status;
}

/* The second step, in the time that remains since the first began. */
static enum nb_status oblivious_find_least(const struct nb_optimum *optimum,
                                           double begin, struct nb_error *err)
{
    struct nb_optimum_answer *answer = optimum->answer;
    struct nb_oblivious_question question = oblivious_ask_least(optimum);
    enum nb_status status = NB_OK;
    if (optimum->given == NULL) {
        question.seconds -= nb_clock_now() - begin;
        question.known = &answer->worst.best.paths;
        NB_TRY(nb_best_oblivious_find(&question, optimum->run, &answer->least,
                                      err));
    } else {
        NB_TRY(oblivious_read_tables(question.topology, "", question.goal,
                                     optimum->given, &answer->least, err));
        NB_TRY(nb_best_oblivious_check(&question, &answer->least, err));
    }
    NB_TRY(
        nb_optimum_minimal_hops(question.topology, &answer->minimal_hops, err));
    /* No path is shorter than the shortest. */
    answer->least.mean_hops =
        nb_enclosure_most(answer->least.mean_hops, answer->minimal_hops);
done:
    return status;
}

/* Bound from the total bandwidth: uniform traffic along shortest paths. */
static enum nb_status oblivious_hop_bound(const struct nb_topology *topology,
                                          struct nb_enclosure *out,
                                          struct nb_error *err)
{
    struct nb_enclosure hops, bandwidth = nb_enclosure_of_whole(0);
    const enum nb_status status = nb_optimum_minimal_hops(topology, &hops, err);
    for (uint32_t c = 0; c < topology->channel_count; c++)
        bandwidth = nb_enclosure_add(
            bandwidth, nb_enclosure_of_ratio(topology->channels[c].bandwidth));
    if (status == NB_OK)
        *out = nb_enclosure_divide(
            bandwidth, nb_enclosure_multiply(
                           hops, nb_enclosure_of_whole(
                                     (uint32_t)topology->terminal_count)));
    return status;
}

/*
 * Lowers the upper end of a throughput that is not proved to the last digits,
 * by bounds that need no linear program. Uniform traffic is admissible, so no
 * routing exceeds the capacity, where that is a maximum, nor the bound from
 * hops and total bandwidth. Minimal routing does not exceed
 * nb_optimum_matching_bound. For unbalanced traffic these hold for rates below
 * 1, where it includes balanced traffic.
 */
static enum nb_status oblivious_cut(const struct nb_optimum *optimum,
                                    struct nb_enclosure *throughput,
                                    struct nb_error *err)
{
    const struct nb_optimum_answer *answer = optimum->answer;
    const struct nb_capacity *capacity = &answer->problem.capacity;
    struct nb_enclosure least = nb_enclosure_of_ratio(nb_ratio_infinity), next;
    enum nb_status status = NB_OK;
    if (nb_ratio_is_known(throughput->exact) ||
        throughput->upper <= throughput->lower * (1 + OBLIVIOUS_WIDE))
        return NB_OK;
    NB_TRY(oblivious_hop_bound(&answer->problem.topology, &least, err));
    if (capacity->is_most)
        least = nb_enclosure_least(least, capacity->rate);
    if (answer->paths == NB_PATHS_MINIMAL) {
        NB_TRY(nb_optimum_matching_bound(optimum, &next, err));
        least = nb_enclosure_least(least, next);
    }
    const bool is_valid = least.upper < 1 || !answer->request.unbalanced;
    if (is_valid && least.upper < throughput->upper)
        throughput->upper = least.upper;
done:
    return status;
}

static enum nb_status oblivious_find(const struct nb_optimum *optimum,
                                     struct nb_error *err)
{
    const double begin = nb_clock_now();
    struct nb_optimum_answer *answer = optimum->answer;
    enum nb_status status = NB_OK;
    answer->with_locality =
        answer->request.locality || nb_ratio_is_known(answer->request.at);
    NB_TRY(oblivious_find_best(optimum, err));
    if (answer->with_locality)
        NB_TRY(oblivious_find_least(optimum, begin, err));
    answer->was_stopped =
        answer->worst.best.was_stopped || answer->least.was_stopped;
    answer->throughput = answer->worst.throughput;
    NB_TRY(oblivious_cut(optimum, &answer->throughput, err));
    if (optimum->given != NULL)
        nb_text_print(
            optimum->said,
            "paths of %zu pair%s reach the worst-case throughput, and "
            "weights of channels bound it%s",
            answer->worst.best.pair_orbits,
            answer->worst.best.pair_orbits == 1 ? "" : "s",
            answer->with_locality ? "; other paths reach the mean "
                                    "hops, and other weights bound them"
                                  : "");
done:
    return status;
}

/* Notes the throughput at which locality was asked for. */
static void oblivious_note_required(const struct nb_optimum_answer *answer,
                                    struct nb_point *out)
{
    const bool meets = answer->request.unbalanced &&
                       answer->request.saturated == NB_OVERLOAD_MEETS;
    const struct nb_enclosure best = answer->worst.throughput;
    struct nb_text text = { 0 };
    char required[NB_RATIO_TEXT];
    nb_ratio_print(answer->required, required);
    nb_text_print(&text,
                  "least mean hops of any routing whose worst-case throughput "
                  "is at least %s packets/cycle/terminal%s",
                  required,
                  meets ? " (if the routing found meets a bandwidth at a lower "
                          "rate, mixing in any share of the routing in table "
                          "optimal_paths prevents this)"
                        : "");
    if (!nb_ratio_is_known(best.exact))
        nb_text_print(
            &text,
            ": the fraction refers to the routing found, less about 1e-9 for "
            "rounding; relative to it, the best throughput is at most %.2g "
            "higher; duality_gap is that of the mean hops",
            best.upper / best.lower - 1);
    nb_point_take_note(out, "required", &text);
}

static void oblivious_add_locality(const struct nb_optimum_answer *answer,
                                   struct nb_point *out)
{
    const struct nb_enclosure least = answer->least.mean_hops;
    const struct nb_enclosure minimal = answer->minimal_hops;
    nb_optimum_add_throughput(
        &answer->problem, out, "required_worst_case_throughput",
        nb_enclosure_of_ratio(answer->required),
        "fraction of the throughput of the routing found", "");
    nb_point_add_enclosure(out, "least_mean_hops", least, "hops",
                           oblivious_method, oblivious_source);
    nb_point_add_enclosure(out, "minimal_mean_hops", minimal, "hops",
                           "shortest paths", "");
    if (!nb_enclosure_is_zero(minimal))
        nb_point_add_enclosure(
            out, "locality",
            nb_enclosure_most(nb_enclosure_divide(least, minimal),
                              nb_enclosure_of_whole(1)),
            "1", oblivious_method, oblivious_source);
    nb_optimum_add_gap(out, "least_mean_hops", oblivious_method,
                       oblivious_source);
    oblivious_note_required(answer, out);
}

/* Notes why a bracket for unbalanced traffic is wide although nothing stopped
 * the search. */
static void oblivious_note_open(const struct nb_optimum_answer *answer,
                                struct nb_point *out)
{
    const struct nb_enclosure found = answer->worst.throughput;
    if (answer->was_stopped || answer->worst.best.is_too_large ||
        found.upper <= found.lower * (1 + OBLIVIOUS_WIDE))
        return;
    nb_point_add_note(
        out, "open_bracket",
        isfinite(found.upper)
            ? "between the two ends it was proved neither that a routing keeps "
              "the load below 1 nor that every routing exceeds 1: the least "
              "load may be 1 there"
            : "no rate above the lower end was proved to be too high: the "
              "least load may be 1 there");
}

static void oblivious_report(const struct nb_optimum_answer *answer,
                             struct nb_point *out)
{
    const struct nb_topology *topology = &answer->problem.topology;
    const bool with_locality = answer->with_locality;
    const bool is_exact =
        nb_ratio_is_known(answer->worst.throughput.exact) &&
        (!with_locality || nb_ratio_is_known(answer->least.mean_hops.exact));
    nb_optimum_add_best(answer, out, "optimal_worst_case_throughput",
                        oblivious_method, oblivious_source);
    if (with_locality)
        oblivious_add_locality(answer, out);
    else
        nb_optimum_add_gap(out, "optimal_worst_case_throughput_absolute",
                           oblivious_method, oblivious_source);
    if (nb_ratio_is_infinite(answer->worst.throughput.exact))
        nb_point_add_note(out, "unlimited",
                          "whatever the sources inject, the traffic that "
                          "destinations accept overloads no channel");
    nb_optimum_note_size(answer->worst.best.pair_orbits, out);
    if (answer->worst.best.is_too_large &&
        answer->worst.best.load.lower < answer->worst.best.load.upper)
        nb_point_add_note(out, "too_large",
                          "the linear program would be too large; the bracket "
                          "is proved by shortest paths, paths through every "
                          "router, and cuts");
    if (answer->was_stopped && !is_exact)
        nb_optimum_note_stop(answer, out);
    oblivious_add_tables(topology, with_locality ? "optimal_" : "",
                         NB_LEAST_WORST_LOAD, &answer->worst.best, out);
    if (answer->request.unbalanced) {
        oblivious_note_open(answer, out);
        nb_point_note_overload(out, answer->request.saturated);
        oblivious_add_rates(&answer->worst, out);
    }
    if (with_locality)
        oblivious_add_tables(topology, "", NB_LEAST_MEAN_HOPS, &answer->least,
                             out);
}

static enum nb_status oblivious_symmetry(const struct nb_optimum *optimum,
                                         struct nb_symmetry *out,
                                         struct nb_error *err)
{
    const struct nb_oblivious_question question = oblivious_ask(optimum);
    return nb_best_oblivious_symmetry(&question, out, err);
}

const struct nb_optimum_way nb_optimum_worst_case = { oblivious_find,
                                                      oblivious_report,
                                                      oblivious_symmetry };
