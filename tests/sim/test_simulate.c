/* Simulations as a whole: they repeat, end, and give back memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/deal.h"
#include "core/memory.h"
#include "support/scratch.h"
#include "support/simulation.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A plan in which everything is counted. */
static void open_whole(struct simulation *s)
{
    simulation_open(s, "rlb@torus:4x4", "tornado", 0.35);
    s->plan.replications = 5;
    s->plan.cycles = 1000;
    s->plan.warm_up = NB_WARM_UP_FOUND;
    s->plan.injection.flits = 2;
    s->plan.injection.rate = 0.17;
    s->plan.has_depths = s->plan.has_reorder = true;
    s->plan.window = 100;
    s->plan.precision = 0.01;
    s->plan.most_cycles = 8000;
}

static void test_repeats(void **state)
{
    struct simulation s;
    struct nb_simulation_result first, other;
    (void)state;
    open_whole(&s);
    simulation_run_on(&s, 1, &first);
    assert_true(first.packets > 1000 && first.reorder.total > 0 &&
                first.class_count == 1 && first.window_count == 10);
    for (int threads = 1; threads <= 3; threads++) {
        simulation_run_on(&s, threads, &other);
        assert_true(simulation_same(&first, &other, s.topology.router_count));
        nb_simulation_result_release(&other);
    }
    s.plan.seed = 2;
    simulation_run_on(&s, 1, &other);
    assert_true(other.latency.mean != first.latency.mean &&
                other.accepted.mean != first.accepted.mean);
    nb_simulation_result_release(&other);
    nb_simulation_result_release(&first);
    simulation_close(&s);
}

static void test_precision(void **state)
{
    struct nb_simulation_result result;
    struct simulation s;
    (void)state;
    simulation_open(&s, "dor@torus:4x4", "uniform", 0.8);
    s.plan.replications = 2;
    s.plan.cycles = 320;
    s.plan.precision = 0.005;
    s.plan.most_cycles = 100000;
    simulation_run(&s, &result);
    /* Latencies known after the drain may show a little less. */
    assert_true(result.cycles > 2 * 320 && result.cycles < 200000 &&
                result.latency.half_width < 0.006 * result.latency.mean);
    nb_simulation_result_release(&result);
    s.plan.precision = 1e-6;
    s.plan.most_cycles = 1300;
    simulation_run(&s, &result);
    assert_int_equal(result.cycles, 2 * 1280);
    nb_simulation_result_release(&result);
    simulation_close(&s);
}

/* Cycles from the first one on; only the latencies of one pair. */
static void test_series_and_pair(void **state)
{
    static const struct nb_trace_packet packets[] = {
        { 0, 0, 1, 2 }, { 3, 0, 2, 1 }, { 3, 1, 1, 1 }, { 12, 0, 2, 1 }
    };
    struct nb_simulation_result result;
    struct simulation s;
    (void)state;
    simulation_open(&s, "dor@mesh:4", "uniform", 0);
    simulation_set_trace(&s, packets, 4);
    s.plan.cycles = 20;
    s.plan.window = 5;
    s.plan.pair_source = 0;
    s.plan.pair_target = 2;
    simulation_run(&s, &result);
    assert_true(result.latency.mean == 2 && result.latencies.total == 2 &&
                result.packets == 4 && result.completion == 14);
    assert_int_equal(result.window_count, 4);
    /* flits / 4 terminals / 5 cycles: 2 at cycle 2, 1 at 3, 1 at 5, 1 at 14 */
    assert_true(result.series[0].accepted.mean == 3.0 / 5 / 4 &&
                result.series[1].accepted.mean == 1.0 / 5 / 4 &&
                result.series[2].accepted.mean == 1.0 / 5 / 4 &&
                result.series[3].accepted.mean == 0);
    nb_simulation_result_release(&result);
    simulation_close(&s);
}

static void check_window(const struct nb_window *window, double accepted,
                         double latency)
{
    assert_true(window->accepted.mean == accepted &&
                window->latency.mean == latency && window->minimal.mean == 1);
}

/* If the limit of packets under way ends the run, only the windows that were
 * run. */
