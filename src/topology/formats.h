/* Formats of network files: how each is recognised and read. */
#ifndef NB_TOPOLOGY_FORMATS_H
#define NB_TOPOLOGY_FORMATS_H

#include "topology/graph.h"

/* What the user says about a file. */
struct nb_graph_options {
    struct nb_graph_attributes attributes;
    enum nb_graph_directions directions; /* where a format allows for both */
    bool ignores_speeds; /* of InfiniBand cables; else 1 is the most common
                            one of hosts */
    bool folds_hosts;    /* hosts become terminals (nb_graph_fold_hosts) */
    uint32_t terminals;  /* of routers without their own number */
};

/* A format; the one in formats/NAME.c is nb_graph_format_NAME. */
struct nb_graph_format {
    const char *name;    /* the value of parameter format */
    const char *title;   /* for messages */
    const char *endings; /* ".xml .graphml"; NULL: none */
    /* Files with such an ending may begin like other formats. Otherwise how a
     * file begins counts for more than its ending. */
    bool ending_decides;
    /* Links go both ways, so that directed=yes is refused. */
    bool is_undirected;
    /* Files may have attributes of links or nodes; otherwise parameters that
     * name some are refused. */
    bool has_link_attributes, has_node_attributes;
    /* Whether no other format's file begins with this text; NULL: it cannot be
     * told. */
    bool (*is)(const char *text);
    /*
     * Reads a file; `graph` has its name as path. The text may be cut into
     * words in place, and outlives the graph.
     *
     * Errors: NB_INVALID, NB_OVERFLOW naming file, line and value;
     * NB_NO_MEMORY.
     */
    enum nb_status (*read)(char *text, size_t length,
                           const struct nb_graph_options *options,
                           struct nb_graph *graph, struct nb_error *err);
};

extern const struct nb_graph_format *const nb_graph_formats[];

/* The values of parameter format: auto and the names of all formats. */
extern const char nb_graph_format_choices[];

/* What a file is read as that nothing else recognises. */
extern const struct nb_graph_format nb_graph_format_edges;
extern const struct nb_graph_format nb_graph_format_anynet;

/*
 * Finds the format of a file.
 *
 * wanted  the value of parameter format; auto: by the beginning of the text,
 *         else by the ending of the path, else an edge list
 *
 * Errors: NB_INVALID naming a format that is known but not read.
 */
enum nb_status nb_graph_format_find(const char *wanted, const char *path,
                                    const struct nb_text *text,
                                    const struct nb_graph_format **out,
                                    struct nb_error *err);

/*
 * Adds to the message of a file that is refused what else it may be, if its
 * format was guessed: an edge list, as nothing recognised it, or anynet, which
 * may be an edge list with such names.
 *
 * hint  of nb_graph_format_hint, which may be NULL, for the text before it was
 * cut into words
 */
const char *nb_graph_format_hint(const char *text);
void nb_graph_format_doubt(const struct nb_graph_format *format,
                           const char *path, const char *hint,
                           struct nb_error *err);

#endif
