/*
 * The search: makes trials until one where the condition holds is next to one
 * where it fails or is refused; then narrows between the two.
 */
#include "ask/find_parts.h"

#include "core/locale.h"
#include "core/memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    FIND_PROBES = 2,       /* on each side of the value found */
    FIND_FIRST = 4,        /* expected trials until then */
    FIND_SEEK = 31,        /* trials in a range if all before were refused */
    FIND_DOUBLINGS_UP = 10 /* of real numbers, from 1 */
};

/* 1 if the quantity certainly rises, -1 if it certainly falls; if it does both,
 * compares the last trial with the first. 0: it does not certainly change. */
static int find_way(const struct nb_find *find)
{
    const struct nb_find_trial *first = NULL, *last = NULL;
    double least_upper = INFINITY, most_lower = -INFINITY;
    bool rises = false, falls = false;
    for (size_t i = 0; i < find->count; i++) {
        if (isnan(find->sorted[i]->number))
            continue;
        if (first == NULL)
            first = find->sorted[i];
        last = find->sorted[i];
        rises = rises || last->lower > least_upper;
        falls = falls || last->upper < most_lower;
        least_upper = fmin(least_upper, last->upper);
        most_lower = fmax(most_lower, last->lower);
    }
    if (rises && falls)
        return last->number >= first->number ? 1 : -1;
    return rises - falls;
}

bool nb_find_is_greatest(const struct nb_find *find)
{
    return (find_way(find) >= 0) == find->request.is_most;
}

/* Finds the first neighbours between which the condition changes, ignoring
 * undecided and refused trials between them. */
static bool find_settle_change(struct nb_find *find)
{
    const struct nb_find_trial *last = NULL;
    for (size_t i = 0; i < find->count; i++) {
        const enum nb_find_verdict verdict = find->sorted[i]->verdict;
        if (verdict == NB_FIND_UNDECIDED || verdict == NB_FIND_REFUSED)
            continue;
        if (last != NULL && last->verdict != verdict) {
            find->low = (size_t)(last - find->trials);
            find->high = (size_t)(find->sorted[i] - find->trials);
            return true;
        }
        last = find->sorted[i];
    }
    return false;
}

/* If the condition holds at all decided trials, or at none: takes the last of
 * them in the direction in which it may change, and the refused trial behind
 * it, where the permitted range ends. A refusal on the other side says nothing.
 * If a simulation leaves some trials undecided, the condition may hold at
 * these, which says more than a refusal. */
static bool find_settle_end(struct nb_find *find)
{
    const bool is_up =
        nb_find_is_greatest(find) == (find->having[NB_FIND_HOLDS] > 0);
    size_t inner = SIZE_MAX, outer = SIZE_MAX;
    if (find->having[NB_FIND_HOLDS] == 0 &&
        find->having[NB_FIND_UNDECIDED] > 0 && find->request.is_simulated)
        return false;
    for (size_t i = 0; i < find->count; i++) {
        const size_t at = is_up ? i : find->count - 1 - i;
        const size_t index = (size_t)(find->sorted[at] - find->trials);
        if (find->sorted[at]->verdict == NB_FIND_HOLDS ||
            find->sorted[at]->verdict == NB_FIND_FAILS) {
            inner = index;
            outer = SIZE_MAX;
        } else if (find->sorted[at]->verdict == NB_FIND_REFUSED &&
                   outer == SIZE_MAX) {
            outer = index;
        }
    }
    if (inner == SIZE_MAX || outer == SIZE_MAX)
        return false;
    find->low = is_up ? inner : outer;
    find->high = is_up ? outer : inner;
    return true;
}

static bool find_settle(struct nb_find *find)
{
    return find_settle_change(find) || find_settle_end(find);
}

static bool find_is_enough(const struct nb_find *find)
{
    return find->having[NB_FIND_HOLDS] > 0 && find->having[NB_FIND_FAILS] > 0;
}

/* Tries whole numbers upwards from the least, doubling the step each time. */
static enum nb_status find_widen_whole(struct nb_find *find,
                                       struct nb_error *err)
{
    const struct nb_find_request *request = &find->request;
    enum nb_status status = NB_OK;
    size_t index = 0;
    double last = request->least - 1;
    for (double step = 1;
         last < request->most && index != SIZE_MAX && !find_is_enough(find);
         step *= 2) {
        const double value = fmin(request->least + step - 1, request->most);
        NB_TRY(nb_find_try_near(find, value, last, request->most + 1, &index,
                                err));
        last = value;
    }
done:
    return status;
}

