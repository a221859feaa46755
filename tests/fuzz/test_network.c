/*
 * Networks in any format, which is recognised by the start of the file.
 * Words: src/topology tests/fuzz/xml.dict
 * Seeds: data/topologies/?* data/fabrics/?*.ibnetdiscover
 */
#include "../support/fuzz_network.h"

static void network(const uint8_t *bytes, size_t length)
{
    fuzz_network("network", "", bytes, length);
}

FUZZ_TARGET(network)
