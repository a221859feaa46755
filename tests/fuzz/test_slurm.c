/*
 * Networks in the format of Slurm's topology.conf.
 * Words: src/topology/formats/slurm.c
 * Seeds: data/topologies/?*.conf
 */
#include "../support/fuzz_network.h"

static void slurm(const uint8_t *bytes, size_t length)
{
    fuzz_network("network", ",format=slurm", bytes, length);
}

FUZZ_TARGET(slurm)
