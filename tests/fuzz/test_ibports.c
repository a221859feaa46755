/*
 * InfiniBand networks as ibnetdiscover -p lists them.
 * Words: src/topology/formats/ibports.c
 * Seeds: data/fabrics/?*.ibports
 */
#include "../support/fuzz_network.h"

static void ibports(const uint8_t *bytes, size_t length)
{
    fuzz_network("network", ",format=ibports", bytes, length);
}

FUZZ_TARGET(ibports)
