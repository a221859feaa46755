/* Ledger cache: answers that took long, kept from one ledger to the next. */
#ifndef NB_QUESTIONS_LEDGER_LEDGER_CACHE_H
#define NB_QUESTIONS_LEDGER_LEDGER_CACHE_H

#include "report/report.h"

/*
 * Where answers are kept: reports of one question each, under the digest of
 * the question, inputs with their digests, in a folder named by the digest of
 * the program's own file: what another build answered is never found. The
 * libraries that it loads are in neither; after one of them has changed it
 * takes --fresh. Zero-initialised is valid and keeps nothing.
 */
struct nb_cache {
    struct nb_text folder;
    bool is_fresh; /* nothing is found, all is kept */
};

/*
 * Opens the cache in $XDG_CACHE_HOME/netbound, else ~/.cache/netbound, and
 * removes what other programs kept there; where neither can be, it stays empty.
 *
 * Errors: NB_NO_MEMORY.
 *
 * Source: XDG Base Directory Specification 0.8, "Environment variables".
 */
enum nb_status nb_cache_open(bool is_fresh, struct nb_cache *out,
                             struct nb_error *err);
void nb_cache_close(struct nb_cache *cache);

/*
 * The quantities of a question that was kept; false if there is none, or what
 * there is has not the digest that stands in it.
 *
 * question  the model as text (nb_model_write)
 * command   the question's; only slow ones are kept
 * out       zero
 */
bool nb_cache_find(const struct nb_cache *cache, const struct nb_text *question,
                   const char *command, struct nb_point *out);

/* Keeps an answer; the quantities stay the caller's. That it cannot be kept
 * troubles nobody. */
void nb_cache_keep(const struct nb_cache *cache, const struct nb_text *question,
                   struct nb_model *model, struct nb_point *point);

#endif
