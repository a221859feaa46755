#include "deadlock/deadlock.h"

#include "core/memory.h"

void nb_deadlock_proof_release(struct nb_deadlock_proof *proof)
{
    nb_order_release(&proof->order);
    nb_causes_release(&proof->causes);
}

void nb_deadlock_release(struct nb_deadlock *deadlock)
{
    nb_deadlock_proof_release(&deadlock->proof);
    nb_deadlock_proof_release(&deadlock->one);
    nb_dealt_release(&deadlock->dealt);
    nb_dependencies_release(&deadlock->dependencies);
    nb_vc_classes_release(&deadlock->classes);
    nb_vc_classes_release(&deadlock->one_class);
    *deadlock = (struct nb_deadlock){ 0 };
}

/* What follows from the proofs. One class for each hop of a route is enough,
 * since classes then ascend [Gunther1981]. */
static void deadlock_conclude(struct nb_deadlock *out)
{
    const struct nb_dependencies *graph = &out->dependencies;
    const bool is_free = out->proof.order.is_free;
    out->verdict = is_free && !graph->lacks_escape ? NB_DEADLOCK_FREE
                   : graph->chooses_class || graph->chooses_hop || is_free
                       ? NB_DEADLOCK_UNKNOWN
                       : NB_DEADLOCK_POSSIBLE;
    out->most = graph->longest > 0 ? graph->longest : 1;
    out->least = 1;
    if (out->verdict == NB_DEADLOCK_FREE)
        out->most = out->used < out->most ? out->used : out->most;
    if (out->has_one && out->one.order.is_free)
        out->most = 1;
    else if (out->has_one || (!graph->chooses_hop && !is_free))
        out->least = 2;
    if (out->dealt.count > 0)
        out->most = out->dealt.count;
    if (out->most < out->least) /* no packet crosses a channel */
        out->least = out->most;
    if (graph->is_circling)
        out->least = out->most = NB_NO_CLASSES;
}

/* Whether layers might reduce the number of classes that are known to
 * suffice. */
static bool deadlock_wants_layers(const struct nb_deadlock *found)
{
    return found->classes.routing->phase == NULL &&
           found->classes.routing->strays == NULL &&
           !found->dependencies.chooses_hop && found->least != found->most;
}

/* Finds the dependencies, exact or not, and the number of classes that occur in
 * them. */
static enum nb_status deadlock_walk(const struct nb_run *run, bool is_exact,
                                    struct nb_deadlock *out,
                                    struct nb_error *err)
{
    nb_dependencies_release(&out->dependencies);
    const enum nb_status status = nb_dependencies_find(
        &out->classes, is_exact, run, &out->dependencies, err);
    out->used = (unsigned)__builtin_popcountll(out->dependencies.used);
    return status;
}

/* The scheme with one class for all. */
static enum nb_status deadlock_unclass(const struct nb_routing *routing,
                                       struct nb_deadlock *out,
                                       struct nb_error *err)
{
    out->unclassed = *routing;
    out->unclassed.vc_rule = "any";
    return nb_vc_classes_build(&out->unclassed, &out->one_class, err);
}

static enum nb_status deadlock_order(const struct nb_vc_classes *classes,
                                     const struct nb_dependencies *graph,
                                     struct nb_deadlock_proof *out,
                                     bool *is_whole, struct nb_error *err)
{
    const enum nb_status status = nb_order_find(graph, &out->order, err);
    *is_whole = true;
    return status == NB_OK && !out->order.is_free
               ? nb_causes_find(classes, &out->order, &out->causes, is_whole,
                                err)
               : status;
}

/* Tests the scheme with a single class. A cycle that may exist only because
 * phases were walked separately proves nothing. */
static enum nb_status deadlock_find_one(struct nb_deadlock *out,
                                        struct nb_error *err)
{
    struct nb_dependencies merged = { 0 };
    bool is_whole;
    enum nb_status status = NB_OK;
    NB_TRY(deadlock_unclass(out->classes.routing, out, err));
    NB_TRY(nb_dependencies_merge(&out->dependencies, &merged, err));
    NB_TRY(deadlock_order(&out->one_class, &merged, &out->one, &is_whole, err));
    out->has_one = is_whole;
    if (!is_whole)
        nb_deadlock_proof_release(&out->one);
done:
    nb_dependencies_release(&merged);
    return status;
}

