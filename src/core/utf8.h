/* UTF-8: the permitted contents of texts from outside, and of terminal
 * output. */
#ifndef NB_CORE_UTF8_H
#define NB_CORE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The length in bytes of the character at text, 0 if there is none: at the end,
 * and if bytes are not UTF-8 (overlong forms, surrogates, numbers above 10FFFF,
 * stray continuation bytes).
 *
 * Source: The Unicode Standard 15.0, section 3.9, table 3-7.
 */
size_t nb_utf8_decode(const char *text, uint32_t *code);

/* Writes a character of that number, up to 10FFFF, in UTF-8; returns the number
 * of bytes, 1 to 4. */
size_t nb_utf8_encode(uint32_t code, char *out);

/* Whether a model, a report or a name can hold the text: UTF-8 without FFFE and
 * FFFF, which XML does not permit, and without control characters of ASCII
 * except those given. Other control characters are permitted, but not shown. */
bool nb_utf8_is_text(const char *text, const char *controls);

/*
 * The length in bytes of the character at text if a terminal shows it, else 0:
 * if it is invalid, a control character, or one that changes the direction of
 * the text after it, so that a name reads as another. *step is the number of
 * bytes to advance in any case.
 *
 * Source of those: The Unicode Standard 15.0, Annex 9, section 2.
 */
size_t nb_utf8_shown(const char *text, size_t *step);

/* Replaces every character that a terminal does not show by "?". */
void nb_utf8_make_plain(char *text);

#endif
