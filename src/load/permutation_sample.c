#include "load/permutation_sample.h"

#include "core/deal.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/sort_falling.h"

#include <math.h>
#include <string.h>

/* Permutations drawn at a time: enough to use a block of dense cells many times
 * while it is in the cache, but with at most this many numbers. */
enum { SAMPLE_BATCH = 256, SAMPLE_NUMBERS = 1 << 20 };

struct sample_work {
    const struct nb_permutation_loads *loads;
    uint64_t seed;
    size_t count;
    size_t batch;
    union nb_load_cell *peak;
    uint32_t *permutation;   /* [thread * batch * terminals] */
    union nb_load_cell *sum; /* [thread * channels] */
};

void nb_permutation_sample_release(struct nb_permutation_sample *sample)
{
    nb_delete(sample->peak);
    nb_delete(sample->worst_permutation);
    *sample = (struct nb_permutation_sample){ 0 };
}

static void sample_draw(const struct sample_work *work, size_t index,
                        uint32_t *permutation)
{
    struct nb_random random;
    nb_random_init(&random, work->seed, index);
    nb_random_permutation(&random, (uint32_t)work->loads->terminal_count,
                          permutation);
}

/* Size of batch number index. */
static size_t sample_batch_size(const struct sample_work *work, size_t index)
{
    const size_t left = work->count - index * work->batch;
    return left < work->batch ? left : work->batch;
}

static enum nb_status sample_task(void *context, int thread, size_t index,
                                  struct nb_text *result, struct nb_error *err)
{
    (void)err;
    const struct sample_work *work = context;
    const size_t first = index * work->batch;
    const size_t count = sample_batch_size(work, index);
    uint32_t *permutation = work->permutation + (size_t)thread * work->batch *
                                                    work->loads->terminal_count;
    for (size_t p = 0; p < count; p++)
        sample_draw(work, first + p,
                    permutation + p * work->loads->terminal_count);
    nb_permutation_peaks(work->loads, count, permutation,
                         work->sum +
                             (size_t)thread * work->loads->channel_count,
                         work->peak + first);
    nb_pack(result, work->peak + first, count * sizeof *work->peak);
    return NB_OK;
}

static enum nb_status sample_take(void *context, size_t index,
                                  struct nb_packed *result, bool *is_enough,
                                  struct nb_error *err)
{
    const struct sample_work *work = context;
    (void)is_enough;
    (void)err;
    nb_unpack(result, work->peak + index * work->batch,
              sample_batch_size(work, index) * sizeof *work->peak);
    return NB_OK;
}

/* The peak of every permutation, by its number. */
static enum nb_status sample_find_peaks(struct sample_work *work,
                                        const struct nb_run *run,
                                        struct nb_error *err)
{
    static const char what[] = "permutations";
    const struct nb_tasks tasks = {
        .what = what,
        .count = (work->count + work->batch - 1) / work->batch,
        .work = sample_task,
        .take = sample_take,
        .context = work,
    };
    const size_t threads = (size_t)nb_run_threads(run, tasks.count);
    struct nb_pool pool = { 0 };
    enum nb_status status = NB_OK;
    work->permutation = nb_pool_array(
        &pool, threads * work->batch * work->loads->terminal_count,
        sizeof(uint32_t));
    work->sum = nb_pool_array(&pool, threads * work->loads->channel_count,
                              sizeof *work->sum);
    NB_TRY(nb_pool_check(&pool, what, err));
    NB_TRY(nb_deal_tasks(run, &tasks, err));
done:
    nb_pool_release(&pool);
    return status;
}

size_t nb_permutation_sample_run(const struct nb_permutation_loads *loads,
                                 const struct nb_permutation_sample *sample,
                                 size_t first)
{
    size_t end = first + 1;
    while (end < sample->count &&
           nb_permutation_peak_compare(loads, sample->peak[end],
                                       sample->peak[first]) == 0)
        end++;
    return end;
}