/* Whether to test the scheme with a single class. */
static bool deadlock_wants_one(const struct nb_deadlock *found)
{
    return found->used > 1 && !found->dependencies.chooses_hop;
}

static enum nb_status deadlock_find_layers(struct nb_deadlock *out,
                                           struct nb_error *err)
{
    const enum nb_status status =
        nb_dealt_find(out->classes.routing, &out->dealt, err);
    if (status == NB_OK && out->dealt.count > 0 && out->dealt.count < out->most)
        deadlock_conclude(out);
    else
        nb_dealt_release(&out->dealt);
    return status;
}

enum nb_status nb_deadlock_find(const struct nb_routing *routing,
                                const struct nb_run *run,
                                struct nb_deadlock *out, struct nb_error *err)
{
    bool is_whole;
    enum nb_status status = NB_OK;
    *out = (struct nb_deadlock){ 0 };
    NB_TRY(nb_vc_classes_build(routing, &out->classes, err));
    NB_TRY(deadlock_walk(run, false, out, err));
    NB_TRY(deadlock_order(&out->classes, &out->dependencies, &out->proof,
                          &is_whole, err));
    if (!out->proof.order.is_free && out->dependencies.is_wider) {
        nb_deadlock_proof_release(&out->proof);
        NB_TRY(deadlock_walk(run, true, out, err));
        NB_TRY(deadlock_order(&out->classes, &out->dependencies, &out->proof,
                              &is_whole, err));
    }
    if (deadlock_wants_one(out))
        NB_TRY(deadlock_find_one(out, err));
    deadlock_conclude(out);
    if (deadlock_wants_layers(out))
        NB_TRY(deadlock_find_layers(out, err));
done:
    if (status != NB_OK)
        nb_deadlock_release(out);
    return status;
}

static enum nb_status
deadlock_check_numbers(const struct nb_vc_classes *classes,
                       const struct nb_dependencies *graph,
                       const struct nb_order *order, struct nb_error *err)
{
    bool holds;
    uint32_t vertex;
    const enum nb_status status =
        nb_order_check(graph, order->number, &holds, &vertex, err);
    if (status != NB_OK || holds)
        return status;
    return nb_fail(err, NB_REFUTED,
                   "the number of channel %u in class %u is not one more than "
                   "the greatest that leads to it",
                   vertex / classes->count, vertex % classes->count);
}

/* Checks a cycle: each dependency has a cause, and no cycle is shorter. */
static enum nb_status deadlock_check_circle(
    const struct nb_vc_classes *classes, const struct nb_dependencies *graph,
    const struct nb_deadlock_proof *given, struct nb_error *err)
{
    struct nb_order found = { 0 };
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < given->causes.count; i++) {
        const struct nb_cause *cause = &given->causes.cause[i];
        bool holds;
        NB_TRY(nb_cause_check(classes, cause, &holds, err));
        if (!holds || cause->from != given->order.cycle[i] ||
            cause->to != given->order.cycle[(i + 1) % given->causes.count])
            NB_TRY(nb_fail(err, NB_REFUTED,
                           "no packet from %u to %u waits as row %zu of the "
                           "cycle says",
                           cause->source, cause->destination, i + 1));
    }
    NB_TRY(nb_order_find(graph, &found, err));
    if (found.is_free || found.length != given->order.length)
        NB_TRY(nb_fail(err, NB_REFUTED,
                       "a cycle of %zu dependencies is not the shortest one",
                       given->order.length));
done:
    nb_order_release(&found);
    return status;
}

static enum nb_status deadlock_prove(const struct nb_vc_classes *classes,
                                     const struct nb_dependencies *graph,
                                     const struct nb_deadlock_proof *given,
                                     struct nb_error *err)
{
    return given->order.is_free
               ? deadlock_check_numbers(classes, graph, &given->order, err)
               : deadlock_check_circle(classes, graph, given, err);
}

