/* Power: what the routers of a network consume. */
#ifndef NB_QUESTIONS_POWER_POWER_QUESTION_H
#define NB_QUESTIONS_POWER_POWER_QUESTION_H

#include "core/public.h"
#include "core/enclosure.h"
#include "ask/question.h"

NB_PUBLIC_BEGIN

/* The options of netbound power; see its option rows. */
struct nb_power_question {
    const char *topology;              /* NULL: the counts below */
    int64_t routers, terminals, ports; /* below 1: not given */
    struct nb_ratio optical_port, electrical_port, logic, forwarding_table;
    struct nb_ratio port_rate, packet_size, write_energy, read_energy;
};

struct nb_power_answer {
    int64_t routers, terminals, ports;
    struct nb_enclosure packet_rate; /* [packets/ns] into the mean router */
    struct nb_enclosure port, buffer, table, router; /* [W] of the mean
                                                      * router */
    struct nb_enclosure tables, network;             /* [MW] of all routers */
    struct nb_enclosure of_terminal;                 /* [W] per terminal */
};

/* Errors: those of the builders; NB_INVALID for fewer ports than the routers
 * use. */
NB_DECLARE_QUESTION(power);

NB_PUBLIC_END

#endif
