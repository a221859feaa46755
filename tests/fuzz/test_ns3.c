/*
 * Networks of simulators on ns-3.
 * Words: src/topology/formats/ns3.c
 * Seeds: data/topologies/?*-ns3.txt
 */
#include "../support/fuzz_network.h"

static void ns3(const uint8_t *bytes, size_t length)
{
    fuzz_network("network", ",format=ns3", bytes, length);
}

FUZZ_TARGET(ns3)
