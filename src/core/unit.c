#include "core/unit.h"

#include "core/decimal.h"
#include "core/suggest.h"
#include "core/try.h"

#include <string.h>

/* The unit of a dimension's factors. */
static const struct {
    const char *name;
    const char *unit;
} unit_dimensions[NB_UNIT_DIMENSIONS] = {
    [NB_UNIT_TIME] = { "time", "ns" },
    [NB_UNIT_FREQUENCY] = { "frequency", "GHz" },
    [NB_UNIT_DATA] = { "data", "b" },
    [NB_UNIT_BANDWIDTH] = { "bandwidth", "Gbps" },
    [NB_UNIT_RATE] = { "rate", "Gpps" },
    [NB_UNIT_FRACTION] = { "fraction", "" },
    [NB_UNIT_COUNT] = { "count", "" },
    [NB_UNIT_CYCLES] = { "cycles of the clock", "cycles" },
    [NB_UNIT_CYCLE_RATE] = { "rate by the clock", "packets/cycle" },
};

const struct nb_unit nb_units[] = {
    { "ps", NB_UNIT_TIME, { 1, 1000 } },
    { "ns", NB_UNIT_TIME, { 1, 1 } },
    { "us", NB_UNIT_TIME, { 1000, 1 } },
    { "\u00b5s", NB_UNIT_TIME, { 1000, 1 } }, /* the micro sign */
    { "\u03bcs", NB_UNIT_TIME, { 1000, 1 } }, /* the Greek letter */
    { "ms", NB_UNIT_TIME, { 1000000, 1 } },
    { "s", NB_UNIT_TIME, { 1000000000, 1 } },
    { "cycle", NB_UNIT_CYCLES, { 1, 1 } },
    { "cycles", NB_UNIT_CYCLES, { 1, 1 } },
    { "Hz", NB_UNIT_FREQUENCY, { 1, 1000000000 } },
    { "kHz", NB_UNIT_FREQUENCY, { 1, 1000000 } },
    { "MHz", NB_UNIT_FREQUENCY, { 1, 1000 } },
    { "GHz", NB_UNIT_FREQUENCY, { 1, 1 } },
    { "b", NB_UNIT_DATA, { 1, 1 } },
    { "bit", NB_UNIT_DATA, { 1, 1 } },
    { "kb", NB_UNIT_DATA, { 1000, 1 } },
    { "Mb", NB_UNIT_DATA, { 1000000, 1 } },
    { "Gb", NB_UNIT_DATA, { 1000000000, 1 } },
    { "Mbit", NB_UNIT_DATA, { 1000000, 1 } },
    { "Gbit", NB_UNIT_DATA, { 1000000000, 1 } },
    { "B", NB_UNIT_DATA, { 8, 1 } },
    { "kB", NB_UNIT_DATA, { 8000, 1 } },
    { "KB", NB_UNIT_DATA, { 8000, 1 } },
    { "MB", NB_UNIT_DATA, { 8000000, 1 } },
    { "GB", NB_UNIT_DATA, { 8000000000, 1 } },
    { "KiB", NB_UNIT_DATA, { 8192, 1 } },
    { "MiB", NB_UNIT_DATA, { 8388608, 1 } },
    { "GiB", NB_UNIT_DATA, { 8589934592, 1 } },
    { "bps", NB_UNIT_BANDWIDTH, { 1, 1000000000 } },
    { "kbps", NB_UNIT_BANDWIDTH, { 1, 1000000 } },
    { "Mbps", NB_UNIT_BANDWIDTH, { 1, 1000 } },
    { "Gbps", NB_UNIT_BANDWIDTH, { 1, 1 } },
    { "Tbps", NB_UNIT_BANDWIDTH, { 1000, 1 } },
    { "b/s", NB_UNIT_BANDWIDTH, { 1, 1000000000 } },
    { "kb/s", NB_UNIT_BANDWIDTH, { 1, 1000000 } },
    { "Mb/s", NB_UNIT_BANDWIDTH, { 1, 1000 } },
    { "Gb/s", NB_UNIT_BANDWIDTH, { 1, 1 } },
    { "Gbit/s", NB_UNIT_BANDWIDTH, { 1, 1 } },
    { "Tb/s", NB_UNIT_BANDWIDTH, { 1000, 1 } },
    { "B/s", NB_UNIT_BANDWIDTH, { 1, 125000000 } },
    { "kB/s", NB_UNIT_BANDWIDTH, { 1, 125000 } },
    { "MB/s", NB_UNIT_BANDWIDTH, { 1, 125 } },
    { "GB/s", NB_UNIT_BANDWIDTH, { 8, 1 } },
    { "TB/s", NB_UNIT_BANDWIDTH, { 8000, 1 } },
    { "MBps", NB_UNIT_BANDWIDTH, { 1, 125 } },
    { "GBps", NB_UNIT_BANDWIDTH, { 8, 1 } },
    { "TBps", NB_UNIT_BANDWIDTH, { 8000, 1 } },
    { "pps", NB_UNIT_RATE, { 1, 1000000000 } },
    { "kpps", NB_UNIT_RATE, { 1, 1000000 } },
    { "Mpps", NB_UNIT_RATE, { 1, 1000 } },
    { "Gpps", NB_UNIT_RATE, { 1, 1 } },
    { "packets/cycle", NB_UNIT_CYCLE_RATE, { 1, 1 } },
    { "%", NB_UNIT_FRACTION, { 1, 100 } },
    { "k", NB_UNIT_COUNT, { 1000, 1 } },
    { "M", NB_UNIT_COUNT, { 1000000, 1 } },
    { 0 },
};

