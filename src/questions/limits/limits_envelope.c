/* The fastest scheme at each load (declared in limits_question.h). */
#include "questions/limits/limits_question.h"

#include "core/try.h"

/* A scheme as the envelope sees it. */
struct envelope_scheme {
    const char *name;
    struct nb_enclosure throughput; /* [packets/cycle/terminal] */
    struct nb_enclosure latency;    /* [ns] without load */
};

/* All schemes on one traffic. */
static enum nb_status envelope_find(struct nb_limits_question *question,
                                    const char *traffic,
                                    struct envelope_scheme *schemes,
                                    struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t s = 0; s < question->scheme_count; s++) {
        const struct nb_limits_case *at;
        NB_TRY(nb_limits_case_find(&question->cases, question->scheme[s],
                                   traffic, &at, err));
        schemes[s] =
            (struct envelope_scheme){ question->scheme[s], at->throughput,
                                      nb_limits_latency_of(question, at) };
    }
done:
    return status;
}

/* The same on the worst of all traffic, with the greatest latency of the
 * traffics looked at. */
static enum nb_status envelope_find_worst(struct nb_limits_question *question,
                                          struct envelope_scheme *schemes,
                                          struct nb_error *err)
{
    struct envelope_scheme other[NB_LIMITS_NAMES];
    enum nb_status status = NB_OK;
    NB_TRY(envelope_find(question, question->traffics[0], schemes, err));
    for (size_t t = 1; t < question->traffic_count; t++) {
        NB_TRY(envelope_find(question, question->traffics[t], other, err));
        for (size_t s = 0; s < question->scheme_count; s++)
            schemes[s].latency =
                nb_enclosure_most(schemes[s].latency, other[s].latency);
    }
    for (size_t s = 0; s < question->scheme_count; s++)
        NB_TRY(nb_limits_worst(&question->cases, schemes[s].name,
                               &schemes[s].throughput, err));
done:
    return status;
}

/* The scheme of least latency among those that carry more than the load, of
 * two alike the one that carries more; NULL if none does. */
static const struct envelope_scheme *
envelope_next(const struct envelope_scheme *schemes, size_t count,
              struct nb_enclosure load)
{
    const struct envelope_scheme *best = NULL;
    for (size_t s = 0; s < count; s++) {
        const struct envelope_scheme *at = &schemes[s];
        if (nb_enclosure_compare(at->throughput, load) <= 0)
            continue;
        const int order =
            best == NULL ? -1
                         : nb_enclosure_compare(at->latency, best->latency);
        if (order < 0 ||
            (order == 0 &&
             nb_enclosure_compare(at->throughput, best->throughput) > 0))
            best = at;
    }
    return best;
}

static void envelope_add(const char *traffic,
                         const struct envelope_scheme *schemes, size_t count,
                         size_t table, struct nb_point *out)
{
    struct nb_enclosure load = nb_enclosure_of_whole(0);
    const struct envelope_scheme *best;
    while ((best = envelope_next(schemes, count, load)) != NULL) {
        nb_table_add_text(out, table, traffic);
        nb_table_add_number(out, table, nb_limits_middle(load));
        nb_table_add_number(out, table, nb_limits_middle(best->throughput));
        nb_table_add_text(out, table, best->name);
        nb_table_add_number(out, table, nb_limits_middle(best->latency));
        load = best->throughput;
    }
}

enum nb_status nb_limits_add_envelope(struct nb_limits_question *question,
                                      struct nb_point *out,
                                      struct nb_error *err)
{
    const size_t count = question->scheme_count;
    struct envelope_scheme schemes[NB_LIMITS_NAMES];
    enum nb_status status = NB_OK;
    if (count < 2 || question->traffic_count == 0)
        return NB_OK;
    const size_t table = nb_point_add_table(
        out, "envelope", false,
        "traffic:text,load_from:number [packets/cycle/terminal],"
        "load_to:number [packets/cycle/terminal],routing:text,"
        "zero_load_latency:number [ns]");
    for (size_t t = 0; t < question->traffic_count; t++) {
        NB_TRY(envelope_find(question, question->traffics[t], schemes, err));
        envelope_add(question->traffics[t], schemes, count, table, out);
    }
    if (question->with_worst) {
        NB_TRY(envelope_find_worst(question, schemes, err));
        envelope_add("worst case", schemes, count, table, out);
    }
done:
    return status;
}
