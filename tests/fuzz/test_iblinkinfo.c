/*
 * InfiniBand networks as iblinkinfo lists them.
 * Words: src/topology/formats/iblinkinfo.c
 * Seeds: data/fabrics/?*.iblinkinfo
 */
#include "../support/fuzz_network.h"

static void iblinkinfo(const uint8_t *bytes, size_t length)
{
    fuzz_network("network", ",format=iblinkinfo", bytes, length);
}

FUZZ_TARGET(iblinkinfo)
