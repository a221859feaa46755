/* Defaults, paths and sweeps of a model (declared in question.h). */
#include "ask/question.h"

#include "core/digest.h"
#include "core/memory.h"
#include "model/input.h"
#include "ask/find.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SWEEP_POINTS = 1000000, SWEEP_PLACES = 15 };

bool nb_model_sweeps(const struct nb_model *model, const char *name)
{
    for (size_t i = 0; i < model->sweep_count; i++)
        if (strcmp(model->sweeps[i].name, name) == 0)
            return true;
    return nb_find_is_of(model, name, strlen(name));
}

/* Whether the search sets one of these blank-separated names. */
static bool sweep_finds(const struct nb_model *model, const char *names)
{
    while (names != NULL && *names != '\0') {
        const size_t length = strcspn(names, " ");
        if (nb_find_is_of(model, names, length))
            return true;
        names += length + (names[length] == ' ');
    }
    return false;
}

/* Whether the model gives or sweeps one of these blank-separated options. */
static bool sweep_names(const struct nb_model *model, const char *names)
{
    for (size_t i = 0; i < model->option_count; i++) {
        const struct nb_model_option *option = &model->options[i];
        if (strcmp(option->value, "no") != 0 &&
            nb_word_is_in(names, ' ', option->name, strlen(option->name)))
            return true;
    }
    for (size_t i = 0; i < model->sweep_count; i++)
        if (nb_word_is_in(names, ' ', model->sweeps[i].name,
                          strlen(model->sweeps[i].name)))
            return true;
    return sweep_finds(model, names);
}

const char *nb_model_initial(const struct nb_model *model,
                             const struct nb_parameter *row)
{
    if (row->initial == NULL || *row->initial == '\0' ||
        (row->with != NULL && !sweep_names(model, row->with)))
        return NULL;
    if (row->beside == NULL)
        return row->initial;
    const size_t length = strcspn(row->beside, "=");
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)length, row->beside);
    return sweep_names(model, name) ? row->beside + length + 1 : row->initial;
}

/* Resolves settings, at a point or of a sweep, whose option is a path. */
static enum nb_status sweep_resolve(const struct nb_form *form,
                                    struct nb_model_option *settings,
                                    size_t count, const char *folder,
                                    struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < count; i++)
        for (const struct nb_parameter *row = form->options; row->name != NULL;
             row++)
            if (row->type == NB_PATH &&
                strcmp(row->name, settings[i].name) == 0)
                NB_TRY(nb_model_resolve_list(&settings[i], folder, err));
done:
    return status;
}

enum nb_status nb_point_resolve(const struct nb_form *form,
                                const struct nb_model *model,
                                const char *folder, struct nb_point *point,
                                struct nb_error *err)
{
    enum nb_status status = nb_model_resolve_settings(
        model, point->settings, point->setting_count, folder, err);
    if (status == NB_OK)
        status = sweep_resolve(form, point->settings, point->setting_count,
                               folder, err);
    return status;
}

enum nb_status nb_model_resolve_paths(const struct nb_form *form,
                                      struct nb_model *model,
                                      const char *folder, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (const struct nb_parameter *row = form->options;
         row->name != NULL && status == NB_OK; row++)
        if (row->type == NB_PATH)
            status = nb_model_resolve_option(model, row->name, folder, err);
    if (status == NB_OK)
        status =
            sweep_resolve(form, model->sweeps, model->sweep_count, folder, err);
    return status;
}

/* Takes the comma-separated paths of a sweep. */
static enum nb_status sweep_take_list(const char *values, nb_model_take *take,
                                      void *context, struct nb_error *err)
{
    char *list = nb_new_string(values), *rest = NULL;
    enum nb_status status =
        list != NULL ? NB_OK
                     : nb_fail(err, NB_NO_MEMORY, "no memory for a path");
    for (char *path = list != NULL ? strtok_r(list, ",", &rest) : NULL;
         path != NULL && status == NB_OK; path = strtok_r(NULL, ",", &rest))
        status = take(context, path, err);
    nb_delete(list);
    return status;
}

enum nb_status nb_model_each_path(const struct nb_form *form,
                                  const struct nb_model *model,
                                  nb_model_take *take, void *context,
                                  struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (const struct nb_parameter *row = form->options; row->name != NULL;
         row++) {
        if (row->type != NB_PATH)
            continue;
        const char *path = nb_model_get(model, row->name);
        if (path != NULL &&
            (row->initial == NULL || strcmp(path, row->initial) != 0))
            NB_TRY(take(context, path, err));
        for (size_t i = 0; i < model->sweep_count; i++)
            if (strcmp(model->sweeps[i].name, row->name) == 0)
                NB_TRY(sweep_take_list(model->sweeps[i].value, take, context,
                                       err));
    }
done:
    return status;
}

/* Pins a file; skips a folder or a path that does not exist. */
static enum nb_status sweep_pin(void *model, const char *path,
                                struct nb_error *err)
{
    struct stat about;
    if (strcmp(path, NB_FILE_STDIN) != 0 &&
        (stat(path, &about) != 0 || !S_ISREG(about.st_mode)))
        return NB_OK;
    return nb_model_pin_input(model, path, err);
}

enum nb_status nb_model_pin_files(const struct nb_form *form,
                                  struct nb_model *model, struct nb_error *err)
{
    enum nb_status status = nb_model_pin_inputs(model, err);
    if (status == NB_OK)
        status = nb_model_each_path(form, model, sweep_pin, model, err);
    return status;
}

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
        return nb_fail(err, NB_INVALID,
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

/* The length of the value that a list begins with. A comma before KEY= belongs
 * to a specification that has begun: fattree:k=4,n=3 is one value. */
static size_t sweep_item(const char *list)
{
    static const char key[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
    size_t length = strcspn(list, ",");
    const bool is_specification = memchr(list, ':', length) != NULL;
    while (is_specification && list[length] == ',') {
        const char *next = list + length + 1;
        const size_t name = strspn(next, key);
        if (name == 0 || next[name] != '=')
            break;
        length += 1 + strcspn(next, ",");
    }
    return length;
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
    for (const char *item = sweep->value + sweep_item(sweep->value);
         *item != '\0'; item += 1 + sweep_item(item + 1))
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
            part += sweep_item(part) + 1;
        nb_text_add(out, part, sweep_item(part));
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

enum nb_status nb_sweep_model(const struct nb_form *form,
                              const struct nb_model *model, size_t index,
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
    NB_TRY(nb_model_is_search(out) ? nb_find_hold(form, out, err)
                                   : nb_model_complete(form, out, err));
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
