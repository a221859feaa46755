/* Sources as planned: seeds, batches, traces; and refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "support/sources_case.h"

#include <math.h>
#include <string.h>

/* Rows of 1, 1/4, 0 and 1. */
#define DEMANDS "file:data/traffic/ring4-demands.csv@ring:4"

static void seeds_decide_all(void **state)
{
    (void)state;
    for (int kind = NB_INJECT_BERNOULLI; kind <= NB_INJECT_ONOFF; kind++) {
        struct sources_case c[3];
        size_t different = 0;
        for (int i = 0; i < 3; i++) {
            sources_case_open(
                &c[i], "uniform@dragonfly:h=2",
                (struct nb_injection){ .kind = (enum nb_injection_kind)kind,
                                       .rate = 0.4,
                                       .burst = 3,
                                       .flits = 5 });
            sources_case_must_start(&c[i], i == 2 ? 8 : 7);
        }
        for (int cycle = 0; cycle < 200; cycle++) {
            const struct nb_birth *births[3];
            size_t count[3];
            for (int i = 0; i < 3; i++)
                count[i] = sources_case_draw(&c[i], &births[i]);
            assert_int_equal(count[0], count[1]);
            assert_memory_equal(births[0], births[1],
                                count[0] * sizeof **births);
            different += count[0] != count[2];
            for (size_t b = 0; b < count[0]; b++)
                assert_int_equal(births[0][b].flits, 5);
        }
        assert_true(different > 100);
        for (int i = 0; i < 3; i++)
            sources_case_close(&c[i]);
    }
}

static void batches_are_sent_at_once(void **state)
{
    (void)state;
    struct sources_case c;
    const struct nb_birth *births;
    sources_case_open(&c, DEMANDS,
                      (struct nb_injection){
                          .kind = NB_INJECT_BATCH, .batch = 3, .flits = 2 });
    sources_case_must_start(&c, 6);
    assert_false(nb_sources_are_done(&c.sources));
    assert_int_equal(sources_case_draw(&c, &births), 9);
    uint32_t count[4] = { 0 };
    for (size_t b = 0; b < 9; b++) {
        count[births[b].source]++;
        /* One of each terminal, then another of each. */
        assert_int_equal(count[births[b].source], b / 3 + 1);
    }
    assert_int_equal(count[2], 0);
    assert_true(nb_sources_are_done(&c.sources));
    assert_int_equal(c.sources.sent, 9);
    assert_int_equal(sources_case_draw(&c, &births), 0);
    sources_case_close(&c);
}

static void traces_are_replayed(void **state)
{
    (void)state;
    struct nb_trace_packet packets[] = {
        { 1, 3, 0, 1 }, { 1, 0, 0, 9 }, { 1, 3, 0, 2 }, { 4, 2, 1, 4096 }
    };
    const struct nb_trace trace = { 4, packets };
    struct sources_case c;
    sources_case_open(
        &c, "uniform@ring:4",
        (struct nb_injection){ .kind = NB_INJECT_TRACE, .trace = &trace });
    sources_case_must_start(&c, 1);
    size_t sent = 0;
    for (uint64_t cycle = 0; cycle < 6; cycle++) {
        const struct nb_birth *births;
        const size_t born = sources_case_draw(&c, &births);
        assert_int_equal(born, cycle == 1 ? 3 : cycle == 4 ? 1 : 0);
        for (size_t b = 0; b < born; b++, sent++) {
            assert_int_equal(births[b].source, packets[sent].source);
            assert_int_equal(births[b].target, packets[sent].target);
            assert_int_equal(births[b].flits, packets[sent].flits);
        }
        assert_int_equal(nb_sources_are_done(&c.sources), cycle >= 4);
    }
    assert_int_equal(c.sources.sent, 4);
    sources_case_close(&c);
}

static void impossible_injections_are_refused(void **state)
{
    (void)state;
    static const struct {
        struct nb_injection injection;
        const char *reason;
    } rows[] = {
        { { NB_INJECT_BERNOULLI, .rate = -0.5, .flits = 1 },
          "rate -0.5 is not permitted (permitted: 0 to 1000 packets per "
          "cycle)" },
        { { NB_INJECT_BERNOULLI, .rate = NAN, .flits = 1 }, "rate nan" },
        { { NB_INJECT_POISSON, .rate = INFINITY, .flits = 1 }, "rate inf" },
        { { NB_INJECT_POISSON, .rate = 1001, .flits = 1 }, "rate 1001 is" },
        { { NB_INJECT_ONOFF, .rate = 0.1, .burst = 0.5, .flits = 1 },
          "bursts of 0.5 packets are not permitted (permitted: 1 to "
          "100000000)" },
        { { NB_INJECT_ONOFF, .rate = 0.1, .burst = NAN, .flits = 1 },
          "bursts of nan" },
        { { NB_INJECT_ONOFF, .rate = 0.875, .burst = 3, .flits = 1 },
          "rate 0.875 is not permitted with bursts of 3 packets (permitted: 0 "
          "to 0.75, since" },
        { { NB_INJECT_BATCH, .batch = 0, .flits = 1 }, "batches of 0" },
        { { NB_INJECT_BERNOULLI, .rate = 0.5, .flits = 0 },
          "packets of 0 flits are not permitted (permitted: 1 to 4096)" },
        { { NB_INJECT_BERNOULLI, .rate = 0.5, .flits = 4097 }, "4097 flits" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sources_case c;
        struct nb_error err = { 0 };
        sources_case_open(&c, "uniform@ring:4", rows[i].injection);
        assert_int_equal(sources_case_start(&c, 1, &err), NB_INVALID);
        if (strstr(err.message, rows[i].reason) == NULL)
            fail_msg("row %zu: \"%s\"", i, err.message);
        sources_case_close(&c);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void failing_memory_is_survived(void **state)
{
    (void)state;
    for (int kind = NB_INJECT_BERNOULLI; kind <= NB_INJECT_BATCH; kind++) {
        struct nb_trace_packet packet = { 0, 0, 1, 1 };
        const struct nb_trace trace = { 1, &packet };
        struct sources_case c;
        sources_case_open(
            &c, DEMANDS,
            (struct nb_injection){ .kind = (enum nb_injection_kind)kind,
                                   .rate = kind == NB_INJECT_POISSON ? 9 : 0.5,
                                   .burst = 2,
                                   .batch = 2,
                                   .flits = 1,
                                   .trace = &trace });
        const long before = nb_memory_live_blocks();
        enum nb_status status = NB_NO_MEMORY;
        for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
            const struct nb_birth *births;
            size_t count;
            nb_memory_allow(allowed);
            status = sources_case_start(&c, 3, NULL);
            if (status == NB_OK)
                status = nb_sources_draw(&c.sources, 0, &c.random, &births,
                                         &count, NULL);
            nb_memory_allow(-1);
            nb_sources_release(&c.sources);
            assert_int_equal(nb_memory_live_blocks(), before);
        }
        assert_int_equal(status, NB_OK);
        sources_case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seeds_decide_all),
        cmocka_unit_test(batches_are_sent_at_once),
        cmocka_unit_test(traces_are_replayed),
        cmocka_unit_test(impossible_injections_are_refused),
        cmocka_unit_test(failing_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
