/* The option step: the offered traffic changes within the run (declared in
 * simulate_plan.h). */
#include "questions/simulate/simulate_plan.h"

#include "core/memory.h"

#include <stdio.h>
#include <string.h>

static const struct nb_parameter steps_rows[] = {
    { .name = "load", .type = NB_NUMBER, .initial = "", .most = 1000 },
    { .name = "rate", .type = NB_NUMBER, .initial = "", .most = 1000 },
    { .name = "traffic", .type = NB_WORD, .initial = "" },
    { .name = "arrivals", .type = NB_WORD, .initial = "" },
    { 0 },
};
enum { STEPS_LOAD, STEPS_RATE, STEPS_TRAFFIC, STEPS_ARRIVALS, STEPS_ROWS };
#define STEPS_NAMES "load, rate, traffic, arrivals"

/* The options that a step names. The values are parts of the option's text;
 * NULL: not named. */
struct steps_named {
    const char *value[STEPS_ROWS];
};

/* Splits "OPTION=VALUE,..." in place. */
static enum nb_status steps_cut(char *text, struct steps_named *out,
                                struct nb_error *err)
{
    *out = (struct steps_named){ { NULL } };
    if (*text == '\0')
        return nb_fail(
            err, NB_INVALID,
            "no option to change (permitted: OPTION=VALUE,... of " STEPS_NAMES
            ")");
    while (*text != '\0') {
        const size_t length = nb_setting_length(steps_rows, text);
        const bool is_last = text[length] == '\0';
        const size_t name = strcspn(text, "=");
        size_t row = 0;
        text[length] = '\0';
        while (row < STEPS_ROWS && (strlen(steps_rows[row].name) != name ||
                                    strncmp(steps_rows[row].name, text, name)))
            row++;
        if (row == STEPS_ROWS || text[name] != '=')
            return nb_fail(err, NB_INVALID,
                           "\"%.60s\" cannot change within a run (permitted: "
                           "OPTION=VALUE of " STEPS_NAMES ")",
                           text);
        if (out->value[row] != NULL)
            return nb_fail(err, NB_INVALID,
                           "%s is given twice (permitted: once)",
                           steps_rows[row].name);
        out->value[row] = text + name + 1;
        text += length + !is_last;
    }
    return NB_OK;
}

/* [packet/cycle] Sets the rate that a step names; without one the rate
 * stays. */
static enum nb_status steps_rate(const struct steps_named *named,
                                 const struct nb_problem *problem,
                                 struct nb_injection *injection,
                                 struct nb_error *err)
{
    const bool is_load = named->value[STEPS_LOAD] != NULL;
    const bool is_rate = named->value[STEPS_RATE] != NULL;
    const size_t row = is_load ? STEPS_LOAD : STEPS_RATE;
    const struct nb_ratio none = { 0, 0 };
    union nb_value given;
    struct nb_enclosure rate;
    enum nb_status status = NB_OK;
    if (!is_load && !is_rate)
        return NB_OK;
    if (is_load && is_rate)
        return nb_fail(err, NB_INVALID,
                       "load and rate are not permitted together (permitted: "
                       "one of them)");
    NB_TRY(nb_parameter_read(&steps_rows[row], named->value[row], &given, err));
    NB_TRY(nb_problem_rate(problem, is_rate ? given.number : none,
                           is_load ? given.number : none, &rate, err));
    injection->rate = nb_ratio_is_known(rate.exact)
                          ? nb_ratio_value(rate.exact)
                          : rate.lower / 2 + rate.upper / 2;
    if (is_load)
        injection->rate /= injection->flits;
done:
    return status;
}

/* Reads a step. On entry, step has the injection and traffic before it, and the
 * cycle of the step before it. traffic: out: empty if it does not change */
static enum nb_status steps_read(char *text,
                                 const struct nb_simulate_answer *answer,
                                 struct nb_step *step,
                                 struct nb_traffic *traffic,
                                 struct nb_error *err)
{
    struct steps_named named;
    const int64_t first = (int64_t)step->cycle + 1;
    int64_t cycle;
    enum nb_status status = NB_OK;
    char *colon = strchr(text, ':');
    if (colon == NULL)
        return nb_fail(err, NB_INVALID,
                       "it names no cycle (permitted: CYCLE:OPTION=VALUE,... "
                       "of " STEPS_NAMES ")");
    *colon = '\0';
    NB_TRY(nb_integer_read(text, "cycle", first,
                           (int64_t)answer->plan.cycles - 1, &cycle, err));
    step->cycle = (uint64_t)cycle;
    NB_TRY(steps_cut(colon + 1, &named, err));
    if (named.value[STEPS_TRAFFIC] != NULL) {
        NB_TRY(nb_traffic_build(
            named.value[STEPS_TRAFFIC], &answer->problem.topology,
            answer->request.allow_inadmissible, traffic, err));
        step->traffic = traffic;
    }
    if (named.value[STEPS_ARRIVALS] != NULL)
        NB_TRY(nb_simulate_read_arrivals(named.value[STEPS_ARRIVALS],
                                         &step->injection, err));
    NB_TRY(steps_rate(&named, &answer->problem, &step->injection, err));
done:
    return status;
}

/* Reads the steps in place. */
static enum nb_status steps_read_all(char *text, struct nb_simulate_answer *out,
                                     struct nb_error *err)
{
    struct nb_step step = { .injection = out->plan.injection,
                            .traffic = out->plan.traffic };
    struct nb_error inner = { 0 };
    enum nb_status status = NB_OK;
    for (size_t i = 0; text != NULL && status == NB_OK; i++) {
        char *end = strchr(text, ';');
        char shown[64];
        if (end != NULL)
            *end = '\0';
        snprintf(shown, sizeof shown, "%s", text);
        status = steps_read(text, out, &step, &out->step_traffics[i], &inner);
        if (status != NB_OK)
            return nb_fail(err, status, "step \"%s\": %s", shown,
                           inner.message);
        out->steps[i] = step;
        out->plan.step_count = i + 1;
        text = end != NULL ? end + 1 : NULL;
    }
    out->plan.steps = out->steps;
    return status;
}

enum nb_status nb_simulate_read_steps(struct nb_simulate_answer *out,
                                      struct nb_error *err)
{
    struct nb_text text = { 0 };
    size_t count = 1;
    enum nb_status status = NB_OK;
    if (out->request.step == NULL)
        return NB_OK;
    nb_text_print(&text, "%s", out->request.step);
    NB_TRY(nb_text_check(&text, err));
    for (const char *at = text.bytes; *at != '\0'; at++)
        count += *at == ';';
    NB_TRY(nb_new(&out->steps, count, sizeof *out->steps, "steps", err));
    NB_TRY(nb_new(&out->step_traffics, count, sizeof *out->step_traffics,
                  "steps", err));
    out->step_room = count;
    NB_TRY(steps_read_all(text.bytes, out, err));
done:
    nb_text_release(&text);
    return status;
}

void nb_simulate_release_steps(struct nb_simulate_answer *answer)
{
    for (size_t i = 0; i < answer->step_room; i++)
        nb_traffic_release(&answer->step_traffics[i]);
    nb_delete(answer->step_traffics);
    nb_delete(answer->steps);
}
