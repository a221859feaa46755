/* Citation: the sentence for a key of data/references.bib. */
#ifndef NB_EXPLAIN_CITATION_H
#define NB_EXPLAIN_CITATION_H

#include "core/status.h"
#include "core/text.h"

/* A key in the text of a source; not NUL-terminated. */
struct nb_citation_key {
    const char *at;
    size_t length;
};

/*
 * Finds the next key in a source such as "TowlesDally2002, section 2.2;
 * DallyTowles2004".
 *
 * at   where to look; out: after what was found
 * key  out
 *
 * Returns false if there are no more.
 */
bool nb_citation_next(const char **at, struct nb_citation_key *key);

/*
 * Appends "B. Towles and W. J. Dally. Worst-case traffic for oblivious routing
 * functions. Proceedings of ..., 2002." in UTF-8, without TeX.
 *
 * key  from nb_citation_next, or any text
 *
 * Errors: NB_INVALID if there is no such key; NB_NO_MEMORY.
 */
enum nb_status nb_citation_find(struct nb_citation_key key,
                                struct nb_text *text, struct nb_error *err);

#endif
