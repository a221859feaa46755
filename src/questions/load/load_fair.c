/* Adds the fair rates of --fair-share to a report (declared in
 * load_question.h). */
#include "questions/load/load_question.h"

#define FAIR_RATE "fair_share:ratio [%],lower:number [%],upper:number [%]"
const struct nb_table_kind nb_fair_levels = {
    .name = "fair_levels",
    .columns = NB_SPELLED("level," FAIR_RATE ",routers,full:text")
};
const struct nb_table_kind nb_fair_shares = {
    .name = "fair_shares", .columns = NB_SPELLED("router," FAIR_RATE ",level")
};

/* Prints what is full: a channel, the terminals of a router, or several
 * channels whose lengths prove it together. */
static void fair_print_full(const struct nb_load_answer *answer,
                            const struct nb_fair_level *level,
                            struct nb_text *text)
{
    const struct nb_topology *topology = &answer->problem.topology;
    const struct nb_fair_row *row =
        level->row != SIZE_MAX ? &answer->fair.rows[level->row] : NULL;
    size_t channels = 0;
    for (size_t c = 0;
         row != NULL && row->length != NULL && c < topology->channel_count; c++)
        channels += row->length[c] > 0;
    if (row == NULL)
        nb_text_print(text, "nothing; the whole demand arrives");
    else if (channels > 0)
        nb_text_print(text, "%zu channels together", channels);
    else if (row->channel != NB_NONE)
        nb_text_print(text, "channel %u, router %u to router %u", row->channel,
                      topology->channels[row->channel].source,
                      topology->channels[row->channel].target);
    else
        nb_text_print(text, "channels %s terminals of router %u",
                      row->is_from ? "from" : "to", row->terminals);
}

static void fair_add_levels(const struct nb_load_answer *answer,
                            struct nb_table_variant variant,
                            struct nb_point *out)
{
    const size_t table = nb_table_start_as(out, &nb_fair_levels, variant);
    for (size_t l = 0; l < answer->fair.level_count; l++) {
        const struct nb_fair_level *level = &answer->fair.levels[l];
        struct nb_text full = { 0 };
        fair_print_full(answer, level, &full);
        out->has_failed |= full.has_failed;
        NB_ROW(out, table, l, NB_ENDS(level->rate), level->routers, full.bytes);
        nb_text_release(&full);
    }
}

void nb_load_report_fair(const struct nb_load_answer *answer,
                         struct nb_point *out)
{
    static const char method[] = "progressive filling";
    static const char source[] = "BertsekasGallager1992";
    const struct nb_fair_share *share = &answer->fair;
    const char *unit = nb_problem_rate_unit(&answer->problem);
    const struct nb_table_variant variant = { .unit = unit };
    if (share->level_count == 0)
        return;
    nb_point_add_enclosure(out, "fair_share_min", share->least, unit, method,
                           source);
    nb_point_add_enclosure(out, "fair_share_max",
                           share->levels[share->level_count - 1].rate, unit,
                           method, source);
    fair_add_levels(answer, variant, out);
    const size_t table = nb_table_start_as(out, &nb_fair_shares, variant);
    for (uint32_t r = 0; r < answer->problem.topology.router_count; r++)
        if (share->of[r] != NB_NONE)
            NB_ROW(out, table, r, NB_ENDS(nb_fair_share_of(share, r)),
                   share->level[share->of[r]]);
    nb_point_add_note(out, "fair_share",
                      "the rates of the routers if all send in the proportions "
                      "of the traffic and all packets arrive: no rate can rise "
                      "without lowering one that is no larger");
}
