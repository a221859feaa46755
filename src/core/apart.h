/* Apart: work that a failed allocation or a crash ends is done in a process of
 * its own, whose end is an error like others. */
#ifndef NB_CORE_APART_H
#define NB_CORE_APART_H

#include "core/text.h"

/*
 * Runs work(context, text, err) in a copy of this process and appends the text
 * that it makes. Nothing else comes back: what it writes to memory is its own.
 * The copy has the calling thread alone, so that no other thread of the process
 * may be within libxml2, whose locks it would find closed.
 *
 * what  names the work in messages
 *
 * Errors: those of work; NB_NO_MEMORY if the process cannot be made or ends
 * before its work is done.
 */
enum nb_status
nb_run_apart(const char *what,
             enum nb_status (*work)(void *context, struct nb_text *text,
                                    struct nb_error *err),
             void *context, struct nb_text *text, struct nb_error *err);

/* Ends the process that nb_run_apart made, which then says NB_NO_MEMORY. */
_Noreturn void nb_apart_end_without_memory(void);

#endif
