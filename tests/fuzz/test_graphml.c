/*
 * Networks in GraphML.
 * Words: src/topology/formats/graphml.c tests/fuzz/xml.dict
 * Seeds: data/topologies/?*.graphml
 */
#include "../support/fuzz_network.h"

static void graphml(const uint8_t *bytes, size_t length)
{
    fuzz_network("network.graphml", "", bytes, length);
}

FUZZ_TARGET(graphml)
