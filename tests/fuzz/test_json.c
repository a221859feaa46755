/*
 * Networks in JSON.
 * Words: src/topology/formats/json.c src/topology/graph_chiplets.c
 * Seeds: data/topologies/?*.json
 */
#include "../support/fuzz_network.h"

static void json(const uint8_t *bytes, size_t length)
{
    fuzz_network("network", ",format=json", bytes, length);
}

FUZZ_TARGET(json)
