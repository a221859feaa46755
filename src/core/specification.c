#include "core/specification.h"

#include "core/grammar.h"
#include "core/memory.h"
#include "core/suggest.h"

#include <string.h>

bool nb_word_is_in(const char *list, char separator, const char *text,
                   size_t length)
{
    while (list != NULL) {
        const char *end = strchr(list, separator);
        const size_t word = end != NULL ? (size_t)(end - list) : strlen(list);
        if (word == length && strncmp(list, text, length) == 0)
            return true;
        list = end != NULL ? end + 1 : NULL;
    }
    return false;
}

enum nb_status nb_whole_list_read(const char *text, const char *what,
                                  char separator, int64_t least, int64_t most,
                                  size_t capacity, uint32_t *out, size_t *count,
                                  struct nb_error *err)
{
    *count = 0;
    for (const char *part = text; part != NULL;) {
        const char *end = strchr(part, separator);
        const size_t length = end != NULL ? (size_t)(end - part) : strlen(part);
        char digits[16] = "";
        int64_t value;
        if (*count == capacity)
            return nb_fail(err, NB_INVALID,
                           "%s \"%.60s\" has more than %zu numbers", what, text,
                           capacity);
        if (length < sizeof digits)
            memcpy(digits, part, length);
        if (nb_integer_read(digits, what, least, most, &value, NULL) != NB_OK)
            return nb_fail(err, NB_INVALID,
                           "%s \"%.60s\" is not permitted (permitted: 1 to "
                           "%zu whole numbers from %lld to %lld joined by "
                           "\"%c\")",
                           what, text, capacity, (long long)least,
                           (long long)most, separator);
        out[(*count)++] = (uint32_t)value;
        part = end != NULL ? end + 1 : NULL;
    }
    return NB_OK;
}

/* Reads the numbers of "2+1", as far as there is room; false if one is not a
 * number, or there are too many. */
static bool specification_split(const char *text, struct nb_ratio *out,
                                size_t *count)
{
    *count = 0;
    for (const char *end; text != NULL; text = end) {
        char part[NB_RATIO_TEXT];
        const size_t length = strcspn(text, "+");
        if (length >= sizeof part || *count == NB_MAX_NUMBERS)
            return false;
        memcpy(part, text, length);
        part[length] = '\0';
        if (nb_ratio_read(part, &out[(*count)++], NULL) != NB_OK)
            return false;
        end = text[length] == '+' ? text + length + 1 : NULL;
    }
    return true;
}

static enum nb_status
specification_read_ratios(const struct nb_parameter *parameter,
                          const char *value, struct nb_ratio *first,
                          struct nb_error *err)
{
    struct nb_ratio numbers[NB_MAX_NUMBERS];
    size_t count;
    bool is_known = specification_split(value, numbers, &count);
    for (size_t i = 0; i < count && is_known; i++)
        is_known = nb_ratio_value(numbers[i]) >= parameter->least &&
                   nb_ratio_value(numbers[i]) <= parameter->most;
    *first = numbers[0];
    return is_known ? NB_OK
                    : nb_fail(err, NB_INVALID,
                              "%s \"%.60s\" is not permitted (permitted: "
                              "numbers from %g to %g, as p/q or decimal, "
                              "joined by \"+\")",
                              parameter->name, value, parameter->least,
                              parameter->most);
}

static enum nb_status
specification_read_ratio(const struct nb_parameter *parameter,
                         const char *value, struct nb_ratio *out,
                         struct nb_error *err)
{
    double nearly;
    const bool is_known = nb_ratio_read(value, out, NULL) == NB_OK;
    if (is_known && nb_ratio_value(*out) >= parameter->least &&
        nb_ratio_value(*out) <= parameter->most)
        return NB_OK;
    if (!is_known && nb_number_read(value, parameter->name, parameter->least,
                                    parameter->most, &nearly, NULL) == NB_OK)
        return nb_fail(err, NB_INVALID,
                       "%s \"%.60s\" does not fit p/q of 64-bit integers "
                       "(permitted: a number from %g to %g, as p/q or decimal "
                       "of at most 18 digits)",
                       parameter->name, value, parameter->least,
                       parameter->most);
    return nb_fail(err, NB_INVALID,
                   "%s \"%.60s\" is not permitted (permitted: a number from "
                   "%g to %g, as p/q or decimal)",
                   parameter->name, value, parameter->least, parameter->most);
}

