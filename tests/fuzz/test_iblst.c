/*
 * InfiniBand networks as opensm lists them.
 * Words: src/topology/formats/iblst.c
 * Seeds: data/fabrics/?*.lst
 */
#include "../support/fuzz_network.h"

static void iblst(const uint8_t *bytes, size_t length)
{
    fuzz_network("network", ",format=iblst", bytes, length);
}

FUZZ_TARGET(iblst)
