#include "questions/limits/limits_question.h"

#include "core/try.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct nb_parameter nb_limits_options[] = {
    NB_OPTION_TOPOLOGY,
    { .name = "routing",
      .help = "one scheme alone, such as vlb:policy=-g-; all that the network "
              "has closed forms or groups for unless given",
      .type = NB_WORD,
      .initial = "" },
    { .name = "traffic",
      .help = "one traffic alone, such as adversarial:offset=9+11; uniform "
              "and the adversaries unless given",
      .type = NB_WORD,
      .initial = "" },
    { .name = "offsets",
      .help = "closed forms of adversarial traffic up to this offset; 0: "
              "twice the global channels of a router",
      .type = NB_WHOLE,
      .initial = "0",
      .most = 1e6 },
    { .name = "worst-case",
      .help = "the worst of all admissible traffic, too, by matching",
      .type = NB_FLAG,
      .initial = "no" },
    { .name = "router-delay",
      .help = "from port to port of a router, nanoseconds; latencies have one "
              "more than hops, but not the terminals' cables",
      .type = NB_NUMBER,
      .initial = "90",
      .most = 1e9,
      .unit = "ns" },
    { .name = "local-delay",
      .help = "of a channel within a group (of a hyperx a line of dimension 0, "
              "of a clos or fattree a subtree below the roots), or of any "
              "where there are no groups, nanoseconds",
      .type = NB_NUMBER,
      .initial = "15",
      .most = 1e9,
      .unit = "ns",
      .also = "link-latency" },
    { .name = "global-delay",
      .help = "of a channel between groups, nanoseconds",
      .type = NB_NUMBER,
      .initial = "150",
      .most = 1e9,
      .unit = "ns",
      .also = "link-latency" },
    { .name = "packet",
      .help = "flits of a packet",
      .type = NB_WHOLE,
      .initial = "10",
      .least = 1,
      .most = 1e6 },
    { .name = "flit-size",
      .help = "bytes of a flit, for buffers in KB, too",
      .type = NB_NUMBER,
      .initial = "",
      .least = 1e-9,
      .most = 1e9 },
    { .name = "flit-time",
      .help = "of a flit on a channel, nanoseconds",
      .type = NB_NUMBER,
      .initial = "1",
      .least = 1e-9,
      .most = 1e9,
      .unit = nb_unit_clock,
      .also = "clock" },
    { 0 },
};

void nb_limits_question_release(struct nb_limits_question *question)
{
    nb_limits_cases_release(&question->cases);
    nb_topology_release(&question->topology);
}

/* The schemes that are defined on the network. */
static void limits_list_schemes(struct nb_limits_question *out)
{
    static const char *const schemes[] = {
        "min",
        "vlb:policy=-g-",
        "vlb:policy=-gl",
        "vlb:policy=lg-",
        "vlb:policy=lgl",
        "rvlb",
    };
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        struct nb_routing routing = { 0 };
        if (nb_routing_build(schemes[i], &out->topology, &routing, NULL) ==
            NB_OK)
            out->scheme[out->scheme_count++] = schemes[i];
        nb_routing_release(&routing);
    }
}

/* Global channels of the router that has most. */
static uint32_t limits_global_channels(const struct nb_topology *topology)
{
    uint32_t most = 0;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        uint32_t count = 0;
        for (uint32_t c = topology->out_start[r];
             c < topology->out_start[r + 1]; c++)
            count += nb_channel_is_global(topology, c);
        most = count > most ? count : most;
    }
    return most;
}

static void limits_list_traffics(struct nb_limits_question *out, uint32_t h)
{
    const char *const names[] = { "uniform", "adversarial:offset=1",
                                  h > 1 ? out->by_router : "",
                                  "adversarial-consecutive",
                                  "adversarial-local" };
    snprintf(out->by_router, sizeof out->by_router, "adversarial:offset=%u", h);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct nb_traffic traffic = { 0 };
        if (*names[i] != '\0' &&
            nb_traffic_build(names[i], &out->topology, false, &traffic, NULL) ==
                NB_OK)
            out->traffics[out->traffic_count++] = names[i];
        nb_traffic_release(&traffic);
    }
}

