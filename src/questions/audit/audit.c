/* netbound audit: computes the answer (audit_tell.c reports it). */
#include "questions/audit/audit_question.h"

#include "questions/deadlock/deadlock_tables.h"
#include "questions/optimum/optimum.h"

#include "bounds/worst_case/single_worst.h"
#include "core/deal.h"
#include "core/memory.h"
#include "core/try.h"
#include "load/single_paths.h"
#include "ask/claims.h"
#include "questions/deadlock/deadlock_tables.h"
#include "routing/formats/forwarding.h"
#include "routing/table_ways.h"
#include "sim/statistics.h"
#include "topology/fabric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AUDIT(field) offsetof(struct nb_audit_question, field)

static const struct nb_parameter audit_options[] = {
    NB_OPTION_TOPOLOGY(AUDIT(topology)),
    NB_OPTION(
        "routing", AUDIT(routing), NETWORK, WORD, "minhop",
        "routing in use, with one path per pair, such as file:opensm-lfts.dump",
        .is_first = true),
    NB_OPTION(
        "hosts", AUDIT(hosts), TRAFFIC, WORD, "",
        "hosts of a job, the only ones that send and receive: names, patterns, "
        "or Slurm's lists; default: all",
        .detail =
            "For example n[01-16],login*; with Slurm, \"$SLURM_JOB_NODELIST\". "
            "A name is compared with the whole name of a host and with its "
            "first word. Loads, throughput, matchings and alternatives are "
            "then those of the job; deadlocks are still those of all pairs. "
            "Table placement shows at how many switches the job is.",
        .is_first = true, .joins = ","),
    NB_OPTION(
        "alone", AUDIT(alone), MEASUREMENT, FLAG, "no",
        "omit table alternatives, which shows what other schemes would achieve",
        .detail = "The table covers the schemes for any network."),
    NB_OPTION("matchings", AUDIT(matchings), MEASUREMENT, WHOLE, "100",
              "number of random pairings of the terminals, for the effective "
              "bisection",
              .detail =
                  "The effective bisection is the mean over the pairings.",
              .counts = "matchings", .least = 2, .most = 1e6),
    NB_OPTION("cables", AUDIT(cables), OUTPUT, WHOLE, "10",
              "number of channels to list in table cables: those with the most "
              "pairs per bandwidth",
              .counts = "channels", .least = 1, .most = 1e6),
    NB_OPTION(
        "time-limit", AUDIT(time_limit), RUN, NUMBER, "",
        "seconds to spend on the best possible routing; default: no limit",
        .least = 0.001, .most = 1e9, .unit = "s"),
    NB_OPTION("seed", AUDIT(seed), MEASUREMENT, WHOLE, "1",
              "seed of the random matchings", .most = 0x1p53),
    { 0 },
};

/* Schemes that suit any network, with the parameters they need. */
static const char *const audit_schemes[] = {
    "minhop", "updown", "ftree", "dfsssp", "lash", "lash-tor:balance=none",
    "tor",    "sr",     "nue"
};
enum { AUDIT_SCHEMES = sizeof audit_schemes / sizeof *audit_schemes };

static void audit_load(const struct nb_topology *topology,
                       const struct nb_single_paths *paths,
                       struct nb_audited *out)
{
    const size_t terminals = topology->terminal_count;
    struct nb_ratio most = nb_ratio_zero;
    nb_single_paths_load(paths, out->load);
    out->ways = paths->ways;
    out->worst_channel = NB_NONE;
    out->most_load = nb_ratio_zero;
    out->throughput = (struct nb_ratio){ 0 };
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const struct nb_ratio load =
            nb_ratio_make((nb_int128)out->load[c], paths->ways);
        const struct nb_ratio share =
            nb_ratio_divide(load, topology->channels[c].bandwidth);
        if (!nb_audit_counts(topology, c) || nb_ratio_compare(share, most) <= 0)
            continue;
        most = share;
        out->worst_channel = c;
        out->most_load = load;
    }
    if (out->worst_channel != NB_NONE)
        out->throughput =
            nb_ratio_divide(nb_ratio_make((nb_int128)terminals - 1, 1), most);
}

/*
 * given  NULL, or an answer whose proof is checked
 * keep   NULL, or receives the result
 */
static enum nb_status
audit_deadlock(const struct nb_routing *routing, const struct nb_run *run,
               const struct nb_point *given, struct nb_deadlock **keep,
               struct nb_audited *out, struct nb_error *err)
{
    struct nb_deadlock *found = NULL;
    enum nb_status status;
    NB_TRY(nb_new(&found, 1, sizeof *found, "dependencies", err));
    NB_TRY(given != NULL
               ? nb_deadlock_check_proofs(routing, run, given, found, err)
               : nb_deadlock_find(routing, run, found, err));
    out->is_free = found->verdict == NB_DEADLOCK_FREE;
    out->classes = found->used;
    out->least = found->least;
    out->most = found->most;
    if (keep != NULL) {
        *keep = found;
        found = NULL;
    }
done:
    if (found != NULL)
        nb_deadlock_release(found);
    nb_delete(found);
    return status;
}