/* Refuses a value that is none of the words, which are joined by "|". */
static enum nb_status
specification_refuse_word(const struct nb_parameter *parameter,
                          const char *value, const char *words,
                          const char *shown, struct nb_error *err)
{
    struct nb_suggestion near = { .typed = value, .length = strlen(value) };
    char meant[NB_SUGGESTED];
    nb_suggest_words(&near, words, '|');
    return nb_fail(
        err, NB_INVALID, "%s \"%.60s\" is not permitted%s (permitted: %s)",
        parameter->name, value, nb_suggestion_print(&near, "", meant), shown);
}

/* The index of a word in a list; NB_NO_CHOICE if it is none of them. */
static int specification_place(const char *words, const char *value)
{
    const size_t length = strlen(value);
    for (int place = 0; words != NULL; place++) {
        const size_t word = strcspn(words, "|");
        if (word == length && strncmp(words, value, length) == 0)
            return place;
        words = words[word] == '|' ? words + word + 1 : NULL;
    }
    return NB_NO_CHOICE;
}

static enum nb_status
specification_read_choice(const struct nb_parameter *parameter,
                          const char *text, union nb_value *out,
                          struct nb_error *err)
{
    const bool is_flag = parameter->type == NB_FLAG;
    const char *words = is_flag ? "no|yes" : parameter->choices;
    const int place = specification_place(words, text);
    if (place == NB_NO_CHOICE)
        return specification_refuse_word(parameter, text, words,
                                         is_flag ? "yes, no" : words, err);
    if (is_flag)
        out->flag = place == 1;
    else
        out->choice = place;
    return NB_OK;
}

/* A number, or a word used instead of one. */
static enum nb_status
specification_read_whole(const struct nb_parameter *parameter, const char *text,
                         int64_t *out, struct nb_error *err)
{
    const int64_t least = (int64_t)parameter->least;
    const int64_t most = (int64_t)parameter->most;
    const char *words = parameter->choices;
    if (words == NULL)
        return nb_integer_read(text, parameter->name, least, most, out, err);
    *out = NB_NO_WHOLE;
    if (specification_place(words, text) != NB_NO_CHOICE ||
        nb_integer_read(text, parameter->name, least, most, out, NULL) == NB_OK)
        return NB_OK;
    struct nb_suggestion near = { .typed = text, .length = strlen(text) };
    char meant[NB_SUGGESTED];
    nb_suggest_words(&near, words, '|');
    return nb_fail(err, NB_INVALID,
                   "%s \"%.60s\" is not permitted%s (permitted: %s, or a whole "
                   "number from %lld to %lld)",
                   parameter->name, text, nb_suggestion_print(&near, "", meant),
                   words, (long long)least, (long long)most);
}

enum nb_status nb_parameter_read(const struct nb_parameter *parameter,
                                 const char *text, union nb_value *out,
                                 struct nb_error *err)
{
    uint32_t list[1024];
    size_t count;
    const int64_t least = (int64_t)parameter->least;
    const int64_t most = (int64_t)parameter->most;
    switch (parameter->type) {
    case NB_WHOLE:
        return specification_read_whole(parameter, text, &out->whole, err);
    case NB_NUMBER:
        if (parameter->is_list && strchr(text, '+') != NULL)
            return specification_read_ratios(parameter, text, &out->number,
                                             err);
        return specification_read_ratio(parameter, text, &out->number, err);
    case NB_REAL:
        return nb_number_read(text, parameter->name, parameter->least,
                              parameter->most, &out->real, err);
    case NB_CHOICE:
    case NB_FLAG:
        return specification_read_choice(parameter, text, out, err);
    case NB_RADICES:
        out->text = text;
        return nb_whole_list_read(text, parameter->name, 'x', least, most,
                                  NB_MAX_DIMENSIONS, list, &count, err);
    case NB_LIST:
        out->text = text;
        return nb_whole_list_read(text, parameter->name, '+', least, most,
                                  sizeof list / sizeof *list, list, &count,
                                  err);
    case NB_PATH:
    case NB_WORD:
        out->text = text;
        if (parameter->choices != NULL &&
            specification_place(parameter->choices, text) == NB_NO_CHOICE)
            return specification_refuse_word(
                parameter, text, parameter->choices, parameter->choices, err);
        if (*text != '\0')
            return NB_OK;
        return nb_fail(err, NB_INVALID, "%s is empty", parameter->name);
    }
    return NB_OK;
}

enum nb_status nb_parameter_check(const struct nb_parameter *parameter,
                                  const char *value, struct nb_error *err)
{
    union nb_value unused;
    return nb_parameter_read(parameter, value, &unused, err);
}

