#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "problem.h"

#include "topology_checks.h"

#include "core/memory.h"

#include <string.h>

void problem_add_routing(struct problem *problem, const char *routing)
{
    struct nb_error error = { 0 };
    TOPOLOGY_CHECK(nb_routing_build(routing, &problem->topology,
                                    &problem->routing, &error) == NB_OK,
                   "%s: %s", routing, error.message);
}

void problem_open(struct problem *problem, const char *topology,
                  const char *routing)
{
    *problem = (struct problem){ 0 };
    topology_must_build(topology, &problem->topology);
    problem_add_routing(problem, routing);
}

void problem_open_example(struct problem *problem, const char *example)
{
    char text[TOPOLOGY_WORD];
    assert_true(strlen(example) < sizeof text);
    memcpy(text, example, strlen(example) + 1);
    char *at = strrchr(text, '@');
    TOPOLOGY_CHECK(at != NULL, "%s", example);
    *at = '\0';
    problem_open(problem, at + 1, text);
}

void problem_open_file(struct problem *problem, const char *text,
                       const char *ending, const char *parameters,
                       const char *routing)
{
    *problem = (struct problem){ 0 };
    topology_must_build_file(text, ending, parameters, &problem->topology);
    problem_add_routing(problem, routing);
}

void problem_close(struct problem *problem)
{
    nb_routing_release(&problem->routing);
    nb_topology_release(&problem->topology);
}

void problem_each_of(const char *const *examples, size_t count,
                     problem_check *check)
{
    for (size_t i = 0; i < count; i++) {
        struct problem problem;
        problem_open_example(&problem, examples[i]);
        check(&problem, examples[i]);
        problem_close(&problem);
    }
}

void problem_each_example(problem_check *check)
{
    for (size_t i = 0; nb_routing_kinds[i] != NULL; i++) {
        const char *examples = nb_routing_kinds[i]->examples;
        char name[TOPOLOGY_WORD];
        while (topology_next_word(&examples, name)) {
            struct problem problem;
            problem_open_example(&problem, name);
            assert_string_equal(problem.routing.kind->kind.name,
                                nb_routing_kinds[i]->kind.name);
            check(&problem, name);
            problem_close(&problem);
            problem_close(&problem);
        }
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}
