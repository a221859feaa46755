/* Sweeps of a model (declared in question.h). */
#include "ask/question.h"

#include "core/grammar.h"
#include "core/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEP_POINTS = 1000000, SWEEP_PLACES = 15 };

/* A range A:B:STEP of decimals, 0.001 or 1e-3, as whole numbers over
 * 10^digits. */
struct sweep_range {
    int64_t first, step;
    size_t count;
    int digits;
};

/* Decimal places of "0.25" and "2.5e-1", 0 if none or malformed (nb_ratio_read
 * refuses). */
static int sweep_digits(const char *text, size_t length)
{
    const size_t number = strcspn(text, "eE:");
    const char *point = memchr(text, '.', number);
    const int written = point != NULL ? (int)(text + number - point - 1) : 0;
    const long power =
        number < length ? strtol(text + number + 1, NULL, 10) : 0;
    if (power < -SWEEP_PLACES || power > SWEEP_PLACES)
        return power < 0 ? SWEEP_PLACES + 1 : 0;
    return written > power ? written - (int)power : 0;
}

static enum nb_status sweep_read_part(const char *text, size_t length,
                                      int64_t scale, int64_t *out)
{
    char part[40];
    struct nb_ratio value;
    if (length >= sizeof part || memchr(text, '/', length) != NULL)
        return NB_INVALID;
    memcpy(part, text, length);
    part[length] = '\0';
    if (nb_ratio_read(part, &value, NULL) != NB_OK)
        return NB_INVALID;
    value = nb_ratio_multiply(value, nb_ratio_make(scale, 1));
    *out = value.numerator;
    return value.denominator == 1 ? NB_OK : NB_INVALID;
}

static enum nb_status sweep_read_range(const struct nb_model_option *sweep,
                                       struct sweep_range *out,
                                       struct nb_error *err)
{
    int64_t part[3] = { 0, 0, 0 }, scale = 1;
    size_t length[3] = { 0, 0, 0 };
    const char *text[3] = { sweep->value, NULL, NULL };
    bool is_range = true;
    out->digits = 0;
    for (int i = 0; i < 3 && is_range; i++) {
        length[i] = strcspn(text[i], ":");
        const int digits = sweep_digits(text[i], length[i]);
        out->digits = digits > out->digits ? digits : out->digits;
        is_range = (text[i][length[i]] == ':') == (i < 2);
        if (i < 2)
            text[i + 1] = text[i] + length[i] + 1;
    }
    is_range = is_range && out->digits <= SWEEP_PLACES;
    for (int i = 0; i < out->digits && is_range; i++)
        scale *= 10;
    for (int i = 0; i < 3 && is_range; i++)
        is_range =
            sweep_read_part(text[i], length[i], scale, &part[i]) == NB_OK;
    is_range = is_range && part[2] > 0 && part[1] >= part[0] &&
               part[0] > INT64_MIN / 4 && part[1] < INT64_MAX / 4;
    if (!is_range || (part[1] - part[0]) / part[2] >= SWEEP_POINTS)
        return nb_fail_about(
            err, NB_INVALID, sweep->name,
            "sweep %s=%.60s is not permitted (permitted: decimals "
            "A:B:STEP with A <= B, STEP > 0, at most %d points)",
            sweep->name, sweep->value, SWEEP_POINTS);
    out->first = part[0];
    out->step = part[2];
    out->count = (size_t)((part[1] - part[0]) / part[2]) + 1;
    return NB_OK;
}

/* A value with a colon is a range unless a letter stands before the colon:
 * torus:4x4,torus:8x8 is a list. */
static bool sweep_is_range(const char *value)
{
    return strchr(value, ':') != NULL &&
           value[strspn(value, "+-.:0123456789eE")] == '\0';
}

static enum nb_status sweep_size(const struct nb_model_option *sweep,
                                 size_t *count, struct nb_error *err)
{
    struct sweep_range range;
    enum nb_status status = NB_OK;
    *count = 1;
    if (sweep_is_range(sweep->value)) {
        status = sweep_read_range(sweep, &range, err);
        if (status == NB_OK)
            *count = range.count;
        return status;
    }
    for (const char *item = sweep->value + nb_list_first(sweep->value).length;
         *item != '\0'; item += 1 + nb_list_first(item + 1).length)
        ++*count;
    return NB_OK;
}

