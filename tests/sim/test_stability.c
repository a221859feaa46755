/* Verdicts on networks with hand-made counts, exactly at the limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "sim/summary.h"
#include "support/simulation.h"

#include <gsl/gsl_errno.h>
#include <math.h>

enum { BATCHES = 32, LENGTH = 100 };

/* What Student's t of 31 degrees of freedom exceeds with probability 1e-4; with
 * half of it, for either length of batches; with 1e-4 / 2 / 2 / 8, half of it
 * for one of a ring's 8 channels, of either sign; and the same for one of its 4
 * routers. By numerical integration of its density. */
#define T_ONE    4.215503
#define T_FLAT   4.460989
#define T_QUEUE  5.430441
#define T_SOURCE 5.188777

/* Must stay in place: the plan points to the rest. */
struct judged {
    struct simulation s;
    struct nb_simulation_result result;
};

static void judged_open(struct judged *j, const char *example, bool is_credit)
{
    simulation_open(&j->s, example, "uniform", 0.5);
    if (is_credit)
        j->s.plan.router.model = NB_ROUTER_CREDIT;
    j->s.plan.cycles = BATCHES * LENGTH;
    simulation_start(&j->s);
    struct nb_measure *measure = &j->s.network.measure;
    measure->start = BATCHES * LENGTH;
    nb_delete(measure->batch);
    assert_int_equal(nb_new(&measure->batch, BATCHES, sizeof *measure->batch,
                            "batches", NULL),
                     NB_OK);
    measure->batch_capacity = measure->batch_count = BATCHES;
    measure->batch_length = LENGTH;
    for (size_t b = 0; b < BATCHES; b++) {
        measure->batch[b].births = 1;
        measure->batch[b].offered = 50 * 4;
    }
    for (size_t r = 0; r < measure->router_count; r++)
        measure->from[r].sum = 50 * BATCHES;
}

static void judged_close(struct judged *j)
{
    simulation_close(&j->s);
}

static enum nb_stability judge(struct judged *j)
{
    nb_summary_judge(&j->s.network, 1, &j->result);
    assert_non_null(j->result.evidence);
    return j->result.stability;
}

/* A count with this mean per batch, and a half-width of t standard errors: half
 * of the batches have more by d, half less, so that s^2 = 32 d^2 / 31 and the
 * half-width is t d / sqrt(31). */
static struct nb_tally tally(double mean, double half_width, double t)
{
    const double d = half_width * sqrt(BATCHES - 1) / t;
    return (struct nb_tally){ .sum = BATCHES * mean,
                              .square = BATCHES * (mean * mean + d * d) };
}

/* Certainly idle only if the whole interval is below the bandwidth. */
static void test_idle(void **state)
{
    struct judged j = { 0 };
    (void)state;
    judged_open(&j, "dor@ring:4", false);
    struct nb_tally *come = j.s.network.measure.come;
    assert_int_equal(judge(&j), NB_STABLE);
    come[5] = tally(0.9 * LENGTH, 0.0999 * LENGTH, T_ONE);
    assert_int_equal(judge(&j), NB_STABLE);
    assert_true(j.result.carried == 1);
    come[5] = tally(0.9 * LENGTH, 0.1001 * LENGTH, T_ONE);
    assert_int_equal(judge(&j), NB_UNDECIDED);
    come[5] = tally(1.0001 * LENGTH, 0, T_ONE);
    assert_int_equal(judge(&j), NB_UNDECIDED);
    judged_close(&j);
}

/* A queue certainly grows only if its whole interval is above 0, as one of 8
 * tests, of either sign. */
static void test_queue(void **state)
{
    struct judged j = { 0 };
    (void)state;
    judged_open(&j, "dor@ring:4", false);
    struct nb_tally *depth = j.s.network.measure.depth;
    depth[3] = tally(2, 1.999, T_QUEUE);
    assert_int_equal(judge(&j), NB_SATURATED);
    depth[3] = tally(2, 2.001, T_QUEUE);
    assert_int_equal(judge(&j), NB_STABLE);
    depth[3] = tally(0.49, 0, T_QUEUE); /* 15.7 packets are too few */
    assert_int_equal(judge(&j), NB_STABLE);
    depth[3] = tally(0.51, 0, T_QUEUE);
    assert_int_equal(judge(&j), NB_SATURATED);
    judged_close(&j);
}

/* A network is certainly flat only if the whole interval of what is under way
 * is below 0.3 % of what is offered, and that of each router's below 2 % of
 * what it sends: 2 flits per cycle and 0.5. */
