/* Mistakes that a program using the library may make: objects in which nothing
 * was built, parts of different networks, numbers out of range. Each gives a
 * status with a message that says what is permitted, or a valid answer; never
 * the end of the program, so each runs in a process of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/unit.h"
#include "netbound.h"
#include "queueing/convolve.h"
#include "core/random.h"
#include "load/focus.h"
#include "topology/symmetry.h"
#include "traffic/traffic_symmetry.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLERS_SECONDS = 30 }; /* time limit of a call */

/* A network with its routing and traffic. */
struct part {
    struct nb_topology topology;
    struct nb_routing routing;
    struct nb_traffic traffic;
};

/* Networks of 16, 4 and 36 routers, one of 12 with terminals on 8 of them, and
 * one of 12 with terminals on all. */
static struct part here, smaller, larger, tree, ring;
static const struct part nothing;
static const struct nb_distribution no_law;
static struct nb_distribution queue;
static const struct nb_arrivals inputs = { .radix = 4 };

static void build(struct part *out, const char *topology, const char *traffic)
{
    assert_int_equal(nb_topology_build(topology, &out->topology, NULL), NB_OK);
    assert_int_equal(
        nb_routing_build("min", &out->topology, &out->routing, NULL), NB_OK);
    assert_int_equal(
        nb_traffic_build(traffic, &out->topology, false, &out->traffic, NULL),
        NB_OK);
}

static void release(struct part *part)
{
    nb_traffic_release(&part->traffic);
    nb_routing_release(&part->routing);
    nb_topology_release(&part->topology);
}

static struct nb_queue_load load_of(double load)
{
    return nb_load_of_value(load);
}

static int open_all(void **state)
{
    (void)state;
    gsl_set_error_handler_off();
    build(&here, "torus:4x4", "transpose");
    build(&smaller, "torus:4", "uniform");
    build(&larger, "mesh:6x6", "transpose");
    build(&tree, "fattree:k=2,n=3", "uniform");
    build(&ring, "torus:12", "neighbour");
    return nb_arrivals_law(&inputs, load_of(0.5), &queue, NULL) != NB_OK;
}

static int close_all(void **state)
{
    (void)state;
    nb_distribution_release(&queue);
    release(&here);
    release(&smaller);
    release(&larger);
    release(&tree);
    release(&ring);
    return 0;
}

/* One call, and what its message must contain. */
struct call {
    const char *name, *named;
    enum nb_status (*make)(struct nb_error *err);
};

#define CALL(function_name)                                                    \
    static enum nb_status function_name(struct nb_error *err)

/* The result of a function is released, as a caller would after a failure. */
#define ANSWER(type, call)                                                     \
    struct type out = { 0 };                                                   \
    const enum nb_status status = call;                                        \
    type##_release(&out);                                                      \
    return status

/* Networks. */
CALL(empty_routing)
{
    ANSWER(nb_routing, nb_routing_build("dor", &nothing.topology, &out, err));
}

CALL(null_routing)
{
    ANSWER(nb_routing, nb_routing_build("dor", NULL, &out, err));
}

CALL(empty_traffic)
{
    ANSWER(nb_traffic,
           nb_traffic_build("uniform", &nothing.topology, false, &out, err));
}

CALL(empty_graph)
{
    return nb_graph_write(&nothing.topology, "/nowhere/a.dot", err);
}

CALL(empty_distances)
{
    struct nb_distance_summary out;
    return nb_distance_search(&nothing.topology, &out, err);
}

CALL(empty_search)
{
    struct nb_ratio out;
    return nb_bisection_search(&nothing.topology, &out, err);
}

CALL(empty_capacity)
{
    struct nb_capacity out;
    return nb_capacity_find(&nothing.topology, NULL, &out, err);
}

CALL(empty_bisection)
{
    const struct nb_capacity capacity = { 0 };
    ANSWER(nb_bisection,
           nb_bisection_find(&nothing.topology, &capacity, NULL, &out, err));
}

CALL(empty_bracket)
{
    const struct nb_capacity capacity = { 0 };
    ANSWER(nb_bisection,
           nb_bisection_bracket(&nothing.topology, &capacity, NULL, &out, err));
}

CALL(empty_limits)
{
    ANSWER(nb_limits, nb_limits_find(&nothing.topology, 1, 2, true, &out, err));
}

CALL(empty_symmetry)
{
    ANSWER(nb_symmetry, nb_symmetry_find(&nothing.topology, NULL, &out, err));
}

CALL(empty_sides)
{
    ANSWER(nb_sides, nb_sides_find(&nothing.topology, &out, err));
}

CALL(empty_class)
{
    struct nb_path_class out;
    return nb_path_class_init(&nothing.topology, NB_PATHS_ANY, nb_ratio_one,
                              &out, err);
}

CALL(empty_class_search)
{
    const struct nb_path_class class = { 0 };
    ANSWER(nb_path_search, nb_path_search_init(&class, &out, err));
}

CALL(path_of_no_weight)
{
    ANSWER(nb_path_table, nb_path_table_add(&out, 0, 1, 0, NULL, 0, err));
}

/* Traffic of another network. */
static enum nb_status loads(const struct nb_routing *routing,
                            const struct nb_traffic *traffic,
                            struct nb_error *err)
{
    ANSWER(nb_channel_loads,
           nb_channel_loads_find(routing, traffic, NULL, &out, err));
}
CALL(loads_empty_routing)
{
    return loads(&nothing.routing, &here.traffic, err);
}

CALL(loads_empty_traffic)
{
    return loads(&here.routing, &nothing.traffic, err);
}

CALL(loads_smaller)
{
    return loads(&here.routing, &smaller.traffic, err);
}

CALL(loads_larger)
{
    return loads(&here.routing, &larger.traffic, err);
}

CALL(loads_without_terminals)
{
    return loads(&tree.routing, &ring.traffic, err);
}
static enum nb_status sums(const struct part *traffic, struct nb_error *err)
{
    struct nb_traffic_sums out;
    return nb_traffic_sums_find(&traffic->traffic, &here.topology, &out, err);
}
CALL(sums_empty)
{
    return sums(&nothing, err);
}

CALL(sums_smaller)
{
    return sums(&smaller, err);
}

CALL(sums_larger)
{
    return sums(&larger, err);
}

static enum nb_status column(const struct part *traffic, uint32_t target,
                             struct nb_error *err)
{
    uint64_t rate[16];
    return nb_traffic_column(&traffic->traffic, &here.topology, target, rate,
                             err);
}
CALL(column_empty)
{
    return column(&nothing, 0, err);
}

