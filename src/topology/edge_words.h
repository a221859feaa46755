/* Words of a line of an edge list. Internal to its reader. */
#ifndef NB_TOPOLOGY_EDGE_WORDS_H
#define NB_TOPOLOGY_EDGE_WORDS_H

#include "core/lines.h"

enum { NB_EDGE_WORDS = 16 };

/* What a column of a link's first or second end is called, separated by
 * spaces. */
#define NB_EDGE_SOURCES "source src from"
#define NB_EDGE_TARGETS "target destination dst to"

/* Whether a word is in such a list, ignoring case. */
bool nb_edge_is_any(const char *word, const char *list);

/* Whether a word is a sign of another notation, such as a -> b or [a,b], and no
 * name. */
bool nb_edge_is_sign(const char *word);

/* Whether a name is read as it is wherever it stands in a list of edges. */
bool nb_edge_is_plain(const char *name);

struct nb_edge_words {
    const char *word[NB_EDGE_WORDS];
    size_t count;     /* above NB_EDGE_WORDS: too many */
    char *attributes; /* {'weight': 3}, as networkx writes it; NULL: none */
};

/*
 * Cuts a line in place. A tab separates words if there is one; else blanks,
 * unless a comma stands outside the words: "0,0 0,1" are two words, and so are
 * "New York,Boston" and "(0, 0) (0, 1)". Words may be quoted. A # after a blank
 * or comma, but not within quotes or {...}, starts a comment.
 *
 * Errors: NB_INVALID naming file and line if a quote is not closed, or a number
 * has a decimal comma.
 */
enum nb_status nb_edge_words_cut(const struct nb_lines *lines, char *line,
                                 struct nb_edge_words *out,
                                 struct nb_error *err);

/* Cuts a word off a line in which blanks or commas separate words; it may be
 * quoted, or a pair such as (0, 1). NULL: none is left. */
char *nb_edge_word(char **rest);

/*
 * Takes the next attribute off a text such as "{'weight': 3, 'name': 'a b'}",
 * in the notation of Python or JSON.
 *
 * at     in: the text; out: behind the attribute
 * name   out: NULL at the end
 * value  out: without quotes
 *
 * Errors: NB_INVALID naming file and line if it has another form.
 */
enum nb_status nb_edge_attribute(const struct nb_lines *lines, char **at,
                                 const char **name, const char **value,
                                 struct nb_error *err);

#endif
