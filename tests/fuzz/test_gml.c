/*
 * Networks in GML.
 * Words: src/topology/formats/gml.c
 * Seeds: data/topologies/?*.gml
 */
#include "../support/fuzz_network.h"

static void gml(const uint8_t *bytes, size_t length)
{
    fuzz_network("network", ",format=gml", bytes, length);
}

FUZZ_TARGET(gml)