CALL(column_larger)
{
    return column(&larger, 20, err);
}

CALL(column_beyond)
{
    return column(&here, 16, err);
}

CALL(write_larger)
{
    return nb_traffic_write("/nowhere/a.csv", &larger.traffic, &here.topology,
                            err);
}

CALL(write_empty)
{
    return nb_traffic_write("/nowhere/a.csv", &nothing.traffic, &here.topology,
                            err);
}

static enum nb_status assign(const struct part *traffic, double factor,
                             double rate, struct nb_error *err)
{
    const struct nb_mean_delay delay = { factor, 0 };
    const struct nb_enclosure at = { { 0, 0 }, rate, rate };
    ANSWER(nb_assignment, nb_assignment_find(&here.topology, &traffic->traffic,
                                             delay, at, NULL, &out, err));
}
CALL(assign_empty)
{
    return assign(&nothing, 1, 0.1, err);
}

CALL(assign_smaller)
{
    return assign(&smaller, 1, 0.1, err);
}

CALL(assign_larger)
{
    return assign(&larger, 1, 0.1, err);
}

CALL(assign_no_delay)
{
    return assign(&here, 0, 0.1, err);
}

CALL(assign_nan)
{
    return assign(&here, 1, NAN, err);
}

CALL(assign_negative)
{
    return assign(&here, 1, -1, err);
}

CALL(assign_infinite)
{
    return assign(&here, 1, INFINITY, err);
}

/* Bounds. */
CALL(worst_empty)
{
    ANSWER(nb_worst_case,
           nb_worst_case_find(&nothing.routing, NULL, &out, err));
}

CALL(worst_check_empty)
{
    bool all;
    ANSWER(nb_worst_case,
           nb_worst_case_check(&nothing.routing, NULL, &out, &all, err));
}

CALL(unbalanced_empty)
{
    ANSWER(nb_unbalanced_case,
           nb_unbalanced_case_find(&nothing.routing, NB_OVERLOAD_MEETS, NULL,
                                   &out, err));
}

CALL(unbalanced_check_empty)
{
    bool all;
    ANSWER(nb_unbalanced_case,
           nb_unbalanced_case_check(&nothing.routing, NULL, &out, &all, err));
}

CALL(necessary_empty)
{
    ANSWER(nb_necessary_case,
           nb_necessary_case_find(&nothing.routing, NULL, &out, err));
}

CALL(necessary_check_empty)
{
    ANSWER(nb_necessary_case,
           nb_necessary_case_check(&nothing.routing, NULL, &out, err));
}

CALL(loads_of_no_channel)
{
    const uint32_t channel = 64;
    ANSWER(nb_pair_loads,
           nb_pair_loads_find(&here.routing, 1, &channel, NULL, &out, err));
}

CALL(classes_empty)
{
    ANSWER(nb_vc_classes, nb_vc_classes_build(&nothing.routing, &out, err));
}

CALL(focus_empty)
{
    ANSWER(nb_focus, nb_focus_find(&nothing.routing, &out, err));
}

static struct nb_path_class any_path(const struct part *part)
{
    struct nb_path_class class;
    assert_int_equal(nb_path_class_init(&part->topology, NB_PATHS_ANY,
                                        nb_ratio_one, &class, NULL),
                     NB_OK);
    return class;
}

static enum nb_status flow(const struct part *of_class,
                           const struct part *traffic, double gap,
                           double seconds, struct nb_error *err)
{
    const struct nb_path_class class =
        of_class != NULL ? any_path(of_class) : (struct nb_path_class){ 0 };
    const struct nb_best_flow_question question = {
        .topology = &here.topology,
        .traffic = &traffic->traffic,
        .path_class = &class,
        .gap = gap,
        .seconds = seconds,
    };
    struct nb_best_flow checked = { 0 };
    assert_int_equal(nb_best_flow_check(&question, &checked, NULL), NB_INVALID);
    nb_best_flow_release(&checked);
    ANSWER(nb_best_flow, nb_best_flow_find(&question, NULL, &out, err));
}
CALL(flow_question)
{
    const struct nb_best_flow_question question = { 0 };
    ANSWER(nb_best_flow, nb_best_flow_find(&question, NULL, &out, err));
}

CALL(flow_class)
{
    return flow(NULL, &here, 0, 1, err);
}

CALL(flow_other_class)
{
    return flow(&larger, &here, 0, 1, err);
}

CALL(flow_empty)
{
    return flow(&here, &nothing, 0, 1, err);
}

CALL(flow_smaller)
{
    return flow(&here, &smaller, 0, 1, err);
}

CALL(flow_larger)
{
    return flow(&here, &larger, 0, 1, err);
}

CALL(flow_gap)
{
    return flow(&here, &here, -1, 1, err);
}

CALL(flow_nan)
{
    return flow(&here, &here, NAN, 1, err);
}

CALL(flow_seconds)
{
    return flow(&here, &here, 0, NAN, err);
}

static enum nb_status oblivious(struct nb_oblivious_question question,
                                struct nb_error *err)
{
    const struct nb_path_class class = any_path(&here);
    struct nb_best_oblivious checked = { 0 };
    question.topology = &here.topology;
    question.path_class = &class;
    assert_int_equal(nb_best_oblivious_check(&question, &checked, NULL),
                     NB_INVALID);
    ANSWER(nb_best_oblivious,
           nb_best_oblivious_find(&question, NULL, &out, err));
}
CALL(oblivious_question)
{
    const struct nb_oblivious_question question = { 0 };
    ANSWER(nb_best_oblivious,
           nb_best_oblivious_find(&question, NULL, &out, err));
}

CALL(oblivious_symmetry)
{
    const struct nb_oblivious_question question = { 0 };
    ANSWER(nb_symmetry, nb_best_oblivious_symmetry(&question, &out, err));
}

CALL(oblivious_rate)
{
    return oblivious((struct nb_oblivious_question){ .seconds = 1 }, err);
}

CALL(oblivious_negative)
{
    return oblivious(
        (struct nb_oblivious_question){ .rate = { -1, 2 }, .seconds = 1 }, err);
}

CALL(oblivious_load)
{
    return oblivious((struct nb_oblivious_question){ .rate = { 1, 1 },
                                                     .goal = NB_LEAST_MEAN_HOPS,
                                                     .seconds = 1 },
                     err);
}

