#include "questions/fit/fit_question.h"

#include "core/try.h"

#include <string.h>

static const struct nb_parameter fit_parameters[] = {
    { .name = "radix",
      .help = "the ports of a router, at most",
      .type = NB_WHOLE,
      .least = 2,
      .most = 1e6 },
    { .name = "terminals",
      .help = "at least so many; 0: the most that each kind can have",
      .type = NB_WHOLE,
      .initial = "0",
      .most = 1e15 },
    { .name = "diameter",
      .help = "hops between routers, at most",
      .type = NB_WHOLE,
      .initial = "",
      .least = 1,
      .most = 1e6 },
    { .name = "capacity",
      .help = "packets per cycle and terminal of uniform traffic, at least",
      .type = NB_NUMBER,
      .initial = "",
      .most = 1 },
    { .name = "oversize",
      .help = "times the terminals asked for, at most",
      .type = NB_NUMBER,
      .initial = "",
      .least = 1,
      .most = 1e6 },
    { 0 },
};

static const struct nb_kind fit_kind = {
    .name = "fit",
    .summary = "networks of a size",
    .parameters = fit_parameters,
};

static const struct nb_kind *fit_kind_at(size_t index)
{
    return index == 0 ? &fit_kind : NULL;
}

/* The ratio of an optional parameter; unknown if it is not given. */
static struct nb_ratio fit_ratio(const struct nb_specification *specification,
                                 const char *name)
{
    return nb_specification_is(specification, name, "")
               ? (struct nb_ratio){ 0, 0 }
               : nb_specification_ratio(specification, name);
}

enum nb_status nb_fit_question_read(const char *text,
                                    struct nb_fit_question *out,
                                    struct nb_error *err)
{
    struct nb_specification read = { 0 };
    struct nb_text spelled = { 0 };
    size_t index;
    enum nb_status status = NB_OK;
    nb_text_print(&spelled, "%s:%s", fit_kind.name, text);
    NB_TRY(nb_text_check(&spelled, err));
    char *colon = strchr(spelled.bytes + strlen(fit_kind.name) + 1, ':');
    if (colon != NULL)
        *colon = ',';
    NB_TRY(nb_specification_read(spelled.bytes, "option", fit_kind_at, NULL,
                                 &read, &index, err));
    *out = (struct nb_fit_question){
        .demand = {
            .terminals = (uint64_t)nb_specification_whole(&read, "terminals"),
            .radix = (uint32_t)nb_specification_whole(&read, "radix"),
        },
        .diameter = nb_specification_is(&read, "diameter", "")
                        ? 0
                        : nb_specification_whole(&read, "diameter"),
        .capacity = fit_ratio(&read, "capacity"),
        .oversize = fit_ratio(&read, "oversize"),
    };
    if (out->demand.terminals == 0 && nb_ratio_is_known(out->oversize))
        NB_TRY(nb_fail(err, NB_USAGE,
                       "option fit: oversize %s needs terminals (such as "
                       "terminals=10000) to be a multiple of",
                       nb_specification_text(&read, "oversize")));
done:
    nb_specification_release(&read);
    nb_text_release(&spelled);
    return status;
}
