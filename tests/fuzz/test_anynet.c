/*
 * Networks of the simulator BookSim.
 * Words: src/topology/formats/anynet.c
 * Seeds: data/topologies/?*.anynet
 */
#include "../support/fuzz_network.h"

static void anynet(const uint8_t *bytes, size_t length)
{
    fuzz_network("network.anynet", "", bytes, length);
}

FUZZ_TARGET(anynet)
