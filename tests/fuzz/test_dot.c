/*
 * Networks in DOT.
 * Words: src/topology/formats/dot.c src/topology/dot_scan.c
 * Seeds: data/topologies/?*.dot
 */
#include "../support/fuzz_network.h"

static void dot(const uint8_t *bytes, size_t length)
{
    fuzz_network("network", ",format=dot", bytes, length);
}

FUZZ_TARGET(dot)
