/*
 * Networks in the format of METIS.
 * Words: src/topology/formats/metis.c
 * Seeds: data/topologies/?*.graph
 */
#include "../support/fuzz_network.h"

static void metis(const uint8_t *bytes, size_t length)
{
    fuzz_network("network", ",format=metis", bytes, length);
}

FUZZ_TARGET(metis)