CALL(oblivious_seconds)
{
    return oblivious(
        (struct nb_oblivious_question){ .rate = { 1, 1 }, .seconds = NAN },
        err);
}

static enum nb_status average(size_t count, double seconds,
                              struct nb_error *err)
{
    const struct nb_path_class class = any_path(&here);
    const struct nb_average_question question = { &here.topology, &class, count,
                                                  1, seconds };
    struct nb_best_average checked = { 0 };
    assert_int_equal(nb_best_average_check(&question, &checked, NULL),
                     NB_INVALID);
    ANSWER(nb_best_average, nb_best_average_find(&question, NULL, &out, err));
}
CALL(average_question)
{
    const struct nb_average_question question = { 0 };
    ANSWER(nb_best_average, nb_best_average_find(&question, NULL, &out, err));
}

CALL(average_symmetry)
{
    const struct nb_average_question question = { 0 };
    ANSWER(nb_symmetry, nb_best_average_symmetry(&question, &out, err));
}

CALL(average_none)
{
    return average(0, 1, err);
}

CALL(average_many)
{
    return average(SIZE_MAX, 1, err);
}

CALL(average_nan)
{
    return average(1, NAN, err);
}

/* Queues. */
static enum nb_status arrive(struct nb_arrivals arrivals,
                             struct nb_queue_load load, struct nb_error *err)
{
    ANSWER(nb_distribution, nb_arrivals_law(&arrivals, load, &out, err));
}
CALL(law_no_arrivals)
{
    return arrive((struct nb_arrivals){ 0 }, load_of(0.5), err);
}
CALL(law_negative_radix)
{
    return arrive((struct nb_arrivals){ .radix = -3 }, load_of(0.5), err);
}
CALL(law_no_kind)
{
    return arrive(
        (struct nb_arrivals){ .kind = (enum nb_arrival_kind)9, .radix = 4 },
        load_of(0.5), err);
}

CALL(law_no_burst)
{
    return arrive((struct nb_arrivals){ .kind = NB_ARRIVE_ONOFF, .radix = 4 },
                  load_of(0.5), err);
}
CALL(law_no_load)
{
    return arrive(inputs, (struct nb_queue_load){ .rho = { 0.5, 0 } }, err);
}

CALL(law_unknown_load)
{
    return arrive(inputs, nb_load_of_ratio((struct nb_ratio){ 0, 0 }), err);
}
CALL(law_full)
{
    return arrive(inputs, load_of(1), err);
}

CALL(law_over)
{
    return arrive(inputs, load_of(2), err);
}
CALL(law_too_much)
{
    return arrive(inputs, load_of(5), err);
}
CALL(law_nan)
{
    return arrive(inputs, load_of(NAN), err);
}

CALL(law_negative)
{
    return arrive(inputs, load_of(-0.1), err);
}
CALL(law_infinite)
{
    return arrive(inputs, load_of(INFINITY), err);
}

CALL(law_poisson_full)
{
    return arrive((struct nb_arrivals){ .kind = NB_ARRIVE_POISSON }, load_of(1),
                  err);
}

CALL(law_probability)
{
    struct nb_ratio p[2] = { { 3, 2 } };
    return arrive(
        (struct nb_arrivals){ .probabilities = p, .probability_count = 2 },
        load_of(0.5), err);
}

CALL(law_of_nobody)
{
    struct nb_ratio p[2] = { { 0, 1 }, { 0, 1 } };
    return arrive(
        (struct nb_arrivals){ .probabilities = p, .probability_count = 2 },
        load_of(0.5), err);
}

CALL(single_over)
{
    ANSWER(nb_distribution, nb_distribution_single(load_of(2), &out, err));
}

CALL(single_empty)
{
    ANSWER(nb_distribution,
           nb_distribution_single((struct nb_queue_load){ 0 }, &out, err));
}
CALL(wait_empty)
{
    ANSWER(nb_distribution, nb_distribution_wait(&no_law, &out, err));
}

CALL(wait_nobody)
{
    struct nb_distribution idle;
    assert_int_equal(nb_arrivals_law(&inputs, load_of(0), &idle, NULL), NB_OK);
    struct nb_distribution out = { 0 };
    const enum nb_status status = nb_distribution_wait(&idle, &out, err);
    nb_distribution_release(&idle);
    nb_distribution_release(&out);
    return status;
}

CALL(no_inputs)
{
    ANSWER(nb_inputs, nb_inputs_bernoulli(load_of(0.5), 0, &out, err));
}

CALL(nan_inputs)
{
    ANSWER(nb_inputs, nb_inputs_bernoulli(load_of(0.5), NAN, &out, err));
}

CALL(many_inputs)
{
    ANSWER(nb_inputs, nb_inputs_bernoulli(load_of(0.5), 1e300, &out, err));
}

CALL(slotted_empty)
{
    const struct nb_inputs none = { 0 };
    ANSWER(nb_distribution, nb_slotted_law(&none, &out, err));
}

CALL(slotted_full)
{
    const struct nb_inputs poisson = nb_inputs_poisson(load_of(1));
    ANSWER(nb_distribution, nb_slotted_law(&poisson, &out, err));
}

CALL(saturated_depth)
{
    struct nb_bracket out;
    const struct nb_inputs poisson = nb_inputs_poisson(load_of(2));
    return nb_slotted_loss_saturated(&poisson, 0, &out, err);
}

CALL(saturated_not)
{
    struct nb_bracket out;
    const struct nb_inputs poisson = nb_inputs_poisson(load_of(0.5));
    return nb_slotted_loss_saturated(&poisson, 4, &out, err);
}
static enum nb_status lose(double load, int64_t depth,
                           const struct nb_distribution *distribution,
                           struct nb_error *err)
{
    struct nb_bracket loss;
    return nb_arrivals_loss(&inputs, load_of(load), depth, distribution, &loss,
                            err);
}
CALL(loss_depth)
{
    return lose(0.5, 0, &queue, err);
}

CALL(loss_depth_idle)
{
    return lose(0, 0, &queue, err);
}

CALL(loss_negative)
{
    return lose(0.5, -7, &queue, err);
}

CALL(loss_depth_over)
{
    return lose(2, 0, &queue, err);
}

CALL(loss_no_law)
{
    return lose(0.5, 4, &no_law, err);
}

CALL(loss_nan)
{
    return lose(NAN, 4, &queue, err);
}