static void test_series_end_where_it_is_full(void **state)
{
    struct nb_simulation_result result;
    struct simulation s;
    (void)state;
    simulation_open(&s, "dor@ring:8", "tornado", 1);
    s.plan.packet_limit = 1000;
    s.plan.warm_up = 0;
    s.plan.cycles = 3200;
    s.plan.window = 10;
    s.plan.is_drained = false;
    simulation_run(&s, &result);
    const uint64_t run = result.cycles / s.plan.replications;
    assert_true(result.is_full && result.stability == NB_SATURATED);
    assert_true(run < s.plan.cycles && result.window_count == run / 10);
    for (size_t w = 1; w < result.window_count; w++)
        assert_true(result.series[w].accepted.mean > 0.1);
    nb_simulation_result_release(&result);
    simulation_close(&s);
}

/* From cycle 10 after the warm-up each of 8 terminals sends a packet per cycle
 * to its neighbour, except at cycle 20, when it sends one over three hops. */
static void test_steps(void **state)
{
    struct nb_traffic neighbour = { 0 };
    struct nb_simulation_result result;
    struct nb_error err = { 0 };
    struct simulation s;
    (void)state;
    simulation_open(&s, "dor@ring:8", "tornado", 0);
    assert_int_equal(
        nb_traffic_build("neighbour", &s.topology, false, &neighbour, &err),
        NB_OK);
    struct nb_step steps[] = {
        { 10, s.plan.injection, &neighbour },
        { 20, s.plan.injection, s.plan.traffic },
        { 21, s.plan.injection, &neighbour },
    };
    steps[0].injection.rate = steps[1].injection.rate = 1;
    s.plan.warm_up = 7;
    s.plan.replications = 2;
    s.plan.cycles = 32;
    s.plan.window = 10;
    s.plan.steps = steps;
    s.plan.step_count = 3;
    simulation_run(&s, &result);
    assert_true(result.stability == NB_UNDECIDED && isnan(result.least.value) &&
                result.window_count == 3 && result.packets == 2 * 8 * 11);
    assert_true(result.series[0].accepted.mean == 0 &&
                isnan(result.series[0].latency.mean) &&
                isnan(result.series[0].minimal.mean));
    check_window(&result.series[1], 9.0 / 10, 1);
    check_window(&result.series[2], 2.0 / 10, (1 + 3) / 2.0);
    nb_simulation_result_release(&result);
    steps[1].cycle = 10;
    assert_int_equal(nb_simulation_check(&s.plan, &err), NB_INVALID);
    assert_non_null(strstr(err.message, "permitted: 11 to 31"));
    steps[1].cycle = 20;
    steps[1].injection.flits = 2;
    assert_int_equal(nb_simulation_check(&s.plan, &err), NB_INVALID);
    nb_traffic_release(&neighbour);
    simulation_close(&s);
}

static void test_age_limit(void **state)
{
    struct nb_simulation_result result;
    struct simulation s;
    struct nb_error err = { 0 };
    (void)state;
    simulation_open(&s, "dor@ring:8", "tornado", 1);
    s.plan.age_limit = 500;
    assert_int_equal(nb_simulate(&s.plan, NULL, &result, &err), NB_INVALID);
    assert_non_null(strstr(err.message, "500"));
    assert_null(result.utilisation);
    s.plan.injection.rate = 0.1;
    simulation_run(&s, &result);
    nb_simulation_result_release(&result);
    s.plan.age_limit = 2; /* of three hops: the first one that arrives */
    err = (struct nb_error){ 0 };
    assert_int_equal(nb_simulate(&s.plan, NULL, &result, &err), NB_INVALID);
    assert_non_null(strstr(err.message, "for 3 cycles"));
    simulation_close(&s);
}