/* Rounds a value between two others to as few digits as the requested width
 * permits. */
static double find_round(const struct nb_find *find, double value, double low,
                         double high)
{
    int digits = 1 + (int)ceil(-log10(find->request.within));
    if (find->is_whole)
        return rint(value) > low && rint(value) < high ? rint(value)
                                                       : floor(value);
    for (; digits < DBL_DECIMAL_DIG; digits++) {
        char text[NB_FIND_VALUE];
        nb_snprintf(text, sizeof text, "%.*g", digits, value);
        const double rounded = nb_strtod(text, NULL);
        if (rounded > low && rounded < high)
            return rounded;
    }
    return value;
}

/* A network that is saturated is also saturated at all higher loads, and takes
 * longer to simulate there. */
static bool find_is_beyond(const struct nb_find *find, size_t index)
{
    const char *name = find->request.name;
    return index != SIZE_MAX && find->trials[index].is_saturated &&
           (strcmp(name, "load") == 0 || strcmp(name, "rate") == 0);
}

/* Tries values below and above 1, squaring the factor each time, and finally
 * the least. Continues past refused values, since they may lie between
 * permitted ones, but not past saturated ones. */
static enum nb_status find_widen_real(struct nb_find *find,
                                      struct nb_error *err)
{
    const struct nb_find_request *request = &find->request;
    const double middle = fmax(request->least, fmin(1, request->most));
    const double least = request->least > 0 ? request->least : NB_FIND_LEAST;
    const double most = fmin(request->most, ldexp(middle, FIND_DOUBLINGS_UP));
    const double ends[] = { least, most };
    bool is_open[] = { middle > least, middle < most };
    enum nb_status status = NB_OK;
    size_t index;
    NB_TRY(nb_find_try(find, middle, &index, err));
    is_open[1] = is_open[1] && !find_is_beyond(find, index);
    for (int power = 1; (is_open[0] || is_open[1]) && !find_is_enough(find);
         power *= 2)
        for (int up = 0; up < 2; up++) {
            const double next = ldexp(middle, up ? power : -power);
            const double end = ends[up];
            const double value = next > least && next < most
                                     ? find_round(find, next, least, most)
                                     : end;
            if (!is_open[up] || find_is_enough(find))
                continue;
            NB_TRY(nb_find_try(find, value, &index, err));
            is_open[up] = value != end && index != SIZE_MAX &&
                          !(up && find_is_beyond(find, index));
        }
    if (request->least < least && !find_is_enough(find))
        NB_TRY(nb_find_try(find, request->least, &index, err));
done:
    return status;
}

/* The value at a fraction of the distance between two others. */
static double find_between(const struct nb_find *find, double low, double high,
                           double share)
{
    const double from = nb_find_place(find, low),
                 to = nb_find_place(find, high);
    const double place = from + share * (to - from);
    return find_round(find, find->is_log ? exp(place) : place, low, high);
}

/* Tries some values between two with the same verdict, the first and the
 * last. */
static enum nb_status find_probe(struct nb_find *find, double low, double high,
                                 int count, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    size_t index;
    for (int i = 1; i <= count; i++) {
        const double value =
            find_between(find, low, high, (double)i / (count + 1));
        if (value > low && value < high)
            NB_TRY(nb_find_try_near(find, value, low, high, &index, err));
    }
done:
    return status;
}

/* Narrows the range by a trial between low and high. */
static void find_narrow(struct nb_find *find, size_t index)
{
    const enum nb_find_verdict verdict = find->trials[index].verdict;
    const enum nb_find_verdict low = find->trials[find->low].verdict;
    const enum nb_find_verdict high = find->trials[find->high].verdict;
    enum nb_crossing_side side = NB_SIDE_OPEN;
    if (verdict == low || (low == NB_FIND_REFUSED && verdict != high &&
                           verdict != NB_FIND_UNDECIDED))
        side = NB_SIDE_LOW;
    else if (verdict == high ||
             (high == NB_FIND_REFUSED && verdict != NB_FIND_UNDECIDED))
        side = NB_SIDE_HIGH;
    if (side == NB_SIDE_LOW)
        find->low = index;
    if (side == NB_SIDE_HIGH)
        find->high = index;
    nb_crossing_add(&find->crossing, find->trials[index].place, side);
}