CALL(loss_bursts)
{
    struct nb_bracket loss;
    const struct nb_arrivals bursts = { .kind = NB_ARRIVE_ONOFF,
                                        .radix = 4,
                                        .burst = { 5, 1 } };
    return nb_arrivals_loss(&bursts, load_of(0.5), 0, &queue, &loss, err);
}

static enum nb_status dimension(struct nb_arrivals arrivals, int64_t depth,
                                double overflow, struct nb_error *err)
{
    struct nb_bracket out;
    return nb_dimension_max_load(&arrivals, depth, overflow, &out, err);
}
CALL(dimension_depth)
{
    return dimension(inputs, 0, 1e-9, err);
}

CALL(dimension_negative)
{
    return dimension(inputs, -1, 1e-9, err);
}

CALL(dimension_zero)
{
    return dimension(inputs, 10, 0, err);
}

CALL(dimension_above)
{
    return dimension(inputs, 10, 2, err);
}

CALL(dimension_nan)
{
    return dimension(inputs, 10, NAN, err);
}

CALL(dimension_nobody)
{
    return dimension((struct nb_arrivals){ 0 }, 10, 1e-9, err);
}

CALL(dimension_no_burst)
{
    return dimension(
        (struct nb_arrivals){ .kind = NB_ARRIVE_ONOFF, .radix = 4 }, 10, 1e-9,
        err);
}

static enum nb_status deviate(const struct nb_distribution *distribution,
                              double n, struct nb_error *err)
{
    const struct nb_distribution_sum sum = { &distribution, 1, NULL };
    struct nb_deviation out;
    return nb_deviation_at(&sum, n, &out, err);
}
CALL(deviation_empty)
{
    return deviate(&no_law, 3, err);
}

CALL(deviation_null)
{
    return deviate(NULL, 3, err);
}

CALL(deviation_nan)
{
    return deviate(&queue, NAN, err);
}

CALL(deviation_negative)
{
    return deviate(&queue, -1, err);
}

CALL(deviation_infinite)
{
    return deviate(&queue, INFINITY, err);
}

static enum nb_status deviate_to(double overflow, struct nb_error *err)
{
    const struct nb_distribution *distribution = &queue;
    const struct nb_distribution_sum sum = { &distribution, 1, NULL };
    double out;
    return nb_deviation_depth(&sum, overflow, &out, err);
}
CALL(deviation_zero)
{
    return deviate_to(0, err);
}

CALL(deviation_nan_depth)
{
    return deviate_to(NAN, err);
}

CALL(convolve_none)
{
    ANSWER(nb_distribution, nb_distributions_convolve(NULL, 0, 5, &out, err));
}

CALL(convolve_length)
{
    const struct nb_distribution *distribution = &queue;
    ANSWER(nb_distribution,
           nb_distributions_convolve(&distribution, 1, 0, &out, err));
}

static enum nb_status delay_to(double d, struct nb_error *err)
{
    struct nb_delay_path path = { .weight = { 1, 1 } };
    struct nb_delay delay = { 1, &path };
    const enum nb_status status = nb_delay_convolve(&delay, d, err);
    nb_distribution_release(&path.sum);
    return status;
}
CALL(delay_no_hops)
{
    return delay_to(5, err);
}

CALL(delay_zero)
{
    return delay_to(0, err);
}

CALL(delay_nan)
{
    return delay_to(NAN, err);
}

CALL(delay_infinite)
{
    return delay_to(INFINITY, err);
}

CALL(delay_empty_hop)
{
    struct nb_delay_path path = { .weight = { 1, 1 } };
    struct nb_delay delay = { 1, &path };
    struct nb_deviation out;
    assert_int_equal(nb_delay_path_reserve(&path, 2, NULL), NB_OK);
    const enum nb_status status = nb_delay_deviation(&delay, 9, &out, err);
    nb_delete(path.hops);
    nb_delete(path.distributions);
    return status;
}

CALL(delay_reach)
{
    const struct nb_delay delay = { 0 };
    double every, sum;
    return nb_delay_reach(&delay, NAN, &every, &sum, err);
}

static enum nb_status reorder(const struct nb_distribution *delay,
                              struct nb_queue_load load, double least,
                              struct nb_error *err)
{
    const struct nb_reorder_source source = { .load = load };
    ANSWER(nb_reorder, nb_reorder_find(delay, &source, least, 100, &out, err));
}
CALL(reorder_empty)
{
    return reorder(&no_law, load_of(0.5), 1e-20, err);
}

CALL(reorder_no_load)
{
    return reorder(&queue, (struct nb_queue_load){ 0 }, 1e-20, err);
}

CALL(reorder_nan)
{
    return reorder(&queue, load_of(NAN), 1e-20, err);
}

CALL(reorder_over)
{
    return reorder(&queue, load_of(2), 1e-20, err);
}

CALL(reorder_least)
{
    return reorder(&queue, load_of(0.5), 0, err);
}

CALL(bound_empty)
{
    ANSWER(nb_reorder_bound,
           nb_reorder_bound_find(&no_law, load_of(0.5), &out, err));
}

CALL(bound_nan)
{
    ANSWER(nb_reorder_bound,
           nb_reorder_bound_find(&queue, load_of(NAN), &out, err));
}

static enum nb_status network_to(struct nb_reorder_network network,
                                 size_t depth, double overflow,
                                 struct nb_error *err)
{
    struct nb_bracket out;
    assert_int_equal(nb_reorder_max_load(&network, NB_REORDER_CHERNOFF, depth,
                                         overflow, &out, NULL),
                     NB_INVALID);
    return nb_reorder_max_load(&network, NB_REORDER_EXACT, depth, overflow,
                               &out, err);
}
static const struct nb_reorder_network two_hops = { &inputs, 2, NB_HOP_QUEUE };
CALL(network_empty)
{
    return network_to((struct nb_reorder_network){ 0 }, 4, 1e-3, err);
}

CALL(network_hops)
{
    return network_to((struct nb_reorder_network){ .arrivals = &inputs }, 4,
                      1e-3, err);
}

CALL(network_depth)
{
    return network_to(two_hops, 0, 1e-3, err);
}

CALL(network_deep)
{
    return network_to(two_hops, SIZE_MAX, 1e-3, err);
}