static void test_refusals(void **state)
{
    struct simulation s;
    struct nb_error err = { 0 };
    struct nb_simulation_result result;
    (void)state;
    simulation_open(&s, "dor@ring:8", "tornado", NAN);
    assert_int_equal(nb_simulate(&s.plan, NULL, &result, &err), NB_INVALID);
    assert_non_null(strstr(err.message, "nan"));
    s.plan.injection.rate = 0.5;
    s.plan.injection.flits = 5000;
    err = (struct nb_error){ 0 };
    assert_int_equal(nb_simulate(&s.plan, NULL, &result, &err), NB_INVALID);
    assert_non_null(strstr(err.message, "5000"));
    simulation_close(&s);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Makes every allocation fail in turn. */
static void fail_memory(struct simulation *s)
{
    const struct nb_run one_thread = { .threads = 1 };
    const long before = nb_memory_live_blocks();
    enum nb_status status = NB_NO_MEMORY;
    long allowed = 0;
    for (; status == NB_NO_MEMORY; allowed++) {
        struct nb_simulation_result result;
        nb_memory_allow(allowed);
        status = nb_simulate(&s->plan, &one_thread, &result, NULL);
        nb_memory_allow(-1);
        if (status == NB_OK)
            nb_simulation_result_release(&result);
        SIMULATION_CHECK(nb_memory_live_blocks() == before,
                         "%s: %ld allocations allowed: %ld blocks are left",
                         s->name, allowed, nb_memory_live_blocks() - before);
    }
    assert_int_equal(status, NB_OK);
    assert_true(allowed > 50);
}

static void test_failing_memory(void **state)
{
    struct simulation s;
    (void)state;
    for (int model = 0; model < 2; model++) {
        simulation_open(&s, "min@torus:3x3,bandwidth=2", "uniform", 0.3);
        s.plan.router.model = (enum nb_router_model)model;
        s.plan.injection.kind = NB_INJECT_POISSON;
        s.plan.replications = 2;
        s.plan.cycles = 64;
        s.plan.warm_up = 10;
        s.plan.packet_limit = 1 << 10;
        s.plan.has_depths = s.plan.has_reorder = true;
        s.plan.window = 8;
        fail_memory(&s);
        simulation_close(&s);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* What progress reported. */
struct answer {
    size_t calls, done, total;
};

static void tell(void *context, const char *what, size_t done, size_t total)
{
    struct answer *answer = context;
    assert_string_equal(what, "cycles");
    assert_true(done <= total && (done == 0 || done >= answer->done));
    assert_true(answer->calls > 0 || done == 0);
    answer->calls++;
    answer->done = done;
    answer->total = total;
}

/* Also during a warm-up, which takes most of these cycles; what is foreseen is
 * what is simulated, also for a network that fills. */
static void test_progress(void **state)
{
    static const double rates[] = { 0.1, 3 };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct answer answer = { 0 };
        const struct nb_run run = { .threads = 1,
                                    .progress = tell,
                                    .progress_context = &answer };
        struct nb_simulation_result result;
        struct simulation s;
        simulation_open(&s, "dor@ring:4", "uniform", rates[i]);
        s.plan.warm_up = NB_WARM_UP_FOUND;
        s.plan.cycles = 10240;
        s.plan.replications = 1;
        s.plan.is_drained = false;
        assert_int_equal(nb_simulate(&s.plan, &run, &result, NULL), NB_OK);
        assert_true(answer.calls >= 11 && answer.done >= 11 * 1024);
        assert_true(answer.total >= 10240 + 2048 &&
                    answer.total - answer.done < 2 * 1024);
        nb_simulation_result_release(&result);
        simulation_close(&s);
    }
}

struct beside {
    const struct simulation *s;
    struct nb_run run;
    int inside; /* calls that would overlap if they were not serialised */
    bool is_broken;
};

static void report_slowly(void *context, const char *what, size_t done,
                          size_t total)
{
    struct beside *beside = context;
    (void)what;
    (void)done;
    (void)total;
    beside->is_broken |= beside->inside++ > 0;
    usleep(100);
    beside->inside--;
}

static enum nb_status simulate_beside(void *context, int thread, size_t index,
                                      struct nb_error *err)
{
    const struct beside *beside = context;
    struct nb_simulation_result result;
    (void)thread;
    (void)index;
    const enum nb_status status =
        nb_simulate(&beside->s->plan, &beside->run, &result, err);
    nb_simulation_result_release(&result);
    return status;
}

/* Parallel simulations report progress one at a time. */
static void test_progress_beside(void **state)
{
    struct simulation s;
    struct beside beside = { .s = &s };
    (void)state;
    beside.run = (struct nb_run){ .threads = 4,
                                  .progress = report_slowly,
                                  .progress_context = &beside };
    simulation_open(&s, "dor@ring:4", "uniform", 0.1);
    s.plan.cycles = 10240;
    assert_int_equal(
        nb_run_tasks(&beside.run, "test", 4, simulate_beside, &beside, NULL),
        NB_OK);
    assert_false(beside.is_broken);
    simulation_close(&s);
}

/* The plan once more, with what is kept of it in a file. */
static enum nb_status simulate_kept(const struct simulation *s,
                                    const char *path, int threads,
                                    struct nb_simulation_result *out)
{
    struct nb_text question = { 0 };
    struct nb_deal deal = { 0 };
    const struct nb_run run = { .threads = threads, .deal = &deal };
    nb_text_print(&question, "%s", s->name);
    assert_int_equal(nb_deal_open(&deal, path, "p", &question, NULL), NB_OK);
    const enum nb_status status = nb_simulate(&s->plan, &run, out, NULL);
    nb_deal_close(&deal);
    nb_text_release(&question);
    return status;
}

/* Whatever part of the file is lost, the result is the same. */
static void go_on(struct simulation *s, const char *path)
{
    static const int parts[] = { 100, 97, 80, 60, 45, 30, 20, 10, 3 };
    struct nb_simulation_result whole, other;
    struct stat file;
    simulation_run(s, &whole);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (i > 0) {
            assert_int_equal(stat(path, &file), 0);
            assert_int_equal(truncate(path, file.st_size * parts[i] / 100), 0);
        }
        const int threads = 1 + (int)(i % 3);
        assert_int_equal(simulate_kept(s, path, threads, &other), NB_OK);
        SIMULATION_CHECK(
            simulation_same(&whole, &other, s->topology.router_count),
            "%s: with %d %% of the file", s->name, parts[i]);
        nb_simulation_result_release(&other);
    }
    nb_simulation_result_release(&whole);
}

/* Any part of a simulation may have been done by an earlier run, for any router
 * and any measured time, phase by phase. */
static void test_goes_on(void **state)
{
    char path[NB_SCRATCH_PATH];
    struct simulation s;
    (void)state;
    nb_scratch_name("torus", path);
    open_whole(&s);
    go_on(&s, path);
    s.plan.injection.rate = 1; /* saturated: it fills as it warms up */
    s.plan.packet_limit = 1 << 10;
    nb_scratch_name("full", path);
    go_on(&s, path);
    simulation_close(&s);
    nb_scratch_name("levelled", path);
    simulation_open(&s, "min@butterfly:k=2,n=3", "uniform", 0.3);
    s.plan.router.model = NB_ROUTER_VIRTUAL;
    s.plan.router.buffer = 2;
    s.plan.router.arbitration = NB_IN_TURN;
    s.plan.virtual_router =
        (struct nb_virtual){ .networks = 4, .round = { 8, 1 }, .small = 1 };
    s.plan.cycles = 960;
    s.plan.replications = 2;
    go_on(&s, path);
    simulation_close(&s);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Kept data that cannot belong to this plan is refused, not read. */
static void test_refuses_bytes(void **state)
{
    struct nb_text bytes = { 0 };
    struct simulation s;
    (void)state;
    simulation_open(&s, "dor@ring:4", "uniform", 0.3);
    simulation_start(&s);
    for (int c = 0; c < 100; c++)
        simulation_cycle(&s);
    nb_network_pack(&s.network, &bytes);
    for (size_t length = 0; length <= bytes.length; length++) {
        struct nb_packed in = nb_packed_of(bytes.bytes, length);
        struct nb_network network = { 0 };
        enum nb_status status =
            nb_network_unpack(&s.plan, &s.flows, &in, &network, NULL);
        if (status == NB_OK)
            status = nb_packed_check(&in, NULL);
        assert_int_equal(status, length < bytes.length ? NB_INVALID : NB_OK);
        nb_network_release(&network);
        length += length > 600 && length + 700 < bytes.length ? 96 : 0;
    }
    nb_text_release(&bytes);
    simulation_close(&s);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_precision),
        cmocka_unit_test(test_series_and_pair),
        cmocka_unit_test(test_series_end_where_it_is_full),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_age_limit),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_failing_memory),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_progress_beside),
        cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_refuses_bytes),
    };
    return cmocka_run_group_tests(tests, nb_scratch_setup, nb_scratch_teardown);
}