const char *nb_specification_text(const struct nb_specification *specification,
                                  const char *name)
{
    for (size_t i = 0; i < specification->count; i++)
        if (strcmp(specification->setting[i].parameter->name, name) == 0)
            return specification->setting[i].value;
    return "";
}

bool nb_specification_is(const struct nb_specification *specification,
                         const char *name, const char *value)
{
    return strcmp(nb_specification_text(specification, name), value) == 0;
}

int64_t nb_specification_whole(const struct nb_specification *specification,
                               const char *name)
{
    int64_t value = 0;
    const enum nb_status status =
        nb_integer_read(nb_specification_text(specification, name), name,
                        INT64_MIN, INT64_MAX, &value, NULL);
    return status == NB_OK ? value : 0;
}

struct nb_ratio
nb_specification_ratio(const struct nb_specification *specification,
                       const char *name)
{
    struct nb_ratio value = { 0, 0 };
    const enum nb_status status =
        nb_ratio_read(nb_specification_text(specification, name), &value, NULL);
    return status == NB_OK ? value : (struct nb_ratio){ 0, 0 };
}

void nb_specification_ratios(const struct nb_specification *specification,
                             const char *name, struct nb_ratio *out,
                             size_t *count)
{
    const char *text = nb_specification_text(specification, name);
    if (*text == '\0' || !specification_split(text, out, count))
        *count = 0;
}

const struct nb_kind *nb_kind_find(nb_kind_at *kinds, const char *name,
                                   size_t length, size_t *index)
{
    const struct nb_kind *kind;
    for (*index = 0; (kind = kinds(*index)) != NULL; (*index)++)
        if (nb_word_is_in(kind->name, ' ', name, length) ||
            nb_word_is_in(kind->aliases, ' ', name, length))
            return kind;
    return NULL;
}

static enum nb_status
specification_unknown_kind(const char *text, size_t length, const char *what,
                           nb_kind_at *kinds, struct nb_error *err)
{
    struct nb_suggestion near = { .typed = text, .length = length };
    char meant[NB_SUGGESTED];
    struct nb_text list = { 0 };
    const struct nb_kind *kind;
    for (size_t i = 0; (kind = kinds(i)) != NULL; i++) {
        nb_text_print(&list, "%s%s", i > 0 ? ", " : "", kind->name);
        nb_suggest(&near, kind->name, strlen(kind->name));
        nb_suggest_words(&near, kind->aliases, ' ');
    }
    enum { SHOWN = 60 };
    size_t index;
    const bool is_path = near.name == NULL && length <= SHOWN &&
                         (memchr(text, '.', length) != NULL ||
                          memchr(text, '/', length) != NULL) &&
                         nb_kind_find(kinds, "file", 4, &index) != NULL;
    if (is_path)
        near = (struct nb_suggestion){ .name = text, .name_length = length };
    enum nb_status status = nb_text_check(&list, err);
    if (status == NB_OK)
        status =
            nb_fail(err, NB_INVALID, "unknown %s \"%.*s\"%s (permitted: %s)",
                    what, (int)(length < SHOWN ? length : SHOWN), text,
                    nb_suggestion_print(&near, is_path ? "file:" : "", meant),
                    list.bytes);
    nb_text_release(&list);
    return status;
}

static enum nb_status specification_add_rows(const struct nb_parameter *rows,
                                             struct nb_specification *out,
                                             struct nb_error *err)
{
    for (; rows != NULL && rows->name != NULL; rows++) {
        if (out->count == NB_MAX_PARAMETERS)
            return nb_fail(err, NB_INVALID,
                           "%s has more than %d parameters (permitted: %d)",
                           out->kind->name, NB_MAX_PARAMETERS,
                           NB_MAX_PARAMETERS);
        out->setting[out->count++].parameter = rows;
    }
    return NB_OK;
}

/* The setting that a part belongs to, and its value; NULL: none. */
static struct nb_setting *specification_match(struct nb_specification *out,
                                              const struct nb_part *part,
                                              bool is_first,
                                              struct nb_slice *value)
{
    const bool has_key = part->key.length > 0 || *part->all.at == '=';
    *value = part->value;
    for (size_t i = 0; i < out->count && has_key; i++) {
        const struct nb_parameter *parameter = out->setting[i].parameter;
        if (nb_word_is_in(parameter->name, ' ', part->key.at,
                          part->key.length) ||
            nb_word_is_in(parameter->also, ' ', part->key.at, part->key.length))
            return &out->setting[i];
    }
    /* Without a known name it may be the leading value; an equals sign means a
     * misspelt name, except in paths. */
    *value = part->all;
    const bool may_lead =
        is_first && out->count > 0 && out->setting[0].parameter->is_leading &&
        (!has_key || out->setting[0].parameter->type == NB_PATH);
    return may_lead ? &out->setting[0] : NULL;
}