/* Besides the quotients of two of a kind; the factors are consistent. */
static const struct {
    enum nb_dimension top, bottom, quotient;
} unit_quotients[] = {
    { NB_UNIT_BANDWIDTH, NB_UNIT_DATA, NB_UNIT_RATE },
    { NB_UNIT_DATA, NB_UNIT_BANDWIDTH, NB_UNIT_TIME },
};
enum { UNIT_QUOTIENTS = sizeof unit_quotients / sizeof *unit_quotients };

/* The dimension of a over b, with the quotient of their factors;
 * NB_UNIT_DIMENSIONS if there is none. */
static enum nb_dimension unit_quotient(enum nb_dimension a, enum nb_dimension b)
{
    if (a == b)
        return NB_UNIT_FRACTION;
    for (size_t i = 0; i < UNIT_QUOTIENTS; i++)
        if (unit_quotients[i].top == a && unit_quotients[i].bottom == b)
            return unit_quotients[i].quotient;
    return NB_UNIT_DIMENSIONS;
}

const char nb_unit_clock[] = "ns/cycle";

static const struct nb_unit_base unit_bases[] = {
    { "ns", "ns", "a number of nanoseconds", "a time such as 15ns" },
    { "s", "s", "a number of seconds", "a time such as 500ms" },
    { "cycles", "cycles", "a number of cycles", "a time such as 15ns" },
    { "packets/cycle", "packets/cycle", "a number of packets per cycle",
      "a rate such as 200Gbps/250B" },
    { "fraction", "", "a number", "a percentage such as 60%" },
    { "count", "", "a number", "thousands or millions such as 10k or 2M" },
    { nb_unit_clock, "ns", "a number of nanoseconds",
      "a time or frequency such as 0.8ns, 1GHz or 250B/200Gbps" },
};
enum { UNIT_BASES = sizeof unit_bases / sizeof *unit_bases };

/* Converts a dimension to a base: times factor, and possibly times or over the
 * clock; inverted: the reciprocal of that. */