enum nb_status nb_sweep_count(const struct nb_model *model, size_t *count,
                              struct nb_error *err)
{
    *count = 1;
    for (size_t i = 0; i < model->sweep_count; i++) {
        size_t own;
        const enum nb_status status = sweep_size(&model->sweeps[i], &own, err);
        if (status != NB_OK)
            return status;
        if (own * *count > SWEEP_POINTS)
            return nb_fail(err, NB_INVALID,
                           "the sweeps have more than %d points together",
                           SWEEP_POINTS);
        *count *= own;
    }
    return NB_OK;
}

/* The index-th value of a sweep. */
static enum nb_status sweep_value(const struct nb_model_option *sweep,
                                  size_t index, struct nb_text *out,
                                  struct nb_error *err)
{
    if (!sweep_is_range(sweep->value)) {
        const char *part = sweep->value;
        for (; index > 0; index--)
            part += nb_list_first(part).length + 1;
        nb_text_add(out, part, nb_list_first(part).length);
        return nb_text_check(out, err);
    }
    struct sweep_range range;
    const enum nb_status status = sweep_read_range(sweep, &range, err);
    if (status != NB_OK)
        return status;
    const int64_t whole = range.first + range.step * (int64_t)index;
    int64_t scale = 1;
    for (int i = 0; i < range.digits; i++)
        scale *= 10;
    const int64_t size = whole < 0 ? -whole : whole;
    nb_text_print(out, "%s%" PRId64, whole < 0 ? "-" : "", size / scale);
    if (range.digits > 0)
        nb_text_print(out, ".%0*" PRId64, range.digits, size % scale);
    return nb_text_check(out, err);
}

enum nb_status nb_sweep_model(const struct nb_model *model, size_t index,
                              struct nb_model *out, struct nb_point *point,
                              struct nb_error *err)
{
    size_t count;
    struct nb_text value = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_model_at(model, NULL, 0, out, err));
    NB_TRY(nb_sweep_count(model, &count, err));
    for (size_t i = 0; i < model->sweep_count; i++) {
        const struct nb_model_option *sweep = &model->sweeps[i];
        size_t own;
        NB_TRY(sweep_size(sweep, &own, err));
        count /= own;
        nb_text_release(&value);
        NB_TRY(sweep_value(sweep, index / count % own, &value, err));
        NB_TRY(nb_model_put(out, sweep->name, value.bytes, err));
        nb_point_add_setting(point, sweep->name, value.bytes);
    }
done:
    nb_text_release(&value);
    if (status != NB_OK)
        nb_model_release(out);
    return status;
}

/* Appends a text with the folders of the model's files removed, so that it
 * reads the same wherever the question is asked. */
static void sweep_add_plain(const struct nb_model *model, const char *why,
                            struct nb_text *out)
{
    while (*why != '\0') {
        size_t folder = 0;
        for (size_t i = 0; i < model->input_count && folder == 0; i++) {
            const char *path = model->inputs[i].path;
            const char *slash = strrchr(path, '/');
            if (slash != NULL && strncmp(why, path, strlen(path)) == 0)
                folder = (size_t)(slash + 1 - path);
        }
        why += folder;
        nb_text_add(out, why++, 1);
    }
}

bool nb_point_refuse(const struct nb_question_kind *kind,
                     const struct nb_model *model, enum nb_status status,
                     const char *why, struct nb_point *point)
{
    struct nb_point refused = { 0 };
    struct nb_text plain = { 0 };
    if (kind->judge != NULL || model->sweep_count == 0 ||
        point->setting_count < model->sweep_count ||
        (status != NB_INVALID && status != NB_USAGE && status != NB_OVERFLOW &&
         status != NB_NO_CONVERGENCE))
        return false;
    refused.settings = point->settings;
    refused.setting_count = point->setting_count;
    point->settings = NULL;
    point->setting_count = 0;
    nb_point_release(point);
    *point = refused;
    sweep_add_plain(model, why, &plain);
    nb_point_add_note(point, NB_NOTE_REFUSED,
                      plain.bytes != NULL ? plain.bytes : why);
    nb_text_release(&plain);
    return true;
}

const char *nb_point_refusal(const struct nb_point *point)
{
    return point->note_count == 1 && point->quantity_count == 0 &&
                   strcmp(point->notes[0].name, NB_NOTE_REFUSED) == 0
               ? point->notes[0].text
               : NULL;
}
