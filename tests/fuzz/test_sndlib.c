/*
 * Networks of SNDlib, and their demands as traffic.
 * Words: src/topology/sndlib_xml.c src/topology/sndlib_native.c
 * Seeds: data/topologies/?*sndlib.xml
 */
#include "../support/fuzz_network.h"

#include "traffic/traffic.h"

#include <stdio.h>

static void sndlib(const uint8_t *bytes, size_t length)
{
    char specification[400];
    struct nb_traffic traffic = { 0 };
    struct nb_error err = { 0 };
    fuzz_network("network", ",format=sndlib", bytes, length);
    snprintf(specification, sizeof specification, "file:%s",
             fuzz_file("demands.xml", bytes, length));
    fuzz_check_error(nb_traffic_build(specification, fuzz_topology("ring:5"),
                                      false, &traffic, &err),
                     &err);
    nb_traffic_release(&traffic);
}

FUZZ_TARGET(sndlib)
