/*
 * Times the worst case: against plain methods on the same network, on large
 * networks, and as the torus grows. Where two methods answer, the answers
 * must agree.
 *
 *     bench_scale [quick]    with "quick", smaller networks (seconds)
 */
#include "bounds/worst_case/worst_case.h"
#include "core/memory.h"
#include "measure.h"
#include "../tests/support/hungarian.h"
#include "../tests/support/problem.h"
#include "../tests/support/walk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A worst case and how it was computed. */
struct scale_answer {
    double seconds; /* best of several */
    double memory;  /* [MB] maximum, in addition to the network */
    struct nb_ratio load;
    double lower, upper;
};

/* Best of the runs that fit in 0.3 s, at least one. */
static struct scale_answer scale_find(const struct nb_routing *routing,
                                      int threads)
{
    const struct nb_run run = { .threads = threads };
    struct scale_answer answer = { .seconds = INFINITY };
    double spent = 0;
    for (int k = 0; k == 0 || spent < 0.3; k++) {
        struct nb_worst_case worst = { 0 };
        struct nb_error err = { 0 };
        if (k == 0)
            measure_reset_peak();
        const double before = measure_peak();
        const double start = measure_now();
        if (nb_worst_case_find(routing, &run, &worst, &err) != NB_OK) {
            fprintf(stderr, "bench_scale: %s\n", err.message);
            exit(EXIT_FAILURE);
        }
        const double time = measure_now() - start;
        if (k == 0)
            answer.memory = measure_peak() - before;
        answer.seconds = time < answer.seconds ? time : answer.seconds;
        answer.load = worst.load.exact;
        answer.lower = worst.load.lower;
        answer.upper = worst.load.upper;
        spent += time;
        nb_worst_case_release(&worst);
    }
    return answer;
}

/* One thread, every channel, a route graph for every destination. */
static struct scale_answer scale_find_plain(struct nb_routing *routing)
{
    routing->symmetries = 0;
    if (routing->phase != NULL)
        routing->phase->symmetries = 0;
    if (routing->directions != NULL)
        routing->directions->symmetries = 0;
    return scale_find(routing, 1);
}

/* Every intermediate router of every pair walked hop by hop in ratios, and the
 * plain Hungarian method on every channel's matrix. */
static struct scale_answer scale_find_walked(const struct nb_routing *routing,
                                             const char *name)
{
    const size_t n = routing->topology->router_count;
    const size_t channels = routing->topology->channel_count;
    const double start = measure_now();
    struct scale_answer answer = { 0 };
    struct nb_ratio *all = walk_all_pairs(routing, name);
    double *matrix = nb_new_array(n * n, sizeof *matrix);
    uint32_t *column = nb_new_array(n, sizeof *column);
    if (matrix == NULL || column == NULL)
        exit(EXIT_FAILURE);
    double load = 0;
    for (size_t c = 0; c < channels; c++) {
        for (size_t p = 0; p < n * n; p++)
            matrix[p] = nb_ratio_value(all[p * channels + c]);
        load = fmax(load, hungarian_double(n, matrix, column));
    }
    nb_delete(all);
    nb_delete(matrix);
    nb_delete(column);
    /* The loads, their sum and the duals are rounded, each about n times. */
    answer.lower = load * (1 - 1e-12);
    answer.upper = load * (1 + 1e-12);
    answer.seconds = measure_now() - start;
    return answer;
}

static bool scale_agrees(const struct scale_answer *a,
                         const struct scale_answer *b)
{
    if (nb_ratio_is_known(a->load) && nb_ratio_is_known(b->load))
        return nb_ratio_compare(a->load, b->load) == 0;
    return a->lower <= b->upper && b->lower <= a->upper;
}

/* A network and scheme, and the plain methods that take seconds for it. */
struct scale_case {
    const char *topology, *routing;
    bool is_walked, is_quick;
};

static bool scale_against_plain(const struct scale_case *at)
{
    struct problem problem;
    struct scale_answer walked = { 0 };
    problem_open(&problem, at->topology, at->routing);
    const struct scale_answer ours = scale_find(&problem.routing, 0);
    if (at->is_walked)
        walked = scale_find_walked(&problem.routing, at->routing);
    const struct scale_answer plain = scale_find_plain(&problem.routing);
    const bool agrees = scale_agrees(&ours, &plain) &&
                        (!at->is_walked || scale_agrees(&ours, &walked));
    printf("%-6s %-12s %6zu %10.3f %12.3f %8.0f", at->routing, at->topology,
           problem.topology.router_count, 1e3 * ours.seconds,
           1e3 * plain.seconds, plain.seconds / ours.seconds);
    if (at->is_walked)
        printf(" %12.3f %8.0f", 1e3 * walked.seconds,
               walked.seconds / ours.seconds);
    else
        printf(" %12s %8s", "-", "-");
    printf("  %s\n", agrees ? "agree" : "DISAGREE");
    fflush(stdout);
    problem_close(&problem);
    return agrees;
}

