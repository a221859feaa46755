#include "questions/simulate/simulate_question.h"

#include "questions/simulate/simulate_plan.h"
#include "core/try.h"

#include <math.h>
#include <string.h>

enum { QUESTION_BUFFER = 8 }; /* [flit] unless a packet is longer */

/* Packets under way that any network may have. */
#define QUESTION_PACKETS      0x1p22
#define QUESTION_PACKETS_EACH 64 /* of a terminal */

/* What cannot be given with an option, and why. */
static const struct question_conflict {
    const char *option;
    const char *excluded; /* between blanks */
    const char *why;
} question_conflicts[] = {
    { "trace",
      "traffic load rate arrivals batch flits find precision warm-up "
      "cycles drain allow-inadmissible",
      "which says what is sent and is measured as a whole" },
    { "batch", "load rate arrivals find precision warm-up cycles drain",
      "which is sent at once and measured as a whole" },
    { "find", "load rate pair depths reorder window drain",
      "which tries rates of its own and is its only answer" },
    { "window", "warm-up precision trace batch",
      "which is of so many cycles from cycle 0 on" },
};

static const char question_credit[] =
    "switching vcs buffer output-buffer speedup pipeline channel-latency";

bool nb_question_names(const struct nb_question *question, const char *name)
{
    const char *value = nb_model_get(question->model, name);
    return value != NULL && strcmp(value, "no") != 0;
}

int64_t nb_question_whole(const struct nb_question *question, const char *name,
                          int64_t otherwise)
{
    const char *text = nb_model_get(question->model, name);
    int64_t value = otherwise;
    if (text != NULL)
        nb_integer_read(text, name, INT64_MIN, INT64_MAX, &value, NULL);
    return value;
}

/* The first option of a list that is given; "" if none is. drain is given by
 * either of its values. */
static const char *question_given(const struct nb_question *question,
                                  const char *list, char name[32])
{
    while (*list != '\0') {
        const size_t length = strcspn(list, " ");
        memcpy(name, list, length);
        name[length] = '\0';
        if (strcmp(name, "drain") == 0
                ? nb_model_get(question->model, name) != NULL
                : nb_question_names(question, name))
            return name;
        list += length + (list[length] == ' ');
    }
    return "";
}

static enum nb_status question_check(const struct nb_question *question,
                                     struct nb_error *err)
{
    const struct nb_model *model = question->model;
    const size_t count = sizeof question_conflicts / sizeof *question_conflicts;
    char other[32];
    for (size_t i = 0; i < count; i++) {
        const struct question_conflict *conflict = &question_conflicts[i];
        if (!nb_question_names(question, conflict->option) ||
            *question_given(question, conflict->excluded, other) == '\0')
            continue;
        return nb_fail(err, NB_USAGE,
                       "--%s %.60s is not permitted with --%s %.60s, %s "
                       "(permitted: one of them)",
                       other, nb_model_get(model, other), conflict->option,
                       nb_model_get(model, conflict->option), conflict->why);
    }
    if (strcmp(nb_model_get(model, "router"), "ideal") == 0 &&
        *question_given(question, question_credit, other) != '\0')
        return nb_fail(err, NB_USAGE,
                       "--%s %.60s is not permitted with --router ideal, "
                       "which has nothing of the kind (permitted: --router "
                       "credit)",
                       other, nb_model_get(model, other));
    return NB_OK;
}

/* longest: packet, in flits */
static struct nb_router question_router(const struct nb_question *question,
                                        uint32_t longest)
{
    const struct nb_model *model = question->model;
    const char *switching = nb_model_get(model, "switching");
    const char *order = nb_model_get(model, "arbitration");
    const bool is_ideal = strcmp(nb_model_get(model, "router"), "ideal") == 0;
    const bool is_by_age = order != NULL ? strcmp(order, "age") == 0 : is_ideal;
    const uint32_t buffer =
        longest > QUESTION_BUFFER ? longest : QUESTION_BUFFER;
    return (struct nb_router){
        .model = is_ideal ? NB_ROUTER_IDEAL : NB_ROUTER_CREDIT,
        .arbitration = is_by_age ? NB_OLDEST_FIRST : NB_IN_TURN,
        .switching = switching != NULL && strcmp(switching, "wormhole") == 0
                         ? NB_WORMHOLE
                         : NB_CUT_THROUGH,
        .virtual_channels = (uint32_t)nb_question_whole(question, "vcs", 0),
        .buffer = (uint32_t)nb_question_whole(question, "buffer", buffer),
        .output_buffer =
            (uint32_t)nb_question_whole(question, "output-buffer", 1),
        .speedup = (uint32_t)nb_question_whole(question, "speedup", 1),
        .pipeline = (uint32_t)nb_question_whole(question, "pipeline", 0),
        .channel_latency =
            (uint32_t)nb_question_whole(question, "channel-latency", 1),
    };
}