size_t nb_permutation_sample_limited(const struct nb_permutation_loads *loads,
                                     const struct nb_permutation_sample *sample)
{
    struct nb_permutation_loads alone = *loads;
    double lower, limit;
    size_t count = 0;
    nb_ratio_bracket(loads->terminal_limit, &lower, &limit);
    alone.terminal_limit = nb_ratio_infinity;
    for (; count < sample->count; count++) {
        const struct nb_enclosure found = nb_permutation_throughput(
            &alone, sample->peak[sample->count - 1 - count]);
        if (loads->is_exact
                ? nb_ratio_compare(found.exact, loads->terminal_limit) <= 0
                : found.lower <= limit)
            break;
    }
    return count;
}

struct nb_enclosure
nb_permutation_sample_harmonic(const struct nb_permutation_loads *loads,
                               const struct nb_permutation_sample *sample)
{
    struct nb_enclosure sum = nb_enclosure_of_whole(0);
    size_t end;
    for (size_t first = 0; first < sample->count; first = end) {
        end = nb_permutation_sample_run(loads, sample, first);
        sum = nb_enclosure_add(
            sum, nb_enclosure_divide(
                     nb_enclosure_of_whole((uint32_t)(end - first)),
                     nb_permutation_throughput(loads, sample->peak[first])));
    }
    return nb_enclosure_divide(nb_enclosure_of_whole((uint32_t)sample->count),
                               sum);
}

/* A throughput, rounded. */
static double sample_value(const struct nb_permutation_loads *loads,
                           union nb_load_cell peak)
{
    return fmin(loads->is_exact
                    ? (double)loads->denominator / (double)peak.weight
                    : 1 / peak.value,
                nb_ratio_value(loads->terminal_limit));
}

/* Means over the permutations that load a channel, with the weight of
 * throughput x multiplied by exp(tilt x). */
struct sample_tilted {
    double mean, deviation;
    size_t runs;
};

/* By runs of the sorted peaks: terms come in the same order for any number of
 * threads. */
static struct sample_tilted
sample_tilt(const struct nb_permutation_loads *loads,
            const struct nb_permutation_sample *sample, double tilt)
{
    const size_t busy = sample->count - sample->idle_count;
    const double far =
        sample_value(loads, sample->peak[tilt > 0 ? busy - 1 : 0]);
    struct sample_tilted out = { 0 };
    double weights = 0, sum = 0, squares = 0;
    size_t end;
    for (size_t first = 0; first < busy; first = end, out.runs++) {
        end = nb_permutation_sample_run(loads, sample, first);
        const double off = sample_value(loads, sample->peak[first]) - far;
        const double weight = (double)(end - first) * exp(tilt * off);
        weights += weight;
        sum += weight * off;
        squares += weight * off * off;
    }
    out.mean = far + sum / weights;
    out.deviation = sqrt(fmax(squares - sum * sum / weights, 0) / weights);
    return out;
}

/* The number of deviations that contains 95 % of Student's distribution, by the
 * series about the normal distribution: within 1 % from 6 values on. */
static double sample_deviations(double freedom)
{
    const double z = 1.959963984540054, cube = z * z * z;
    return z + (cube + z) / (4 * freedom) +
           (5 * cube * z * z + 16 * cube + 3 * z) / (96 * freedom * freedom);
}

/*
 * One end of the interval: the mean of the tilted sample at which its distance
 * from the sample's mean has the required ratio to its own deviation. As the
 * tilt grows, the ratio grows from 0 to infinity, and the mean tends to the
 * sample's extreme.
 *
 * side  -1: the lower end; 1: the upper one
 */
static double sample_end(const struct nb_permutation_loads *loads,
                         const struct nb_permutation_sample *sample,
                         const struct sample_tilted *plain, int side)
{
    enum { SAMPLE_STEPS = 100 };
    const double root = sqrt((double)(sample->count - sample->idle_count));
    const double deviations = sample_deviations(root * root - 1);
    double low = 0, high = INFINITY, at = deviations / plain->deviation / root;
    struct sample_tilted there = *plain;
    for (int i = 0; i < SAMPLE_STEPS && high - low > 1e-10 * at; i++) {
        there = sample_tilt(loads, sample, side * at);
        const double off = root * side * (there.mean - plain->mean);
        const bool is_far = off > deviations * there.deviation;
        *(is_far ? &high : &low) = at;
        /* The ratio is nearly proportional to the tilt. */
        const double next = at * deviations * there.deviation / off;
        if (fabs(next - at) <= 1e-10 * at)
            break;
        at = next > low && next < high && i < 20 ? next
             : isinf(high)                       ? 2 * low
                                                 : low / 2 + high / 2;
    }
    return there.mean;
}