static bool scale_ratios(bool is_quick)
{
    static const struct scale_case cases[] = {
        { "torus:8x8", "dor", true, true },
        { "torus:8x8", "romm", true, true },
        { "torus:8x8", "rlb", true, true },
        { "torus:8x8", "val", true, true },
        { "torus:12x12", "dor", true, true },
        { "torus:12x12", "romm", true, true },
        { "torus:12x12", "rlb", false, true },
        { "torus:12x12", "val", true, false },
        { "torus:16x16", "dor", false, true },
        { "torus:16x16", "romm", false, false },
        { "torus:16x16", "rlb", false, false },
        { "torus:16x16", "val", false, true },
        { "torus:24x24", "dor", false, false },
        { "torus:24x24", "val", false, false },
    };
    bool agrees = true;
    printf("\nAgainst plain methods: times in ms, ratios to ours.\n"
           "Plain: one thread, no symmetry (every channel, every "
           "destination).\n"
           "Walked: every pair and intermediate router hop by hop in ratios, "
           "the plain "
           "Hungarian method on every channel.\n"
           "%-6s %-12s %6s %10s %12s %8s %12s %8s  %s\n",
           "scheme", "network", "N", "ours", "plain", "ratio", "walked",
           "ratio", "answers");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!is_quick || cases[i].is_quick)
            agrees = scale_against_plain(&cases[i]) && agrees;
    return agrees;
}

/* The table of answers: its heading, and one row without its end. */
static void scale_print_heading(const char *last)
{
    printf("%-6s %-15s %6s %10s %9s %14s %9s%s\n", "scheme", "network", "N",
           "ms", "MB", "worst load", "width", last);
}

static void scale_print(const char *routing, const char *topology, size_t n,
                        const struct scale_answer *answer)
{
    printf("%-6s %-15s %6zu %10.3f %9.1f %14.9g", routing, topology, n,
           1e3 * answer->seconds, answer->memory, answer->lower);
    if (nb_ratio_is_known(answer->load))
        printf(" %9s", "exact");
    else
        printf(" %9.1e", (answer->upper - answer->lower) / answer->lower);
}

/* Least squares of log time against log N. */
static double scale_fit(size_t count, const double *log_n, const double *log_t)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < count; i++) {
        x += log_n[i] / (double)count;
        y += log_t[i] / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        xx += (log_n[i] - x) * (log_n[i] - x);
        xy += (log_n[i] - x) * (log_t[i] - y);
    }
    return xy / xx;
}

/* The rows of one scheme: their bars are a log-log plot on its side, since the
 * radices grow by roughly equal factors. */
static void scale_grow(const char *routing, unsigned most)
{
    static const unsigned radices[] = { 8, 12, 16, 24, 32, 48, 64 };
    enum { COUNT = sizeof radices / sizeof *radices, DECADE = 8 };
    double log_n[COUNT], log_t[COUNT];
    size_t count = 0;
    for (; count < COUNT && radices[count] <= most; count++) {
        char topology[32];
        struct problem problem;
        snprintf(topology, sizeof topology, "torus:%ux%u", radices[count],
                 radices[count]);
        problem_open(&problem, topology, routing);
        const size_t n = problem.topology.router_count;
        const struct scale_answer answer = scale_find(&problem.routing, 0);
        problem_close(&problem);
        log_n[count] = log((double)n);
        log_t[count] = log(answer.seconds);
        scale_print(routing, topology, n, &answer);
        printf("  ");
        for (double t = 1e-5; t < answer.seconds; t *= pow(10, 1.0 / DECADE))
            putchar('#');
        putchar('\n');
        fflush(stdout);
    }
    printf("%-6s time grows as N^%.2f\n", routing,
           scale_fit(count, log_n, log_t));
}

static void scale_growth(bool is_quick)
{
    static const char *const schemes[] = { "dor", "romm", "rlb", "val" };
    printf("\nWorst case as the torus grows: all threads; MB: maximum in "
           "addition to the network; width of the bracket relative to the "
           "load.\n");
    scale_print_heading("  10 us   100 us  1 ms    10 ms   100 ms  1 s     "
                        "10 s");
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++)
        scale_grow(schemes[s], is_quick ? 32 : 64);
}

static void scale_others(bool is_quick)
{
    static const struct scale_case cases[] = {
        { "torus:4x3", "dor", false, true },
        { "torus:4x3", "romm", false, true },
        { "torus:4x3", "rlb", false, true },
        { "torus:4x3", "val", false, true },
        { "torus:16x16x16", "dor", false, false },
        { "torus:16x16x16", "romm", false, false },
        { "mesh:16x16", "dor", false, true },
        { "mesh:16x16", "romm", false, true },
        { "mesh:32x32", "dor", false, false },
        { "mesh:32x32", "romm", false, false },
    };
    printf("\nWorst case on other networks, as above.\n");
    scale_print_heading("");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem problem;
        if (is_quick && !cases[i].is_quick)
            continue;
        problem_open(&problem, cases[i].topology, cases[i].routing);
        const struct scale_answer answer = scale_find(&problem.routing, 0);
        scale_print(cases[i].routing, cases[i].topology,
                    problem.topology.router_count, &answer);
        putchar('\n');
        fflush(stdout);
        problem_close(&problem);
    }
}

int main(int argc, char **argv)
{
    const bool is_quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    const double start = measure_now();
    printf("Scale: the worst case over all traffic%s.\n",
           is_quick ? ", small networks" : "");
    const bool agrees = scale_ratios(is_quick);
    scale_growth(is_quick);
    scale_others(is_quick);
    printf("\n%.0f s in all\n", measure_now() - start);
    if (!agrees)
        fprintf(stderr, "bench_scale: answers disagree\n");
    return agrees ? EXIT_SUCCESS : EXIT_FAILURE;
}
