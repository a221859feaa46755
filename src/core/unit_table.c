#include "core/unit_table.h"

#include "core/unit.h"

#include <string.h>

/* What the factors of a dimension's units count. */
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
    { "Tb/s", NB_UNIT_BANDWIDTH, { 1000, 1 } },
    { "B/s", NB_UNIT_BANDWIDTH, { 1, 125000000 } },
    { "kB/s", NB_UNIT_BANDWIDTH, { 1, 125000 } },
    { "MB/s", NB_UNIT_BANDWIDTH, { 1, 125 } },
    { "GB/s", NB_UNIT_BANDWIDTH, { 8, 1 } },
    { "TB/s", NB_UNIT_BANDWIDTH, { 8000, 1 } },
    { "pps", NB_UNIT_RATE, { 1, 1000000000 } },
    { "kpps", NB_UNIT_RATE, { 1, 1000000 } },
    { "Mpps", NB_UNIT_RATE, { 1, 1000 } },
    { "Gpps", NB_UNIT_RATE, { 1, 1 } },
    { "packets/cycle", NB_UNIT_CYCLE_RATE, { 1, 1 } },
    { "%", NB_UNIT_FRACTION, { 1, 100 } },
    { 0 },
};

/* The quotients beside two of a kind; all factors fit each other. */
static const struct {
    enum nb_dimension top, bottom, quotient;
} unit_quotients[] = {
    { NB_UNIT_BANDWIDTH, NB_UNIT_DATA, NB_UNIT_RATE },
    { NB_UNIT_DATA, NB_UNIT_BANDWIDTH, NB_UNIT_TIME },
};
enum { UNIT_QUOTIENTS = sizeof unit_quotients / sizeof *unit_quotients };

enum nb_dimension nb_unit_quotient(enum nb_dimension a, enum nb_dimension b)
{
    if (a == b)
        return NB_UNIT_FRACTION;
    for (size_t i = 0; i < UNIT_QUOTIENTS; i++)
        if (unit_quotients[i].top == a && unit_quotients[i].bottom == b)
            return unit_quotients[i].quotient;
    return NB_UNIT_DIMENSIONS;
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
