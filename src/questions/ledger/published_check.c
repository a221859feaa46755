/* Checks of published rows: what their items say (declared in published.h and
 * published_line.h). */
#include "questions/ledger/published_line.h"

#include "core/try.h"

#include <string.h>

#define CHECK_DIVIDER "; "

static const char *const check_columns[NB_CHECK_COLUMNS] = {
    "topology", "routing", "traffic", "quantity"
};

/* The next item, and its length; NULL at the end. */
static const char *check_next(const char **text, size_t *length)
{
    const char *item = *text;
    if (*item == '\0')
        return NULL;
    const char *divider = strstr(item, CHECK_DIVIDER);
    *length = divider != NULL ? (size_t)(divider - item) : strlen(item);
    *text += *length + (divider != NULL ? strlen(CHECK_DIVIDER) : 0);
    return item;
}

/* What follows the word in the item; NULL if it begins otherwise. */
static const char *check_after(const char *item, size_t length,
                               const char *word)
{
    const size_t own = strlen(word);
    return length > own && strncmp(item, word, own) == 0 ? item + own : NULL;
}

static bool check_is(const char *item, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(item, word, length) == 0;
}

/* What the item puts into a column; NULL if it is of none. */
static const char *check_value(const char *item, size_t length, size_t *column)
{
    const size_t name = strcspn(item, "=");
    for (*column = 0; *column < NB_CHECK_COLUMNS; ++*column)
        if (check_is(item, name, check_columns[*column]))
            return name < length ? item + name + 1 : NULL;
    return NULL;
}

/* "3%" or "5", the rest of the item. */
static bool check_read_within(const char *text, size_t length,
                              struct nb_published_check *out)
{
    enum { LONGEST = 20 };
    char digits[LONGEST + 1] = "";
    out->is_share = text[length - 1] == '%';
    length -= out->is_share;
    if (length > LONGEST)
        return false;
    memcpy(digits, text, length);
    if (nb_ratio_read(digits, &out->within, NULL) != NB_OK)
        return false;
    if (out->is_share)
        out->within = nb_ratio_divide(out->within, nb_ratio_make(100, 1));
    return nb_ratio_compare(out->within, nb_ratio_zero) > 0;
}

static bool check_read_item(const char *item, size_t length,
                            struct nb_published_check *out, const char **word)
{
    size_t column;
    const char *within = check_after(item, length, "within ");
    const char *as = check_after(item, length, "as ");
    if (check_value(item, length, &column) != NULL)
        return out->has_columns = true;
    if (as != NULL && *word == NULL) {
        *word = as;
        return true;
    }
    if (out->is_cut || out->is_range || nb_ratio_is_known(out->within))
        return false;
    out->is_cut = check_is(item, length, "cut");
    out->is_range = check_is(item, length, "range");
    return out->is_cut || out->is_range ||
           (within != NULL &&
            check_read_within(within, (size_t)(item + length - within), out));
}

enum nb_status nb_line_read_check(const struct nb_line *line, const char *text,
                                  struct nb_published_check *out,
                                  const char **word, struct nb_error *err)
{
    const char *item;
    size_t length;
    *out = (struct nb_published_check){ .text = text };
    *word = NULL;
    while ((item = check_next(&text, &length)) != NULL)
        if (!check_read_item(item, length, out, word))
            return nb_lines_fail(
                &line->lines, NB_INVALID, err,
                "check \"%.*s\" is not permitted (permitted, between \"; \": "
                "one of cut, within 3%%, within 5, range; COLUMN=VALUE for "
                "topology, routing, traffic, quantity; as NUMBER for a word)",
                length < 60 ? (int)length : 60, item);
    return NB_OK;
}

enum nb_status nb_check_row(const struct nb_published_row *row,
                            struct nb_text texts[NB_CHECK_COLUMNS],
                            struct nb_published_row *out, struct nb_error *err)
{
    const char *text = row->check.text, *item;
    const char **const columns[NB_CHECK_COLUMNS] = {
        &out->topology, &out->routing, &out->traffic, &out->quantity
    };
    size_t length, column;
    enum nb_status status = NB_OK;
    *out = *row;
    while ((item = check_next(&text, &length)) != NULL) {
        const char *value = check_value(item, length, &column);
        if (value == NULL)
            continue;
        nb_text_release(&texts[column]);
        nb_text_add(&texts[column], value, (size_t)(item + length - value));
        NB_TRY(nb_text_check(&texts[column], err));
        *columns[column] = texts[column].bytes;
        if (columns[column] == &out->quantity)
            out->unit = "";
    }
done:
    return status;
}
