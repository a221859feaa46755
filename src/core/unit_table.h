/* Unit table: the units there are and the quotients of them. */
#ifndef NB_CORE_UNIT_TABLE_H
#define NB_CORE_UNIT_TABLE_H

#include "core/ratio.h"

#include <stddef.h>

enum nb_dimension {
    NB_UNIT_TIME,
    NB_UNIT_FREQUENCY,
    NB_UNIT_DATA,
    NB_UNIT_BANDWIDTH,
    NB_UNIT_RATE,
    NB_UNIT_FRACTION,
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

/* The dimension of a over b, whose factor is theirs divided; NB_UNIT_DIMENSIONS
 * if there is none. */
enum nb_dimension nb_unit_quotient(enum nb_dimension a, enum nb_dimension b);

#endif