#define AUDIT_LEVEL 0.95 /* confidence level */

/* Rates that differ by less, relative to the greatest, count as equal: they are
 * sums in different orders. */
#define AUDIT_EQUAL 0x1p-40

static bool audit_are_equal(const double *rate, size_t count)
{
    double least = rate[0], most = rate[0];
    for (size_t i = 1; i < count; i++) {
        least = fmin(least, rate[i]);
        most = fmax(most, rate[i]);
    }
    return most - least <= AUDIT_EQUAL * most;
}

static enum nb_status audit_bisection(const struct nb_audit_question *request,
                                      const struct nb_single_paths *paths,
                                      struct nb_audited *out,
                                      struct nb_error *err)
{
    const size_t count = (size_t)request->matchings;
    double *rate = NULL;
    enum nb_status status;
    NB_TRY(nb_new(&rate, count, sizeof *rate, "matchings", err));
    NB_TRY(nb_single_paths_bisection(paths, (uint64_t)request->seed, count,
                                     rate, err));
    out->bisection =
        audit_are_equal(rate, count)
            ? nb_interval_of_equal(fmin(rate[0], 1), count, 1)
            : nb_interval_of(nb_estimate_mean(rate, count, AUDIT_LEVEL), 1);
done:
    nb_delete(rate);
    return status;
}

/* Whether the scheme can be written as forwarding tables, with one next hop per
 * destination. */
static enum nb_status audit_tables(const struct nb_routing *routing,
                                   struct nb_audited *out, struct nb_error *err)
{
    struct nb_error why = { 0 };
    uint32_t *next = NULL;
    enum nb_status status;
    out->has_tables = nb_is_forwarding_tables(routing);
    if (out->has_tables)
        return NB_OK;
    NB_TRY(nb_table_ways_new(routing->topology, &next, err));
    status = nb_forwarding_find(routing, "", next, &why);
    out->has_tables = status == NB_OK;
    status = status == NB_INVALID ? NB_OK : status;
    if (status != NB_OK)
        NB_TRY(nb_fail(err, status, "%s", why.message));
done:
    nb_delete(next);
    return status;
}

/* Everything about one scheme except deadlock. */
static enum nb_status audit_scheme(const struct nb_audit_question *request,
                                   const struct nb_routing *routing,
                                   const struct nb_topology *ends,
                                   struct nb_audited *out, struct nb_error *err)
{
    struct nb_single_paths paths = { 0 };
    struct nb_single_worst worst;
    enum nb_status status;
    NB_TRY(nb_new(&out->load, ends->channel_count, sizeof *out->load, "loads",
                  err));
    NB_TRY(nb_single_paths_find(routing, ends, &paths, err));
    if (paths.count < 2)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "topology %s has terminals at %zu router%s (permitted: "
                       "at 2 and more)",
                       ends->kind->kind.name, paths.count,
                       paths.count == 1 ? "" : "s"));
    out->unrouted = paths.unrouted;
    memcpy(out->first, paths.first, sizeof out->first);
    audit_load(ends, &paths, out);
    NB_TRY(nb_single_worst_find(&paths, &worst, err));
    out->worst_load = worst.load;
    out->worst_load_channel = worst.channel;
    out->worst_throughput = nb_ratio_divide(nb_ratio_one, worst.share);
    NB_TRY(audit_bisection(request, &paths, out, err));
    NB_TRY(audit_tables(routing, out, err));
done:
    nb_single_paths_release(&paths);
    return status;
}

/* Order: free of deadlock, all pairs routed, most all-to-all throughput, most
 * worst-case throughput, fewest classes; schemes that do not suit this network
 * come last. */
static int audit_compare(const void *left, const void *right)
{
    const struct nb_audited *a = left, *b = right;
    const int keys[] = {
        (a->refusal.message[0] != '\0') - (b->refusal.message[0] != '\0'),
        b->is_free - a->is_free,
        (a->unrouted > 0) - (b->unrouted > 0),
        a->refusal.message[0] != '\0' || b->refusal.message[0] != '\0'
            ? 0
            : nb_ratio_compare(b->throughput, a->throughput),
        a->refusal.message[0] != '\0' || b->refusal.message[0] != '\0'
            ? 0
            : nb_ratio_compare(b->worst_throughput, a->worst_throughput),
        (a->most > b->most) - (a->most < b->most),
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i] != 0)
            return keys[i];
    return strcmp(a->name, b->name);
}

