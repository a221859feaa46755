/* DOT scanner: cuts a file of Graphviz into its pieces, in place. */
#ifndef NB_TOPOLOGY_DOT_SCAN_H
#define NB_TOPOLOGY_DOT_SCAN_H

#include "topology/graph.h"

enum nb_dot_kind {
    NB_DOT_END,
    NB_DOT_WORD,   /* without quotes; may be a keyword */
    NB_DOT_STRING, /* in quotes */
    NB_DOT_HTML,   /* in < > */
    NB_DOT_MARK,   /* { } [ ] ; , : = */
    NB_DOT_EDGE,   /* -- or -> */
};

/* A piece of the file; a word is terminated when the next piece was read. */
struct nb_dot_token {
    enum nb_dot_kind kind;
    char *text, *end;
    size_t line;
    char mark[3]; /* of NB_DOT_MARK and NB_DOT_EDGE, which the end of a word
                     before them overwrites */
};

/* A file being cut; the graph has its path. */
struct nb_dot_scanner {
    const struct nb_graph *graph;
    char *text, *at;
    size_t line;
    struct nb_dot_token token; /* the next one */
};

/* What follows blanks, comments and lines of a preprocessor. start: of the
 * file */
const char *nb_dot_after_blanks(const char *start, const char *text);

/* Reads the next piece into the token; first call it once. Errors: NB_INVALID
 * naming the line of a string or HTML without end. */
enum nb_status nb_dot_scan(struct nb_dot_scanner *scanner,
                           struct nb_error *err);
/* Goes on to the next piece. text: out, the old one; may be NULL. Errors: those
 * of nb_dot_scan. */
enum nb_status nb_dot_take(struct nb_dot_scanner *scanner, char **text,
                           struct nb_error *err);

/* Whether the next piece is this mark, an id, or this word in any case. */
bool nb_dot_is_mark(const struct nb_dot_scanner *scanner, char mark);
bool nb_dot_is_id(const struct nb_dot_scanner *scanner);
bool nb_dot_is_keyword(const struct nb_dot_scanner *scanner, const char *word);

/* Take a piece that must come next. is_html: out; may be NULL. Errors: those of
 * nb_dot_refuse and nb_dot_scan. */
enum nb_status nb_dot_take_mark(struct nb_dot_scanner *scanner, char mark,
                                struct nb_error *err);
enum nb_status nb_dot_take_id(struct nb_dot_scanner *scanner, char **text,
                              bool *is_html, struct nb_error *err);

/* Refuses the next piece. Errors: NB_INVALID naming its line. */
enum nb_status nb_dot_refuse(const struct nb_dot_scanner *scanner,
                             const char *permitted, struct nb_error *err);

#endif
