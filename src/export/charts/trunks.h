/* Trunks: the network of the switches alone, from the tables "switches" and
 * "channels" of a point. */
#ifndef NB_EXPORT_CHARTS_TRUNKS_H
#define NB_EXPORT_CHARTS_TRUNKS_H

#include "report/report.h"
#include "topology/topology.h"

/*
 * Makes the network of switches, with their hosts as terminals, if the table of
 * channels also has those of hosts.
 *
 * number  [rows of channels] out: the row's channel there; NB_NONE: none;
 *         NULL if no network is made. The caller frees it.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_trunks_build(const struct nb_point *point,
                               struct nb_topology *out, uint32_t **number,
                               struct nb_error *err);

#endif
