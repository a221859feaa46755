/* Unit: numbers with a unit, such as 15ns, 60% or 200Gbps/250B, converted
 * exactly to the unit in which an option is kept. */
#ifndef NB_CORE_UNIT_H
#define NB_CORE_UNIT_H

#include "core/public.h"
#include "core/ratio.h"
#include "core/status.h"
#include "core/text.h"

#include <stdbool.h>

/* A unit in which options are kept; their rows name it (nb_parameter.unit). */
struct nb_unit_base {
    const char *name;    /* "packets/cycle" */
    const char *shown;   /* printed after a number of it, "" for fractions */
    const char *words;   /* "a number of packets per cycle" */
    const char *example; /* "a rate such as 200Gbps/250B" */
};

NB_INTERNAL_BEGIN

/* The base of that name; NULL if there is none. */
const struct nb_unit_base *nb_unit_base_find(const char *name);

/* The bases in turn, NULL past the last. */
const struct nb_unit_base *nb_unit_base_at(size_t index);

/* The name of the base of clocks: the time of a cycle, which may also be given
 * as a frequency. */
extern const char nb_unit_clock[];

/* Whether the text is a number followed by a word, known or not, rather than a
 * plain number or something else. */
bool nb_unit_is_written(const char *text);

/*
 * Reads NUMBER UNIT or NUMBER UNIT / NUMBER UNIT exactly. A quotient is one of
 * bandwidth/data (a rate), data/bandwidth (a time) and two of a kind (a
 * fraction).
 *
 * base        the name of the unit to convert to
 * clock       [ns] time of a cycle; unknown: none
 * out         [base]
 * uses_clock  set if the clock was used, else unchanged
 *
 * Errors: NB_INVALID naming the text, or the base, and what is permitted;
 * NB_OVERFLOW if the value does not fit.
 */
enum nb_status nb_unit_read(const char *text, const char *base,
                            struct nb_ratio clock, struct nb_ratio *out,
                            bool *uses_clock, struct nb_error *err);

/* Prints a known, finite ratio as a decimal if it has one of at most 18 digits,
 * else as p/q; nb_ratio_read reads it back. */
void nb_unit_print_number(struct nb_ratio value, char text[NB_RATIO_TEXT]);

/* Appends, as a pattern of XML Schema, what nb_unit_read reads in that base,
 * except the ranges of numbers. */
void nb_unit_print_pattern(const char *base, struct nb_text *text);

/* Appends all units, grouped by what they measure, and the quotients. */
void nb_unit_print_list(struct nb_text *text);

/* What units measure. */
enum nb_dimension {
    NB_UNIT_TIME,
    NB_UNIT_FREQUENCY,
    NB_UNIT_DATA,
    NB_UNIT_BANDWIDTH,
    NB_UNIT_RATE,
    NB_UNIT_FRACTION,
    NB_UNIT_COUNT,
    NB_UNIT_CYCLES,
    NB_UNIT_CYCLE_RATE,
    NB_UNIT_DIMENSIONS
};

/* factor: in ns, GHz, bits, Gbps, packets/ns, 1, cycles and packets/cycle. */
struct nb_unit {
    const char *name;
    enum nb_dimension dimension;
    struct nb_ratio factor;
};

/* Ends with a zero row. */
extern const struct nb_unit nb_units[];

NB_INTERNAL_END

#endif
