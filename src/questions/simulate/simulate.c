/* netbound simulate: a network in motion. */
#include "questions/simulate/simulate_question.h"
#include "questions/simulate/simulate_tables.h"
#include "core/try.h"

#include <math.h>
#include <string.h>

static const struct nb_parameter simulate_options[] = {
    NB_OPTION_TOPOLOGY,
    NB_OPTION_ROUTING,
    { .name = "traffic",
      .help = "who sends to whom, such as transpose (see: netbound list "
              "traffics); uniform unless given",
      .type = NB_WORD,
      .initial = "" },
    { .name = "allow-inadmissible",
      .help = "accept traffic from a file with rows or columns above 1",
      .type = NB_FLAG,
      .initial = "no" },
    NB_OPTIONS_INJECTION,
    NB_OPTIONS_ROUTER,
    NB_OPTIONS_MEASUREMENT,
    { .name = "find",
      .help = "the saturation instead of one load, to --precision (0.01 unless "
              "given) if --cycles (auto: up to 204800) are enough for that",
      .type = NB_CHOICE,
      .initial = "",
      .choices = "saturation" },
    NB_OPTIONS_SHOWN,
    { 0 },
};

#define SIMULATE_PRECISION 0.01
enum { SIMULATE_LONGEST = 4 }; /* times the cycles of one load, unless given */
/* So many packets under way are saturation in a search: of any network, and
 * for each terminal. */
#define SIMULATE_PACKETS      0x1p18
#define SIMULATE_PACKETS_EACH 0x1p12

/* Searches from the capacity on: the plan is that of --load 1. */
static enum nb_status simulate_find(const struct nb_question *question,
                                    struct nb_simulate_question *asked,
                                    struct nb_point *out, struct nb_error *err)
{
    struct nb_simulation *plan = &asked->plan;
    const double precision =
        plan->precision > 0 ? plan->precision : SIMULATE_PRECISION;
    const double first = fmin(plan->injection.rate, asked->most_rate);
    const double terminals = (double)plan->topology->terminal_count;
    const double packets =
        fmax(SIMULATE_PACKETS, SIMULATE_PACKETS_EACH * terminals);
    struct nb_saturation found;
    plan->packet_limit = (uint32_t)fmin(plan->packet_limit, packets);
    const char *cycles = nb_model_get(question->model, "cycles");
    if (cycles == NULL || strcmp(cycles, "auto") == 0)
        plan->cycles *= SIMULATE_LONGEST;
    plan->precision = 0;
    plan->is_drained = false;
    const enum nb_status status = nb_saturation_find(
        plan, first, asked->most_rate, precision, &question->run, &found, err);
    if (status == NB_OK)
        nb_simulate_add_saturation(asked, &found, out);
    return status;
}

static enum nb_status simulate_answer(const struct nb_question *question,
                                      struct nb_point *out,
                                      struct nb_error *err)
{
    struct nb_simulate_question asked = { 0 };
    struct nb_simulation_result result = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_simulate_question_read(question, &asked, err));
    if (nb_question_names(question, "find")) {
        NB_TRY(simulate_find(question, &asked, out, err));
    } else {
        NB_TRY(nb_simulate(&asked.plan, &question->run, &result, err));
        nb_simulate_add(&asked, &result, out);
        nb_simulate_add_tables(&asked, &result, out);
    }
    NB_TRY(nb_simulate_note_router(&asked, out, err));
done:
    nb_simulation_result_release(&result);
    nb_simulate_question_release(&asked);
    return status;
}

const struct nb_question_kind nb_question_kind_simulate = {
    .form = {
        .name = "simulate",
        .summary = "throughput, latency and queues of a network in motion",
        .example = "netbound simulate --topology torus:8x8 --routing dor --traffic "
                   "transpose --load 0.25",
        .options = simulate_options,
        .tables = "channels routers terminals ccdf latency_histogram depths "
                  "reorder series search",
    },
    .answer = simulate_answer,
};