CALL(network_bursts)
{
    const struct nb_arrivals bursts = { .kind = NB_ARRIVE_ONOFF,
                                        .radix = 4,
                                        .burst = { 5, 1 } };
    const struct nb_reorder_network network = { &bursts, 2, NB_HOP_QUEUE };
    struct nb_bracket out;
    return nb_reorder_max_load(&network, NB_REORDER_CHERNOFF, 4, 1e-3, &out,
                               err);
}

CALL(network_zero)
{
    return network_to(two_hops, 4, 0, err);
}

CALL(network_nan)
{
    return network_to(two_hops, 4, NAN, err);
}

CALL(probability_depth)
{
    struct nb_bracket out;
    return nb_reorder_probability(&two_hops, NB_REORDER_EXACT, load_of(0.5), 0,
                                  &out, err);
}

CALL(probability_nan)
{
    struct nb_bracket out;
    return nb_reorder_probability(&two_hops, NB_REORDER_EXACT, load_of(NAN), 4,
                                  &out, err);
}

CALL(probability_empty)
{
    struct nb_bracket out;
    const struct nb_reorder_network none = { 0 };
    return nb_reorder_probability(&none, NB_REORDER_EXACT, load_of(0.5), 4,
                                  &out, err);
}

CALL(delay_least)
{
    ANSWER(nb_distribution,
           nb_reorder_delay(&two_hops, load_of(0.5), 0, &out, err));
}

CALL(delay_full)
{
    ANSWER(nb_distribution,
           nb_reorder_delay(&two_hops, load_of(1), 1e-9, &out, err));
}

/* Simulation. */
static struct nb_simulation plan(void)
{
    return (struct nb_simulation){
        .topology = &here.topology,
        .routing = &here.routing,
        .traffic = &here.traffic,
        .injection = { .rate = 0.1, .flits = 1 },
        .replications = 1,
        .cycles = 1000,
        .packet_limit = 1000,
        .pair_source = NB_NONE,
    };
}

static enum nb_status simulate(struct nb_simulation request,
                               struct nb_error *err)
{
    ANSWER(nb_simulation_result, nb_simulate(&request, NULL, &out, err));
}

CALL(simulate_nothing)
{
    return simulate((struct nb_simulation){ 0 }, err);
}

CALL(simulate_topology)
{
    struct nb_simulation request = plan();
    request.topology = &nothing.topology;
    return simulate(request, err);
}
CALL(simulate_routing)
{
    struct nb_simulation request = plan();
    request.routing = &nothing.routing;
    return simulate(request, err);
}

CALL(simulate_traffic)
{
    struct nb_simulation request = plan();
    request.traffic = &nothing.traffic;
    return simulate(request, err);
}
CALL(simulate_null)
{
    struct nb_simulation request = plan();
    request.traffic = NULL;
    return simulate(request, err);
}
CALL(simulate_smaller)
{
    struct nb_simulation request = plan();
    request.traffic = &smaller.traffic;
    return simulate(request, err);
}

CALL(simulate_larger)
{
    struct nb_simulation request = plan();
    request.traffic = &larger.traffic;
    return simulate(request, err);
}
CALL(simulate_route_larger)
{
    struct nb_simulation request = plan();
    request.routing = &larger.routing;
    return simulate(request, err);
}
CALL(simulate_route_smaller)
{
    struct nb_simulation request = plan();
    request.routing = &smaller.routing;
    return simulate(request, err);
}

CALL(simulate_nan)
{
    struct nb_simulation request = plan();
    request.injection.rate = NAN;
    return simulate(request, err);
}
CALL(simulate_negative)
{
    struct nb_simulation request = plan();
    request.injection.rate = -1;
    return simulate(request, err);
}
CALL(simulate_no_flits)
{
    struct nb_simulation request = plan();
    request.injection.flits = 0;
    return simulate(request, err);
}
CALL(simulate_no_replications)
{
    struct nb_simulation request = plan();
    request.replications = 0;
    return simulate(request, err);
}

CALL(simulate_no_cycles)
{
    struct nb_simulation request = plan();
    request.cycles = 0;
    return simulate(request, err);
}
CALL(simulate_for_ever)
{
    struct nb_simulation request = plan();
    request.cycles = UINT64_MAX;
    return simulate(request, err);
}
CALL(simulate_precision)
{
    struct nb_simulation request = plan();
    request.precision = NAN;
    return simulate(request, err);
}

CALL(simulate_no_packets)
{
    struct nb_simulation request = plan();
    request.packet_limit = 0;
    return simulate(request, err);
}
CALL(simulate_pair)
{
    struct nb_simulation request = plan();
    request.pair_source = 0;
    request.pair_target = 16;
    return simulate(request, err);
}

CALL(simulate_no_burst)
{
    struct nb_simulation request = plan();
    request.injection.kind = NB_INJECT_ONOFF;
    return simulate(request, err);
}

CALL(simulate_no_batch)
{
    struct nb_simulation request = plan();
    request.injection.kind = NB_INJECT_BATCH;
    return simulate(request, err);
}

CALL(simulate_no_trace)
{
    struct nb_simulation request = plan();
    request.injection.kind = NB_INJECT_TRACE;
    return simulate(request, err);
}

CALL(simulate_no_buffers)
{
    struct nb_simulation request = plan();
    request.router.model = NB_ROUTER_CREDIT;
    return simulate(request, err);
}
static struct nb_trace_packet packets[] = { { 5, 0, 1, 1 }, { 3, 0, 1, 1 } };
CALL(simulate_disorder)
{
    struct nb_simulation request = plan();
    const struct nb_trace trace = { 2, packets };
    request.injection.kind = NB_INJECT_TRACE;
    request.injection.trace = &trace;
    return simulate(request, err);
}

static struct nb_trace_packet afar[] = { { 5, 0, 99, 1 } };
CALL(simulate_far)
{
    struct nb_simulation request = plan();
    const struct nb_trace trace = { 1, afar };
    request.injection.kind = NB_INJECT_TRACE;
    request.injection.trace = &trace;
    return simulate(request, err);
}

/* Numbers as text. */
static enum nb_status unit(const char *text, const char *base,
                           struct nb_error *err)
{
    struct nb_ratio out;
    bool uses_clock = false;
    return nb_unit_read(text, base, nb_ratio_one, &out, &uses_clock, err);
}
CALL(unit_base)
{
    return unit("15ns", "furlongs", err);
}

CALL(unit_none)
{
    return unit("15", "furlongs", err);
}

CALL(unit_unknown)
{
    return unit("15furlongs", "ns", err);
}

