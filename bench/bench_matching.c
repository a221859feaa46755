/*
 * Times our matching against the plain Hungarian method, GLPK and, if
 * installed, scipy, on the same matrices, and checks that the totals agree.
 *
 *     bench_matching [glpk]    with "glpk", GLPK also on the random matrix
 *                              of N = 256 (half a minute)
 */
#include "bounds/matching/matching.h"
#include "../tests/support/hungarian.h"
#include "../tests/support/load_matrix.h"

#include <glpk.h>
#include <inttypes.h>
#include <malloc.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { HUNGARIAN_LARGEST = 2048, GLPK_LARGEST = 256, GLPK_SHORT = 128 };

/* A matrix; one of the two weights is in use. */
struct bench {
    const char *name;
    size_t n;
    int64_t *integer;
    double *real;
    uint32_t *column_of_row;
    void *row_dual, *column_dual;
    double total; /* ours */
    double peak;  /* ours in addition to the matrix, as a fraction of it */
    bool disagrees;
};

/* Limits from the arguments and the machine. */
struct bench_options {
    bool has_scipy;
    size_t glpk_largest;        /* on loads */
    size_t glpk_largest_random; /* it is slower there */
};

static double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static uint64_t bench_next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

/* Peak memory of the process since the last reset, in bytes. */
static double bench_peak(bool reset)
{
    double kilobytes = 0;
    char line[256];
    if (reset) {
        malloc_trim(0); /* otherwise old free blocks would hide new ones */
        FILE *file = fopen("/proc/self/clear_refs", "w");
        if (file != NULL) {
            fputs("5", file);
            fclose(file);
        }
    }
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "VmHWM: %lf", &kilobytes) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return 1024 * kilobytes;
}

/* Our time in ms, best of several. */
static double bench_ours(struct bench *b)
{
    struct nb_error err = { 0 };
    double best = INFINITY;
    double spent = 0;
    for (int k = 0; k < 3 || (k < 30 && spent < 500); k++) {
        enum nb_status status;
        int64_t total = 0;
        const double before = k == 0 ? bench_peak(true) : 0;
        const double start = bench_now();
        if (b->integer != NULL)
            status =
                nb_matching_integer(b->n, b->integer, NULL, b->column_of_row,
                                    b->row_dual, b->column_dual, &total, &err);
        else
            status = nb_matching_double(b->n, b->real, NULL, b->column_of_row,
                                        b->row_dual, b->column_dual, &b->total,
                                        &err);
        const double time = bench_now() - start;
        if (status != NB_OK) {
            fprintf(stderr, "%s: %s\n", b->name, err.message);
            exit(EXIT_FAILURE);
        }
        if (b->integer != NULL)
            b->total = (double)total;
        if (k == 0)
            b->peak = (bench_peak(false) - before) /
                      ((double)b->n * (double)b->n * sizeof(double));
        best = time < best ? time : best;
        spent += time;
    }
    return best;
}

/* Prints a time and its ratio to ours, and records a different total. */
static void bench_print(struct bench *b, double time, double ours, double total)
{
    const double tolerance = 1e-12 * (1 + fabs(b->total));
    const bool agrees = fabs(total - b->total) <= tolerance;
    printf(" %11.3f %7.1f%s", time, time / ours, agrees ? " " : "!");
    b->disagrees = b->disagrees || !agrees;
}

static void bench_skip(void)
{
    printf(" %11s %7s ", "-", "-");
}

static void bench_hungarian(struct bench *b, double ours)
{
    if (b->n > HUNGARIAN_LARGEST) {
        bench_skip();
        return;
    }
    const double start = bench_now();
    const double total =
        b->integer != NULL
            ? (double)hungarian_integer(b->n, b->integer, b->column_of_row)
            : hungarian_double(b->n, b->real, b->column_of_row);
    bench_print(b, bench_now() - start, ours, total);
}

