/*
 * Networks as adjacency lists.
 * Words: src/topology/formats/adjacency.c
 * Seeds: data/topologies/?*.adjlist
 */
#include "../support/fuzz_network.h"

static void adjacency(const uint8_t *bytes, size_t length)
{
    fuzz_network("network",
                 length % 2 == 0 ? ",format=adjacency"
                                 : ",format=adjacency,directed=yes",
                 bytes, length);
}

FUZZ_TARGET(adjacency)