struct audit_work {
    struct nb_run run; /* shows no progress of its own */
    const struct nb_audit_question *request;
    struct nb_audit_answer *answer;
};

/* Audits one alternative. That it does not suit this network is an answer, not
 * an error. */
static enum nb_status audit_task(void *context, int thread, size_t index,
                                 struct nb_text *result, struct nb_error *err)
{
    const struct audit_work *work = context;
    struct nb_audited other = { 0 };
    struct nb_routing routing = { 0 };
    struct nb_error why = { 0 };
    (void)thread;
    enum nb_status status = nb_routing_build(
        audit_schemes[index], &work->answer->problem.topology, &routing, &why);
    if (status == NB_OK)
        status = audit_scheme(work->request, &routing, &work->answer->job.ends,
                              &other, &why);
    if (status == NB_OK)
        status = audit_deadlock(&routing, &work->run, NULL, NULL, &other, &why);
    nb_routing_release(&routing);
    nb_delete(other.load);
    other.load = NULL; /* only the audited routing needs its loads */
    if (status == NB_INVALID || status == NB_OVERFLOW)
        other.refusal = why;
    else if (status != NB_OK)
        return nb_fail(err, status, "%s", why.message);
    nb_pack(result, &other, sizeof other);
    return NB_OK;
}

static enum nb_status audit_take(void *context, size_t index,
                                 struct nb_packed *result, bool *is_enough,
                                 struct nb_error *err)
{
    const struct audit_work *work = context;
    struct nb_audited *other = &work->answer->other[index];
    (void)is_enough;
    (void)err;
    nb_unpack(result, other, sizeof *other);
    other->refusal.message[sizeof other->refusal.message - 1] = '\0';
    other->name = audit_schemes[index];
    return NB_OK;
}

/* [byte] Per pair of routers with terminals: memory in common, and memory for
 * each scheme under way. Measured on a tree of 10,584 such routers: 14 GB one
 * at a time, 23.9 GB two at a time. */
#define AUDIT_COMMON 40.0
#define AUDIT_SCHEME 90.0

/* Audits several schemes at a time if there is enough memory. */
static enum nb_deal_way audit_way(const struct nb_audit_answer *answer,
                                  const struct nb_run *run)
{
    const double routers = (double)answer->hosts;
    const double threads = nb_run_threads(run, AUDIT_SCHEMES);
    const double pair = AUDIT_COMMON + threads * AUDIT_SCHEME;
    return nb_memory_require(routers * routers * pair, "paths", NULL) == NB_OK
               ? NB_DEAL_MANY
               : NB_DEAL_ONE;
}

static enum nb_status audit_others(const struct nb_audit_question *request,
                                   const struct nb_run *run,
                                   struct nb_audit_answer *out,
                                   struct nb_error *err)
{
    struct audit_work work = { .request = request, .answer = out };
    const struct nb_tasks tasks = { .what = "alternatives",
                                    .count = AUDIT_SCHEMES,
                                    .way = audit_way(out, run),
                                    .work = audit_task,
                                    .take = audit_take,
                                    .context = &work };
    enum nb_status status;
    if (run != NULL)
        work.run = *run;
    work.run.progress = NULL;
    NB_TRY(nb_new(&out->other, AUDIT_SCHEMES, sizeof *out->other,
                  "alternatives", err));
    NB_TRY(nb_deal_tasks(run, &tasks, err));
    out->other_count = AUDIT_SCHEMES;
    qsort(out->other, out->other_count, sizeof *out->other, audit_compare);
done:
    return status;
}

/* Counts hosts and switches, and channels that are parallel to another one. */
static void audit_count(struct nb_audit_answer *out)
{
    const struct nb_topology *topology = &out->problem.topology;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        out->hosts += topology->terminals[r];
        out->switches += nb_is_switch(topology, r);
        for (uint32_t c = topology->out_start[r];
             c < topology->out_start[r + 1]; c++)
            for (uint32_t d = topology->out_start[r]; d < c; d++)
                if (topology->channels[d].target ==
                    topology->channels[c].target) {
                    out->trunks++;
                    break;
                }
    }
}

/* Names what is computed next, without an estimate of its time. */
static void audit_announce(const struct nb_run *run, const char *what)
{
    if (run != NULL && run->progress != NULL)
        run->progress(run->progress_context, what, 0, 0);
}