static const struct unit_way {
    const char *base;
    enum nb_dimension from;
    enum { UNIT_ALONE, UNIT_TIMES_CLOCK, UNIT_OVER_CLOCK, UNIT_INVERTED } how;
    struct nb_ratio factor;
} unit_ways[] = {
    { "ns", NB_UNIT_TIME, UNIT_ALONE, { 1, 1 } },
    { "ns", NB_UNIT_CYCLES, UNIT_TIMES_CLOCK, { 1, 1 } },
    { "s", NB_UNIT_TIME, UNIT_ALONE, { 1, 1000000000 } },
    { "cycles", NB_UNIT_CYCLES, UNIT_ALONE, { 1, 1 } },
    { "cycles", NB_UNIT_COUNT, UNIT_ALONE, { 1, 1 } },
    { "cycles", NB_UNIT_TIME, UNIT_OVER_CLOCK, { 1, 1 } },
    { "packets/cycle", NB_UNIT_CYCLE_RATE, UNIT_ALONE, { 1, 1 } },
    { "packets/cycle", NB_UNIT_RATE, UNIT_TIMES_CLOCK, { 1, 1 } },
    { "fraction", NB_UNIT_FRACTION, UNIT_ALONE, { 1, 1 } },
    { "count", NB_UNIT_COUNT, UNIT_ALONE, { 1, 1 } },
    { nb_unit_clock, NB_UNIT_TIME, UNIT_ALONE, { 1, 1 } },
    { nb_unit_clock, NB_UNIT_FREQUENCY, UNIT_INVERTED, { 1, 1 } },
};
enum { UNIT_WAYS = sizeof unit_ways / sizeof *unit_ways };

/* A number of a dimension; the factor is kept separate from the number, because
 * it may cancel against others before they fill 64 bits. */
struct unit_value {
    enum nb_dimension dimension;
    struct nb_ratio number, factor;
};

const struct nb_unit_base *nb_unit_base_find(const char *name)
{
    for (size_t i = 0; i < UNIT_BASES; i++)
        if (strcmp(unit_bases[i].name, name) == 0)
            return &unit_bases[i];
    return NULL;
}

const struct nb_unit_base *nb_unit_base_at(size_t index)
{
    return index < UNIT_BASES ? &unit_bases[index] : NULL;
}

/* The length of the decimal that the text begins with, 0 if there is none. No
 * unit begins like an exponent. */
static size_t unit_number_length(const char *text)
{
    static const char digits[] = "0123456789";
    size_t length = text[0] == '-' || text[0] == '+';
    const size_t whole = strspn(text + length, digits);
    length += whole;
    size_t fraction = 0;
    if (text[length] == '.') {
        fraction = strspn(text + length + 1, digits);
        length += 1 + fraction;
    }
    if (whole + fraction == 0)
        return 0;
    if (text[length] == 'e' || text[length] == 'E') {
        const size_t sign = text[length + 1] == '-' || text[length + 1] == '+';
        const size_t exponent = strspn(text + length + 1 + sign, digits);
        length += exponent > 0 ? 1 + sign + exponent : 0;
    }
    return length;
}

/* The longest unit that the text begins with: Gb/s rather than Gb over
 * something. */
static const struct nb_unit *unit_find(const char *text, size_t *length)
{
    const struct nb_unit *found = NULL;
    *length = 0;
    for (const struct nb_unit *unit = nb_units; unit->name != NULL; unit++) {
        const size_t own = strlen(unit->name);
        if (own > *length && strncmp(text, unit->name, own) == 0 &&
            (text[own] == '\0' || text[own] == '/')) {
            found = unit;
            *length = own;
        }
    }
    return found;
}

bool nb_unit_is_written(const char *text)
{
    const size_t number = unit_number_length(text);
    const char *word = text + number + (text[number] == ' ');
    const size_t length = strcspn(word, "/");
    return number > 0 && length > 0 &&
           strcspn(word, "0123456789.,:;+-=()[]{}\"' \t\r\n") >= length;
}

static enum nb_status unit_refuse(const char *text, const char *base,
                                  struct nb_error *err)
{
    const struct nb_unit_base *wanted = nb_unit_base_find(base);
    return nb_fail(err, NB_INVALID,
                   "\"%.60s\" is not permitted (permitted: %s, or %s)", text,
                   wanted->words, wanted->example);
}