static enum nb_status
specification_unknown_key(const struct nb_specification *specification,
                          const char *what, const struct nb_part *part,
                          struct nb_error *err)
{
    const char *item = part->all.at;
    const size_t length = nb_slice_before(part->all, '=').length;
    struct nb_suggestion near = { .typed = item, .length = length };
    char meant[NB_SUGGESTED];
    struct nb_text names = { 0 };
    for (size_t i = 0; i < specification->count; i++) {
        const char *name = specification->setting[i].parameter->name;
        nb_text_print(&names, "%s%s", i > 0 ? ", " : "", name);
        nb_suggest(&near, name, strlen(name));
        nb_suggest_words(&near, specification->setting[i].parameter->also, ' ');
    }
    const int shown = (int)(length < 60 ? length : 60);
    if (near.is_known)
        nb_fail(err, NB_INVALID, "%s %s: %.*s needs a value (as in %.*s=VALUE)",
                what, specification->kind->name, shown, item, shown, item);
    else
        nb_fail(err, NB_INVALID,
                "%s %s has no parameter \"%.*s\"%s (permitted: %s)", what,
                specification->kind->name, shown, item,
                nb_suggestion_print(&near, "", meant),
                names.bytes != NULL ? names.bytes : "none");
    nb_text_release(&names);
    return NB_INVALID;
}

/* Sets the parameter that a part names. value: the part's, with a NUL. */
static enum nb_status specification_set(struct nb_specification *out,
                                        const char *what,
                                        struct nb_setting *setting,
                                        const char *value, struct nb_error *err)
{
    struct nb_error inner = { 0 };
    if (setting->value != NULL)
        return nb_fail(err, NB_INVALID, "%s %s: %s is given twice", what,
                       out->kind->name, setting->parameter->name);
    if (nb_parameter_check(setting->parameter, value, &inner) != NB_OK)
        return nb_fail(err, NB_INVALID, "%s %s: %s", what, out->kind->name,
                       inner.message);
    return nb_new_copy(&setting->value, value, "a parameter", err);
}

/* Whether it reads as numbers (0.5, 1/3 or 4x4+2), even if out of range. */
static bool specification_is_numeric(const char *value)
{
    return strspn(value, "0123456789.+-/xeE") == strlen(value) &&
           strpbrk(value, "0123456789") != NULL;
}

/* Whether the parameter may have the value. */
static enum nb_status
specification_check_value(const struct nb_specification *read, const char *what,
                          const struct nb_parameter *parameter,
                          const char *value, struct nb_error *err)
{
    struct nb_error inner = { 0 };
    if ((nb_parameter_check(parameter, value, &inner) == NB_OK ||
         specification_is_numeric(value)) &&
        (parameter->accepts == NULL ||
         parameter->accepts(value, &inner) == NB_OK))
        return NB_OK;
    return nb_fail(err, NB_INVALID, "%s %s: %s", what, read->kind->name,
                   inner.message);
}

/* Takes a specification apart. Sets the parameters that it gives; or only
 * checks what they could be in any kind. */
static enum nb_status specification_take(struct nb_slice text, const char *what,
                                         const struct nb_parameter *common,
                                         bool is_check,
                                         struct nb_specification *out,
                                         struct nb_error *err)
{
    struct nb_slice rest =
        nb_slice_after(text, nb_specification_kind(text).length);
    struct nb_text value = { 0 };
    struct nb_part part;
    enum nb_status status;
    NB_TRY(specification_add_rows(out->kind->parameters, out, err));
    NB_TRY(specification_add_rows(common, out, err));
    for (bool is_first = true; nb_part_next(&rest, &part); is_first = false) {
        struct nb_slice given;
        struct nb_setting *setting =
            specification_match(out, &part, is_first, &given);
        if (setting == NULL && is_check)
            continue;
        if (setting == NULL)
            NB_TRY(specification_unknown_key(out, what, &part, err));
        nb_text_release(&value);
        nb_text_add(&value, given.at, given.length);
        NB_TRY(nb_text_check(&value, err));
        NB_TRY(is_check
                   ? specification_check_value(out, what, setting->parameter,
                                               value.bytes, err)
                   : specification_set(out, what, setting, value.bytes, err));
    }
done:
    nb_text_release(&value);
    return status;
}

