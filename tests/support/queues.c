#include "../support/queues.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

struct nb_ratio queue_ratio(const char *text)
{
    struct nb_ratio ratio;
    assert_int_equal(nb_ratio_read(text, &ratio, NULL), NB_OK);
    return ratio;
}

struct nb_queue_load queue_load(const char *text)
{
    return nb_load_of_ratio(queue_ratio(text));
}

struct nb_arrivals queue_inputs(int64_t radix)
{
    return (struct nb_arrivals){
        .kind = radix == 0 ? NB_ARRIVE_POISSON : NB_ARRIVE_BERNOULLI,
        .radix = radix == 0 ? 1 : radix,
    };
}

void queue_must_find(const struct nb_arrivals *arrivals,
                     struct nb_queue_load load, struct nb_distribution *out)
{
    struct nb_error err = { 0 };
    const enum nb_status status = nb_arrivals_law(arrivals, load, out, &err);
    QUEUE_CHECK(status == NB_OK, "radix %lld, load %.17g: %s",
                (long long)arrivals->radix, load.rho.high, err.message);
}

void queue_convolve(const double *p, size_t inputs, double *mass, size_t count)
{
    memset(mass, 0, count * sizeof *mass);
    mass[0] = 1;
    for (size_t i = 0; i < inputs; i++)
        for (size_t m = count; m-- > 0;)
            mass[m] = mass[m] * (1 - p[i]) + (m > 0 ? mass[m - 1] * p[i] : 0);
}

enum { QUEUE_LEVELS = 41 };

/* Transposed, so that columns of the chain are rows of equations; the last
 * says that all sum to 1. */
static void queue_equations(const double *mass, size_t count, size_t depth,
                            double matrix[][QUEUE_LEVELS + 1])
{
    memset(matrix, 0, (depth + 1) * sizeof *matrix);
    for (size_t from = 0; from <= depth; from++) {
        matrix[from][from] -= 1;
        for (size_t m = 0; m < count; m++) {
            const size_t sum = (from > 0 ? from - 1 : 0) + m;
            matrix[sum < depth ? sum : depth][from] += mass[m];
        }
    }
    for (size_t from = 0; from <= depth; from++)
        matrix[depth][from] = 1;
    matrix[depth][depth + 1] = 1;
}

void queue_solve(const double *mass, size_t count, size_t depth, double *pi)
{
    double matrix[QUEUE_LEVELS][QUEUE_LEVELS + 1];
    assert_true(depth < QUEUE_LEVELS);
    queue_equations(mass, count, depth, matrix);
    for (size_t i = 0; i <= depth; i++) {
        size_t pivot = i;
        for (size_t r = i; r <= depth; r++)
            if (fabs(matrix[r][i]) > fabs(matrix[pivot][i]))
                pivot = r;
        for (size_t c = 0; c <= depth + 1; c++) {
            const double other = matrix[i][c];
            matrix[i][c] = matrix[pivot][c];
            matrix[pivot][c] = other;
        }
        for (size_t r = 0; r <= depth; r++) {
            const double factor = r == i ? 0 : matrix[r][i] / matrix[i][i];
            for (size_t c = i; c <= depth + 1 && factor != 0; c++)
                matrix[r][c] -= factor * matrix[i][c];
        }
    }
    for (size_t i = 0; i <= depth; i++)
        pi[i] = matrix[i][depth + 1] / matrix[i][i];
}

bool queue_holds(struct nb_bracket bracket, double value, double error)
{
    return bracket.lower <= value * (1 + error) &&
           bracket.upper >= value * (1 - error);
}