static enum nb_status unit_unknown(const char *all, const char *word,
                                   struct nb_error *err)
{
    struct nb_suggestion near = { .typed = word, .length = strcspn(word, "/") };
    char meant[NB_SUGGESTED];
    for (const struct nb_unit *unit = nb_units; unit->name != NULL; unit++)
        nb_suggest(&near, unit->name, strlen(unit->name));
    return nb_fail(err, NB_INVALID,
                   "\"%.60s\" is not permitted: unknown unit \"%.*s\"%s "
                   "(see: netbound list units)",
                   all, (int)(near.length < 60 ? near.length : 60), word,
                   nb_suggestion_print(&near, "", meant));
}

/* Reads one number with its unit; *next is what follows. */
static enum nb_status unit_read_one(const char *text, const char *all,
                                    const char *base, struct unit_value *out,
                                    const char **next, struct nb_error *err)
{
    char digits[64];
    const size_t number = unit_number_length(text);
    const char *word = text + number + (text[number] == ' ');
    size_t length;
    const struct nb_unit *unit = unit_find(word, &length);
    if (number == 0 || number >= sizeof digits)
        return nb_fail(err, NB_INVALID,
                       "\"%.60s\" is not permitted: \"%.60s\" does not begin "
                       "with a number of at most 18 digits",
                       all, text);
    if (*word == '\0')
        return unit_refuse(all, base, err);
    if (unit == NULL)
        return unit_unknown(all, word, err);
    memcpy(digits, text, number);
    digits[number] = '\0';
    out->dimension = unit->dimension;
    out->factor = unit->factor;
    *next = word + length;
    return nb_ratio_read(digits, &out->number, err);
}

/* a over b, as a; false if they have no quotient. */
static bool unit_divide(struct unit_value *a, const struct unit_value *b)
{
    const enum nb_dimension quotient =
        unit_quotient(a->dimension, b->dimension);
    if (quotient == NB_UNIT_DIMENSIONS || b->number.numerator <= 0)
        return false;
    a->dimension = quotient;
    a->number = nb_ratio_divide(a->number, b->number);
    a->factor = nb_ratio_divide(a->factor, b->factor);
    return true;
}

static enum nb_status unit_convert(const char *text, const char *base,
                                   const struct unit_value *value,
                                   struct nb_ratio clock, struct nb_ratio *out,
                                   bool *uses_clock, struct nb_error *err)
{
    const struct unit_way *way = NULL;
    for (size_t i = 0; i < UNIT_WAYS && way == NULL; i++)
        if (strcmp(unit_ways[i].base, base) == 0 &&
            unit_ways[i].from == value->dimension)
            way = &unit_ways[i];
    if (way == NULL)
        return unit_refuse(text, base, err);
    struct nb_ratio factor = nb_ratio_multiply(value->factor, way->factor);
    if (way->how == UNIT_TIMES_CLOCK || way->how == UNIT_OVER_CLOCK) {
        if (!nb_ratio_is_known(clock))
            return nb_fail(err, NB_INVALID,
                           "\"%.60s\" needs one clock for all answers, not "
                           "a sweep of it",
                           text);
        factor = way->how == UNIT_TIMES_CLOCK ? nb_ratio_multiply(factor, clock)
                                              : nb_ratio_divide(factor, clock);
        *uses_clock = true;
    }
    *out = nb_ratio_multiply(value->number, factor);
    if (way->how == UNIT_INVERTED)
        *out = nb_ratio_divide(nb_ratio_one, *out);
    if (nb_ratio_is_infinite(*out)) /* the reciprocal of 0 Hz */
        return unit_refuse(text, base, err);
    if (!nb_ratio_is_known(*out))
        return nb_fail(err, NB_OVERFLOW,
                       "\"%.60s\" does not fit a ratio of 64-bit integers in "
                       "its unit, %s",
                       text, base);
    return NB_OK;
}

