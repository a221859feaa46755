/* Ledger cache: keeps answers that took long for the next ledger. */
#ifndef NB_QUESTIONS_LEDGER_LEDGER_CACHE_H
#define NB_QUESTIONS_LEDGER_LEDGER_CACHE_H

#include "core/digest.h"
#include "report/report.h"

/*
 * The cache: one file per question, named by the digest of the question, which
 * includes the digests of its inputs. Its folder is named by the digest of the
 * program's own file, so answers of another build are never found. The digests
 * do not cover the libraries that the program loads; after one of them has
 * changed, --fresh is needed. Zero-initialised is valid and keeps nothing.
 */
struct nb_cache {
    bool is_open;
    int folder;
    char program[NB_DIGEST_TEXT];
    bool is_fresh; /* finds nothing, keeps everything */
};

/* Whether a command's answers take long: commands that draw at random. */
bool nb_cache_is_for(const char *command);

/*
 * Opens the cache in $XDG_CACHE_HOME/netbound, else ~/.cache/netbound, and
 * removes what ledgers of other programs kept there; if neither is possible, it
 * stays closed.
 *
 * Errors: NB_NO_MEMORY.
 *
 * Source: XDG Base Directory Specification 0.8, "Environment variables".
 */
enum nb_status nb_cache_open(bool is_fresh, struct nb_cache *out,
                             struct nb_error *err);
void nb_cache_close(struct nb_cache *cache);

/*
 * Finds the quantities kept for a question; false if there are none, or if the
 * file was changed, belongs elsewhere or is no regular file.
 *
 * question  the model as text (nb_model_write)
 * command   the question's; only slow ones are kept
 * out       zero
 */
bool nb_cache_find(const struct nb_cache *cache, const struct nb_text *question,
                   const char *command, struct nb_point *out);

/* Keeps an answer. Failures are ignored. */
void nb_cache_keep(const struct nb_cache *cache, const struct nb_text *question,
                   const char *command, const struct nb_point *point);

#endif
