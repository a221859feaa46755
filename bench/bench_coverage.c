/*
 * How often simulated intervals hold what is known exactly, and how wide they
 * are, as `simulate` and `validate` print them: over many seeds the share that
 * hold the answer, that lie below it, and the mean half-width over 1.96
 * standard deviations of the values (as many as the interval's own level takes,
 * where that is not 95 % of one value), 1 where these are normal and their
 * error is known; the last two of intervals that are not open, which are
 * counted.
 *
 *     bench_coverage [SEEDS [CASE]]      200 (quick: 20), all cases unless
 * given
 *
 * A row is one entry of a case's answers: a quantity, or TABLE:COLUMN:ROW with
 * the half-width or both ends beside it, and what it is exactly; for row * all
 * rows have to be inside at once.
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
    double sure; /* deviations of its level; 0: 1.96 */
};

struct coverage_case {
    const char *name;
    const char *options; /* command name value ... */
    struct answer answers[20];
};

/* What was seen of an answer. */
struct seen {
    size_t count, inside, below, open;
    double sum, square, width;
};

enum { LAW = 4096 };

/* Deviations of a normal value for 95 % of 64 at once. */
#define SURE_OF_64 3.3599

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

static double larger_of_two_each(void)
{
    return larger_of_two() / 40;
}

#define SINGLE                                                                 \
    "simulate topology complete:2 traffic bit-complement arrivals poisson "
/* rho; the wait is rho / (2 (1 - rho)). */
#define SINGLE_ANSWERS(rho, wait)                                              \
    { "accepted_throughput_absolute", rho, NULL, 0 },                          \
        { "accepted_throughput_min_absolute", rho, NULL, 0 },                  \
        { "offered_throughput_absolute", rho, NULL, 0 },                       \
        { "mean_latency", 1 + (wait), NULL, 0 },                               \
        { "mean_queueing_delay", wait, NULL, 0 },                              \
        { "in_flight", 2 * (rho) * (1 + (wait)), NULL, 0 },                    \
        { "max_channel_utilisation", rho, NULL, 0 },                           \
        { "router_accepted_min", rho, NULL, 0 },                               \
        { "router_accepted_max", rho, NULL, 0 },                               \
        { "channels:utilisation:0", rho, NULL, 0 },                            \
    {                                                                          \
        "routers:accepted:1", rho, NULL, 0                                     \
    }

static const struct coverage_case cases[] = {
    { "M/D/1, 0.8, 4 x 8192",
      SINGLE "rate 0.8 cycles 8192",
      { SINGLE_ANSWERS(0.8, 2.0),
        { "latency_p50", NAN, median_of_8, 0 },
        { "latency_p99", NAN, p99_of_8, 0 },
        { "latency_p999", NAN, p999_of_8, 0 } } },
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
      "simulate topology torus:4x4 routing dor rate 0.6 cycles 2048",
      { { "accepted_throughput_absolute", 0.6, NULL, 0 },
        { "accepted_throughput_min_absolute", 0.6, NULL, 0 },
        { "offered_throughput_absolute", 0.6, NULL, 0 },
        { "mean_hops", 2, NULL, 0 },
        { "max_channel_utilisation", 0.3, NULL, 0 },
        { "router_accepted_min", 0.6, NULL, 0 },
        { "router_accepted_max", 0.6, NULL, 0 },
        { "channels:utilisation:7", 0.3, NULL, 0 },
        { "routers:accepted:5", 0.6, NULL, 0 } } },
    { "uniform by min, ring:5, 0.01",
      "simulate topology ring:5 rate 0.01 cycles 8192",
      { { "accepted_throughput_absolute", 0.01, NULL, 0 },
        { "offered_throughput_absolute", 0.01, NULL, 0 },
        { "mean_hops", 6.0 / 5, NULL, 0 },
        { "channels:utilisation:3", 0.01 * 3 / 5, NULL, 0 },
        { "routers:accepted:2", 0.01, NULL, 0 } } },
    { "beyond saturation, tornado by dor, ring:8, 0.5",
      "simulate topology ring:8 routing dor traffic tornado rate 0.5 cycles "
      "8192",
      { { "offered_throughput_absolute", 0.5, NULL, 0 },
        { "accepted_throughput_absolute", 1.0 / 3, NULL, 0 },
        { "accepted_throughput_min_absolute", 1.0 / 3, NULL, 0 },
        { "router_accepted_max", 1.0 / 3, NULL, 0 },
        { "max_channel_utilisation", 1, NULL, 0 },
        { "routers:accepted:2", 1.0 / 3, NULL, 0 } } },
    { "uniform by min-adaptive, torus:4x4, 0.6",
      "simulate topology torus:4x4 routing min-adaptive rate 0.6 cycles 2048",
      { { "accepted_throughput_min_absolute", 0.6, NULL, 0 },
        { "max_channel_utilisation", 0.3, NULL, 0 },
        { "router_accepted_min", 0.6, NULL, 0 },
        { "channels:utilisation:7", 0.3, NULL, 0 } } },
    { "uniform by min, mesh:4x4, 0.8: channels unlike",
      "simulate topology mesh:4x4 routing dor rate 0.8 cycles 2048",
      { { "accepted_throughput_min_absolute", 0.8, NULL, 0 },
        { "max_channel_utilisation", 0.8, NULL, 0 },
        { "router_accepted_max", 0.8, NULL, 0 } } },
    { "validate, uniform by dor, torus:4x4, 0.6",
      "validate topology torus:4x4 routing dor rate 0.6 cycles 2048 check "
      "loads",
      { { "max_channel_utilisation", 0.3, NULL, SURE_OF_64 },
        { "channels:simulated:7", 0.3, NULL, SURE_OF_64 },
        { "channels:simulated:*", 0.3, NULL, SURE_OF_64 } } },
    { "validate, rrr, fattree:k=4,n=2, 0.8, depths at 1e-3",
      "validate topology fattree:k=4,n=2 routing rrr rate 0.8 cycles 8192 "
      "replications 16 arrivals poisson check queues",
      { { "hops:simulated:0", 16.7003, NULL, 2.5758 } } },
    { "validate, a batch of 40, complete:2",
      "validate topology complete:2 batch 40",
      { { "completion_time_per_packet", NAN, larger_of_two_each, 0 } } },
    { "a batch of 40, complete:2",
      "simulate topology complete:2 batch 40",
      { { "completion_time", NAN, larger_of_two, 0 } } },
    { "windows of 256, M/D/1, 0.5",
      SINGLE "rate 0.5 cycles 2048 window 256",
      { { "series:accepted:5", 0.5, NULL, 0 } } },
};