static const struct call calls[] = {
    { "routing on an empty network", "0 routers", empty_routing },
    { "routing on no network", "0 routers", null_routing },
    { "traffic on an empty network", "0 routers", empty_traffic },
    { "file of an empty network", "0 routers", empty_graph },
    { "distances of an empty network", "0 routers", empty_distances },
    { "divisions of an empty network", "0 routers", empty_search },
    { "capacity of an empty network", "0 routers", empty_capacity },
    { "bisection of an empty network", "0 routers", empty_bisection },
    { "its bracket", "0 routers", empty_bracket },
    { "limits of an empty network", "0 routers", empty_limits },
    { "symmetry of an empty network", "0 routers", empty_symmetry },
    { "sides of an empty network", "0 routers", empty_sides },
    { "paths of an empty network", "0 routers", empty_class },
    { "search in an empty class", "0 routers", empty_class_search },
    { "path of weight 0", "weight 0", path_of_no_weight },

    { "loads of an empty routing", "without a scheme", loads_empty_routing },
    { "loads of an empty traffic", "0 routers", loads_empty_traffic },
    { "loads of a smaller traffic", "4 routers on", loads_smaller },
    { "loads of a larger traffic", "36 routers on", loads_larger },
    { "loads from routers without terminals", "without terminals",
      loads_without_terminals },
    { "sums of an empty traffic", "0 routers", sums_empty },
    { "sums of a smaller traffic", "4 routers on", sums_smaller },
    { "sums of a larger traffic", "36 routers on", sums_larger },
    { "column of an empty traffic", "0 routers", column_empty },
    { "column of a larger traffic", "36 routers", column_larger },
    { "column of router 16 of 16", "router 16", column_beyond },
    { "file of a larger traffic", "36 routers on", write_larger },
    { "file of an empty traffic", "0 routers", write_empty },
    { "assignment of an empty traffic", "0 routers", assign_empty },
    { "assignment of a smaller traffic", "4 routers on", assign_smaller },
    { "assignment of a larger traffic", "36 routers on", assign_larger },
    { "assignment without delays", "factor 0", assign_no_delay },
    { "assignment at NaN", "nan", assign_nan },
    { "assignment at -1", "-1", assign_negative },
    { "assignment at infinity", "inf", assign_infinite },

    { "worst case of an empty routing", "without a scheme", worst_empty },
    { "its check", "without a scheme", worst_check_empty },
    { "unbalanced case of an empty routing", "without a scheme",
      unbalanced_empty },
    { "its check", "without a scheme", unbalanced_check_empty },
    { "necessary case of an empty routing", "without a scheme",
      necessary_empty },
    { "its check", "without a scheme", necessary_check_empty },
    { "pair loads of channel 64 of 64", "channel 64", loads_of_no_channel },
    { "virtual channels of an empty routing", "without a scheme",
      classes_empty },
    { "focus channels of an empty routing", "without a scheme", focus_empty },
    { "flow of an empty question", "0 routers", flow_question },
    { "flow in an empty class", "0 layers", flow_class },
    { "flow in another network's class", "another network", flow_other_class },
    { "flow of an empty traffic", "0 routers", flow_empty },
    { "flow of a smaller traffic", "4 routers on", flow_smaller },
    { "flow of a larger traffic", "36 routers on", flow_larger },
    { "flow to a gap of -1", "-1", flow_gap },
    { "flow to a gap of NaN", "nan", flow_nan },
    { "flow in NaN seconds", "nan", flow_seconds },
    { "oblivious routing of an empty question", "0 routers",
      oblivious_question },
    { "its symmetry", "0 routers", oblivious_symmetry },
    { "oblivious routing at an unknown rate", "rate", oblivious_rate },
    { "oblivious routing at -1/2", "-0.5", oblivious_negative },
    { "oblivious routing at an unknown load", "load", oblivious_load },
    { "oblivious routing in NaN seconds", "nan", oblivious_seconds },
    { "average routing of an empty question", "permutations",
      average_question },
    { "its symmetry", "0 routers", average_symmetry },
    { "average over 0 permutations", "0 permutations", average_none },
    { "average over 2^64 - 1 permutations", "permutations", average_many },
    { "average in NaN seconds", "nan", average_nan },

    { "distribution of empty arrivals", "0 inputs", law_no_arrivals },
    { "distribution of -3 inputs", "-3 inputs", law_negative_radix },
    { "distribution of an unknown kind", "kind 9", law_no_kind },
    { "distribution of unknown bursts", "bursts", law_no_burst },
    { "distribution at a load without idle", "idle", law_no_load },
    { "distribution at an unknown load", "nan", law_unknown_load },
    { "distribution at 1", "load 1", law_full },
    { "distribution at 2", "load 2", law_over },
    { "distribution at 5 of 4 inputs", "load 5", law_too_much },
    { "distribution at NaN", "nan", law_nan },
    { "distribution at -0.1", "-0.1", law_negative },
    { "distribution at infinity", "inf", law_infinite },
    { "distribution of Poisson arrivals at 1", "load 1", law_poisson_full },
    { "distribution of an input of 3/2", "probability 1.5", law_probability },
    { "distribution of inputs that never send", "never send", law_of_nobody },
    { "distribution of a single input at 2", "load 2", single_over },
    { "distribution of an empty load", "idle", single_empty },
    { "wait in an empty distribution", "0 masses", wait_empty },
    { "wait where nothing arrives", "empty with probability 1", wait_nobody },
    { "0 inputs", "0 inputs", no_inputs },
    { "NaN inputs", "nan inputs", nan_inputs },
    { "1e300 inputs", "1e+300", many_inputs },
    { "slotted distribution of empty inputs", "idle", slotted_empty },
    { "slotted distribution at 1", "load 1", slotted_full },
    { "saturated loss at depth 0", "depth 0", saturated_depth },
    { "saturated loss at 0.5", "not saturated", saturated_not },
    { "loss at depth 0", "depth 0", loss_depth },
    { "loss at depth 0 and load 0", "depth 0", loss_depth_idle },
    { "loss at depth -7", "depth -7", loss_negative },
    { "loss at depth 0 and load 2", "depth 0", loss_depth_over },
    { "loss without a distribution", "0 masses", loss_no_law },
    { "loss at NaN", "nan", loss_nan },
    { "loss of bursts at depth 0", "depth 0", loss_bursts },
    { "largest load at depth 0", "depth 0", dimension_depth },
    { "largest load at depth -1", "depth -1", dimension_negative },
    { "largest load at overflow 0", "overflow 0", dimension_zero },
    { "largest load at overflow 2", "overflow 2", dimension_above },
    { "largest load at overflow NaN", "overflow nan", dimension_nan },
    { "largest load of empty arrivals", "0 inputs", dimension_nobody },
    { "largest load of unknown bursts", "bursts", dimension_no_burst },
    { "deviation of an empty distribution", "0 masses", deviation_empty },
    { "deviation of no distribution", "0 masses", deviation_null },
    { "deviation at NaN", "nan", deviation_nan },
    { "deviation at -1", "-1", deviation_negative },
    { "deviation at infinity", "inf", deviation_infinite },
    { "deviation to 0", "overflow 0", deviation_zero },
    { "deviation to NaN", "overflow nan", deviation_nan_depth },
    { "sum of 0 delays", "0 delays", convolve_none },
    { "sum up to 0", "up to 0", convolve_length },
    { "delay of a path of 0 hops", "0 delays", delay_no_hops },
    { "delay up to 0", "0 cycles", delay_zero },
    { "delay up to NaN", "nan", delay_nan },
    { "delay up to infinity", "inf", delay_infinite },
    { "delay over hops that are not set", "0 masses", delay_empty_hop },
    { "reach of NaN", "overflow nan", delay_reach },
    { "reorder buffer of an empty distribution", "0 masses", reorder_empty },
    { "reorder buffer of an empty load", "idle", reorder_no_load },
    { "reorder buffer at NaN", "nan", reorder_nan },
    { "reorder buffer at 2", "load 2", reorder_over },
    { "reorder buffer from 0 on", "from 0 on", reorder_least },
    { "reorder bound of an empty distribution", "0 masses", bound_empty },
    { "reorder bound at NaN", "nan", bound_nan },
    { "reorder load of an empty network", "no arrivals", network_empty },
    { "reorder load over 0 hops", "0 hops", network_hops },
    { "reorder load at depth 0", "depth 0", network_depth },
    { "reorder load at depth 2^64 - 1", "depth 18446744073709551615",
      network_deep },
    { "reorder bound of bursts", "bursty", network_bursts },
    { "reorder load at overflow 0", "overflow 0", network_zero },
    { "reorder load at overflow NaN", "overflow nan", network_nan },
    { "reorder probability at depth 0", "depth 0", probability_depth },
    { "reorder probability at NaN", "nan", probability_nan },
    { "reorder probability of an empty network", "no arrivals",
      probability_empty },
    { "reorder delay cut at 0", "0 is left", delay_least },
    { "reorder delay at load 1", "load 1", delay_full },

    { "simulation of an empty plan", "0 routers", simulate_nothing },
    { "simulation of an empty network", "0 routers", simulate_topology },
    { "simulation of an empty routing", "without a scheme", simulate_routing },
    { "simulation of an empty traffic", "0 routers", simulate_traffic },
    { "simulation of no traffic", "0 routers", simulate_null },
    { "simulation of a smaller traffic", "4 routers on", simulate_smaller },
    { "simulation of a larger traffic", "36 routers on", simulate_larger },
    { "simulation of a larger network's routing", "another network",
      simulate_route_larger },
    { "simulation of a smaller network's routing", "another network",
      simulate_route_smaller },
    { "simulation at NaN", "nan", simulate_nan },
    { "simulation at -1", "-1", simulate_negative },
    { "simulation of 0 flits", "0 flits", simulate_no_flits },
    { "simulation of 0 replications", "0 replications",
      simulate_no_replications },
    { "simulation of 0 cycles", "0 cycles", simulate_no_cycles },
    { "simulation of 2^64 - 1 cycles", "18446744073709551615",
      simulate_for_ever },
    { "simulation to NaN", "precision nan", simulate_precision },
    { "simulation of 0 packets", "0 packets", simulate_no_packets },
    { "simulation of a pair with router 16", "router 16", simulate_pair },
    { "simulation of bursts of 0", "bursts of 0", simulate_no_burst },
    { "simulation of a batch of 0", "batches of 0", simulate_no_batch },
    { "simulation of no trace", "trace", simulate_no_trace },
    { "simulation without buffers", "buffer 0", simulate_no_buffers },
    { "simulation of a trace in disorder", "packet 1", simulate_disorder },
    { "simulation of a trace of terminal 99", "99", simulate_far },

    { "unit of an unknown base", "furlongs", unit_base },
    { "number of an unknown base", "furlongs", unit_none },
    { "unknown unit", "furlongs", unit_unknown },
};

