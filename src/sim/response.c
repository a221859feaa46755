/* Responses: how long the windows take to reach their final level (declared in
 * sim/summary.h). */
#include "sim/summary.h"

#include "core/memory.h"

#include <math.h>

/* Minimum number of windows of a course, and the share of the level by which it
 * may deviate. */
enum { RESPONSE_WINDOWS = 8 };
#define RESPONSE_SHARE 0.05

/* The windows from first to before end; those from last on define the level;
 * arrays of [replications]. */
struct response_span {
    size_t first, last, end;
    double *level; /* of the current course */
    double *value; /* scratch */
};

/* The mean of one replication over windows from first to before end. */
static double response_value(const struct nb_measure *measure, size_t first,
                             size_t end, enum nb_course course)
{
    double sum = 0;
    for (size_t w = first; w < end; w++) {
        const struct nb_window_sum *window = &measure->window[w];
        const double of[NB_COURSES] = {
            [NB_COURSE_ACCEPTED] = window->flits,
            [NB_COURSE_LATENCY] = window->latency / window->packets,
            [NB_COURSE_MINIMAL] = window->minimal / window->packets,
            [NB_COURSE_LEVEL] = window->level / window->packets,
        };
        sum += of[course];
    }
    return sum / (double)(end - first);
}

/* Finds the levels; returns their mean. */
static double response_level(const struct nb_replications *all,
                             const struct response_span *span,
                             enum nb_course course)
{
    double mean = 0;
    for (size_t i = 0; i < all->count; i++) {
        span->level[i] = response_value(&all->networks[i].measure, span->last,
                                        span->end, course);
        mean += span->level[i] / (double)all->count;
    }
    return mean;
}

/* By how much windows exceed (1 + share) times the level: mean over the
 * replications, and an interval with this probability of error on one side. */
static struct nb_estimate response_excess(const struct nb_replications *all,
                                          const struct response_span *span,
                                          enum nb_course course, size_t first,
                                          size_t end, double share,
                                          double chance)
{
    for (size_t i = 0; i < all->count; i++)
        span->value[i] =
            response_value(&all->networks[i].measure, first, end, course) -
            (1 + share) * span->level[i];
    return nb_estimate_mean(span->value, all->count, 1 - 2 * chance);
}

/* Whether the mean of windows is outside, possibly or certainly. That one is
 * certainly outside may be wrong for any of them and on either side, so these
 * share the probability of error. That all from one on are certainly within is
 * wrong only if the last one outside is taken to be within. */
struct response_look {
    bool is_outside, is_surely_outside, is_surely_within;
};

static struct response_look response_look(const struct nb_replications *all,
                                          const struct response_span *span,
                                          enum nb_course course, size_t first,
                                          size_t end)
{
    const double chance = (1 - NB_SUMMARY_LEVEL) / 2;
    const double least = chance / (2 * (double)(span->end - span->first));
    struct nb_estimate above[2], below[2];
    for (int i = 0; i < 2; i++) {
        const double part = i == 0 ? chance : least;
        above[i] = response_excess(all, span, course, first, end,
                                   RESPONSE_SHARE, part);
        below[i] = response_excess(all, span, course, first, end,
                                   -RESPONSE_SHARE, part);
    }
    return (struct response_look){
        .is_outside = !(above[0].mean <= 0 && below[0].mean >= 0),
        .is_surely_outside = above[1].mean - above[1].half_width > 0 ||
                             below[1].mean + below[1].half_width < 0,
        .is_surely_within = above[0].mean + above[0].half_width <= 0 &&
                            below[0].mean - below[0].half_width >= 0,
    };
}

/* Adds windows that begin and end at these cycles after the step. */
static void response_take(struct nb_interval *time,
                          const struct response_look *look, double begin,
                          double end)
{
    if (look->is_outside)
        time->value = end;
    if (look->is_surely_outside)
        time->lower = begin;
    if (look->is_outside || !look->is_surely_within)
        time->upper = end;
}

/* [cycle] after the step. The windows of the last quarter are tested one by one
 * only for certain deviations, otherwise as two halves: by chance some of many
 * windows deviate. */
static struct nb_interval response_time(const struct nb_replications *all,
                                        const struct response_span *span,
                                        enum nb_course course, uint64_t step)
{
    const double window = all->networks[0].plan->window;
    const double origin = (double)step;
    const size_t half = span->last + (span->end - span->last) / 2;
    struct nb_interval time = { 0, 0, (double)span->first * window - origin };
    for (size_t w = span->first; w < span->end; w++) {
        const double begin = (double)w * window - origin;
        const struct response_look look =
            response_look(all, span, course, w, w + 1);
        if (w < span->last)
            response_take(&time, &look, begin, begin + window);
        else if (look.is_surely_outside)
            response_take(&time, &look, begin, INFINITY);
    }
    for (int i = 0; i < 2; i++) {
        const size_t first = i == 0 ? span->last : half;
        const struct response_look look =
            response_look(all, span, course, first, i == 0 ? half : span->end);
        response_take(&time, &look,
                      fmax(time.lower, (double)first * window - origin),
                      INFINITY);
    }
    return time;
}

/* The whole windows from one cycle to another. */
static struct response_span response_span(uint64_t from, uint64_t to,
                                          uint32_t window, size_t count)
{
    struct response_span span = {
        .first = (size_t)((from + window - 1) / window),
        .end = (size_t)(to / window),
    };
    if (span.end > count)
        span.end = count;
    span.last = span.end - (span.end - span.first) / 4;
    return span;
}

/* The courses after one step, or from the beginning. */
static void response_find(const struct nb_replications *all, uint64_t from,
                          uint64_t to, double *scratch,
                          struct nb_simulation_result *out)
{
    const struct nb_network *network = &all->networks[0];
    const uint32_t window = network->plan->window;
    struct response_span span =
        response_span(from, to, window, out->window_count);
    span.level = scratch;
    span.value = scratch + all->count;
    if (span.first + RESPONSE_WINDOWS > span.end)
        return;
    for (int c = 0; c < NB_COURSES; c++) {
        const enum nb_course course = (enum nb_course)c;
        const double level = response_level(all, &span, course);
        const bool is_known = course != NB_COURSE_MINIMAL ||
                              network->measure.flows->distance != NULL;
        if (!is_known || !(level > 0))
            continue;
        out->responses[out->response_count++] = (struct nb_response){
            .cycle = from,
            .course = course,
            .level =
                course == NB_COURSE_ACCEPTED
                    ? level / window / (double)network->topology->terminal_count
                    : level,
            .time = response_time(all, &span, course, from),
        };
    }
}

enum nb_status nb_summary_find_responses(const struct nb_replications *all,
                                         struct nb_simulation_result *out,
                                         struct nb_error *err)
{
    const struct nb_simulation *plan = all->networks[0].plan;
    const size_t steps = plan->step_count;
    const size_t spans = steps > 0 ? steps : 1;
    double *scratch = NULL;
    enum nb_status status = NB_OK;
    if (plan->window == 0)
        return NB_OK;
    NB_TRY(nb_new(&out->responses, spans * NB_COURSES, sizeof *out->responses,
                  "series", err));
    NB_TRY(nb_new(&scratch, 2 * all->count, sizeof *scratch, "series", err));
    for (size_t s = 0; s < spans; s++)
        response_find(all, steps > 0 ? plan->steps[s].cycle : 0,
                      s + 1 < steps ? plan->steps[s + 1].cycle : UINT64_MAX,
                      scratch, out);
done:
    nb_delete(scratch);
    return status;
}
