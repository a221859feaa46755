/* Adds the fair rates of --fair-share to a report (declared in
 * load_question.h). */
#include "questions/load/load_question.h"

#include <stdio.h>

#define FAIR_SOURCE "BertsekasGallager1992"

/* Adds what is full: a channel, the terminals of a router, or several channels
 * whose lengths prove it together. */
static void fair_add_full(const struct nb_load_answer *answer,
                          const struct nb_fair_level *level, size_t table,
                          struct nb_point *out)
{
    const struct nb_topology *topology = &answer->problem.topology;
    const struct nb_fair_row *row =
        level->row != SIZE_MAX ? &answer->fair.rows[level->row] : NULL;
    char text[120];
    size_t channels = 0;
    if (row == NULL)
        snprintf(text, sizeof text, "nothing; the whole demand arrives");
    else if (row->channel != NB_NONE)
        snprintf(text, sizeof text, "channel %u, router %u to router %u",
                 row->channel, topology->channels[row->channel].source,
                 topology->channels[row->channel].target);
    else if (row->terminals != NB_NONE)
        snprintf(text, sizeof text, "channels %s terminals of router %u",
                 row->is_from ? "from" : "to", row->terminals);
    for (size_t c = 0;
         row != NULL && row->length != NULL && c < topology->channel_count; c++)
        channels += row->length[c] > 0;
    if (channels > 0)
        snprintf(text, sizeof text, "%zu channels together", channels);
    nb_table_add_text(out, table, text);
}

static void fair_add_cells(struct nb_point *out, size_t table,
                           struct nb_enclosure value)
{
    nb_table_add_ratio(out, table, value.exact);
    nb_table_add_number(out, table, value.lower);
    nb_table_add_number(out, table, value.upper);
}

void nb_load_report_fair(const struct nb_load_answer *answer,
                         struct nb_point *out)
{
    const struct nb_topology *topology = &answer->problem.topology;
    const struct nb_fair_share *share = &answer->fair;
    const char *unit = nb_problem_rate_unit(&answer->problem);
    char columns[200];
    if (share->level_count == 0)
        return;
    nb_point_add_enclosure(out, "fair_share_min", share->least, unit,
                           NB_FAIR_METHOD, FAIR_SOURCE);
    nb_point_add_enclosure(out, "fair_share_max",
                           share->levels[share->level_count - 1].rate, unit,
                           NB_FAIR_METHOD, FAIR_SOURCE);
    snprintf(columns, sizeof columns,
             "level,fair_share:ratio [%s],lower:number [%s],upper:number "
             "[%s],routers,full:text",
             unit, unit, unit);
    size_t table = nb_point_add_table(out, "fair_levels", false, columns);
    for (size_t l = 0; l < share->level_count; l++) {
        nb_table_add_whole(out, table, (int64_t)l);
        fair_add_cells(out, table, share->levels[l].rate);
        nb_table_add_whole(out, table, (int64_t)share->levels[l].routers);
        fair_add_full(answer, &share->levels[l], table, out);
    }
    snprintf(columns, sizeof columns,
             "router,fair_share:ratio [%s],lower:number [%s],upper:number "
             "[%s],level",
             unit, unit, unit);
    table = nb_point_add_table(out, "fair_shares", false, columns);
    for (uint32_t r = 0; r < topology->router_count; r++) {
        if (share->of[r] == NB_NONE)
            continue;
        nb_table_add_whole(out, table, r);
        fair_add_cells(out, table, nb_fair_share_of(share, r));
        nb_table_add_whole(out, table, (int64_t)share->level[share->of[r]]);
    }
    nb_point_add_note(out, "fair_share",
                      "the rates of the routers if all send in the proportions "
                      "of the traffic and all packets arrive: no rate can rise "
                      "without lowering one that is no larger");
}
