/*
 * How often simulated intervals hold what is known exactly, and how wide they
 * are, as `simulate` prints them: over many seeds the share that hold the
 * answer, that lie below it, and the mean half-width over 1.96 standard
 * deviations of the values, 1 where these are normal and their error is known;
 * the last two of intervals that are not open above, which are counted.
 *
 *     bench_coverage [SEEDS [CASE]]      200 (quick: 20), all cases unless
 * given
 *
 * A row is one entry of a case's answers: a quantity, or TABLE:COLUMN:ROW with
 * the half-width beside it, and what it is exactly.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/command.h"
#include "core/memory.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct answer {
    const char *name;
    double exact; /* NAN: by find */
    double (*find)(void);
};

struct coverage_case {
    const char *name;
    const char *options; /* name value ... of simulate */
    struct answer answers[20];
};

/* What was seen of an answer. */
struct seen {
    size_t count, inside, below, open;
    double sum, square, width;
};

enum { LAW = 4096 };

/* The chance that a packet of an M/D/1 queue in slots waits for n others or
 * fewer: those left over from before, Q' = max(Q - 1, 0) + A, and those born
 * with it that go first. */
static size_t poisson_quantile(double rho, double share)
{
    static double queue[LAW], next[LAW], born[64], place[64], wait[LAW];
    double left[LAW] = { 0 };
    born[0] = exp(-rho);
    for (size_t n = 1; n < 64; n++)
        born[n] = born[n - 1] * rho / (double)n;
    memset(queue, 0, sizeof queue);
    queue[0] = 1;
    for (int i = 0; i < 20000; i++) {
        memset(next, 0, sizeof next);
        for (size_t q = 0; q < 1024; q++)
            for (size_t a = 0; a < 24 && queue[q] > 1e-18; a++)
                next[(q > 0 ? q - 1 : 0) + a] += queue[q] * born[a];
        double change = 0;
        for (size_t q = 0; q < LAW; q++)
            change += fabs(next[q] - queue[q]);
        memcpy(queue, next, sizeof queue);
        if (change < 1e-12)
            break;
    }
    for (size_t q = 0; q < LAW; q++)
        left[q > 0 ? q - 1 : 0] += queue[q];
    for (size_t n = 0; n < 64; n++) { /* P(more than n are born) / rho */
        place[n] = 0;
        for (size_t a = n + 1; a < 64; a++)
            place[n] += born[a] / rho;
    }
    memset(wait, 0, sizeof wait);
    for (size_t q = 0; q < LAW - 64; q++)
        for (size_t n = 0; n < 64; n++)
            wait[q + n] += left[q] * place[n];
    double sum = 0;
    size_t n = 0;
    for (; n < LAW && (sum += wait[n]) < share; n++)
        ;
    return n + 1; /* and a cycle for itself */
}

static double median_of_8(void)
{
    return (double)poisson_quantile(0.8, 0.5);
}
static double p99_of_8(void)
{
    return (double)poisson_quantile(0.8, 0.99);
}
static double p999_of_8(void)
{
    return (double)poisson_quantile(0.8, 0.999);
}

/* The mean of the larger of two numbers of heads of 40 coins each. */
static double larger_of_two(void)
{
    double below = 0, mean = 0, share = pow(0.5, 40);
    for (int n = 0; n <= 40; n++) {
        const double upto = below + share;
        mean += n * (upto * upto - below * below);
        below = upto;
        share *= (40.0 - n) / (n + 1);
    }
    return mean;
}

#define SINGLE "topology complete:2 traffic bit-complement arrivals poisson "
/* rho; the wait is rho / (2 (1 - rho)). */
#define SINGLE_ANSWERS(rho, wait)                                              \
    { "accepted_throughput_absolute", rho, NULL },                             \
        { "accepted_throughput_min_absolute", rho, NULL },                     \
        { "offered_throughput_absolute", rho, NULL },                          \
        { "mean_latency", 1 + (wait), NULL },                                  \
        { "mean_queueing_delay", wait, NULL },                                 \
        { "in_flight", 2 * (rho) * (1 + (wait)), NULL },                       \
        { "max_channel_utilisation", rho, NULL },                              \
        { "router_accepted_min", rho, NULL },                                  \
        { "router_accepted_max", rho, NULL },                                  \
        { "channels:utilisation:0", rho, NULL },                               \
    {                                                                          \
        "routers:accepted:1", rho, NULL                                        \
    }