static void test_flat(void **state)
{
    static const char *const examples[] = { "dor@ring:4", "min-adaptive@ring:4",
                                            "dor@ring:4" };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct judged j = { 0 };
        judged_open(&j, examples[i], true);
        struct nb_measure *measure = &j.s.network.measure;
        assert_int_equal(judge(&j), NB_STABLE);
        measure->total = tally(0.001 * 200, 0.00199 * 200, T_FLAT);
        assert_int_equal(judge(&j), NB_STABLE);
        assert_true(j.result.carried == 1 - 0.003);
        measure->total = tally(0.001 * 200, 0.00201 * 200, T_FLAT);
        assert_int_equal(judge(&j), NB_UNDECIDED);
        measure->total = tally(0, 0, T_FLAT);
        measure->load[1] = tally(0.01 * 50, 0.0099 * 50, T_FLAT);
        assert_int_equal(judge(&j), NB_STABLE);
        measure->load[1] = tally(0.01 * 50, 0.0101 * 50, T_FLAT);
        assert_int_equal(judge(&j), NB_UNDECIDED);
        measure->load[1] = tally(0, 0, T_FLAT);
        /* A channel that is never idle matters only if packets have no other
         * path. */
        measure->come[5] = tally(LENGTH, 0, T_ONE);
        assert_int_equal(judge(&j), i == 0 ? NB_UNDECIDED : NB_STABLE);
        judged_close(&j);
    }
}

/* A single source certainly grows by the same test as a queue. */
static void test_source(void **state)
{
    struct judged j = { 0 };
    (void)state;
    judged_open(&j, "dor@ring:4", true);
    struct nb_tally *wait = j.s.network.measure.wait;
    wait[3] = tally(2, 1.999, T_SOURCE);
    assert_int_equal(judge(&j), NB_SATURATED);
    wait[3] = tally(2, 2.001, T_SOURCE);
    assert_int_equal(judge(&j), NB_STABLE);
    judged_close(&j);
}

/* All that waits together, with a backlog that started at cycle 0: from there,
 * as the warm-up is as long as the measurement. */
static enum nb_stability judge_backlog(struct judged *j,
                                       double (*backlog)(double), double noise)
{
    struct nb_measure *measure = &j->s.network.measure;
    const bool is_ideal = j->s.plan.router.model == NB_ROUTER_IDEAL;
    for (size_t b = 0; b < BATCHES; b++) {
        const double more = backlog((double)(BATCHES + b + 1)) -
                            backlog((double)(BATCHES + b)) +
                            (b % 2 == 0 ? noise : -noise);
        measure->batch[b].waiting = is_ideal ? 0 : more;
        measure->batch[b].growth = is_ideal ? more : 0;
    }
    return judge(j);
}

static double line(double t)
{
    return 10 * t;
}
static double root(double t)
{
    return 1000 * sqrt(t);
}
static double settling(double t)
{
    return 4000 * (1 - exp(-t / 40));
}
static double late(double t) /* at rest in the end */
{
    return t < 48 ? 10 * t : 480;
}
static double early(double t) /* at rest until then */
{
    return t < 48 ? 0 : 10 * t;
}

/* Saturated only if the backlog grows faster than by the square root of time,
 * over half of the time and over all of it. */
static void test_backlog(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct judged j = { 0 };
        judged_open(&j, "dor@ring:4", i == 0);
        assert_int_equal(judge_backlog(&j, line, 0.1), NB_SATURATED);
        assert_int_equal(judge_backlog(&j, root, 0.1), NB_STABLE);
        assert_int_equal(judge_backlog(&j, settling, 0.1), NB_STABLE);
        assert_int_equal(judge_backlog(&j, late, 0.1), NB_STABLE);
        assert_int_equal(judge_backlog(&j, early, 0.1), NB_STABLE);
        /* Over half of the time 8 batches of 10 are 80 (1 - k) = 7.7 more than
         * by a square root, k = (sqrt 48 - sqrt 40) / (sqrt 40 - sqrt 32), to
         * be compared with 8.783 sqrt(8 (8/7) (1 + k^2)) = 35.8 times the
         * noise: t of 7 degrees at 1e-4 / 2 / 2. Over all of it there is
         * more. */
        assert_int_equal(judge_backlog(&j, line, 0.213), NB_SATURATED);
        assert_int_equal(judge_backlog(&j, line, 0.215), NB_STABLE);
        judged_close(&j);
    }
}

/* Every batch must see a time without packets, and 16 must see some packets. */
static void test_empty(void **state)
{
    struct judged j = { 0 };
    (void)state;
    judged_open(&j, "dor@ring:4", true);
    struct nb_measure *measure = &j.s.network.measure;
    measure->total = tally(0, 1000, T_ONE); /* not certainly flat */
    for (size_t b = 0; b < BATCHES; b++)
        measure->batch[b].empty = 1;
    assert_int_equal(judge(&j), NB_STABLE);
    assert_true(j.result.carried == 1);
    measure->batch[17].empty = 0;
    assert_int_equal(judge(&j), NB_UNDECIDED);
    measure->batch[17].empty = 1;
    for (size_t b = 0; b < BATCHES; b++)
        measure->batch[b].births = (double)(b % 2);
    assert_int_equal(judge(&j), NB_STABLE);
    measure->batch[31].births = 0; /* 15 with any are too few */
    assert_int_equal(judge(&j), NB_UNDECIDED);
    judged_close(&j);
}

