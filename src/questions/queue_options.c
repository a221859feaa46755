#include "questions/queue_options.h"

#include "questions/problem.h"
#include "core/try.h"

#include <string.h>

enum { OPTIONS_RADIX = 16 }; /* by default */

const struct nb_table_kind nb_queue_ccdf =
    NB_TABLE("ccdf", "depth [packets],probability:number,lower:number,"
                     "upper:number,bound?:number");

enum nb_status nb_queue_arrivals(const char *text, int64_t radix,
                                 struct nb_arrivals *out, struct nb_error *err)
{
    *out = (struct nb_arrivals){ .radix = radix > 0 ? radix : OPTIONS_RADIX };
    return nb_arrivals_read(text, out, err);
}

bool nb_queue_load_is_given(struct nb_ratio load, struct nb_ratio rate,
                            struct nb_queue_load *out)
{
    const bool is_load = nb_ratio_is_known(load);
    const bool is_rate = nb_ratio_is_known(rate);
    const struct nb_ratio given = is_load   ? load
                                  : is_rate ? rate
                                            : nb_ratio_one;
    /* Reports show it in lowest terms, whatever form the caller gave. */
    *out = nb_load_of_ratio(nb_ratio_make(given.numerator, given.denominator));
    return is_load || is_rate;
}

enum nb_status nb_question_tree(const char *text, const char *else_options,
                                uint32_t *k, uint32_t *n, struct nb_error *err)
{
    struct nb_specification tree = { 0 };
    size_t index;
    enum nb_status status = NB_OK;
    NB_TRY(nb_specification_read(text, "topology", nb_topology_kind_at,
                                 nb_topology_parameters + 1, &tree, &index,
                                 err)); /* without terminals */
    if (strcmp(tree.kind->name, "fattree") != 0)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "topology %s is not permitted here (permitted: "
                       "fattree; or %s)",
                       tree.kind->name, else_options));
    const struct nb_ratio bandwidth =
        nb_specification_ratio(&tree, "bandwidth");
    if (!nb_ratio_is_known(bandwidth) ||
        nb_ratio_compare(bandwidth, nb_ratio_one) != 0)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "channels of bandwidth %s are not permitted here "
                       "(permitted: 1, a packet takes one cycle)",
                       nb_specification_text(&tree, "bandwidth")));
    const char *terminals = nb_specification_text(&tree, "terminal-bandwidth");
    if (*terminals != '\0' && strcmp(terminals, "1") != 0)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "terminal-bandwidth=%.60s is not permitted here "
                       "(permitted: 1, a packet takes one cycle)",
                       terminals));
    if (!nb_specification_is(&tree, "fail", "none"))
        NB_TRY(nb_fail(err, NB_INVALID,
                       "fail=%.60s is not permitted here (permitted: none, "
                       "since all paths of a level are taken to be equal)",
                       nb_specification_text(&tree, "fail")));
    *k = (uint32_t)nb_specification_whole(&tree, "k");
    *n = (uint32_t)nb_specification_whole(&tree, "n");
done:
    nb_specification_release(&tree);
    return status;
}

struct nb_found nb_queue_speedup(const struct nb_arrivals *arrivals,
                                 struct nb_queue_load load,
                                 struct nb_bracket max_load, const char *method)
{
    if (nb_arrivals_have_bursts(arrivals))
        return (struct nb_found){ 0 };
    return (struct nb_found){ nb_enclosure_most(
                                  nb_enclosure_of_whole(1),
                                  nb_enclosure_divide(
                                      nb_enclosure_of_ratio(load.exact),
                                      nb_enclosure_of_bracket(max_load))),
                              method, "Singh2005, section 7.5.1" };
}

void nb_queue_note_speedup(struct nb_point *out,
                           const struct nb_arrivals *arrivals)
{
    char burst[NB_RATIO_TEXT];
    if (arrivals->kind == NB_ARRIVE_MMP) {
        nb_point_add_note(out, "max_load",
                          "for mmp sources that send more or less in both "
                          "states; the rates at which states change are kept");
        nb_point_add_note(out, "speedup",
                          "left out for mmp sources: for a faster channel "
                          "their states last longer, which is not the same as "
                          "a lower rate");
    }
    if (arrivals->kind == NB_ARRIVE_ONOFF) {
        nb_ratio_print(arrivals->burst, burst);
        nb_point_note(out, "max_load",
                      "for on/off sources whose bursts, of %s packets on "
                      "average, come less often",
                      burst);
        nb_point_add_note(out, "speedup",
                          "left out for on/off sources: a faster channel "
                          "serves their bursts faster, which is not the same "
                          "as fewer bursts");
    }
}

bool nb_queue_note_forgetting(struct nb_point *out,
                              const struct nb_arrivals *arrivals,
                              struct nb_queue_load load)
{
    char value[NB_RATIO_TEXT];
    if (!nb_arrivals_forget(arrivals, load))
        return false;
    nb_ratio_print(load.exact, value);
    if (arrivals->kind != NB_ARRIVE_MMP)
        nb_point_note(out, "arrivals",
                      "at load %s = 1 - 1/burst the sources have no memory: "
                      "the queue is that of --arrivals bernoulli",
                      value);
    else if (nb_ratio_compare(arrivals->low, nb_ratio_one) == 0)
        nb_point_add_note(out, "arrivals",
                          "with low = 1 both states send equally: the queue is "
                          "that of --arrivals bernoulli");
    else
        nb_point_add_note(out, "arrivals",
                          "with alpha + beta = 1 the state of every slot is "
                          "drawn anew: the queue is that of --arrivals "
                          "bernoulli");
    return true;
}
