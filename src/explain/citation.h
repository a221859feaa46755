/* Citation: what a key of data/references.bib stands for, as a sentence. */
#ifndef NB_EXPLAIN_CITATION_H
#define NB_EXPLAIN_CITATION_H

#include "core/status.h"
#include "core/text.h"

/* A key as it stands in the text of a source; not ended by NUL. */
struct nb_citation_key {
    const char *at;
    size_t length;
};

/*
 * Finds the next key that a source such as "TowlesDally2002, section 2.2;
 * DallyTowles2004" names.
 *
 * at   where to look; out: behind what was found
 * key  out
 *
 * Returns false if there is no other.
 */
bool nb_citation_next(const char **at, struct nb_citation_key *key);

/*
 * Appends "B. Towles and W. J. Dally. Worst-case traffic for oblivious routing
 * functions. Proceedings of ..., 2002." in UTF-8, without TeX.
 *
 * key  of nb_citation_next, or any text
 *
 * Errors: NB_INVALID if there is no such key; NB_NO_MEMORY.
 */
enum nb_status nb_citation_find(struct nb_citation_key key,
                                struct nb_text *text, struct nb_error *err);

#endif
