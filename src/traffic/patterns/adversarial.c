/* Adversarial: every group sends to the groups at one or more offsets, so that
 * only few of the channels between groups are on shortest paths. */
#include "traffic/group_pattern.h"

#include "core/try.h"

enum { ADVERSARIAL_MOST = 1024 };

/*
 * With T terminals in each of G groups and m offsets o, every terminal of
 * group g sends 1/m evenly to the terminals of each group (g + o) mod G:
 *
 *     rate(i, j) = terminals_i terminals_j / (T m)
 *
 * for each offset that leads from the group of i to that of j.
 *
 * Source: [Benito2020, section 3.2.2.1], there with one offset, ADV+i.
 */
static enum nb_status
adversarial_build(const struct nb_traffic_request *request,
                  struct nb_traffic *out, struct nb_error *err)
{
    int64_t offset[ADVERSARIAL_MOST];
    uint64_t terminals;
    size_t count;
    enum nb_status status;
    NB_TRY(nb_group_pattern_terminals(request, &terminals, err));
    NB_TRY(
        nb_group_pattern_offsets_read(request, request->topology->groups.count,
                                      ADVERSARIAL_MOST, offset, &count, err));
    out->denominator = terminals * count;
    for (size_t o = 0; o < count; o++)
        NB_TRY(nb_group_pattern_add(request, offset[o], out, err));
done:
    return status;
}

static const struct nb_parameter adversarial_parameters[] = {
    NB_PARAMETER("offset", WORD, "1",
                 "distance in groups, modulo their number; several, joined by "
                 "+, share equally",
                 .detail = "May be negative.", .is_leading = true),
    { 0 },
};

const struct nb_traffic_kind nb_traffic_adversarial = {
    .kind = { .name = "adversarial",
              .aliases = "adv",
              .summary = "every group to the groups at given offsets",
              .parameters = adversarial_parameters },
    .examples = "adversarial:offset=1@dragonfly:h=1 "
                "adversarial:-2@dragonfly:h=2 "
                "adversarial:offset=-2+5+5@dragonfly:h=2 "
                "adversarial@hyperx:4x3,p=2 adversarial@megafly:2 "
                "adversarial@fattree:k=2,n=3",
    .is_by_place = true,
    .build = adversarial_build,
};