static const struct coverage_case cases[] = {
    { "M/D/1, 0.8, 4 x 8192",
      SINGLE "rate 0.8 cycles 8192",
      { SINGLE_ANSWERS(0.8, 2.0),
        { "latency_p50", NAN, median_of_8 },
        { "latency_p99", NAN, p99_of_8 },
        { "latency_p999", NAN, p999_of_8 } } },
    { "M/D/1, 0.5, 1 x 4096",
      SINGLE "rate 0.5 cycles 4096 replications 1",
      { SINGLE_ANSWERS(0.5, 0.5) } },
    { "M/D/1, 0.9, 20 x 4096",
      SINGLE "rate 0.9 cycles 4096 replications 20",
      { SINGLE_ANSWERS(0.9, 4.5) } },
    { "M/D/1, 0.95, 4 x 8192",
      SINGLE "rate 0.95 cycles 8192",
      { SINGLE_ANSWERS(0.95, 9.5) } },
    { "M/D/1, 0.99, 4 x 51200",
      SINGLE "rate 0.99 cycles 51200",
      { SINGLE_ANSWERS(0.99, 49.5) } },
    { "M/D/1, 0.99, 1 x 51200",
      SINGLE "rate 0.99 cycles 51200 replications 1",
      { SINGLE_ANSWERS(0.99, 49.5) } },
    { "uniform by dor, torus:4x4, 0.6",
      "topology torus:4x4 routing dor rate 0.6 cycles 2048",
      { { "accepted_throughput_absolute", 0.6, NULL },
        { "accepted_throughput_min_absolute", 0.6, NULL },
        { "offered_throughput_absolute", 0.6, NULL },
        { "mean_hops", 2, NULL },
        { "max_channel_utilisation", 0.3, NULL },
        { "router_accepted_min", 0.6, NULL },
        { "router_accepted_max", 0.6, NULL },
        { "channels:utilisation:7", 0.3, NULL },
        { "routers:accepted:5", 0.6, NULL } } },
    { "uniform by min, ring:5, 0.01",
      "topology ring:5 rate 0.01 cycles 8192",
      { { "accepted_throughput_absolute", 0.01, NULL },
        { "offered_throughput_absolute", 0.01, NULL },
        { "mean_hops", 6.0 / 5, NULL },
        { "channels:utilisation:3", 0.01 * 3 / 5, NULL },
        { "routers:accepted:2", 0.01, NULL } } },
    { "beyond saturation, tornado by dor, ring:8, 0.5",
      "topology ring:8 routing dor traffic tornado rate 0.5 cycles 8192",
      { { "offered_throughput_absolute", 0.5, NULL },
        { "accepted_throughput_min_absolute", 1.0 / 3, NULL },
        { "max_channel_utilisation", 1, NULL } } },
    { "a batch of 40, complete:2",
      "topology complete:2 batch 40",
      { { "completion_time", NAN, larger_of_two } } },
    { "windows of 256, M/D/1, 0.5",
      SINGLE "rate 0.5 cycles 2048 window 256",
      { { "series:accepted:5", 0.5, NULL } } },
};

/* The interval as it is printed, or of a table's row with its half-width in the
 * column behind. */