static void sample_average(const struct nb_permutation_loads *loads,
                           struct nb_permutation_sample *sample)
{
    const size_t busy = sample->count - sample->idle_count;
    const double limit = nb_ratio_value(loads->terminal_limit);
    const bool is_fixed = loads->kernel == NB_KERNEL_FIXED;
    sample->mean =
        (struct nb_interval){ INFINITY, is_fixed ? INFINITY : 0, INFINITY };
    if (busy == 0)
        return;
    const struct sample_tilted plain = sample_tilt(loads, sample, 0);
    const double mean = plain.mean;
    /* Loads in doubles have their error, and sums are rounded once per run. */
    const double error =
        mean * (loads->relative_error + (double)(plain.runs + 8) * 0x1p-53);
    if (is_fixed)
        sample->mean = (struct nb_interval){ mean, mean, mean };
    else if (plain.deviation <= error)
        sample->mean = nb_interval_of_equal(mean, busy, fmax(limit, mean));
    else
        sample->mean = (struct nb_interval){
            mean,
            sample_end(loads, sample, &plain, -1),
            sample_end(loads, sample, &plain, 1),
        };
    sample->mean.lower = fmax(sample->mean.lower - error, 0);
    sample->mean.upper = fmin(sample->mean.upper + error, limit);
}

/* Finds the first permutation of greatest peak and draws it once more. */
static enum nb_status sample_find_worst(const struct sample_work *work,
                                        struct nb_permutation_sample *sample,
                                        struct nb_error *err)
{
    const struct nb_permutation_loads *loads = work->loads;
    for (size_t p = 1; p < sample->count; p++)
        if (nb_permutation_peak_compare(loads, sample->peak[p],
                                        sample->peak[sample->worst]) > 0)
            sample->worst = p;
    const enum nb_status status =
        nb_new(&sample->worst_permutation, loads->terminal_count,
               sizeof *sample->worst_permutation, "permutation", err);
    if (status == NB_OK)
        sample_draw(work, sample->worst, sample->worst_permutation);
    return status;
}

enum nb_status nb_permutation_sample_draw(
    const struct nb_permutation_loads *loads, uint64_t seed, size_t count,
    const struct nb_run *run, struct nb_permutation_sample *out,
    struct nb_error *err)
{
    const size_t fitting = SAMPLE_NUMBERS / loads->terminal_count;
    struct sample_work work = {
        .loads = loads,
        .seed = seed,
        .count = count,
        .batch = fitting < 1              ? 1
                 : fitting < SAMPLE_BATCH ? fitting
                                          : SAMPLE_BATCH,
    };
    const double numbers = (double)work.batch * (double)loads->terminal_count;
    const double threads = nb_run_threads(run, count);
    enum nb_status status = NB_OK;
    *out = (struct nb_permutation_sample){ .count = count };
    NB_TRY(nb_memory_require(sizeof(union nb_load_cell) * (double)count +
                                 threads * numbers * sizeof(uint32_t),
                             "a sample of permutations", err));
    NB_TRY(nb_new(&out->peak, count, sizeof *out->peak, "permutations", err));
    work.peak = out->peak;
    NB_TRY(sample_find_peaks(&work, run, err));
    NB_TRY(sample_find_worst(&work, out, err));
    nb_sort_falling(&out->peak->weight, count); /* or values: all >= 0 */
    while (out->idle_count < count &&
           isinf(nb_permutation_throughput(
                     loads, out->peak[count - 1 - out->idle_count])
                     .lower))
        out->idle_count++;
    sample_average(loads, out);
done:
    if (status != NB_OK)
        nb_permutation_sample_release(out);
    return status;
}

union nb_load_cell
nb_permutation_sample_quantile(const struct nb_permutation_sample *sample,
                               unsigned percent)
{
    return sample->peak[(sample->count * percent + 99) / 100 - 1];
}
