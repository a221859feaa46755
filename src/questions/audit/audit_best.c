/* netbound audit: how much the best routing would carry. */
#include "questions/audit/audit_question.h"

#include "core/memory.h"
#include "core/try.h"
#include "questions/optimum/optimum.h"
#include "topology/fabric.h"

#include <math.h>
#include <string.h>

/* The only switch of a host; NB_NONE for a switch, and for a host with
 * several. */
static uint32_t best_switch(const struct nb_topology *topology, uint32_t router)
{
    const size_t first = topology->out_start[router];
    const size_t end = topology->out_start[router + 1];
    if (!nb_has_hosts(topology) || topology->terminals[router] == 0 ||
        end - first != 1)
        return NB_NONE;
    const uint32_t target = topology->channels[first].target;
    return topology->terminals[target] == 0 ? target : NB_NONE;
}

bool nb_audit_counts(const struct nb_topology *topology, uint32_t channel)
{
    const struct nb_channel *at = &topology->channels[channel];
    return nb_is_switch(topology, at->source) &&
           nb_is_switch(topology, at->target);
}

enum nb_status nb_audit_gather(const struct nb_topology *topology,
                               struct nb_audit_best *out, struct nb_error *err)
{
    const size_t n = topology->router_count;
    uint32_t *terminals;
    enum nb_status status;
    NB_TRY(
        nb_new(&out->terminals, n, sizeof *out->terminals, "terminals", err));
    terminals = out->terminals;
    memcpy(terminals, topology->terminals, n * sizeof *terminals);
    for (uint32_t r = 0; r < n; r++) {
        const uint32_t at = best_switch(topology, r);
        if (at == NB_NONE)
            continue;
        terminals[at] += terminals[r];
        terminals[r] = 0;
    }
    out->gathered = *topology;
    out->gathered.terminals = terminals;
    /* Uniform traffic includes a terminal's own switch, where it loads no
     * channel. */
    NB_TRY(
        nb_traffic_build("uniform", &out->gathered, false, &out->traffic, err));
done:
    return status;
}

/* The least bandwidth between a host and its switch, at most the terminal's own
 * rate. */
static struct nb_ratio best_host_limit(const struct nb_topology *topology)
{
    struct nb_ratio least = nb_ratio_one;
    for (size_t c = 0; nb_has_hosts(topology) && c < topology->channel_count;
         c++) {
        const struct nb_channel *at = &topology->channels[c];
        const bool is_alone = best_switch(topology, at->source) == at->target ||
                              best_switch(topology, at->target) == at->source;
        if (is_alone && nb_ratio_compare(at->bandwidth, least) < 0)
            least = at->bandwidth;
    }
    return least;
}

/* The bandwidth of the fullest channel of the audited routing; else the
 * greatest of a channel between switches. */
static struct nb_ratio best_bandwidth(const struct nb_audit_answer *answer)
{
    const struct nb_topology *topology = &answer->problem.topology;
    struct nb_ratio most = nb_ratio_zero;
    if (answer->given.worst_channel != NB_NONE)
        return topology->channels[answer->given.worst_channel].bandwidth;
    for (uint32_t c = 0; c < topology->channel_count; c++)
        if (nb_audit_counts(topology, c) &&
            nb_ratio_compare(topology->channels[c].bandwidth, most) > 0)
            most = topology->channels[c].bandwidth;
    return most;
}

/* A routing of all pairs proves that its throughput can be carried. */
static void best_raise(const struct nb_audited *one,
                       struct nb_enclosure *throughput)
{
    if (one->refusal.message[0] == '\0' && one->unrouted == 0 &&
        nb_ratio_is_known(one->throughput))
        *throughput = nb_enclosure_most(*throughput,
                                        nb_enclosure_of_ratio(one->throughput));
}

void nb_audit_best_set(struct nb_audit_answer *answer)
{
    const struct nb_topology *topology = &answer->job.ends;
    struct nb_audit_best *best = &answer->best;
    const int64_t others = (int64_t)topology->terminal_count - 1;
    /* A terminal sends to all other terminals; uniform traffic sends 1 /
     * terminals of its packets to itself. */
    struct nb_enclosure carried = nb_enclosure_multiply(
        best->flow.throughput,
        nb_enclosure_of_ratio(nb_ratio_make(others, others + 1)));
    best_raise(&answer->given, &carried);
    for (size_t i = 0; i < answer->other_count; i++)
        best_raise(&answer->other[i], &carried);
    answer->host_limit = best_host_limit(topology);
    best->throughput =
        nb_enclosure_least(carried, nb_enclosure_of_ratio(answer->host_limit));
    best->load = nb_enclosure_divide(
        nb_enclosure_of_ratio(nb_ratio_multiply(nb_ratio_make(others, 1),
                                                best_bandwidth(answer))),
        carried);
}

enum nb_status nb_audit_best_find(const struct nb_audit_question *request,
                                  const struct nb_run *run,
                                  const struct nb_point *given,
                                  struct nb_audit_best *out,
                                  struct nb_error *err)
{
    struct nb_path_class class;
    const struct nb_best_flow_question question = {
        .topology = &out->gathered,
        .traffic = &out->traffic,
        .path_class = &class,
        .gap = 0.01,
        .seconds = nb_ratio_is_known(request->time_limit)
                       ? nb_ratio_value(request->time_limit)
                       : INFINITY,
    };
    enum nb_status status;
    NB_TRY(nb_path_class_init(&out->gathered, NB_PATHS_ANY, nb_ratio_one,
                              &class, err));
    if (given == NULL) {
        NB_TRY(nb_best_flow_find(&question, run, &out->flow, err));
    } else {
        NB_TRY(nb_optimum_read_flow(&out->gathered, NB_PATHS_ANY, given,
                                    &out->flow, err));
        NB_TRY(nb_best_flow_check(&question, &out->flow, err));
    }
done:
    return status;
}

void nb_audit_best_release(struct nb_audit_best *best)
{
    nb_best_flow_release(&best->flow);
    nb_traffic_release(&best->traffic);
    nb_delete(best->terminals);
    *best = (struct nb_audit_best){ 0 };
}