/* Runs in a process of its own; its output describes the failure. */
static bool survives(const struct call *call)
{
    const pid_t child = fork();
    if (child == 0) {
        static const int fatal[] = { SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL };
        struct nb_error err = { 0 };
        /* cmocka's handlers would continue with the tests in this process. */
        for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
            signal(fatal[i], SIG_DFL);
        alarm(CALLERS_SECONDS);
        const enum nb_status status = call->make(&err);
        const bool is_right = status == NB_INVALID && err.status == status &&
                              strstr(err.message, call->named) != NULL &&
                              (strstr(err.message, "(permitted: ") != NULL ||
                               strstr(err.message, "(see: ") != NULL);
        if (!is_right)
            print_error("%s: status %d, \"%s\" (wanted: \"%s\")\n", call->name,
                        (int)status, err.message, call->named);
        _exit(is_right ? 0 : 1);
    }
    int status = 0;
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    if (WIFSIGNALED(status))
        print_error("%s: signal %d\n", call->name, WTERMSIG(status));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void refuses_what_is_not_permitted(void **state)
{
    (void)state;
    size_t failed = 0;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        failed += !survives(&calls[i]);
    if (failed > 0)
        fail_msg("%zu of %zu calls", failed, sizeof calls / sizeof *calls);
}

static void is_bracket(struct nb_bracket found, double lower, double upper)
{
    if (!(found.lower == lower && found.upper == upper))
        fail_msg("[%g, %g], not [%g, %g]", found.lower, found.upper, lower,
                 upper);
}

/* Always true of a distribution about which nothing is known. */
static void says_what_is_known_of_empty_laws(void **state)
{
    (void)state;
    const struct nb_reorder reorder = { 0 };
    const struct nb_reorder_bound bound = { 0 };
    assert_true(isnan(nb_distribution_mass(&no_law, 3)));
    assert_true(isnan(nb_distribution_tail(&no_law, 3)));
    is_bracket(nb_distribution_tail_bracket(&no_law, 3), 0, 1);
    is_bracket(nb_distribution_depth(&no_law, 0.1), 0, INFINITY);
    is_bracket(nb_distribution_mean(&no_law), 0, INFINITY);
    is_bracket(nb_distribution_variance(&no_law), 0, INFINITY);
    is_bracket(nb_slotted_loss(&no_law, load_of(0.5), 4), 0, 1);
    is_bracket(nb_reorder_tail(&reorder, 3), 0, 1);
    is_bracket(nb_reorder_depth(&reorder, 0.1), 0, INFINITY);
    is_bracket(nb_reorder_bound_tail(&bound, 3), 0, 1);
    assert_true(isinf(nb_reorder_bound_depth(&bound, 0.1).upper));
}

static void says_what_is_known_out_of_range(void **state)
{
    (void)state;
    is_bracket(nb_distribution_tail_bracket(&queue, -1), 1, 1);
    is_bracket(nb_distribution_tail_bracket(&queue, NAN), 0, 1);
    assert_true(nb_distribution_mass(&queue, -1) == 0 &&
                nb_distribution_tail(&queue, -1) == 1);
    is_bracket(nb_distribution_depth(&queue, 0), 0, INFINITY);
    is_bracket(nb_distribution_depth(&queue, -1), 0, INFINITY);
    is_bracket(nb_distribution_depth(&queue, NAN), 0, INFINITY);
    is_bracket(nb_slotted_loss(&queue, load_of(0.5), 0), 0, 1);
    is_bracket(nb_slotted_loss(&queue, load_of(1), 4), 0, 1);
    is_bracket(nb_slotted_loss(&queue, load_of(0), 4), 0, 0);
    assert_true(isnan(nb_delay_batch(0).factor));
    assert_true(isnan(nb_latency_total(&larger.traffic, &here.topology).lower));
    assert_true(
        isnan(nb_queue_at(&(struct nb_queue){ 0 }, (struct nb_bracket){ 1, 1 })
                  .utilisation.upper));
}

/* Beyond its length, a truncated distribution has only an upper bound: the
 * probability left. */
static void says_what_is_known_of_cut_laws(void **state)
{
    (void)state;
    const struct nb_distribution *distribution = &queue;
    struct nb_distribution cut;
    assert_int_equal(nb_distributions_convolve(&distribution, 1, 5, &cut, NULL),
                     NB_OK);
    const double last = nb_distribution_tail_bracket(&cut, 5).upper;
    assert_true(last > 0 && last < 0.1);
    is_bracket(nb_distribution_tail_bracket(&cut, 1e6), 0, last);
    is_bracket(nb_distribution_tail_bracket(&cut, INFINITY), 0, last);
    assert_true(isnan(nb_distribution_tail(&cut, 6)));
    is_bracket(nb_distribution_depth(&cut, last / 2), 5, INFINITY);
    is_bracket(nb_distribution_mean(&cut), 0, INFINITY);
    nb_distribution_release(&cut);
}

static void says_what_is_known_of_delays(void **state)
{
    (void)state;
    const struct nb_delay_path path = { .weight = { 1, 1 } };
    const struct nb_delay_path none = { 0 };
    const struct nb_delay delay = { 0 };
    struct nb_deviation out;
    is_bracket(nb_delay_path_tail(&path, 3), 0, 1);
    is_bracket(nb_delay_path_tail(&path, NAN), 0, 1);
    is_bracket(nb_delay_quantile(&delay, &path, 0.1, INFINITY), 0, INFINITY);
    assert_true(isnan(nb_delay_quantile(&delay, &none, 0.1, 4).lower));
    assert_int_equal(nb_delay_deviation(&delay, 3, &out, NULL), NB_OK);
    assert_true(out.chernoff == 0);
}

static void finds_nothing_where_there_is_nothing(void **state)
{
    (void)state;
    struct nb_dragonfly dragonfly;
    struct nb_random random;
    uint32_t distance[16], order[16];
    struct nb_text text = { 0 };
    const struct nb_specification empty = { 0 };
    assert_false(nb_topology_is_regular(&nothing.topology));
    assert_false(nb_dragonfly_find(&nothing.topology, &dragonfly));
    assert_false(nb_channel_is_global(&here.topology, 64));
    assert_null(nb_router_name(&here.topology, 16));
    assert_true(nb_traffic_demand(&here.traffic, 0, 16) == 0);
    nb_distances_to(&here.topology, 16, distance, order);
    assert_int_equal(distance[0], NB_NONE);
    nb_random_init(&random, 1, 2);
    assert_true(nb_random_below(&random, 0) == 0);
    assert_string_equal(nb_specification_text(&empty, "radix"), "");
    assert_int_equal(nb_specification_whole(&here.topology.specification, "no"),
                     0);
    assert_false(nb_ratio_is_known(
        nb_specification_ratio(&here.topology.specification, "no")));
    nb_specification_print(&empty, &text);
    assert_int_equal(text.length, 0);
    const struct nb_simulation trace = {
        .injection = { .kind = NB_INJECT_TRACE },
    };
    assert_int_equal(nb_most_flits(&trace), 1);
}

/* A claim made for another network is refuted, not followed. */
static void refutes_claims_of_other_networks(void **state)
{
    (void)state;
    struct nb_worst_case worst = { 0 };
    struct nb_unbalanced_case unbalanced = { 0 };
    bool all;
    assert_int_equal(nb_worst_case_find(&larger.routing, NULL, &worst, NULL),
                     NB_OK);
    assert_int_equal(
        nb_worst_case_check(&here.routing, NULL, &worst, &all, NULL),
        NB_REFUTED);
    worst.sides.count = 4;
    assert_int_equal(
        nb_worst_case_check(&larger.routing, NULL, &worst, &all, NULL),
        NB_REFUTED);
    assert_int_equal(
        nb_unbalanced_case_check(&here.routing, NULL, &unbalanced, &all, NULL),
        NB_REFUTED);
    nb_worst_case_release(&worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_what_is_not_permitted),
        cmocka_unit_test(says_what_is_known_of_empty_laws),
        cmocka_unit_test(says_what_is_known_out_of_range),
        cmocka_unit_test(says_what_is_known_of_cut_laws),
        cmocka_unit_test(says_what_is_known_of_delays),
        cmocka_unit_test(finds_nothing_where_there_is_nothing),
        cmocka_unit_test(refutes_claims_of_other_networks),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
