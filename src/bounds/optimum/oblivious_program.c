#include "bounds/optimum/oblivious_work.h"

#include "bounds/linear/linear_row.h"
#include "core/memory.h"

#include <math.h>

/* Building under way. */
struct program_work {
    struct nb_oblivious_program *program;
    struct nb_linear_row row;
};

/* The variable of a side; made when it is first asked for. */
static enum nb_status program_find_side(struct program_work *work, size_t side,
                                        size_t *column, struct nb_error *err)
{
    struct nb_oblivious_program *program = work->program;
    size_t *place = &program->side[program->here->orbits.side[side]];
    enum nb_status status = NB_OK;
    if (*place == SIZE_MAX)
        NB_TRY(nb_linear_add_column(program->linear, 0, INFINITY, 0, NULL, NULL,
                                    place, err));
    *column = *place;
done:
    return status;
}

/* Flows of one crossing, all layers, lie below the duals of its sides. */
static enum nb_status program_add_cell(struct program_work *work, size_t index,
                                       uint32_t channel, struct nb_error *err)
{
    struct nb_oblivious_program *program = work->program;
    const struct nb_oblivious_orbits *orbits = &program->here->orbits;
    const size_t m = program->here->topology->channel_count, e = orbits->e;
    const size_t layers = program->here->question->class->layer_count;
    const size_t pair = program->here->pair[index];
    const size_t *flow = &program->flow[(index * m + channel) * layers];
    size_t row, column;
    bool is_crossed = false;
    enum nb_status status = NB_OK;
    for (size_t layer = 0; layer < layers; layer++) {
        if (flow[layer] == SIZE_MAX)
            continue;
        nb_linear_row_put(&work->row, flow[layer], 1);
        is_crossed = true;
    }
    if (!is_crossed)
        return NB_OK;
    NB_TRY(program_find_side(work, channel * 2 * e + pair / e, &row, err));
    NB_TRY(
        program_find_side(work, channel * 2 * e + e + pair % e, &column, err));
    nb_linear_row_put(&work->row, row, -1);
    nb_linear_row_put(&work->row, column, -1);
    nb_linear_row_tidy(&work->row);
    NB_TRY(nb_linear_row_add(&work->row, program->linear, NB_AT_MOST, 0,
                             &program->cell[index * m + channel], err));
done:
    return status;
}

static enum nb_status program_add_cells(struct program_work *work,
                                        struct nb_error *err)
{
    struct nb_oblivious_program *program = work->program;
    const struct nb_oblivious_case *here = program->here;
    const size_t m = here->topology->channel_count;
    enum nb_status status = NB_OK;
    for (size_t index = 0; index < here->pair_count; index++) {
        for (uint32_t c = 0; c < m; c++) {
            program->cell[index * m + c] = SIZE_MAX;
            if (nb_oblivious_crossing(&here->orbits, here->pair[index], c) %
                    m ==
                c)
                NB_TRY(program_add_cell(work, index, c, err));
        }
    }
done:
    return status;
}

/* The duals of every focus channel bound its load, per bandwidth, by lambda
 * or by what is given. */
static enum nb_status program_add_loads(struct program_work *work,
                                        struct nb_error *err)
{
    struct nb_oblivious_program *program = work->program;
    const struct nb_oblivious_case *here = program->here;
    const struct nb_oblivious_question *question = here->question;
    const struct nb_topology *topology = here->topology;
    const size_t e = here->orbits.e;
    const double rate = nb_ratio_value(question->rate);
    const bool is_given = question->goal == NB_LEAST_MEAN_HOPS;
    double all = 0;
    size_t load = SIZE_MAX;
    enum nb_status status = NB_OK;
    if (is_given && nb_ratio_is_infinite(question->most_load))
        return NB_OK; /* nothing bounds them */
    for (uint32_t c = 0; c < topology->channel_count; c++)
        all += nb_ratio_value(topology->channels[c].bandwidth);
    if (!is_given)
        NB_TRY(nb_linear_add_column(program->linear, all, INFINITY, 0, NULL,
                                    NULL, &load, err));
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const double bandwidth =
            nb_ratio_value(topology->channels[c].bandwidth);
        if (here->orbits.channel[c] != c)
            continue;
        for (size_t i = 0; i < 2 * e; i++) {
            const size_t side = program->side[here->orbits.side[c * 2 * e + i]];
            const double terminals =
                topology->terminals[here->orbits.endpoint[i % e]];
            if (side != SIZE_MAX)
                nb_linear_row_put(&work->row, side,
                                  i < e ? rate * terminals : terminals);
        }
        if (!is_given)
            nb_linear_row_put(&work->row, load, -bandwidth);
        nb_linear_row_tidy(&work->row);
        const double most = is_given ? bandwidth * (1 + program->slack) *
                                           nb_ratio_value(question->most_load)
                                     : 0;
        NB_TRY(nb_linear_row_add(&work->row, program->linear, NB_AT_MOST, most,
                                 NULL, err));
    }
done:
    return status;
}

static enum nb_status program_reserve(struct program_work *work,
                                      struct nb_error *err)
{
    struct nb_oblivious_program *program = work->program;
    const struct nb_oblivious_case *here = program->here;
    const size_t m = here->topology->channel_count;
    const size_t cells = here->pair_count * m;
    const size_t sides = 2 * here->orbits.e * m;
    const size_t columns = program->flow_count + sides + 1;
    const char *what = "the linear program";
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&program->cell, cells, sizeof(size_t), what, err));
    NB_TRY(nb_new(&program->side, sides, sizeof(size_t), what, err));
    for (size_t i = 0; i < sides; i++)
        program->side[i] = SIZE_MAX;
    NB_TRY(nb_linear_row_init(&work->row, columns, err));
done:
    return status;
}

enum nb_status nb_oblivious_program_build(const struct nb_oblivious_case *here,
                                          double slack,
                                          struct nb_oblivious_program *out,
                                          struct nb_error *err)
{
    struct program_work work = { .program = out };
    enum nb_status status = NB_OK;
    NB_TRY(nb_oblivious_program_build_flows(here, out, err));
    out->slack = slack;
    NB_TRY(program_reserve(&work, err));
    NB_TRY(program_add_cells(&work, err));
    NB_TRY(program_add_loads(&work, err));
done:
    nb_linear_row_release(&work.row);
    if (status != NB_OK)
        nb_oblivious_program_release(out);
    return status;
}

void nb_oblivious_program_release(struct nb_oblivious_program *program)
{
    nb_linear_release(&program->linear);
    nb_delete(program->flow);
    nb_delete(program->cell);
    nb_delete(program->side);
    *program = (struct nb_oblivious_program){ 0 };
}
