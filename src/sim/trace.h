/* Trace: a list of packets to be sent, read from a file. */
#ifndef NB_SIM_TRACE_H
#define NB_SIM_TRACE_H

#include "core/status.h"

#include <stddef.h>
#include <stdint.h>

NB_PUBLIC_BEGIN

struct nb_trace_packet {
    uint64_t cycle;
    uint32_t source; /* terminal; they are numbered router by router */
    uint32_t target; /* terminal */
    uint32_t flits;  /* >= 1 */
};

/* Sorted by cycle; packets of one cycle in the file's order. Owns packets;
 * zero-initialised is valid and empty. */
struct nb_trace {
    size_t count;
    struct nb_trace_packet *packets;
};

enum { NB_TRACE_BYTES = 1 << 28, NB_TRACE_FLITS = 4096 };

/*
 * Reads a CSV file with the columns cycle, source, destination and flits. The
 * first line is the header; lines that begin with # and empty ones are skipped.
 *
 * terminal_count  terminals of the network, below 2^32
 *
 * Errors: NB_IO if the file cannot be read; NB_INVALID naming file, line, value
 * and what is permitted; NB_NO_MEMORY.
 */
enum nb_status nb_trace_read(const char *path, size_t terminal_count,
                             struct nb_trace *out, struct nb_error *err);
void nb_trace_release(struct nb_trace *trace);

NB_PUBLIC_END

#endif
