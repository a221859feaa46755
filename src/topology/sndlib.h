/* SNDlib: nodes, links and demands of its networks, as XML or native text. */
#ifndef NB_TOPOLOGY_SNDLIB_H
#define NB_TOPOLOGY_SNDLIB_H

#include "core/delete.h"
#include "core/memory.h"

#include <stdbool.h>
#include <stddef.h>

/* A node, a link or a demand. Texts belong to the pool. */
struct nb_sndlib_item {
    const char *name;            /* of a node, else NULL */
    const char *source, *target; /* of a link or demand */
    /* Of a link, the capacity that is installed, or else the smallest that may
     * be; NULL: none. Of a demand, its value. */
    const char *value;
    const char *unit; /* of a demand, by which its value counts; NULL: 1 */
    bool is_module;   /* of a link: the capacity is not installed */
    size_t line;
};

struct nb_sndlib_list {
    struct nb_sndlib_item *item; /* [count] */
    size_t count, capacity;
};

/* A file's contents. Owns them. */
struct nb_sndlib {
    const char *path; /* for messages */
    struct nb_sndlib_list nodes, links, demands;
    struct nb_pool texts;
};

/* Whether a text begins as a network of SNDlib does, in either form. */
bool nb_sndlib_is(const char *text);

/*
 * Reads a file. Coordinates, costs and paths are skipped.
 *
 * Errors: NB_INVALID naming path, line and value; NB_NO_MEMORY.
 * Source: http://sndlib.put.poznan.pl, XML and native format of networks.
 */
enum nb_status nb_sndlib_read(const char *path, const char *text, size_t length,
                              struct nb_sndlib *out, struct nb_error *err);
void nb_sndlib_release(struct nb_sndlib *sndlib);

/* Fails with a message that names the file and a line. */
enum nb_status nb_sndlib_fail(const struct nb_sndlib *sndlib, size_t line,
                              struct nb_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
