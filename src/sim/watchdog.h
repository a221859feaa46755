/* Watchdog: finds packets of the credit router that wait for each other for
 * ever. For src/sim alone. */
#ifndef NB_SIM_WATCHDOG_H
#define NB_SIM_WATCHDOG_H

#include "sim/network.h"

/*
 * Looks for a deadlock now and then, at the end of a cycle. Of the buffers
 * whose front has not moved for long, those are taken out, again and again,
 * whose front may go: to a virtual channel that is there for it, or will be
 * since its buffer is not among them. A head waits for all virtual channels of
 * all hops that are permitted, the flits behind it for the one it has. Those
 * that are left wait for each other alone.
 *
 * Errors: NB_INVALID naming a circle of channels.
 */
enum nb_status nb_watchdog_look(struct nb_network *network,
                                struct nb_error *err);

#endif