static enum nb_status limits_read_numbers(const struct nb_model *model,
                                          struct nb_limits_question *out,
                                          struct nb_error *err)
{
    struct nb_enclosure *const delays[] = { &out->delays.router,
                                            &out->delays.local,
                                            &out->delays.global };
    static const char *const names[] = { "router-delay", "local-delay",
                                         "global-delay" };
    struct nb_ratio value;
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < sizeof delays / sizeof *delays; i++) {
        NB_TRY(nb_ratio_read(nb_model_get(model, names[i]), &value, err));
        *delays[i] = nb_enclosure_of_ratio(value);
    }
    NB_TRY(
        nb_ratio_read(nb_model_get(model, "flit-time"), &out->flit_time, err));
    if (nb_model_get(model, "flit-size") != NULL)
        NB_TRY(nb_ratio_read(nb_model_get(model, "flit-size"), &out->flit_size,
                             err));
    NB_TRY(nb_ratio_read(nb_model_get(model, "packet"), &value, err));
    out->packet = value.numerator;
    out->delays.serial = nb_enclosure_multiply(
        nb_enclosure_of_ratio(value), nb_enclosure_of_ratio(out->flit_time));
    NB_TRY(nb_ratio_read(nb_model_get(model, "offsets"), &value, err));
    out->last_offset = value.numerator;
done:
    return status;
}

/* Of one adversarial traffic alone its own offset, if it has but one. */
static enum nb_status limits_read_offset(struct nb_limits_question *out,
                                         struct nb_error *err)
{
    struct nb_specification read = { 0 };
    size_t index;
    enum nb_status status = NB_OK;
    if (out->traffic == NULL)
        return NB_OK;
    NB_TRY(nb_specification_read(out->traffic, "traffic", nb_traffic_kind_at,
                                 NULL, &read, &index, err));
    if (strcmp(read.kind->name, "adversarial") == 0) {
        char *end;
        const char *text = nb_specification_text(&read, "offset");
        const int64_t offset = strtoll(text, &end, 10);
        if (*end == '\0' && offset != 0)
            out->first_offset = out->last_offset = offset;
    }
done:
    nb_specification_release(&read);
    return status;
}

/* The one scheme asked for: of an adaptive one only what does not depend on
 * loads is found. */
static enum nb_status limits_read_scheme(struct nb_limits_question *out,
                                         struct nb_error *err)
{
    struct nb_routing routing = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_routing_build(out->routing, &out->topology, &routing, err));
    if (routing.kind->stands_for_any || out->with_worst)
        NB_TRY(nb_routing_refuse_adaptive(&routing, err));
    out->is_adaptive = routing.kind->is_adaptive;
    if (!out->is_adaptive)
        out->scheme[out->scheme_count++] = out->routing;
done:
    nb_routing_release(&routing);
    return status;
}

enum nb_status nb_limits_question_read(const struct nb_question *question,
                                       struct nb_limits_question *out,
                                       struct nb_error *err)
{
    const struct nb_model *model = question->model;
    enum nb_status status = NB_OK;
    *out = (struct nb_limits_question){
        .routing = nb_model_get(model, "routing"),
        .traffic = nb_model_get(model, "traffic"),
        .with_worst = nb_question_flag(question, "worst-case"),
    };
    NB_TRY(nb_topology_build(nb_model_get(model, "topology"), &out->topology,
                             err));
    out->cases = (struct nb_limits_cases){ .topology = &out->topology,
                                           .run = &question->run };
    NB_TRY(limits_read_numbers(model, out, err));
    const uint32_t h = limits_global_channels(&out->topology);
    out->first_offset = 1;
    if (out->last_offset == 0)
        out->last_offset = 2 * (int64_t)h;
    NB_TRY(limits_read_offset(out, err));
    if (out->routing != NULL)
        NB_TRY(limits_read_scheme(out, err));
    else
        limits_list_schemes(out);
    if (out->traffic != NULL)
        out->traffics[out->traffic_count++] = out->traffic;
    else
        limits_list_traffics(out, h);
done:
    if (status != NB_OK)
        nb_limits_question_release(out);
    return status;
}
