/* Writes networks for this program, for programs that lay out or analyse
 * graphs, and for the simulator BookSim. */
#ifndef NB_TOPOLOGY_GRAPH_WRITE_H
#define NB_TOPOLOGY_GRAPH_WRITE_H

#include "core/status.h"
#include "topology/topology.h"

NB_PUBLIC_BEGIN

/*
 * Writes a network to a file, the format by the file's ending:
 *
 *     .graphml .xml   GraphML: a directed edge for each channel in order, the
 *                     bandwidths, terminals, groups, names, the bandwidth of
 *                     the terminals' channels and which topology it is;
 *                     topology file: reads the same network back
 *     .dot .gv        DOT of Graphviz, undirected where every channel has an
 *                     equal opposite; names and bandwidths other than 1 are
 *                     labels
 *     .csv .txt       an edge list, undirected likewise; a comment gives the
 *                     parameters with which topology file: reads it back
 *     .ibnetdiscover  an InfiniBand network for ibsim and opensm, with a switch
 *                     for each router and a host for each terminal; comments
 *                     say which topology it is
 *     .anynet         for BookSim, where all channels have bandwidth 1 and an
 *                     opposite, one from a router to another; names are lost
 *
 * Failed routers are left out. Later routers then get their numbers as names,
 * except in anynet, where they are renumbered.
 *
 * Errors: NB_INVALID if the ending is none of these, the format cannot hold the
 * network (naming the obstacle) or the file would be too large to be read
 * (NB_GRAPH_BYTES); NB_IO naming path and cause; NB_NO_MEMORY.
 */
enum nb_status nb_graph_write(const struct nb_topology *topology,
                              const char *path, struct nb_error *err);

/* Whether there is a format for a path's ending. Errors: NB_INVALID;
 * NB_NO_MEMORY. */
enum nb_status nb_graph_accepts(const char *path, struct nb_error *err);

NB_PUBLIC_END

#endif
