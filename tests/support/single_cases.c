#include "single_cases.h"

#include "graphs.h"

#include <stdio.h>

void single_each(problem_check *check)
{
    static const char *const names[] = {
        "dor@mesh:3x4",
        "dor:ties=plus@torus:5x4,terminals=2",
        "minhop@torus:4x3,bandwidth=3/7",
        "minhop@file:data/topologies/abilene.txt",
        "updown@file:data/topologies/petersen-networkx.graphml",
    };
    problem_each_of(names, sizeof names / sizeof *names, check);
    for (uint32_t seed = 1; seed <= 30; seed++) {
        char text[8000], name[40];
        struct problem problem;
        graph_random(seed, 4 + seed % 6, 12, text, sizeof text);
        snprintf(name, sizeof name, "random graph of seed %u", seed);
        problem_open_file(&problem, text, ".graphml", "", "minhop");
        check(&problem, name);
        problem_close(&problem);
    }
}
