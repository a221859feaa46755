#include "graphs.h"

#include "core/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

void graph_random(uint64_t seed, uint32_t n, uint32_t most_terminals,
                  char *text, size_t size)
{
    struct nb_random random;
    nb_random_init(&random, seed, 0);
    uint32_t left = most_terminals - 1;
    size_t at = (size_t)snprintf(
        text, size,
        "<graphml><key id=\"t\" for=\"node\" attr.name=\"terminals\"/>"
        "<key id=\"b\" for=\"edge\" attr.name=\"bandwidth\"/>"
        "<graph edgedefault=\"directed\">");
    for (uint32_t r = 0; r < n; r++) {
        uint32_t terminals = (uint32_t)nb_random_below(&random, 3);
        terminals = terminals < left ? terminals : left;
        left -= terminals;
        terminals += r == 0;
        at += (size_t)snprintf(
            text + at, size - at,
            "<node id=\"%u\"><data key=\"t\">%u</data></node>", r, terminals);
    }
    for (uint32_t e = 0; e < 2 * n; e++) {
        const uint32_t from = e < n ? e : (uint32_t)nb_random_below(&random, n);
        const uint32_t step =
            e < n ? 1 : 1 + (uint32_t)nb_random_below(&random, n - 1);
        at += (size_t)snprintf(text + at, size - at,
                               "<edge source=\"%u\" target=\"%u\">"
                               "<data key=\"b\">%u/4</data></edge>",
                               from, (from + step) % n,
                               1 + (uint32_t)nb_random_below(&random, 8));
    }
    at += (size_t)snprintf(text + at, size - at, "</graph></graphml>");
    assert_true(at < size);
}

void graph_each_random(uint64_t seeds, uint32_t least, uint32_t sizes,
                       uint32_t most_terminals, problem_check *check)
{
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        char text[8000], name[40];
        struct problem problem;
        graph_random(seed, least + (uint32_t)seed % sizes, most_terminals, text,
                     sizeof text);
        snprintf(name, sizeof name, "random graph of seed %u", (unsigned)seed);
        problem_open_file(&problem, text, ".graphml", "",
                          seed % 2 == 0 ? "min" : "val");
        check(&problem, name);
        problem_close(&problem);
    }
}

static void graph_layers(uint32_t layers, uint32_t width, char *text,
                         size_t size)
{
    struct nb_random random;
    nb_random_init(&random, 20020815, 0);
    size_t at = (size_t)snprintf(
        text, size,
        "<graphml><key id=\"t\" for=\"node\" attr.name=\"terminals\"/>"
        "<graph edgedefault=\"directed\">");
    for (uint32_t r = 0; r < layers * width; r++)
        at +=
            (size_t)snprintf(text + at, size - at,
                             "<node id=\"%u\"><data key=\"t\">%d</data></node>",
                             r, r % width == 0);
    for (uint32_t r = 0; r < layers * width; r++) {
        const uint32_t left_out = (uint32_t)nb_random_below(&random, width + 1);
        for (uint32_t k = 0; k < width; k++)
            if (k == r % width || k != left_out)
                at += (size_t)snprintf(text + at, size - at,
                                       "<edge source=\"%u\" target=\"%u\"/>", r,
                                       (r / width + 1) % layers * width + k);
    }
    at += (size_t)snprintf(text + at, size - at, "</graph></graphml>");
    assert_true(at < size);
}

void graph_open_layers(uint32_t layers, uint32_t width, struct problem *problem)
{
    static char text[20000];
    graph_layers(layers, width, text, sizeof text);
    problem_open_file(problem, text, ".graphml", ",directed=yes", "min");
}

void graph_links(struct nb_random *random, uint32_t n, uint32_t more,
                 char *text, size_t size)
{
    size_t length = 0;
    for (uint32_t r = 1; r < n + more; r++) {
        const uint32_t a = r < n ? r : (uint32_t)nb_random_below(random, n);
        uint32_t b = (uint32_t)nb_random_below(random, r < n ? r : n);
        if (a == b)
            b = (b + 1) % n;
        length += (size_t)snprintf(text + length, size - length,
                                   "%u %u\n%u %u\n", a, b, b, a);
    }
    assert_true(length < size);
}

void graph_each_linked(uint64_t seeds, problem_check *check)
{
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        char text[2000], name[40];
        struct nb_random random;
        struct problem problem;
        nb_random_init(&random, seed, 0);
        const uint32_t n = 4 + (uint32_t)nb_random_below(&random, 13);
        const uint32_t more = 1 + (uint32_t)nb_random_below(&random, n);
        graph_links(&random, n, more, text, sizeof text);
        snprintf(name, sizeof name, "links of seed %u", (unsigned)seed);
        problem_open_file(&problem, text, ".txt", "", "minhop");
        check(&problem, name);
        problem_close(&problem);
    }
}