/* Sources whose packets have all left them in every sixteenth of the time are
 * stable if certainly no more is under way in the later half: by 0.3 % of 1600
 * packets in half of the time. */
static void test_relieved(void **state)
{
    struct judged j = { 0 };
    (void)state;
    judged_open(&j, "dor@ring:4", true);
    struct nb_measure *measure = &j.s.network.measure;
    measure->total = tally(0, 1000, T_ONE); /* not certainly flat */
    for (size_t b = 0; b < BATCHES; b++)
        measure->batch[b].births = 50;
    for (size_t r = 0; r < measure->router_count; r++)
        measure->presence[r] = (struct nb_presence){ 0, 1, 16, true };
    assert_int_equal(judge(&j), NB_STABLE);
    assert_true(j.result.carried == 1 - 0.003);
    measure->presence[2].longest = 2; /* of 32 batches */
    assert_int_equal(judge(&j), NB_UNDECIDED);
    measure->presence[2] = (struct nb_presence){ 0, 1, 15, true };
    assert_int_equal(judge(&j), NB_UNDECIDED);
    measure->presence[2].seen = 16;
    for (size_t b = 0; b < BATCHES; b++)
        measure->batch[b].in_flight = (b < BATCHES / 2 ? 5 : 7.39) * LENGTH;
    assert_int_equal(judge(&j), NB_STABLE);
    for (size_t b = 0; b < BATCHES; b++)
        measure->batch[b].in_flight = (b < BATCHES / 2 ? 5 : 7.41) * LENGTH;
    assert_int_equal(judge(&j), NB_UNDECIDED);
    /* Of either half 8 batches more and 8 less by d: a standard error of d
     * sqrt(2 / 15), times 4.234 for 30 degrees of freedom. */
    for (size_t b = 0; b < BATCHES; b++)
        measure->batch[b].in_flight = (b % 2 == 0 ? 6 : 3) * LENGTH;
    assert_int_equal(judge(&j), NB_STABLE);
    for (size_t b = 0; b < BATCHES; b++)
        measure->batch[b].in_flight = (b % 2 == 0 ? 6.2 : 3) * LENGTH;
    assert_int_equal(judge(&j), NB_UNDECIDED);
    measure->come[5] = tally(LENGTH, 0, T_ONE); /* never idle */
    for (size_t b = 0; b < BATCHES; b++)
        measure->batch[b].in_flight = 0;
    assert_int_equal(judge(&j), NB_UNDECIDED);
    judged_close(&j);
}

/* Packets of every source arrive in all batches, and leave it in all; on a ring
 * beyond saturation they arrive, and wait at all times. */
static void test_presence(void **state)
{
    (void)state;
    static const double rates[] = { 0.2, 0.9 };
    for (size_t i = 0; i < 2; i++) {
        struct simulation s;
        simulation_open(&s, "dor@ring:8", "tornado", rates[i]);
        s.plan.router.model = NB_ROUTER_CREDIT;
        simulation_start(&s);
        struct nb_measure *measure = &s.network.measure;
        for (int cycle = 0; cycle < 10 * LENGTH; cycle++)
            simulation_cycle(&s);
        measure->start = UINT64_MAX; /* that was its warm-up */
        measure->batch_capacity = 0;
        assert_int_equal(
            nb_measure_begin(&s.network, BATCHES * LENGTH, BATCHES, NULL),
            NB_OK);
        for (int cycle = 0; cycle < BATCHES * LENGTH; cycle++)
            simulation_cycle(&s);
        assert_int_equal(measure->batch_count, BATCHES);
        for (size_t r = 0; r < measure->router_count; r++)
            SIMULATION_CHECK(
                measure->presence[r].seen == BATCHES &&
                    measure->presence[r].longest == (i == 0 ? 0 : BATCHES),
                "rate %g, router %zu: seen %zu, longest %zu", rates[i], r,
                measure->presence[r].seen, measure->presence[r].longest);
        simulation_close(&s);
    }
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_idle),     cmocka_unit_test(test_queue),
        cmocka_unit_test(test_flat),     cmocka_unit_test(test_source),
        cmocka_unit_test(test_backlog),  cmocka_unit_test(test_empty),
        cmocka_unit_test(test_relieved), cmocka_unit_test(test_presence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