/* given: NULL, or an answer whose proofs are checked. */
static enum nb_status audit_open(const struct nb_audit_question *request,
                                 const struct nb_run *run,
                                 const struct nb_point *given,
                                 struct nb_audit_answer *out,
                                 struct nb_error *err)
{
    const struct nb_network_names names = { .topology = request->topology,
                                            .later_routing = request->routing };
    struct nb_problem *problem = &out->problem;
    enum nb_status status;
    out->cables = request->cables;
    NB_TRY(nb_problem_open(&names, run, problem, err));
    if (problem->topology.kind->is_one_way)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "topology %s is not permitted in audit, since every "
                       "pair has one path (permitted: networks that schemes "
                       "can be compared on; worst-case and deadlock answer)",
                       problem->topology.kind->kind.name));
    /* Unrouted pairs are not refused but counted. */
    audit_announce(run, "tables of the routing");
    NB_TRY(nb_routing_build(request->routing, &problem->topology,
                            &problem->routing, err));
    audit_count(out);
    NB_TRY(nb_cabling_find(&problem->topology, &out->cabling, err));
    NB_TRY(nb_audit_job_find(&problem->topology, &out->cabling, request->hosts,
                             &out->job, err));
    out->given.name = request->routing;
    audit_announce(run, "loads and permutations");
    NB_TRY(audit_scheme(request, &problem->routing, &out->job.ends, &out->given,
                        err));
    NB_TRY(audit_deadlock(&problem->routing, run, given, &out->deadlock,
                          &out->given, err));
    if (!request->alone)
        NB_TRY(audit_others(request, run, out, err));
    NB_TRY(nb_audit_gather(&out->job.ends, &out->best, err));
    NB_TRY(nb_audit_best_find(request, run, given, &out->best, err));
    nb_audit_best_set(out);
done:
    return status;
}

static enum nb_status audit_compute(const struct nb_audit_question *request,
                                    const struct nb_run *run,
                                    struct nb_audit_answer *out,
                                    struct nb_error *err)
{
    return audit_open(request, run, NULL, out, err);
}

static enum nb_status audit_prove(const struct nb_audit_question *request,
                                  const struct nb_run *run,
                                  const struct nb_point *given,
                                  struct nb_audit_answer *out,
                                  struct nb_text *said, struct nb_error *err)
{
    const enum nb_status status = audit_open(request, run, given, out, err);
    if (status != NB_OK)
        return status;
    nb_deadlock_say(out->deadlock, said);
    nb_text_print(said,
                  "; the best throughput is proved from below by paths of %zu "
                  "pair%s, and from above by lengths of the channels",
                  out->best.flow.pair_orbits,
                  out->best.flow.pair_orbits == 1 ? "" : "s");
    return NB_OK;
}

void nb_audit_answer_release(struct nb_audit_answer *answer)
{
    nb_delete(answer->other);
    nb_delete(answer->given.load);
    if (answer->deadlock != NULL)
        nb_deadlock_release(answer->deadlock);
    nb_delete(answer->deadlock);
    nb_audit_best_release(&answer->best);
    nb_cabling_release(&answer->cabling);
    nb_audit_job_release(&answer->job);
    nb_problem_release(&answer->problem);
    *answer = (struct nb_audit_answer){ 0 };
}

static void audit_report(const struct nb_audit_answer *answer,
                         struct nb_point *out)
{
    nb_audit_add_answer(answer, out);
}

NB_DEFINE_QUESTION(audit);
NB_DEFINE_RELEASE(audit);
NB_DEFINE_RECHECK(audit);

/* Shows where the network is narrow, and what would be better. */
static enum nb_status audit_print(const struct nb_point *point,
                                  const struct nb_look *look,
                                  struct nb_text *text, struct nb_error *err)
{
    enum nb_status status;
    static const char *const tables[] = { "placement", "tree", "odd_cables",
                                          "cables", "alternatives" };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        NB_TRY(nb_point_print_table(point, tables[i], look, text, err));
done:
    return status;
}

static const struct nb_claim audit_claims[] = {
    { .quantities = "optimal_throughput least_channel_load",
      .what = "that the search found no narrower bracket" },
    { 0 },
};

const struct nb_question_kind nb_question_kind_audit = {
    .form = {
        .name = "audit",
        .summary = "bottlenecks, worst permutation and deadlocks of a real fabric",
        .example = "netbound audit fabric.ibnetdiscover "
                   "--routing file:opensm-lfts.dump",
        .title = "<Audit> of {topology}, routing {routing}",
        .options = audit_options,
        .tables = NB_TABLES(
            &nb_audit_placement_table, &nb_audit_tree_table,
            &nb_audit_odd_cables_table, &nb_audit_cables_table,
            &nb_audit_switches_table, &nb_audit_channels_table,
            &nb_audit_alternatives_table, &nb_optimum_paths,
            &nb_optimum_lengths),
        .more_tables = nb_deadlock_table_kinds,
        .prefixed_tables = "one_class_waits one_class_numbering one_class_cycle "
                           "one_class_cycle_paths",
    },
    NB_CALLS_OF(audit),
    .release = audit_release,
    .recheck = audit_recheck,
    .claims = audit_claims,
    .print = audit_print,
};
