/*
 * Networks as matrices in the Matrix Market format.
 * Words: src/topology/formats/mtx.c
 * Seeds: data/topologies/?*.mtx
 */
#include "../support/fuzz_network.h"

static void mtx(const uint8_t *bytes, size_t length)
{
    fuzz_network("network", ",format=mtx", bytes, length);
}

FUZZ_TARGET(mtx)
