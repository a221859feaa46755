/* Reading: one way to understand a published number that differs from ours, as
 * the column check of its row states it. The ledger tries it. */
#ifndef NB_QUESTIONS_LEDGER_READING_H
#define NB_QUESTIONS_LEDGER_READING_H

#include "core/lines.h"
#include "core/ratio.h"

#include <stdbool.h>

/* What the reading's quantity must satisfy. */
enum nb_reading_test {
    NB_READING_DIGITS, /* has the printed digits */
    NB_READING_CUT,
    NB_READING_RANGE,
    NB_READING_WITHIN,
    NB_READING_ABOVE,
    NB_READING_BELOW,
};

/*
 * The column check holds up to NB_READINGS readings, separated by " | ", which
 * are tried in this order until one explains the number. The items of a
 * reading, separated by "; ", say what is asked:
 *
 *   COLUMN=VALUE      the row's question with another topology, routing,
 *                     traffic or quantity
 *   printed operands  the quotient of the numbers printed for the two rows of
 *                     a quotient, instead of the computed ones
 *   same as ID        the source repeats the number of that row: the number
 *                     printed there has the digits printed here, and agrees or
 *                     is explained; no other item
 *
 * and what the answer must satisfy, at most one of these; otherwise all its
 * possible values must have the printed digits:
 *
 *   cut            it begins with the printed digits: the rest was dropped
 *                  instead of rounded
 *   within 3%      it differs by at most this share of the printed number:
 *                  the precision that the source itself states
 *   within 5       it differs by at most this
 *   range          the printed number is among the values over the span, as a
 *                  further one would be (nb_reading_trim); of printed
 *                  operands, among the quotients of all values that the
 *                  printed digits cover
 *   above maximum  the answer is a proved bound, and the printed number is
 *                  certainly above it: nothing can reach it
 *   below minimum  the same from below
 *
 * For a printed word, the item "as NUMBER" gives its meaning.
 */
struct nb_reading {
    const char *text; /* not NUL-terminated */
    size_t length;
    enum nb_reading_test test;
    struct nb_ratio within; /* of NB_READING_WITHIN */
    bool is_share;          /* within is a share of the printed number */
    bool has_columns;
    bool is_of_printed; /* printed operands */
    const char *same;   /* ID, to the end of the reading; NULL: none */
};

enum { NB_READINGS = 12 };

/*
 * Reads a check.
 *
 * line  for messages
 * out   [NB_READINGS]
 * word  out: the place of the number after "as", which ends at "; ", " | " or
 *       the end; NULL: none
 *
 * Errors: NB_INVALID naming an item that is not permitted, or too many
 * readings.
 */
enum nb_status nb_readings_read(const struct nb_lines *line, const char *check,
                                struct nb_reading *out, size_t *count,
                                const char **word, struct nb_error *err);

enum { NB_READING_COLUMNS = 4 };

/* The value that a reading gives to each of the columns topology, routing,
 * traffic and quantity, as an owned text; NULL: none. The caller releases the
 * texts, also after a failure. Errors: NB_NO_MEMORY. */
enum nb_status nb_reading_columns(const struct nb_reading *reading,
                                  struct nb_text texts[NB_READING_COLUMNS],
                                  struct nb_error *err);

/*
 * The number k of values at each end of a sample of n that are not part of its
 * range. A further value lies between the (k+1)-th least and the (k+1)-th
 * greatest with probability 1 - 2 (k+1) / (n+1), whatever its distribution; k
 * is the largest for which this is at least 95 %, or 0. So more values do not
 * widen the range, and fewer than 39 have a narrower one.
 */
size_t nb_reading_trim(size_t n);

#endif
