/* The classes of queue depths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/simulation.h"

/* Queues of each class; NULL ends the names. */
static void check_classes(const char *example, const char *const *names,
                          const size_t *queues)
{
    struct simulation s;
    size_t seen[8] = { 0 };
    simulation_open(&s, example, "uniform", 0);
    const size_t count = nb_queue_class_count(&s.topology);
    for (size_t q = 0; q < nb_queue_count(&s.topology); q++)
        seen[nb_queue_class(&s.topology, q)]++;
    for (size_t c = 0; c < count; c++) {
        char name[32];
        nb_queue_class_name(&s.topology, c, name);
        assert_non_null(names[c]);
        assert_string_equal(name, names[c]);
        assert_int_equal(seen[c], queues[c]);
    }
    assert_null(names[count]);
    simulation_close(&s);
}

static void test_classes(void **state)
{
    static const char *const hops[] = { "hop 1", "hop 2", "hop 3",
                                        "hop 4", "hop 5", NULL };
    static const char *const groups[] = { "local", "global", "to terminals",
                                          NULL };
    static const char *const one[] = { "channels", NULL };
    (void)state;
    check_classes("rrr@fattree:k=2,n=3", hops, (size_t[]){ 8, 8, 8, 8, 8 });
    /* 9 groups of 4 routers, every two joined by a channel in each direction */
    check_classes("min@dragonfly:h=2", groups, (size_t[]){ 9 * 12, 9 * 8, 72 });
    check_classes("dor@torus:4x4", one, (size_t[]){ 64 });
}

/* The hops of a fat tree are numbered as a packet makes them. */
static void test_classes_of_a_route(void **state)
{
    static const struct nb_trace_packet packet = { 0, 1, 6, 1 };
    struct simulation s;
    (void)state;
    simulation_open(&s, "rcar@fattree:k=2,n=3", "uniform", 0);
    simulation_set_trace(&s, &packet, 1);
    simulation_start(&s);
    for (size_t hop = 0; hop < 5; hop++) {
        simulation_cycle(&s);
        size_t sent = 0;
        for (size_t q = 0; q < s.network.queue_count; q++) {
            const size_t class = nb_queue_class(&s.topology, q);
            sent += (size_t)s.network.measure.sent[q];
            assert_true(s.network.measure.sent[q] == 0 || class <= hop);
        }
        assert_int_equal(sent, hop + 1);
    }
    simulation_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_classes_of_a_route),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
