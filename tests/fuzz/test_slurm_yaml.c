/*
 * Networks in the format of Slurm's topology.yaml.
 * Words: src/topology/formats/slurm_yaml.c
 * Seeds: data/topologies/?*.yaml
 */
#include "../support/fuzz_network.h"

static void slurm_yaml(const uint8_t *bytes, size_t length)
{
    fuzz_network("network", ",format=slurm_yaml", bytes, length);
}

FUZZ_TARGET(slurm_yaml)