static bool find_is_inside(const struct nb_find *find,
                           const struct nb_find_trial *trial)
{
    return trial->place > find->crossing.low &&
           trial->place < find->crossing.high;
}

/* Uses the earlier trials between the ends: first those that move an end, then
 * those that are still inside. */
static void find_enclose(struct nb_find *find)
{
    for (int pass = 0; pass < 2; pass++) {
        find->crossing = nb_crossing_between(find->trials[find->low].place,
                                             find->trials[find->high].place);
        for (size_t i = 0; i < find->count; i++)
            if (find_is_inside(find, &find->trials[i]))
                find_narrow(find, i);
    }
}

/* The value to try at a place; low and high: the nearest values tried on either
 * side. */
static double find_value(const struct nb_find *find, double place, double *low,
                         double *high)
{
    *low = find->trials[find->low].value;
    *high = find->trials[find->high].value;
    for (size_t i = 0; i < find->count; i++) {
        const struct nb_find_trial *trial = &find->trials[i];
        if (trial->place <= place)
            *low = fmax(*low, trial->value);
        else
            *high = fmin(*high, trial->value);
    }
    return find_round(find, find->is_log ? exp(place) : place, *low, *high);
}

/* Expected number of trials until the parts below and above the undecided range
 * are narrow. */
static double find_halvings(const struct nb_find *find, double enough)
{
    const struct nb_crossing *crossing = &find->crossing;
    const bool has_doubt = !isinf(crossing->doubt_first);
    const double below =
        (has_doubt ? crossing->doubt_first : crossing->high) - crossing->low;
    const double above = has_doubt ? crossing->high - crossing->doubt_last : 0;
    return ceil(fmax(0, log2(below / enough))) +
           (above > 0 ? ceil(fmax(0, log2(above / enough))) : 0);
}

static enum nb_status find_close(struct nb_find *find, struct nb_error *err)
{
    const double span = find->crossing.high - find->crossing.low;
    const double enough = find->is_whole ? 1
                          : find->is_log ? find->request.within
                                         : find->request.within * span;
    enum nb_status status = NB_OK;
    double place;
    while (!isnan(place = nb_crossing_next(&find->crossing, enough))) {
        double low, high;
        size_t index;
        const double value = find_value(find, place, &low, &high);
        if (!(value > low && value < high))
            break;
        find->left = find_halvings(find, enough) + 2 * FIND_PROBES;
        NB_TRY(nb_find_try_near(find, value, low, high, &index, err));
        if (index == SIZE_MAX)
            break;
        find_narrow(find, index);
    }
done:
    return status;
}

bool nb_find_is_doubtful(const struct nb_find *find)
{
    for (size_t i = 0; i < find->count; i++)
        if (find->trials[i].verdict == NB_FIND_UNDECIDED &&
            (find->low == SIZE_MAX || find_is_inside(find, &find->trials[i])))
            return true;
    return false;
}

bool nb_find_holds_about(const struct nb_find *find,
                         const struct nb_find_trial *trial)
{
    return find->request.is_most ? trial->number <= find->upper
                                 : trial->number >= find->lower;
}

/* Distance of a place from the nearest trial where the condition certainly
 * holds, or, if there is none, where it certainly fails. */
static double find_distance(const struct nb_find *find, double place)
{
    const enum nb_find_verdict sure =
        find->having[NB_FIND_HOLDS] > 0 ? NB_FIND_HOLDS : NB_FIND_FAILS;
    double least = INFINITY;
    for (size_t i = 0; i < find->count; i++)
        if (find->trials[i].verdict == sure)
            least = fmin(least, fabs(find->trials[i].place - place));
    return least;
}

