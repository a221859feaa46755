/*
 * InfiniBand networks in the format of ibnetdiscover.
 * Words: src/topology/formats/ibnetdiscover.c
 * Seeds: data/fabrics/?*.ibnetdiscover data/fabrics/ring.net
 */
#include "../support/fuzz_network.h"

static void fabric(const uint8_t *bytes, size_t length)
{
    fuzz_network("network", ",format=ibnetdiscover", bytes, length);
    fuzz_network("network", ",format=ibnetdiscover,hosts=terminals", bytes,
                 length);
    fuzz_network("network", ",format=ibnetdiscover,speeds=alike", bytes,
                 length);
}

FUZZ_TARGET(fabric)