/* More packets under way than this are saturation. */
static enum nb_status question_limit(struct nb_simulate_question *out,
                                     struct nb_error *err)
{
    struct nb_simulation *plan = &out->plan;
    const double terminals = (double)out->problem.topology.terminal_count;
    const double batch = terminals * plan->injection.batch;
    const double limit =
        fmax(fmax(QUESTION_PACKETS, QUESTION_PACKETS_EACH * terminals),
             fmax(batch, (double)out->trace.count));
    if (limit >= NB_NONE)
        return nb_fail(err, NB_INVALID,
                       "%.0f packets are too many to be under way at once "
                       "(permitted: below %u)",
                       limit, NB_NONE);
    plan->packet_limit = (uint32_t)limit;
    return NB_OK;
}

static enum nb_status question_pair(const struct nb_question *question,
                                    struct nb_simulate_question *out,
                                    struct nb_error *err)
{
    const struct nb_topology *topology = &out->problem.topology;
    const char *text = nb_model_get(question->model, "pair");
    uint32_t pair[2] = { NB_NONE, NB_NONE };
    size_t count;
    if (text != NULL) {
        const bool is_pair =
            nb_whole_list_read(text, "pair", ',', 0,
                               (int64_t)topology->router_count - 1, 2, pair,
                               &count, NULL) == NB_OK &&
            count == 2 && topology->terminals[pair[0]] > 0 &&
            topology->terminals[pair[1]] > 0;
        if (!is_pair)
            return nb_fail(err, NB_INVALID,
                           "pair \"%.60s\" is not permitted (permitted: A,B, "
                           "two routers with terminals of 0 to %zu)",
                           text, topology->router_count - 1);
    }
    out->plan.pair_source = pair[0];
    out->plan.pair_target = pair[1];
    return NB_OK;
}

static enum nb_status question_build(const struct nb_question *question,
                                     struct nb_problem *out,
                                     struct nb_error *err)
{
    enum nb_status status = nb_problem_build_any(question, out, err);
    if (status == NB_OK && nb_model_get(question->model, "traffic") == NULL)
        status = nb_traffic_build("uniform", &out->topology, false,
                                  &out->traffic, err);
    return status;
}

enum nb_status nb_simulate_question_read(const struct nb_question *question,
                                         struct nb_simulate_question *out,
                                         struct nb_error *err)
{
    struct nb_simulation *plan = &out->plan;
    enum nb_status status = NB_OK;
    *out = (struct nb_simulate_question){ 0 };
    NB_TRY(question_check(question, err));
    NB_TRY(question_build(question, &out->problem, err));
    if (out->problem.routing.kind->stands_for_any)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "routing %s stands for any choice of a way, so there is "
                       "none to simulate (permitted: schemes that choose, such "
                       "as min or min-adaptive)",
                       out->problem.routing.kind->kind.name));
    plan->topology = &out->problem.topology;
    plan->routing = &out->problem.routing;
    plan->traffic = &out->problem.traffic;
    plan->seed = (uint64_t)nb_question_whole(question, "seed", 1);
    plan->age_limit = (uint64_t)nb_question_whole(question, "age-limit", 0);
    plan->has_depths = nb_question_names(question, "depths");
    plan->has_reorder = nb_question_names(question, "reorder");
    plan->window = (uint32_t)nb_question_whole(question, "window", 0);
    NB_TRY(nb_simulate_plan_injection(question, out, err));
    plan->router = question_router(question, nb_most_flits(&out->plan));
    NB_TRY(nb_simulate_plan_times(question, out, err));
    NB_TRY(question_pair(question, out, err));
    NB_TRY(question_limit(out, err));
done:
    if (status != NB_OK)
        nb_simulate_question_release(out);
    return status;
}

void nb_simulate_question_release(struct nb_simulate_question *question)
{
    nb_trace_release(&question->trace);
    nb_problem_release(&question->problem);
    *question = (struct nb_simulate_question){ 0 };
}
