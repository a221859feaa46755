#include "explain/tex.h"

#include <string.h>

/* The accented letters that authors' names have; a test of every entry tells
 * when one is missing. */
static const struct tex_accent {
    char accent, letter;
    const char *character;
} tex_accents[] = {
    { '\'', 'a', "\u00e1" }, { '\'', 'e', "\u00e9" }, { '\'', 'i', "\u00ed" },
    { '\'', 'o', "\u00f3" }, { '\'', 'u', "\u00fa" }, { '\'', 'A', "\u00c1" },
    { '\'', 'E', "\u00c9" }, { '`', 'a', "\u00e0" },  { '`', 'e', "\u00e8" },
    { '"', 'a', "\u00e4" },  { '"', 'o', "\u00f6" },  { '"', 'u', "\u00fc" },
    { '"', 'A', "\u00c4" },  { '"', 'O', "\u00d6" },  { '"', 'U', "\u00dc" },
    { 'u', 'g', "\u011f" },  { 'v', 's', "\u0161" },  { 'v', 'n', "\u0148" },
    { 'v', 'c', "\u010d" },  { 'v', 'S', "\u0160" },  { 'v', 'C', "\u010c" },
    { 'H', 'o', "\u0151" },  { 'H', 'u', "\u0171" },  { '~', 'n', "\u00f1" },
    { 'c', 'c', "\u00e7" },
};

/* The accented letter of "\'e" or "\v{s}"; returns behind it. What is not in
 * the table stays as it is. */
static const char *tex_add_accent(const char *at, const char *end,
                                  struct nb_text *text)
{
    const char *letter = at + 2;
    letter += letter < end && *letter == '{';
    for (size_t i = 0; i < sizeof tex_accents / sizeof *tex_accents; i++)
        if (letter < end && tex_accents[i].accent == at[1] &&
            tex_accents[i].letter == *letter) {
            nb_text_print(text, "%s", tex_accents[i].character);
            return letter + 1;
        }
    nb_text_print(text, "\\");
    return at + 1;
}

/* One character, as it is printed; returns behind it. */
static const char *tex_add(const char *at, const char *end, bool *is_exponent,
                           struct nb_text *text)
{
    if (*at == '\\' && at + 1 < end)
        return tex_add_accent(at, end, text);
    if (*at == '-' && at + 1 < end && at[1] == '-') {
        nb_text_print(text, "\u2013");
        return at + 2;
    }
    if (*at == '^' && at + 1 < end && at[1] == '{') {
        *is_exponent = true;
        nb_text_print(text, "^(");
        return at + 2;
    }
    if (*at == '}' && *is_exponent) {
        *is_exponent = false;
        nb_text_print(text, ")");
    } else if (*at == '\n') {
        nb_text_print(text, " ");
        while (at + 1 < end && at[1] == ' ')
            at++;
    } else if (strchr("{}$", *at) == NULL) {
        nb_text_add(text, at, 1);
    }
    return at + 1;
}

void nb_tex_print(const char *at, const char *end, struct nb_text *text)
{
    bool is_exponent = false;
    while (at < end)
        at = tex_add(at, end, &is_exponent, text);
}

void nb_tex_print_initials(const char *at, const char *end,
                           struct nb_text *text)
{
    bool is_exponent = false, is_first = true, is_apart = false;
    const size_t start = text->length;
    while (at < end) {
        if (*at == '{' || (!is_first && strchr(" \n-", *at) == NULL)) {
            at++;
        } else if (*at == '-') {
            at = tex_add(at, end, &is_exponent, text);
            is_first = true;
        } else if (*at == ' ' || *at == '\n') {
            is_first = is_apart = true;
            at++;
        } else {
            if (is_apart && text->length > start)
                nb_text_print(text, " ");
            at = tex_add(at, end, &is_exponent, text);
            nb_text_print(text, ".");
            is_first = is_apart = false;
        }
    }
}
