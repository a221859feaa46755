/* The program of a best average (declared in best_average_work.h). */
#include "bounds/optimum/best_average_work.h"

#include "core/memory.h"

#include <math.h>

static double program_bandwidth(const struct nb_average_program *program,
                                size_t channel)
{
    return nb_ratio_value(
        program->average->here.topology->channels[channel].bandwidth);
}

enum nb_status nb_average_program_build(const struct nb_average_case *average,
                                        struct nb_average_program *out,
                                        struct nb_error *err)
{
    const size_t count = average->question->count;
    const size_t m = average->here.topology->channel_count;
    const size_t cells = average->here.pair_count * m;
    const char *what = "the linear program";
    enum nb_status status = NB_OK;
    *out = (struct nb_average_program){ .average = average };
    NB_TRY(nb_oblivious_program_build_flows(&average->here, &out->flows, err));
    out->first = out->flows.flow_count;
    for (size_t x = 0; x < count; x++)
        NB_TRY(nb_linear_add_column(out->flows.linear, 1, INFINITY, 0, NULL,
                                    NULL, NULL, err));
    NB_TRY(nb_linear_row_init(&out->row, out->first + count, err));
    NB_TRY(nb_new(&out->has_row, count * m, sizeof(bool), what, err));
    NB_TRY(nb_new(&out->flow, out->first, sizeof(double), what, err));
    NB_TRY(nb_new(&out->value, cells, sizeof(double), what, err));
    NB_TRY(nb_new(&out->peak, count, sizeof(double), what, err));
    NB_TRY(nb_new(&out->worst, count * NB_AVERAGE_EACH, sizeof(uint32_t), what,
                  err));
done:
    if (status != NB_OK)
        nb_average_program_release(out);
    return status;
}

void nb_average_program_release(struct nb_average_program *program)
{
    nb_oblivious_program_release(&program->flows);
    nb_linear_row_release(&program->row);
    nb_delete(program->rows);
    nb_delete(program->has_row);
    nb_delete(program->flow);
    nb_delete(program->weight);
    nb_delete(program->value);
    nb_delete(program->peak);
    nb_delete(program->worst);
    *program = (struct nb_average_program){ 0 };
}

void nb_average_program_set_hops(struct nb_average_program *program,
                                 double part)
{
    const struct nb_oblivious_case *here = &program->average->here;
    const struct nb_topology *topology = here->topology;
    const size_t m = topology->channel_count;
    const size_t layers = here->question->class->layer_count;
    double all = 0;
    for (size_t c = 0; c < m; c++)
        all += program_bandwidth(program, c);
    part *= (double)program->average->question->count /
            (all * (double)here->orbits.terminal_count);
    for (size_t cell = 0; cell < here->pair_count * m; cell++) {
        const size_t pair = here->pair[cell / m];
        const double share =
            (double)topology->terminals[nb_oblivious_source(here, pair)] *
            topology->terminals[nb_oblivious_destination(here, pair)] *
            here->orbits.pair_size[pair] * here->alike[cell];
        for (size_t layer = 0; layer < layers; layer++) {
            const size_t flow = program->flows.flow[cell * layers + layer];
            if (flow != SIZE_MAX)
                nb_linear_set_cost(program->flows.linear, flow, part * share);
        }
    }
}

/* Room for another row and its dual. */
static enum nb_status program_reserve_row(struct nb_average_program *program,
                                          struct nb_error *err)
{
    const size_t capacity = 2 * program->row_capacity + 64;
    enum nb_status status = NB_OK;
    if (program->row_count < program->row_capacity)
        return NB_OK;
    NB_TRY(nb_grow(&program->rows, capacity, sizeof *program->rows,
                   "loads of permutations", err));
    NB_TRY(nb_grow(&program->weight, capacity, sizeof *program->weight,
                   "loads of permutations", err));
    program->row_capacity = capacity;
done:
    return status;
}

enum nb_status nb_average_program_add_row(struct nb_average_program *program,
                                          uint32_t permutation,
                                          uint32_t channel,
                                          struct nb_error *err)
{
    const struct nb_average_case *average = program->average;
    const size_t m = average->here.topology->channel_count;
    const size_t layers = average->here.question->class->layer_count;
    const double bandwidth = program_bandwidth(program, channel);
    struct nb_average_row row = { permutation, channel, 0 };
    enum nb_status status = NB_OK;
    NB_TRY(program_reserve_row(program, err));
    for (size_t t = 0; t < average->terminal_count; t++) {
        const size_t cell = nb_average_cell(average, permutation, t, channel);
        for (size_t layer = 0; layer < layers && cell != SIZE_MAX; layer++) {
            const size_t flow = program->flows.flow[cell * layers + layer];
            if (flow != SIZE_MAX)
                nb_linear_row_put(&program->row, flow, 1);
        }
    }
    nb_linear_row_put(&program->row, program->first + permutation, -bandwidth);
    nb_linear_row_tidy(&program->row);
    NB_TRY(nb_linear_row_add(&program->row, program->flows.linear, NB_AT_MOST,
                             bandwidth * nb_ratio_value(average->least),
                             &row.row, err));
    program->rows[program->row_count++] = row;
    program->has_row[permutation * m + channel] = true;
done:
    return status;
}