/* GLPK takes whole numbers as arc costs, so it only gets integers. */
static void bench_glpk(struct bench *b, double ours, size_t largest)
{
    if (b->n > largest || b->integer == NULL) {
        bench_skip();
        return;
    }
    const int n = (int)b->n;
    double total = 0;
    glp_graph *graph = glp_create_graph(sizeof(int), sizeof(double));
    glp_add_vertices(graph, 2 * n);
    for (int v = 0; v < 2 * n; v++) {
        const int set = v >= n;
        memcpy(graph->v[v + 1]->data, &set, sizeof set);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double cost = (double)b->integer[i * n + j];
            glp_arc *arc = glp_add_arc(graph, i + 1, n + j + 1);
            memcpy(arc->data, &cost, sizeof cost);
        }
    const int old = glp_term_out(GLP_OFF);
    const double start = bench_now();
    const int code = glp_asnprob_okalg(GLP_ASN_MAX, graph, 0, 0, &total, -1);
    const double time = bench_now() - start;
    glp_term_out(old);
    bench_print(b, time, ours, code == 0 ? total : -1);
    glp_delete_graph(graph);
}

/* The folder of this file, which contains scipy_matching.py. */
static int bench_folder_length(void)
{
    const char *slash = strrchr(__FILE__, '/');
    return slash == NULL ? 0 : (int)(slash - __FILE__) + 1;
}

static void bench_scipy(struct bench *b, double ours)
{
    char path[] = "/tmp/bench_matching_XXXXXX";
    char command[512];
    double time = 0;
    double total = -1;
    const size_t count = b->n * b->n;
    const int handle = mkstemp(path);
    FILE *file = handle < 0 ? NULL : fdopen(handle, "wb");
    if (file == NULL) {
        bench_skip();
        return;
    }
    const void *matrix = b->integer != NULL ? (void *)b->integer : b->real;
    const bool is_written =
        fwrite(matrix, sizeof(double), count, file) == count;
    if (fclose(file) == 0 && is_written) {
        snprintf(command, sizeof command,
                 "/usr/bin/python3 '%.*sscipy_matching.py' %s %s %zu %d",
                 bench_folder_length(), __FILE__, path,
                 b->integer != NULL ? "int64" : "float64", b->n,
                 b->n <= 1024 ? 5 : 2);
        fflush(stdout);
        FILE *pipe = popen(command, "r");
        if (pipe != NULL && fscanf(pipe, "%lf %lf", &time, &total) != 2)
            total = -1;
        if (pipe != NULL)
            pclose(pipe);
    }
    unlink(path);
    bench_print(b, time, ours, total);
}

static bool bench_row(struct bench *b, const struct bench_options *options)
{
    size_t nonzero = 0;
    for (size_t k = 0; k < b->n * b->n; k++)
        nonzero += b->integer != NULL ? b->integer[k] != 0 : b->real[k] != 0;
    const double ours = bench_ours(b);
    printf("%-22s %-7s %5zu %6.3f %9.3f %5.2f", b->name,
           b->integer != NULL ? "int64" : "double", b->n,
           (double)nonzero / ((double)b->n * (double)b->n), ours, b->peak);
    if (options->has_scipy)
        bench_scipy(b, ours);
    else
        bench_skip();
    bench_hungarian(b, ours);
    bench_glpk(b, ours, options->glpk_largest);
    printf(" %s\n", b->disagrees ? "DISAGREE" : "agree");
    fflush(stdout);
    return !b->disagrees;
}

/* Calls bench_row on a matrix made by the caller. */
static bool bench_matrix(const char *name, size_t n, bool is_integer,
                         void *matrix, const struct bench_options *options)
{
    struct bench b = { .name = name,
                       .n = n,
                       .integer = is_integer ? matrix : NULL,
                       .real = is_integer ? NULL : matrix,
                       .column_of_row = calloc(n, sizeof(uint32_t)),
                       .row_dual = calloc(n, sizeof(double)),
                       .column_dual = calloc(n, sizeof(double)) };
    const bool agrees = b.column_of_row != NULL && b.row_dual != NULL &&
                        b.column_dual != NULL && bench_row(&b, options);
    free(b.column_of_row);
    free(b.row_dual);
    free(b.column_dual);
    return agrees;
}

