#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "plain_average.h"

#include "bounds/linear/linear.h"
#include "core/memory.h"
#include "core/random.h"
#include "topology/metrics.h"

#include <math.h>

/* Columns: [(source * n + destination) * m + channel] flow, then
 * [permutation] g. */
struct program {
    const struct nb_average_question *question;
    struct nb_linear *linear;
    size_t n, m;
    uint32_t *distance; /* [router] to the current destination */
    uint32_t *queue;
    uint32_t *router; /* [terminal] */
    uint32_t *image;  /* [terminal] */
    size_t *place;
    double *value;
};

static void program_add_row(struct program *program, enum nb_linear_sense sense,
                            double right, size_t count)
{
    assert_int_equal(nb_linear_add_row(program->linear, sense, right, count,
                                       program->place, program->value, NULL,
                                       NULL),
                     NB_OK);
}

/* Outflow minus inflow of each router, except the destination; flow that is not
 * permitted is held at 0. */
static void program_add_pair(struct program *program, uint32_t source,
                             uint32_t destination)
{
    const struct nb_topology *topology = program->question->topology;
    const size_t first = (source * program->n + destination) * program->m;
    const bool is_minimal =
        program->question->path_class->paths == NB_PATHS_MINIMAL;
    for (size_t c = 0; c < program->m; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        const bool is_off =
            is_minimal && program->distance[channel->source] !=
                              program->distance[channel->target] + 1;
        if (is_off || channel->source == destination)
            nb_linear_set_most(program->linear, first + c, 0);
    }
    for (uint32_t r = 0; r < program->n; r++) {
        size_t count = 0;
        for (size_t c = 0; c < program->m; c++) {
            const struct nb_channel *channel = &topology->channels[c];
            if (channel->source != r && channel->target != r)
                continue;
            program->place[count] = first + c;
            program->value[count++] = channel->source == r ? 1 : -1;
        }
        if (r != destination)
            program_add_row(program, NB_EQUAL, r == source, count);
    }
}

/* Loads of one permutation below bandwidth g, and its least g. */
static void program_add_permutation(struct program *program, size_t x)
{
    const struct nb_average_question *question = program->question;
    const struct nb_topology *topology = question->topology;
    const size_t g = program->n * program->n * program->m + x;
    struct nb_random random;
    nb_random_init(&random, question->seed, x);
    nb_random_permutation(&random, (uint32_t)topology->terminal_count,
                          program->image);
    for (size_t c = 0; c < program->m; c++) {
        double *times = nb_new_array(program->n * program->n, sizeof *times);
        size_t count = 0;
        for (size_t t = 0; t < topology->terminal_count; t++) {
            const uint32_t from = program->router[t];
            const uint32_t to = program->router[program->image[t]];
            times[from * program->n + to] += from != to;
        }
        for (size_t p = 0; p < program->n * program->n; p++) {
            if (times[p] == 0)
                continue;
            program->place[count] = p * program->m + c;
            program->value[count++] = times[p];
        }
        program->place[count] = g;
        program->value[count++] =
            -nb_ratio_value(topology->channels[c].bandwidth);
        program_add_row(program, NB_AT_MOST, 0, count);
        nb_delete(times);
    }
    program->place[0] = g;
    program->value[0] = -1;
    program_add_row(
        program, NB_AT_MOST,
        -1 / nb_ratio_value(nb_terminal_limit(topology, nb_ratio_one)), 1);
}

static void program_build(struct program *program)
{
    const struct nb_average_question *question = program->question;
    const struct nb_topology *topology = question->topology;
    const size_t flows = program->n * program->n * program->m;
    size_t t = 0;
    for (uint32_t r = 0; r < program->n; r++)
        for (uint32_t k = 0; k < topology->terminals[r]; k++)
            program->router[t++] = r;
    for (size_t i = 0; i < flows + question->count; i++)
        assert_int_equal(nb_linear_add_column(program->linear, i >= flows,
                                              INFINITY, 0, NULL, NULL, NULL,
                                              NULL),
                         NB_OK);
    for (uint32_t j = 0; j < program->n; j++) {
        nb_distances_to(topology, j, program->distance, program->queue);
        for (uint32_t i = 0; i < program->n; i++)
            if (i != j && topology->terminals[i] > 0 &&
                topology->terminals[j] > 0)
                program_add_pair(program, i, j);
    }
    for (size_t x = 0; x < question->count; x++)
        program_add_permutation(program, x);
}

double plain_average_load(const struct nb_average_question *question)
{
    const struct nb_topology *topology = question->topology;
    const size_t n = topology->router_count, m = topology->channel_count;
    struct program program = {
        .question = question,
        .n = n,
        .m = m,
        .distance = nb_new_array(n, sizeof(uint32_t)),
        .queue = nb_new_array(n, sizeof(uint32_t)),
        .router = nb_new_array(topology->terminal_count, sizeof(uint32_t)),
        .image = nb_new_array(topology->terminal_count, sizeof(uint32_t)),
        .place = nb_new_array(n * n + m, sizeof(size_t)),
        .value = nb_new_array(n * n + m, sizeof(double)),
    };
    enum nb_linear_end end;
    assert_int_equal(nb_linear_new(&program.linear, NULL), NB_OK);
    program_build(&program);
    assert_int_equal(
        nb_linear_solve(program.linear, NB_LINEAR_DUAL, INFINITY, &end, NULL),
        NB_OK);
    assert_int_equal(end, NB_LINEAR_OPTIMAL);
    const double sum = nb_linear_objective(program.linear);
    nb_linear_release(&program.linear);
    nb_delete(program.distance);
    nb_delete(program.queue);
    nb_delete(program.router);
    nb_delete(program.image);
    nb_delete(program.place);
    nb_delete(program.value);
    return sum / (double)question->count;
}
