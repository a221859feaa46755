#include "explained_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { INTRODUCED = 256 };

/* Letters, digits and "_" from a letter on. */
static size_t word_length(const char *at)
{
    size_t length = 0;
    if (isalpha((unsigned char)*at))
        while (isalnum((unsigned char)at[length]) || at[length] == '_')
            length++;
    return length;
}

static bool text_has_word(const char *text, const char *word)
{
    while (*text != '\0') {
        const size_t length = word_length(text);
        if (length > 0 && length == strlen(word) &&
            memcmp(text, word, length) == 0)
            return true;
        text += length > 0 ? length : 1;
    }
    return false;
}

static bool is_gathered(const char *word)
{
    return strncmp(word, "sum_", 4) == 0 || strncmp(word, "prod_", 5) == 0;
}

/* Whether a word is English or mathematics: short ones are listed; long ones
 * are in small letters and not a Greek letter. */
static bool word_is_plain(const char *word)
{
    static const char listed[] =
        "a all an and any are as at be but by can do each for has if in is it "
        "its may most no not use via "
        "of "
        "on "
        "one or out own per row so than that the this to two up was way with "
        "yet far s E P Var exp inf ln max min sum";
    static const char greek[] = "alpha gamma";
    return is_gathered(word) || text_has_word(listed, word) ||
           (strlen(word) > 3 && !text_has_word(greek, word) &&
            strspn(word, "abcdefghijklmnopqrstuvwxyz") == strlen(word));
}

/* Whether the words introduce the symbol here: "channels c", "{ r : ...", or
 * "terminals i, j" after i. */
static bool words_introduce(const char *words, const char *at,
                            const char *introduced)
{
    const char *before = at - 1;
    if (at - words < 2 || *before != ' ')
        return false;
    if (at[-2] == '{' || (at[-2] == ',' && *introduced != '\0'))
        return true;
    while (before > words && islower((unsigned char)before[-1]))
        before--;
    return at - 1 - before > 3 && memcmp(before, "with ", 5) != 0;
}

/* Remembers the symbols that the words introduce here, or count over:
 * "sum_ij". */
static void words_note(const char *words, const char *at, const char *word,
                       char introduced[INTRODUCED])
{
    const bool is_short = strlen(word) < 3 || strcmp(word, "rho") == 0;
    char *end = introduced + strlen(introduced);
    assert_in_range(end - introduced, 0, INTRODUCED - 32);
    if (is_gathered(word)) {
        for (const char *index = strchr(word, '_') + 1; *index != '\0';
             index++, end += 2)
            snprintf(end, 3, " %c", *index);
    } else if (is_short && words_introduce(words, at, introduced)) {
        snprintf(end, 8, " %s", word);
    }
}

static bool word_is_explained(const struct nb_subject *subject,
                              const struct nb_explanation *how,
                              const char *word)
{
    bool is = how->meaning != NULL && text_has_word(how->meaning, word);
    for (size_t i = 0; i < how->symbol_count; i++)
        is = is || text_has_word(how->symbols[i].name, word) ||
             text_has_word(how->symbols[i].meaning, word);
    for (size_t q = 0; q < subject->point->quantity_count; q++)
        is = is || strcmp(word, subject->point->quantities[q].name) == 0;
    return is;
}

bool explained_words_find(const struct nb_subject *subject,
                          const struct nb_quantity *quantity, char *word,
                          size_t size)
{
    struct nb_explanation how;
    char introduced[INTRODUCED] = "";
    bool is_known = true;
    assert_int_equal(nb_explain(subject, quantity, &how, NULL), NB_OK);
    const char *at = how.words != NULL ? how.words : "";
    while (is_known && *at != '\0') {
        const size_t length = word_length(at);
        snprintf(word, size, "%.*s", (int)length, at);
        if (length > 0) {
            words_note(how.words, at, word, introduced);
            is_known = word_is_plain(word) || text_has_word(introduced, word) ||
                       word_is_explained(subject, &how, word);
        }
        at += length > 0 ? length : 1;
    }
    nb_explanation_release(&how);
    return is_known;
}
