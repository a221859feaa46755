#include "core/json.h"

#include "core/lines.h"
#include "core/locale.h"
#include "core/memory.h"
#include "core/utf8.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* jansson needs up to this many bytes per byte of text: an object with one
 * short name is a list of eight buckets. */
enum { JSON_FACTOR = 48 };

static _Thread_local bool json_has_run_out;

static void *json_allocate(size_t size)
{
    void *block = nb_new_array(size, 1);
    if (block == NULL)
        json_has_run_out = true;
    return block;
}

static void json_use_our_memory(void)
{
    json_set_alloc_funcs(json_allocate, nb_delete);
}

/* Reports the parser's message in one line, without its own "near". */
static enum nb_status json_refuse(const char *name, const json_error_t *error,
                                  struct nb_error *err)
{
    char text[JSON_ERROR_TEXT_LENGTH];
    snprintf(text, sizeof text, "%s", error->text);
    for (char *c = text; *c != '\0'; c++)
        if (*c == '\n')
            *c = ' ';
    nb_utf8_make_plain(text);
    return nb_fail(err, NB_INVALID, "%.200s:%d: JSON: %s", name, error->line,
                   text);
}

enum nb_status nb_json_parse(const char *name, const char *bytes, size_t length,
                             json_t **out, struct nb_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const size_t mark = nb_lines_mark(bytes);
    json_error_t error;
    enum nb_status status;
    *out = NULL;
    NB_TRY(nb_memory_require(JSON_FACTOR * (double)length, name, err));
    pthread_once(&once, json_use_our_memory);
    json_has_run_out = false;
    const locale_t locale = nb_locale_enter();
    *out =
        json_loadb(bytes + mark, length - mark, JSON_REJECT_DUPLICATES, &error);
    nb_locale_leave(locale);
    if (*out != NULL)
        return NB_OK;
    if (json_has_run_out)
        return nb_fail(err, NB_NO_MEMORY, "no memory for \"%.200s\"", name);
    status = json_refuse(name, &error, err);
done:
    return status;
}

void nb_json_show(const json_t *value, char text[NB_JSON_SHOWN])
{
    static const char *const kinds[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list",
        [JSON_TRUE] = "true",        [JSON_FALSE] = "false",
        [JSON_NULL] = "null",
    };
    if (value == NULL)
        snprintf(text, NB_JSON_SHOWN, "nothing");
    else if (json_is_string(value))
        snprintf(text, NB_JSON_SHOWN, "\"%.40s\"", json_string_value(value));
    else if (json_is_integer(value))
        snprintf(text, NB_JSON_SHOWN, "%" JSON_INTEGER_FORMAT,
                 json_integer_value(value));
    else if (json_is_real(value))
        nb_number_print(json_real_value(value), text);
    else
        snprintf(text, NB_JSON_SHOWN, "%s", kinds[json_typeof(value)]);
}

bool nb_json_add(const json_t *value, struct nb_text *text)
{
    char number[NB_JSON_SHOWN];
    if (json_is_string(value)) {
        nb_text_add(text, json_string_value(value), json_string_length(value));
        return true;
    }
    if (!json_is_number(value) && !json_is_boolean(value))
        return false;
    nb_json_show(value, number);
    nb_text_add(text, number, strlen(number));
    return true;
}
