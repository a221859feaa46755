#include "edge_program.h"

#include "bounds/linear/linear.h"
#include "core/memory.h"
#include "routing/routing.h"
#include "topology/metrics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Rows: channels, load - bandwidth lambda <= 0, then nodes of each destination,
 * outflow minus inflow = what is injected. Column 0 is lambda. */
struct program {
    const struct nb_best_flow_question *question;
    struct nb_linear *linear;
    uint32_t *hops; /* [router] to the current destination */
    uint32_t *ways; /* [router] the same by the count of route tables */
    uint32_t *queue;
    uint64_t *rate; /* [router] */
};

static void program_add_channels(struct program *program)
{
    const struct nb_topology *topology = program->question->topology;
    for (uint32_t c = 0; c < topology->channel_count; c++)
        assert_int_equal(nb_linear_add_row(program->linear, NB_AT_MOST, 0, 0,
                                           NULL, NULL, NULL, NULL),
                         NB_OK);
    size_t *place = nb_new_array(topology->channel_count, sizeof *place);
    double *value = nb_new_array(topology->channel_count, sizeof *value);
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        place[c] = c;
        value[c] = -nb_ratio_value(topology->channels[c].bandwidth);
    }
    assert_int_equal(nb_linear_add_column(program->linear, 1, INFINITY,
                                          topology->channel_count, place, value,
                                          NULL, NULL),
                     NB_OK);
    nb_delete(place);
    nb_delete(value);
}

/* Whether flow to the destination may cross a channel. */
static bool program_allows(const struct program *program, uint32_t destination,
                           uint32_t channel)
{
    const struct nb_topology *topology = program->question->topology;
    const struct nb_route_table table = { .target = destination,
                                          .distance = program->ways };
    return topology->channels[channel].source != destination &&
           (program->question->path_class->paths != NB_PATHS_MINIMAL ||
            nb_is_on_the_way(topology, &table, channel));
}

/* Adds the flow of one destination over a channel in a layer. */
static void program_add_flow(struct program *program, size_t first,
                             uint32_t destination, uint32_t channel,
                             uint32_t layer)
{
    const struct nb_path_class *class = program->question->path_class;
    const struct nb_channel *c =
        &program->question->topology->channels[channel];
    const double value[3] = { 1, 1, -1 };
    uint32_t from, to;
    size_t place[3];
    if (!nb_path_class_layer(class, channel, layer, &from, &to))
        return;
    place[0] = channel;
    place[1] = first + c->source * class->state_count + from;
    place[2] = first + c->target * class->state_count + to;
    assert_int_equal(nb_linear_add_column(program->linear, 0, INFINITY,
                                          c->target == destination ? 2 : 3,
                                          place, value, NULL, NULL),
                     NB_OK);
}

static void program_add_destination(struct program *program,
                                    uint32_t destination)
{
    const struct nb_best_flow_question *question = program->question;
    const struct nb_topology *topology = question->topology;
    const struct nb_path_class *class = question->path_class;
    const size_t first = nb_linear_row_count(program->linear);
    assert_int_equal(nb_traffic_column(question->traffic, topology, destination,
                                       program->rate, NULL),
                     NB_OK);
    nb_ways_to(topology, destination, program->ways, program->queue);
    nb_distances_to(topology, destination, program->hops, program->queue);
    for (uint32_t r = 0; r < topology->router_count; r++) {
        for (uint32_t s = 0; s < class->state_count; s++) {
            const bool is_start =
                s == nb_path_class_start(class, program->hops[r]);
            const double right =
                is_start && r != destination
                    ? (double)program->rate[r] /
                          (double)question->traffic->denominator
                    : 0;
            assert_int_equal(nb_linear_add_row(program->linear, NB_EQUAL, right,
                                               0, NULL, NULL, NULL, NULL),
                             NB_OK);
        }
    }
    for (uint32_t c = 0; c < topology->channel_count; c++)
        for (uint32_t layer = 0; layer < class->layer_count; layer++)
            if (program_allows(program, destination, c))
                program_add_flow(program, first, destination, c, layer);
}

double edge_program_solve(const struct nb_best_flow_question *question)
{
    const size_t n = question->topology->router_count;
    struct program program = {
        .question = question,
        .hops = nb_new_array(n, sizeof(uint32_t)),
        .ways = nb_new_array(n, sizeof(uint32_t)),
        .queue = nb_new_array(n, sizeof(uint32_t)),
        .rate = nb_new_array(n, sizeof(uint64_t)),
    };
    enum nb_linear_end end;
    assert_int_equal(nb_linear_new(&program.linear, NULL), NB_OK);
    program_add_channels(&program);
    for (uint32_t j = 0; j < n; j++)
        program_add_destination(&program, j);
    assert_int_equal(
        nb_linear_solve(program.linear, NB_LINEAR_PRIMAL, INFINITY, &end, NULL),
        NB_OK);
    assert_int_equal(end, NB_LINEAR_OPTIMAL);
    const double lambda = nb_linear_value(program.linear, 0);
    nb_linear_release(&program.linear);
    nb_delete(program.hops);
    nb_delete(program.ways);
    nb_delete(program.queue);
    nb_delete(program.rate);
    return 1 / lambda;
}
