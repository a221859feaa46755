#include "questions/delay/delay_table.h"

#include <math.h>
#include <stdio.h>

enum { TABLE_ROWS = 1000 };

double nb_delay_table_step(double first, double last, struct nb_point *out)
{
    const double step = ceil((last - first + 1) / TABLE_ROWS);
    char text[120];
    if (!(step > 1))
        return 1;
    snprintf(text, sizeof text,
             "table ccdf shows delays %.0f cycles apart, so that it has no "
             "more than %d rows or so",
             step, TABLE_ROWS);
    nb_point_add_note(out, "rows", text);
    return step;
}

void nb_delay_table_add_bracket(struct nb_point *out, size_t table,
                                struct nb_bracket bracket)
{
    nb_table_add_number(out, table,
                        bracket.lower + (bracket.upper - bracket.lower) / 2);
    nb_table_add_number(out, table, bracket.lower);
    nb_table_add_number(out, table, bracket.upper);
}

void nb_delay_add_saturated(const struct nb_question *question,
                            const char *what, struct nb_point *out)
{
    char name[32];
    snprintf(name, sizeof name, "%s_quantile", what);
    nb_point_add_exact(out, name, nb_ratio_infinity, "cycles", "saturated", "");
    snprintf(name, sizeof name, "%s_ccdf", what);
    if (nb_model_get(question->model, "at") != NULL)
        nb_point_add_exact(out, name, nb_ratio_one, "1", "saturated", "");
    nb_point_add_note(out, "saturated",
                      "a queue receives all that it can serve or more, and "
                      "grows for ever");
}

static double table_middle(struct nb_enclosure value)
{
    return value.lower + (value.upper - value.lower) / 2;
}

void nb_delay_add_queues(const struct nb_delay_paths *paths,
                         struct nb_point *out)
{
    const size_t table = nb_point_add_table(
        out, "queues", false,
        "queue:text,load:ratio [packets/cycle],mean_delay:number [cycles]");
    for (size_t i = 0; i < paths->queue_count; i++) {
        const struct nb_delay_queue *queue = &paths->queues[i];
        nb_table_add_text(out, table, queue->name);
        nb_table_add_ratio(out, table, queue->load.exact);
        nb_table_add_number(
            out, table,
            paths->is_saturated ? INFINITY : table_middle(queue->hop.mean));
    }
}

void nb_delay_add_levels(const struct nb_delay_paths *paths, double overflow,
                         double reach, struct nb_point *out)
{
    const struct nb_delay *law = &paths->delay;
    const size_t table = nb_point_add_table(
        out, "levels", false,
        "level,hops,fraction:ratio,mean_delay:number [cycles],"
        "delay_quantile:number [cycles]");
    for (size_t i = 0; i < law->path_count; i++) {
        const struct nb_delay_path *path = &law->paths[i];
        if (path->weight.numerator == 0)
            continue; /* no packet turns round at this level */
        double mean = INFINITY, quantile = INFINITY;
        if (!paths->is_saturated) {
            mean = table_middle(nb_delay_path_mean(path));
            quantile = nb_delay_depth(law, path, overflow, reach).upper;
        }
        nb_table_add_whole(out, table, (int64_t)i + 1);
        nb_table_add_whole(out, table, (int64_t)path->count);
        nb_table_add_ratio(out, table, path->weight);
        nb_table_add_number(out, table, mean);
        nb_table_add_number(out, table, quantile);
    }
}
