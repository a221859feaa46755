#include "questions/ledger/reading.h"

#include "core/memory.h"

#include <string.h>

/* A piece of a check: of an item, a reading or the whole. */
struct piece {
    const char *text;
    size_t length;
};

/* Cuts the next piece off the rest; false at the end. */
static bool piece_next(struct piece *rest, const char *divider,
                       struct piece *out)
{
    const char *found = strstr(rest->text, divider);
    if (rest->length == 0)
        return false;
    *out = *rest;
    if (found != NULL && found < rest->text + rest->length)
        out->length = (size_t)(found - rest->text);
    const size_t skipped = out->length < rest->length
                               ? out->length + strlen(divider)
                               : out->length;
    rest->text += skipped;
    rest->length -= skipped;
    return true;
}

static bool piece_is(const struct piece *piece, const char *word)
{
    return strlen(word) == piece->length &&
           strncmp(piece->text, word, piece->length) == 0;
}

/* The rest of a piece after the word; no text if it begins otherwise. */
static struct piece piece_after(const struct piece *piece, const char *word)
{
    const size_t own = strlen(word);
    return piece->length >= own && strncmp(piece->text, word, own) == 0
               ? (struct piece){ piece->text + own, piece->length - own }
               : (struct piece){ NULL, 0 };
}

/* The value that an item gives to a column; no text if it is for none. */
static struct piece reading_value(const struct piece *item, size_t *column)
{
    static const char *const columns[NB_READING_COLUMNS] = {
        "topology=", "routing=", "traffic=", "quantity="
    };
    struct piece value = { NULL, 0 };
    for (size_t i = 0; i < NB_READING_COLUMNS && value.text == NULL; i++) {
        value = piece_after(item, columns[i]);
        *column = i;
    }
    return value;
}

/* Reads "3%" or "5". */
static bool reading_read_within(const struct piece *text,
                                struct nb_reading *out)
{
    enum { LONGEST = 20 };
    char digits[LONGEST + 1] = "";
    out->is_share = text->text[text->length - 1] == '%';
    const size_t length = text->length - out->is_share;
    if (length > LONGEST)
        return false;
    memcpy(digits, text->text, length);
    if (nb_ratio_read(digits, &out->within, NULL) != NB_OK)
        return false;
    if (out->is_share)
        out->within = nb_ratio_divide(out->within, nb_ratio_make(100, 1));
    return nb_ratio_compare(out->within, nb_ratio_zero) > 0;
}

/* Reads an item that says what the answer must satisfy. */
static bool reading_read_test(const struct piece *item, struct nb_reading *out)
{
    static const struct {
        const char *word;
        enum nb_reading_test test;
    } tests[] = {
        { "cut", NB_READING_CUT },
        { "range", NB_READING_RANGE },
        { "above maximum", NB_READING_ABOVE },
        { "below minimum", NB_READING_BELOW },
    };
    const struct piece within = piece_after(item, "within ");
    if (out->test != NB_READING_DIGITS)
        return false;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (piece_is(item, tests[i].word))
            out->test = tests[i].test;
    if (within.length > 0 && reading_read_within(&within, out))
        out->test = NB_READING_WITHIN;
    return out->test != NB_READING_DIGITS;
}

static bool reading_read_item(const struct piece *item, struct nb_reading *out,
                              const char **word)
{
    size_t column;
    const struct piece as = piece_after(item, "as ");
    const struct piece same = piece_after(item, "same as ");
    if (as.length > 0 && *word == NULL) {
        *word = as.text;
        return true;
    }
    if (out->same != NULL)
        return false;
    if (same.length > 0) {
        out->same = same.text;
        return !out->has_columns && !out->is_of_printed &&
               out->test == NB_READING_DIGITS;
    }
    if (piece_is(item, "printed operands"))
        return out->is_of_printed = true;
    if (reading_value(item, &column).text != NULL)
        return out->has_columns = true;
    return reading_read_test(item, out);
}

/* Whether a reading does more than give the meaning of a word. */
static bool reading_explains(const struct nb_reading *reading)
{
    return reading->same != NULL || reading->has_columns ||
           reading->is_of_printed || reading->test != NB_READING_DIGITS;
}

enum nb_status nb_readings_read(const struct nb_lines *line, const char *check,
                                struct nb_reading *out, size_t *count,
                                const char **word, struct nb_error *err)
{
    struct piece rest = { check, strlen(check) }, reading, item;
    *word = NULL;
    *count = 0;
    while (piece_next(&rest, " | ", &reading)) {
        struct nb_reading next = { .text = reading.text,
                                   .length = reading.length };
        while (piece_next(&reading, "; ", &item))
            if (!reading_read_item(&item, &next, word))
                return nb_lines_fail(
                    line, NB_INVALID, err,
                    "check \"%.*s\" is not permitted (permitted, between \"; "
                    "\": COLUMN=VALUE for topology, routing, traffic, "
                    "quantity; "
                    "printed operands; same as ID; as NUMBER for a word; one "
                    "of "
                    "cut, within 3%%, within 5, range, above maximum, below "
                    "minimum)",
                    item.length < 60 ? (int)item.length : 60, item.text);
        if (!reading_explains(&next))
            continue;
        if (*count == NB_READINGS)
            return nb_lines_fail(line, NB_INVALID, err,
                                 "the check has more readings than permitted "
                                 "(permitted: %d)",
                                 NB_READINGS);
        out[(*count)++] = next;
    }
    return NB_OK;
}

enum nb_status nb_reading_columns(const struct nb_reading *reading,
                                  struct nb_text texts[NB_READING_COLUMNS],
                                  struct nb_error *err)
{
    struct piece rest = { reading->text, reading->length }, item;
    size_t column;
    enum nb_status status = NB_OK;
    while (piece_next(&rest, "; ", &item)) {
        const struct piece value = reading_value(&item, &column);
        if (value.text == NULL)
            continue;
        nb_text_release(&texts[column]);
        nb_text_add(&texts[column], value.text, value.length);
        NB_TRY(nb_text_check(&texts[column], err));
    }
done:
    return status;
}

size_t nb_reading_trim(size_t n)
{
    const size_t least = (n + 1) / 40; /* 2 (k+1) / (n+1) <= 1/20 */
    return least > 0 ? least - 1 : 0;
}
