/* netbound limits: what is known in closed form, beside what is counted. */
#include "questions/limits/limits_question.h"

#include "core/try.h"

/* One scheme on one traffic as quantities, which scripts and ledgers read. */
static enum nb_status limits_add_one(struct nb_limits_question *question,
                                     struct nb_point *out, struct nb_error *err)
{
    static const char how[] = "propagation of exact probabilities";
    static const char source[] = "TowlesDally2002, section 2.2";
    static const char model[] = "hops of an unloaded network";
    const struct nb_limits_case *at, *longest;
    enum nb_status status = NB_OK;
    if (question->is_adaptive)
        nb_point_add_note(out, "adaptive",
                          "the scheme may choose by the state of the network, "
                          "so it has no expected loads, and limits and "
                          "latencies of it are left out");
    if (question->routing == NULL || question->traffic == NULL ||
        question->is_adaptive)
        return NB_OK;
    NB_TRY(nb_limits_case_find(&question->cases, question->routing,
                               question->traffic, &at, err));
    NB_TRY(nb_limits_case_find(&question->cases, "vlb:policy=lgl",
                               question->traffic, &longest, err));
    const struct nb_enclosure latency =
        nb_limits_latency(&at->hops, &question->delays);
    const struct nb_enclosure share = nb_enclosure_divide(
        latency, nb_limits_latency(&longest->hops, &question->delays));
    nb_point_add_enclosure(out, "throughput_absolute", at->throughput,
                           "packets/cycle/terminal", how, source);
    if (nb_ratio_is_known(at->bulk))
        nb_point_add_exact(out, "bulk_throughput_absolute", at->bulk,
                           "packets/cycle/terminal", how,
                           "Benito2020, section 6.1.2.2");
    nb_point_add_enclosure(out, "mean_local_hops",
                           (struct nb_enclosure){ at->hops.local,
                                                  at->hops.local_lower,
                                                  at->hops.local_upper },
                           "hops", how, source);
    nb_point_add_enclosure(out, "mean_global_hops",
                           (struct nb_enclosure){ at->hops.global,
                                                  at->hops.global_lower,
                                                  at->hops.global_upper },
                           "hops", how, source);
    nb_point_add_enclosure(out, "zero_load_latency", latency, "ns", model,
                           "Benito2020, section 3.1.2");
    nb_point_add_enclosure(out, "latency_of_vlb", share, "1", model,
                           "Benito2020, section 3.1.2");
done:
    return status;
}

static enum nb_status limits_answer(const struct nb_question *question,
                                    struct nb_point *out, struct nb_error *err)
{
    struct nb_limits_question limits = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_limits_question_read(question, &limits, err));
    NB_TRY(limits_add_one(&limits, out, err));
    nb_limits_add_resources(&limits, out);
    NB_TRY(nb_limits_add_classes(&limits, out, err));
    NB_TRY(nb_limits_add_limits(&limits, out, err));
    NB_TRY(nb_limits_add_latency(&limits, out, err));
    NB_TRY(nb_limits_add_envelope(&limits, out, err));
    NB_TRY(nb_limits_add_policies(&limits, out, err));
    NB_TRY(nb_limits_add_intermediate(&limits, out, err));
done:
    nb_limits_question_release(&limits);
    return status;
}

static enum nb_status limits_print(const struct nb_point *point,
                                   const struct nb_look *look,
                                   struct nb_text *text, struct nb_error *err)
{
    static const char *const tables[] = { "limits", "latency", "envelope",
                                          "policies" };
    enum nb_status status = NB_OK;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        const struct nb_table *table = nb_point_table(point, tables[t]);
        if (table != NULL && table->row_count > 0)
            NB_TRY(nb_point_print_table(point, tables[t], look, text, err));
    }
done:
    return status;
}

const struct nb_question_kind nb_question_kind_limits = {
    .form = {
        .name = "limits",
        .summary = "closed-form limits of a network beside exact ones, latency "
                   "without load, virtual channels, buffers and table entries",
        .example = "netbound limits --topology dragonfly:h=6",
        .options = nb_limits_options,
        .tables = "limits latency envelope policies intermediate_local",
    },
    .answer = limits_answer,
    .print = limits_print,
};