static bool bench_loads(unsigned k, const struct bench_options *options)
{
    static const char *const schemes[] = { "dor", "val", "min" };
    const size_t n = (size_t)k * k;
    void *matrix = malloc(n * n * sizeof(double));
    bool agrees = matrix != NULL;
    for (int s = 0; s < 3 && matrix != NULL; s++) {
        const enum load_scheme scheme = (enum load_scheme)s;
        const int64_t denominator = load_matrix_denominator(scheme, k);
        char name[64];
        snprintf(name, sizeof name, "%s torus %ux%u", schemes[s], k, k);
        if (denominator > 0) {
            load_matrix_integer(scheme, k, denominator, matrix);
            agrees = bench_matrix(name, n, true, matrix, options) && agrees;
        }
        load_matrix_double(scheme, k, matrix);
        agrees = bench_matrix(name, n, false, matrix, options) && agrees;
    }
    free(matrix);
    return agrees;
}

/* Uniform doubles in [0, 1) for most = 0, else integers in 0 .. most. */
static bool bench_random(size_t n, uint64_t most,
                         const struct bench_options *options)
{
    uint64_t state = 2025;
    void *matrix = malloc(n * n * sizeof(double));
    int64_t *integer = matrix;
    double *real = matrix;
    struct bench_options own = *options;
    char name[64] = "random [0, 1)";
    own.glpk_largest = options->glpk_largest_random;
    if (matrix == NULL)
        return false;
    if (most > 0)
        snprintf(name, sizeof name, "random 0 .. %" PRIu64, most);
    for (size_t k = 0; k < n * n; k++) {
        const uint64_t x = bench_next(&state);
        if (most > 0)
            integer[k] = (int64_t)(x % (most + 1));
        else
            real[k] = (double)(x >> 11) * 0x1p-53;
    }
    const bool agrees = bench_matrix(name, n, most > 0, matrix, &own);
    free(matrix);
    return agrees;
}

/* (i + 1)(j + 1): all rows prefer the same columns, the worst case for a method
 * that looks at few entries of each. */
static bool bench_product(size_t n, const struct bench_options *options)
{
    int64_t *matrix = malloc(n * n * sizeof *matrix);
    if (matrix == NULL)
        return false;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            matrix[i * n + j] = (int64_t)((i + 1) * (j + 1));
    const bool agrees =
        bench_matrix("product (i+1)(j+1)", n, true, matrix, options);
    free(matrix);
    return agrees;
}

int main(int argc, char **argv)
{
    const struct bench_options options = {
        .has_scipy = system("/usr/bin/python3 -c 'import scipy.optimize' "
                            "2>/dev/null") == 0,
        .glpk_largest = GLPK_LARGEST,
        .glpk_largest_random = argc > 1 && strcmp(argv[1], "glpk") == 0
                                   ? GLPK_LARGEST
                                   : GLPK_SHORT,
    };
    bool agrees = true;
    printf("Matching: best times in ms, ratios to ours; memory of ours in "
           "addition to the matrix, as a fraction of it.\nPlain Hungarian up "
           "to N = %d; GLPK (glp_asnprob_okalg) on integers up to N = %d, "
           "random ones up to N = %zu%s; scipy %s.\n",
           HUNGARIAN_LARGEST, GLPK_LARGEST, options.glpk_largest_random,
           options.glpk_largest_random < GLPK_LARGEST
               ? " (N = 256, half a minute, with the argument glpk)"
               : "",
           options.has_scipy ? "found" : "not found");
    printf("%-22s %-7s %5s %6s %9s %5s %11s %7s  %11s %7s  %11s %7s  %s\n",
           "matrix", "type", "N", "filled", "ours", "mem", "scipy", "ratio",
           "Hungarian", "ratio", "GLPK", "ratio", "totals");
    for (unsigned k = 8; k <= 32; k *= 2)
        agrees = bench_loads(k, &options) && agrees;
    for (size_t n = 256; n <= 4096; n *= 2)
        agrees = bench_random(n, 0, &options) && agrees;
    agrees = bench_random(64, 1000000, &options) && agrees;
    agrees = bench_random(128, 1000000, &options) && agrees;
    agrees = bench_random(256, 1000000, &options) && agrees;
    agrees = bench_random(1024, 100, &options) && agrees;
    agrees = bench_random(1024, 1000000, &options) && agrees;
    agrees = bench_product(1024, &options) && agrees;
    if (!agrees)
        fprintf(stderr, "bench_matching: totals disagree\n");
    return agrees ? EXIT_SUCCESS : EXIT_FAILURE;
}