enum nb_status nb_unit_read(const char *text, const char *base,
                            struct nb_ratio clock, struct nb_ratio *out,
                            bool *uses_clock, struct nb_error *err)
{
    struct unit_value value = { 0 }, bottom = { 0 };
    const char *next;
    enum nb_status status = NB_OK;
    if (nb_unit_base_find(base) == NULL)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "numbers in \"%.60s\" are not permitted (permitted: ns, "
                       "s, cycles, packets/cycle, fraction, count, ns/cycle)",
                       base));
    NB_TRY(unit_read_one(text, text, base, &value, &next, err));
    if (*next == '\0' && value.dimension == NB_UNIT_BANDWIDTH &&
        strcmp(base, "packets/cycle") == 0)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "\"%.60s\" needs /PACKET-SIZE, such as 200Gbps/250B",
                       text));
    if (*next == '/') {
        NB_TRY(unit_read_one(next + 1, text, base, &bottom, &next, err));
        if (*next != '\0' || !unit_divide(&value, &bottom))
            NB_TRY(unit_refuse(text, base, err));
    }
    status = unit_convert(text, base, &value, clock, out, uses_clock, err);
done:
    return status;
}

void nb_unit_print_number(struct nb_ratio value, char text[NB_RATIO_TEXT])
{
    static const struct nb_ratio most = { 1000000000000000000, 1 };
    const bool is_decimal = value.numerator >= 0 &&
                            nb_ratio_compare(value, most) < 0 &&
                            nb_decimal_print(value, text);
    if (!is_decimal)
        nb_ratio_print(value, text);
}

/* A number with a unit of the dimension. */
static void unit_print_numbers(enum nb_dimension dimension,
                               struct nb_text *text)
{
    const char *joint = "";
    nb_text_print(text, "[+\\-]?[0-9]*\\.?[0-9]*([eE][+\\-]?[0-9]+)? ?(");
    for (const struct nb_unit *unit = nb_units; unit->name != NULL; unit++)
        if (unit->dimension == dimension) {
            nb_text_print(text, "%s%s", joint, unit->name);
            joint = "|";
        }
    nb_text_print(text, ")");
}

void nb_unit_print_pattern(const char *base, struct nb_text *text)
{
    const char *joint = "";
    for (size_t i = 0; i < UNIT_WAYS; i++) {
        if (strcmp(unit_ways[i].base, base) != 0)
            continue;
        nb_text_print(text, "%s", joint);
        unit_print_numbers(unit_ways[i].from, text);
        joint = "|";
        for (int a = 0; a < NB_UNIT_DIMENSIONS; a++)
            for (int b = 0; b < NB_UNIT_DIMENSIONS; b++) {
                if (unit_quotient((enum nb_dimension)a, (enum nb_dimension)b) !=
                    unit_ways[i].from)
                    continue;
                nb_text_print(text, "|");
                unit_print_numbers((enum nb_dimension)a, text);
                nb_text_print(text, "/");
                unit_print_numbers((enum nb_dimension)b, text);
            }
    }
}

void nb_unit_print_list(struct nb_text *text)
{
    for (int d = 0; d < NB_UNIT_DIMENSIONS; d++) {
        nb_text_print(text, "%s\n", unit_dimensions[d].name);
        for (const struct nb_unit *unit = nb_units; unit->name != NULL;
             unit++) {
            char factor[NB_RATIO_TEXT];
            if ((int)unit->dimension != d)
                continue;
            nb_unit_print_number(unit->factor, factor);
            /* A letter of two bytes is one column wide. */
            nb_text_print(text, "    %-*s %s%s%s\n",
                          20 + ((unit->name[0] & 0x80) != 0), unit->name,
                          factor, *unit_dimensions[d].unit != '\0' ? " " : "",
                          unit_dimensions[d].unit);
        }
    }
    nb_text_print(text, "quotients\n");
    for (size_t i = 0; i < UNIT_QUOTIENTS; i++)
        nb_text_print(text, "    %s/%s is a %s\n",
                      unit_dimensions[unit_quotients[i].top].name,
                      unit_dimensions[unit_quotients[i].bottom].name,
                      unit_dimensions[unit_quotients[i].quotient].name);
    nb_text_print(text, "    two of the same kind give a fraction\n");
}
