#include "routing/acor_ways.h"

const char *nb_acor_policies(const struct nb_specification *given)
{
    if (nb_specification_is(given, "sequence", "2l-a"))
        return "-g- lgl";
    return nb_specification_is(given, "sequence", "2l-b") ? "-gl lgl"
                                                          : "-g- -gl lgl";
}

void nb_acor_read(const struct nb_specification *given,
                  struct nb_acor_plan *out)
{
    *out = (struct nb_acor_plan){
        .is_by_packet = nb_specification_is(given, "variant", "packet"),
        .levels = nb_specification_is(given, "sequence", "3l") ? 3 : 2,
        .interval = (uint32_t)nb_specification_whole(given, "interval"),
        .rise = { (uint32_t)nb_specification_whole(given, "it1"),
                  (uint32_t)nb_specification_whole(given, "it2") },
        .fall = { (uint32_t)nb_specification_whole(given, "dt1"),
                  (uint32_t)nb_specification_whole(given, "dt2") },
    };
}

uint32_t nb_acor_level(const struct nb_acor_plan *plan,
                       const struct nb_acor_switch *of, uint32_t blocked)
{
    if (!plan->is_by_packet)
        return of->level;
    return blocked < plan->levels ? blocked : plan->levels - 1;
}

void nb_acor_block(const struct nb_acor_plan *plan, struct nb_acor_switch *of)
{
    of->blocked++;
    while (of->level + 1 < plan->levels && of->blocked > plan->rise[of->level])
        of->level++;
}

void nb_acor_observe(const struct nb_acor_plan *plan, struct nb_acor_switch *of,
                     size_t routers, uint64_t cycle)
{
    if (plan->is_by_packet || (cycle + 1) % plan->interval != 0)
        return;
    for (size_t r = 0; r < routers; r++) {
        if (of[r].level > 0 && of[r].blocked < plan->fall[of[r].level - 1])
            of[r].level--;
        of[r].blocked = 0;
    }
}
