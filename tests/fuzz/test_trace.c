/*
 * Traces of packets: accepted ones are sorted and in range.
 * Words: src/sim/trace.c src/core/lines.c
 */
#include "../support/fuzz.h"

#include "sim/trace.h"

static void trace(const uint8_t *bytes, size_t length)
{
    enum { TERMINALS = 16 };
    struct nb_trace read = { 0 };
    struct nb_error err = { 0 };
    fuzz_check_error(nb_trace_read(fuzz_file("trace.csv", bytes, length),
                                   TERMINALS, &read, &err),
                     &err);
    for (size_t i = 0; err.status == NB_OK && i < read.count; i++) {
        const struct nb_trace_packet *packet = &read.packets[i];
        FUZZ_CHECK(packet->source < TERMINALS && packet->target < TERMINALS &&
                       packet->flits >= 1 && packet->flits <= NB_TRACE_FLITS &&
                       (i == 0 || packet[-1].cycle <= packet->cycle),
                   "packet %zu", i);
    }
    nb_trace_release(&read);
}

FUZZ_TARGET(trace)