static struct nb_quantity interval_of(const struct nb_point *point,
                                      const char *name)
{
    char table[32], column[32];
    unsigned row;
    if (sscanf(name, "%31[^:]:%31[^:]:%u", table, column, &row) != 3) {
        const struct nb_quantity *quantity = nb_point_quantity(point, name);
        assert_non_null(quantity);
        return *quantity;
    }
    const struct nb_table *from = nb_point_table(point, table);
    const union nb_cell *cells = &from->cells[row * from->column_count];
    size_t c = 0;
    while (strcmp(from->columns[c].name, column) != 0)
        c++;
    const double value = cells[c].number, half = cells[c + 1].number;
    return (struct nb_quantity){ .value = value,
                                 .lower = value - half,
                                 .upper = value + half };
}

static void add(struct seen *seen, const struct nb_quantity *interval,
                double exact)
{
    seen->count++;
    seen->inside += interval->lower <= exact && exact <= interval->upper;
    seen->below += interval->upper < exact;
    if (isinf(interval->upper)) {
        seen->open++;
        return;
    }
    seen->sum += interval->value;
    seen->square += interval->value * interval->value;
    seen->width += (interval->upper - interval->lower) / 2;
}

static void print(const struct answer *answer, double exact,
                  const struct seen *seen)
{
    const double n = (double)(seen->count - seen->open), mean = seen->sum / n;
    const double deviation =
        sqrt(fmax(0, (seen->square - n * mean * mean) / (n - 1)));
    const double all = (double)seen->count;
    const double width = seen->width / n / (1.96 * deviation);
    printf("  %-34s %10.5g %10.5g  %5.1f %%  %5.1f %%  %5.2f  %4zu\n",
           answer->name, exact, mean, 100 * (double)seen->inside / all,
           100 * (double)seen->below / all, width, seen->open);
}

static void ask(const char *options, size_t seed, struct nb_point *out)
{
    const struct nb_command *command = nb_command_find("simulate");
    struct nb_model model = { .command = nb_new_string("simulate") };
    struct nb_error err = { 0 };
    char text[300], *save;
    const struct nb_question question = { .model = &model,
                                          .run = { .threads = 1 } };
    snprintf(text, sizeof text, "%s seed %zu", options, 1000003 * (seed + 1));
    for (char *name = strtok_r(text, " ", &save); name != NULL;
         name = strtok_r(NULL, " ", &save))
        if (nb_model_set(&model, name, strtok_r(NULL, " ", &save), &err) !=
            NB_OK)
            fail_msg("%s", err.message);
    *out = (struct nb_point){ 0 };
    if (nb_model_complete(command, &model, &err) != NB_OK ||
        command->answer(&question, out, &err) != NB_OK)
        fail_msg("%s: %s", options, err.message);
    nb_model_release(&model);
}

static void cover(const struct coverage_case *row, size_t seeds)
{
    enum { MOST = sizeof row->answers / sizeof *row->answers };
    struct seen seen[MOST] = { 0 };
    double exact[MOST];
    size_t count = 0;
    for (; count < MOST && row->answers[count].name != NULL; count++)
        exact[count] = row->answers[count].find != NULL
                           ? row->answers[count].find()
                           : row->answers[count].exact;
    for (size_t seed = 0; seed < seeds; seed++) {
        struct nb_point point;
        ask(row->options, seed, &point);
        for (size_t i = 0; i < count; i++) {
            const struct nb_quantity interval =
                interval_of(&point, row->answers[i].name);
            add(&seen[i], &interval, exact[i]);
        }
        nb_point_release(&point);
    }
    printf("%s\n", row->name);
    for (size_t i = 0; i < count; i++)
        print(&row->answers[i], exact[i], &seen[i]);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const size_t count = sizeof cases / sizeof *cases;
    const bool is_quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    const size_t seeds = is_quick ? 20 : argc > 1 ? (size_t)atoi(argv[1]) : 200;
    const size_t only = argc > 2 ? (size_t)atoi(argv[2]) : count;
    gsl_set_error_handler_off();
    printf("  %-34s %10s %10s  %7s  %7s  %5s  %4s\n", "quantity", "exact",
           "mean", "inside", "below", "width", "open");
    for (size_t i = 0; i < count; i++)
        if (only == count || only == i)
            cover(&cases[i], seeds);
    return 0;
}
