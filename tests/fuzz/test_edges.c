/*
 * Networks as lists of edges.
 * Words: src/topology/formats/edges.c src/topology/edge_words.h
 * Seeds: data/topologies/?*.txt data/topologies/?*.csv
 */
#include "../support/fuzz_network.h"

static void edges(const uint8_t *bytes, size_t length)
{
    fuzz_network("network.csv",
                 length % 2 == 0 ? ",format=edges"
                                 : ",format=edges,directed=yes",
                 bytes, length);
}

FUZZ_TARGET(edges)
