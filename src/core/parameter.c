/* Values of parameters: checked and read (declared in specification.h). */
#include "core/specification.h"

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

/* A value that is none of the words, which are joined by "|". */
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

/* The place of a word in a list; NB_NO_CHOICE if it is none of them. */
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

/* A number, or a word that stands for none. */
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
    return nb_fail(err, NB_INVALID,
                   "%s \"%.60s\" is not permitted (permitted: %s, or a whole "
                   "number from %lld to %lld)",
                   parameter->name, text, words, (long long)least,
                   (long long)most);
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