/* Refutes an answer without the proof for one class if there is one. */
static enum nb_status deadlock_lack_one(struct nb_deadlock *out,
                                        struct nb_error *err)
{
    const enum nb_status status =
        deadlock_wants_one(out) ? deadlock_find_one(out, err) : NB_OK;
    return status == NB_OK && out->has_one
               ? nb_fail(err, NB_REFUTED,
                         "the proof for one class of all packets is missing")
               : status;
}

static enum nb_status deadlock_prove_one(struct nb_deadlock *out,
                                         struct nb_error *err)
{
    struct nb_dependencies merged = { 0 };
    enum nb_status status = NB_OK;
    out->has_one = out->one.order.is_free || out->one.causes.count > 0;
    if (!out->has_one)
        return deadlock_lack_one(out, err);
    if (!deadlock_wants_one(out))
        NB_TRY(nb_fail(err, NB_REFUTED,
                       "a one-class proof for a scheme that chooses or uses "
                       "only one class"));
    NB_TRY(deadlock_unclass(out->classes.routing, out, err));
    NB_TRY(nb_dependencies_merge(&out->dependencies, &merged, err));
    NB_TRY(deadlock_prove(&out->one_class, &merged, &out->one, err));
done:
    nb_dependencies_release(&merged);
    return status;
}

/* Checks given layers, if any; out has none. They must be fewer than the
 * classes known to suffice without them, and no more than the layers that
 * nb_dealt_find finds, so that none are known to be fewer. */
static enum nb_status deadlock_compare_layers(const struct nb_deadlock *out,
                                              const struct nb_dealt *given,
                                              struct nb_error *err)
{
    const struct nb_routing *routing = out->classes.routing;
    struct nb_dealt found = { 0 };
    bool holds = true;
    enum nb_status status = NB_OK;
    if (deadlock_wants_layers(out))
        NB_TRY(nb_dealt_find(routing, &found, err));
    const unsigned least = given->count > 0 ? given->count : out->most;
    if (found.count > 0 && found.count < least)
        NB_TRY(nb_fail(err, NB_REFUTED,
                       "the pairs can be in %u layers without a cycle, but "
                       "table layers does not say so",
                       found.count));
    if (given->count == 0)
        goto done;
    holds = deadlock_wants_layers(out) && given->count < out->most;
    if (holds)
        NB_TRY(nb_dealt_check(routing, given, &holds, err));
    if (!holds)
        NB_TRY(nb_fail(err, NB_REFUTED,
                       "the pairs cannot be in their %u layers without a "
                       "cycle, or need not be",
                       given->count));
done:
    nb_dealt_release(&found);
    return status;
}

static enum nb_status deadlock_prove_layers(struct nb_deadlock *out,
                                            struct nb_error *err)
{
    const struct nb_dealt given = out->dealt;
    out->dealt = (struct nb_dealt){ 0 };
    deadlock_conclude(out);
    const enum nb_status status = deadlock_compare_layers(out, &given, err);
    out->dealt = given;
    return status;
}

enum nb_status nb_deadlock_check(const struct nb_routing *routing,
                                 const struct nb_run *run,
                                 struct nb_deadlock_proof *given,
                                 struct nb_deadlock_proof *one,
                                 struct nb_dealt *dealt,
                                 struct nb_deadlock *out, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *out =
        (struct nb_deadlock){ .proof = *given, .one = *one, .dealt = *dealt };
    *dealt = (struct nb_dealt){ 0 };
    *given = *one = (struct nb_deadlock_proof){ 0 };
    NB_TRY(nb_vc_classes_build(routing, &out->classes, err));
    NB_TRY(deadlock_walk(run, false, out, err));
    status =
        deadlock_prove(&out->classes, &out->dependencies, &out->proof, err);
    if (status == NB_REFUTED && out->dependencies.is_wider) {
        if (err != NULL)
            *err = (struct nb_error){ 0 };
        NB_TRY(deadlock_walk(run, true, out, err));
        status =
            deadlock_prove(&out->classes, &out->dependencies, &out->proof, err);
    }
    NB_TRY(status);
    NB_TRY(deadlock_prove_one(out, err));
    NB_TRY(deadlock_prove_layers(out, err));
    deadlock_conclude(out);
done:
    if (status != NB_OK)
        nb_deadlock_release(out);
    return status;
}