enum nb_status nb_specification_check(const char *text, const char *what,
                                      nb_kind_at *kinds,
                                      const struct nb_parameter *common,
                                      struct nb_error *err)
{
    struct nb_specification read = { 0 };
    const struct nb_slice all = nb_slice_of(text);
    const struct nb_slice kind = nb_specification_kind(all);
    size_t index;
    read.kind = nb_kind_find(kinds, kind.at, kind.length, &index);
    if (read.kind == NULL)
        return nb_fail_in(
            specification_unknown_kind(text, kind.length, what, kinds, err),
            err, what);
    return nb_fail_in(specification_take(all, what, common, true, &read, err),
                      err, what);
}

static enum nb_status specification_fill(struct nb_specification *out,
                                         const char *what, struct nb_error *err)
{
    for (size_t i = 0; i < out->count; i++) {
        struct nb_setting *setting = &out->setting[i];
        if (setting->value != NULL)
            continue;
        if (setting->parameter->initial == NULL)
            return nb_fail(err, NB_INVALID, "%s %s needs %s (%s)", what,
                           out->kind->name, setting->parameter->name,
                           setting->parameter->help);
        if (nb_new_copy(&setting->value, setting->parameter->initial,
                        "a parameter", err) != NB_OK)
            return NB_NO_MEMORY;
    }
    return NB_OK;
}

enum nb_status nb_specification_read(const char *text, const char *what,
                                     nb_kind_at *kinds,
                                     const struct nb_parameter *common,
                                     struct nb_specification *out,
                                     size_t *index, struct nb_error *err)
{
    const struct nb_slice all = nb_slice_of(text);
    const struct nb_slice kind = nb_specification_kind(all);
    enum nb_status status;
    *out = (struct nb_specification){
        .kind = nb_kind_find(kinds, kind.at, kind.length, index),
    };
    if (out->kind == NULL)
        NB_TRY(specification_unknown_kind(text, kind.length, what, kinds, err));
    NB_TRY(specification_take(all, what, common, false, out, err));
    NB_TRY(specification_fill(out, what, err));
done:
    if (status != NB_OK)
        nb_specification_release(out);
    return nb_fail_in(status, err, what);
}

void nb_specification_release(struct nb_specification *specification)
{
    for (size_t i = 0; i < specification->count; i++)
        nb_delete(specification->setting[i].value);
    *specification = (struct nb_specification){ 0 };
}

void nb_specification_print(const struct nb_specification *specification,
                            struct nb_text *text)
{
    if (specification->kind == NULL)
        return; /* zero-initialised: nothing to print */
    nb_text_print(text, "%s", specification->kind->name);
    char joint = ':';
    for (size_t i = 0; i < specification->count; i++) {
        const struct nb_setting *setting = &specification->setting[i];
        const struct nb_parameter *parameter = setting->parameter;
        if (parameter->initial != NULL &&
            strcmp(parameter->initial, setting->value) == 0)
            continue;
        if (i == 0 && parameter->is_leading)
            nb_text_print(text, "%c%s", joint, setting->value);
        else
            nb_text_print(text, "%c%s=%s", joint, parameter->name,
                          setting->value);
        joint = ',';
    }
}

/* Whether text begins with "NAME=" of a row. */
static bool setting_is_named(const struct nb_parameter *rows, const char *text)
{
    const size_t length = strcspn(text, "=,");
    for (const struct nb_parameter *row = rows; row->name != NULL; row++)
        if (text[length] == '=' && strlen(row->name) == length &&
            strncmp(row->name, text, length) == 0)
            return true;
    return false;
}

/* Whether the text here belongs to the value before it: it is not NAME=, or
 * that of no row while the value is a specification. */
static bool setting_goes_on(const struct nb_parameter *rows, const char *text,
                            bool is_specification)
{
    return text[strcspn(text, "=,")] != '=' ||
           (is_specification && !setting_is_named(rows, text));
}

size_t nb_setting_length(const struct nb_parameter *rows, const char *text)
{
    size_t length = strcspn(text, ",");
    while (text[length] == ',' &&
           setting_goes_on(rows, text + length + 1,
                           memchr(text, ':', length) != NULL))
        length += 1 + strcspn(text + length + 1, ",");
    return length;
}