bool nb_find_change(const struct nb_find *find, size_t *low, size_t *high)
{
    const struct nb_find_trial *last = NULL;
    const bool is_pair = find->low != SIZE_MAX;
    const bool is_greatest = nb_find_is_greatest(find);
    const bool is_one_way =
        !is_pair && (find_way(find) != 0 || !(find->having[NB_FIND_HOLDS] > 0 ||
                                              find->having[NB_FIND_FAILS] > 0));
    bool is_found = false;
    double least = INFINITY;
    for (size_t i = 0; i < find->count; i++) {
        const struct nb_find_trial *trial = find->sorted[i];
        if (isnan(trial->number) ||
            (is_pair && (trial->value < find->trials[find->low].value ||
                         trial->value > find->trials[find->high].value)))
            continue;
        const double distance = find_distance(find, trial->place);
        if (last != NULL &&
            nb_find_holds_about(find, last) !=
                nb_find_holds_about(find, trial) &&
            (!is_one_way || nb_find_holds_about(find, last) == is_greatest) &&
            (!is_found || distance < least)) {
            *low = (size_t)(last - find->trials);
            *high = (size_t)(trial - find->trials);
            least = distance;
            is_found = true;
        }
        last = trial;
    }
    return is_found;
}

/* If too many trials are undecided for the ends to say much: continues between
 * the values at which the condition changes. */
static enum nb_status find_estimate(struct nb_find *find, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    size_t low, high, index;
    while (nb_find_is_doubtful(find) && nb_find_change(find, &low, &high)) {
        const struct nb_find_trial *from = &find->trials[low];
        const struct nb_find_trial *to = &find->trials[high];
        const double enough = find->is_whole ? 1
                              : find->is_log
                                  ? find->request.within
                                  : find->request.within * fabs(to->value);
        const double value = find_between(find, from->value, to->value, 0.5);
        if (to->place - from->place <= enough || !(value > from->value) ||
            !(value < to->value))
            break;
        find->left = ceil(log2((to->place - from->place) / enough));
        NB_TRY(nb_find_try(find, value, &index, err));
        if (index == SIZE_MAX || isnan(find->trials[index].number))
            break;
        if (find->low != SIZE_MAX)
            find_enclose(find);
    }
done:
    return status;
}

/* Tries values between the ends, and more and more of them until an answer has
 * the quantity. If none has it, fails with what the answers lack or with the
 * first refusal. */
static enum nb_status find_seek(struct nb_find *find, double least, double most,
                                struct nb_error *err)
{
    enum nb_status status = NB_OK;
    int count = FIND_PROBES + 1;
    if (!find_is_enough(find))
        NB_TRY(find_probe(find, least, most, count, err));
    while (!find->is_known && count < FIND_SEEK) {
        count = 2 * count + 1;
        NB_TRY(find_probe(find, least, most, count, err));
    }
    if (!find->is_known)
        NB_TRY(find->lacking > 0
                   ? nb_fail_again(err, find->lack.status, &find->lack)
                   : nb_fail_again(err, find->refused.status, &find->refused));
done:
    return status;
}

enum nb_status nb_find_search(struct nb_find *find, struct nb_error *err)
{
    const struct nb_find_request *request = &find->request;
    enum nb_status status = NB_OK;
    size_t index;
    find->left = FIND_FIRST + 2 * FIND_PROBES +
                 (find->is_whole ? log2(request->most - request->least + 1)
                                 : -log2(request->within));
    if (request->has_range) {
        NB_TRY(nb_find_try_near(find, request->least, request->least - 1,
                                request->most, &index, err));
        NB_TRY(nb_find_try_near(find, request->most, request->least,
                                request->most + 1, &index, err));
    } else {
        NB_TRY(find->is_whole ? find_widen_whole(find, err)
                              : find_widen_real(find, err));
    }
    const double least = find->sorted[0]->value;
    const double most = find->sorted[find->count - 1]->value;
    NB_TRY(find_seek(find, least, most, err));
    find->low = find->high = SIZE_MAX;
    if (!find_settle(find)) {
        NB_TRY(find_estimate(find, err));
        if (find_settle(find))
            find_enclose(find);
        goto done;
    }
    find_enclose(find);
    NB_TRY(find_close(find, err));
    if (find->request.is_simulated)
        NB_TRY(find_estimate(find, err));
    find->left = 2 * FIND_PROBES;
    NB_TRY(find_probe(find, least, find->trials[find->low].value, FIND_PROBES,
                      err));
    NB_TRY(find_probe(find, find->trials[find->high].value, most, FIND_PROBES,
                      err));
done:
    return status;
}
