/* Explained words: whether a reader knows every symbol of a formula in
 * words. */
#ifndef NB_TESTS_SUPPORT_EXPLAINED_WORDS_H
#define NB_TESTS_SUPPORT_EXPLAINED_WORDS_H

#include "explain/explain.h"

/*
 * Looks in the words of a quantity's explanation for a symbol that is not
 * explained: neither introduced by them ("over channels c") nor named by its
 * meaning, its symbols or the answer's quantities.
 *
 * word  [size]  out: that symbol
 *
 * Returns false if there is one.
 */
bool explained_words_find(const struct nb_subject *subject,
                          const struct nb_quantity *quantity, char *word,
                          size_t size);

#endif