/* That of a table's row, with its half-width or both ends in the columns
 * behind. */
static struct nb_quantity interval_of_row(const struct nb_table *from,
                                          const char *column, size_t row)
{
    const union nb_cell *cells = &from->cells[row * from->column_count];
    size_t c = 0;
    while (strcmp(from->columns[c].name, column) != 0)
        c++;
    const double value = cells[c].number, next = cells[c + 1].number;
    const bool is_half = strcmp(from->columns[c + 1].name, "half_width") == 0;
    return (struct nb_quantity){
        .value = value,
        .lower = is_half ? value - next : next,
        .upper = is_half ? value + next : cells[c + 2].number,
    };
}

/* The interval as it is printed; for all rows the one that is farthest from
 * holding what it should. */
static struct nb_quantity interval_of(const struct nb_point *point,
                                      const char *name, double exact)
{
    char table[32], column[32], row[32];
    if (sscanf(name, "%31[^:]:%31[^:]:%31s", table, column, row) != 3) {
        const struct nb_quantity *quantity = nb_point_quantity(point, name);
        assert_non_null(quantity);
        return *quantity;
    }
    const struct nb_table *from = nb_point_table(point, table);
    if (*row != '*')
        return interval_of_row(from, column, (size_t)atoi(row));
    struct nb_quantity worst = interval_of_row(from, column, 0);
    for (size_t r = 1; r < from->row_count; r++) {
        const struct nb_quantity each = interval_of_row(from, column, r);
        const double more = fmax(each.lower - exact, exact - each.upper);
        if (more > fmax(worst.lower - exact, exact - worst.upper))
            worst = each;
    }
    return worst;
}

static void add(struct seen *seen, const struct nb_quantity *interval,
                double exact)
{
    seen->count++;
    seen->inside += interval->lower <= exact && exact <= interval->upper;
    seen->below += interval->upper < exact;
    if (isinf(interval->upper) || interval->lower <= 0) {
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
    const double sure = answer->sure > 0 ? answer->sure : 1.96;
    const double width = strchr(answer->name, '*') != NULL
                             ? NAN /* of another row each time */
                             : seen->width / n / (sure * deviation);
    printf("  %-34s %10.5g %10.5g  %5.1f %%  %5.1f %%  %5.2f  %4zu\n",
           answer->name, exact, mean, 100 * (double)seen->inside / all,
           100 * (double)seen->below / all, width, seen->open);
}

static void ask(const struct coverage_case *row, size_t seed,
                struct nb_point *out)
{
    struct nb_error err = { 0 };
    char text[300], *save;
    snprintf(text, sizeof text, "%s seed %zu", row->options,
             1000003 * (seed + 1));
    const char *name = strtok_r(text, " ", &save);
    const struct nb_command *command = nb_command_find(name);
    struct nb_model model = { .command = nb_new_string(name) };
    const struct nb_question question = { .model = &model,
                                          .run = { .threads = 1 } };
    for (char *option = strtok_r(NULL, " ", &save); option != NULL;
         option = strtok_r(NULL, " ", &save))
        if (nb_model_set(&model, option, strtok_r(NULL, " ", &save), &err) !=
            NB_OK)
            fail_msg("%s", err.message);
    *out = (struct nb_point){ 0 };
    if (nb_model_complete(command, &model, &err) != NB_OK ||
        command->answer(&question, out, &err) != NB_OK)
        fail_msg("%s: %s", row->options, err.message);
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
        ask(row, seed, &point);
        for (size_t i = 0; i < count; i++) {
            const struct nb_quantity interval =
                interval_of(&point, row->answers[i].name, exact[i]);
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
