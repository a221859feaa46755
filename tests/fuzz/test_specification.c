/*
 * Specifications of networks, traffics and routings: accepted ones are printed
 * as a text that is read back unchanged, and no check refuses it.
 * Words: src/topology/kinds src/traffic/patterns src/routing/schemes
 * Words: src/topology/topology.c src/core/specification.c
 */
#include "../support/fuzz.h"

#include "core/specification.h"
#include "routing/routing.h"
#include "topology/topology.h"
#include "traffic/traffic.h"

#include <string.h>

struct registry {
    const char *what;
    nb_kind_at *kinds;
    const struct nb_parameter *common;
};

static void specification_read(const struct registry *registry,
                               const char *text)
{
    struct nb_specification read = { 0 }, again = { 0 };
    struct nb_text printed = { 0 }, twice = { 0 };
    struct nb_error err = { 0 };
    size_t index[2];
    fuzz_check_error(nb_specification_read(text, registry->what,
                                           registry->kinds, registry->common,
                                           &read, &index[0], &err),
                     &err);
    if (err.status == NB_OK) {
        nb_specification_check(text, registry->what, registry->kinds,
                               registry->common, &err);
        nb_specification_print(&read, &printed);
        nb_specification_read(printed.bytes, registry->what, registry->kinds,
                              registry->common, &again, &index[1], &err);
        FUZZ_CHECK(err.status == NB_OK, "%s: %s", printed.bytes, err.message);
        nb_specification_print(&again, &twice);
        FUZZ_CHECK(index[0] == index[1] &&
                       strcmp(printed.bytes, twice.bytes) == 0,
                   "%s: %s", printed.bytes, twice.bytes);
    }
    nb_text_release(&twice);
    nb_text_release(&printed);
    nb_specification_release(&again);
    nb_specification_release(&read);
}

static void specification(const uint8_t *bytes, size_t length)
{
    static const struct registry registries[] = {
        { "topology", nb_topology_kind_at, nb_topology_parameters },
        { "traffic", nb_traffic_kind_at, nb_traffic_parameters },
        { "routing", nb_routing_kind_at, NULL },
    };
    struct nb_text text = { 0 };
    nb_text_add(&text, (const char *)bytes, length);
    for (size_t i = 0; i < 3; i++)
        specification_read(&registries[i], text.bytes);
    nb_text_release(&text);
}

FUZZ_TARGET(specification)
