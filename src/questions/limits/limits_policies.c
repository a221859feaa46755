/* Virtual channels and worst cases of schemes (declared in limits_question.h).
 */
#include "questions/limits/limits_question.h"

#include "core/try.h"
#include "routing/route_shape.h"
#include "routing/vc_classes.h"

/* The worst of all traffic under a scheme, in the table and, of one scheme
 * alone, as a quantity. */
static enum nb_status policies_add_worst(struct nb_limits_question *question,
                                         const char *scheme, size_t table,
                                         struct nb_point *out,
                                         struct nb_error *err)
{
    struct nb_enclosure worst;
    enum nb_status status = NB_OK;
    NB_TRY(nb_limits_worst(&question->cases, scheme, &worst, err));
    nb_table_add_number(out, table, nb_limits_middle(worst));
    nb_table_add_ratio(out, table, worst.exact);
    if (question->routing != NULL)
        nb_point_add_enclosure(out, "worst_case_throughput_absolute", worst,
                               "packets/cycle/terminal",
                               "maximum-weight matching",
                               "TowlesDally2002, Theorem 2");
done:
    return status;
}

/* Virtual channels of a scheme, in the same way. */
static enum nb_status policies_add_channels(struct nb_limits_question *question,
                                            const char *scheme, size_t table,
                                            struct nb_point *out,
                                            struct nb_error *err)
{
    static const char source[] = "Gunther1981";
    struct nb_routing routing = { 0 };
    struct nb_virtual_channels channels;
    enum nb_status status = NB_OK;
    NB_TRY(nb_routing_build(scheme, &question->topology, &routing, err));
    NB_TRY(nb_virtual_channels_find(&routing, &channels, err));
    const char *how = channels.is_by_place ? "index by the place of the hop"
                                           : "index by the number of the hop";
    nb_table_add_text(out, table, scheme);
    nb_table_add_whole(out, table, channels.local);
    nb_table_add_whole(out, table, channels.global);
    nb_table_add_text(out, table, channels.is_by_place ? "place" : "hop");
    if (question->routing != NULL) {
        nb_point_add_exact(out, "local_virtual_channels",
                           nb_ratio_make(channels.local, 1), "1", how, source);
        nb_point_add_exact(out, "global_virtual_channels",
                           nb_ratio_make(channels.global, 1), "1", how, source);
    }
done:
    nb_routing_release(&routing);
    return status;
}

enum nb_status nb_limits_add_policies(struct nb_limits_question *question,
                                      struct nb_point *out,
                                      struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (question->scheme_count == 0 ||
        (question->topology.groups.count == 0 && !question->with_worst))
        return NB_OK;
    const size_t table = nb_point_add_table(
        out, "policies", false,
        question->with_worst
            ? "routing:text,local_virtual_channels,global_virtual_channels,"
              "index:text,worst_case:number "
              "[packets/cycle/terminal],exact:ratio"
            : "routing:text,local_virtual_channels,global_virtual_channels,"
              "index:text");
    nb_point_add_note(out, "virtual_channels",
                      "enough where the index of a hop is its place: of each "
                      "phase the local hops before the global one, then those "
                      "after it; or else, of routes that take several global "
                      "hops in a phase, its number in the route; up and down "
                      "a tree and in dimension order fewer will do");
    for (size_t s = 0; s < question->scheme_count; s++) {
        NB_TRY(policies_add_channels(question, question->scheme[s], table, out,
                                     err));
        if (question->with_worst)
            NB_TRY(policies_add_worst(question, question->scheme[s], table, out,
                                      err));
    }
done:
    return status;
}

enum nb_status nb_limits_add_classes(struct nb_limits_question *question,
                                     struct nb_point *out, struct nb_error *err)
{
    struct nb_routing routing = { 0 };
    struct nb_vc_classes classes = { 0 };
    struct nb_error many = { 0 };
    enum nb_status status = NB_OK;
    if (question->routing == NULL || question->topology.groups.count > 0)
        return NB_OK; /* with groups local and global ones are told apart */
    NB_TRY(nb_routing_build(question->routing, &question->topology, &routing,
                            err));
    status = nb_vc_classes_build(&routing, &classes, &many);
    if (status == NB_INVALID) {
        nb_point_add_note(out, "classes", many.message);
        status = NB_OK;
    } else if (status != NB_OK) {
        NB_TRY(nb_fail(err, status, "%s", many.message));
    } else {
        nb_point_add_exact(out, "classes_needed",
                           nb_ratio_make(classes.count, 1), "1",
                           classes.rule->summary, classes.rule->source);
    }
done:
    nb_vc_classes_release(&classes);
    nb_routing_release(&routing);
    return status;
}
