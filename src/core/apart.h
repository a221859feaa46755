/* Apart: runs work in a process of its own, so that a failed allocation or a
 * crash there is an ordinary error here. */
#ifndef NB_CORE_APART_H
#define NB_CORE_APART_H

#include "core/text.h"

/*
 * Runs work(context, text, err) in a copy of this process and appends the text
 * that it produces. Nothing else comes back: it writes to memory of its own.
 * The copy has only the calling thread, so no other thread may be within
 * libxml2, whose locks would stay locked.
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

/* Ends the process that nb_run_apart made; it then reports NB_NO_MEMORY. */
_Noreturn void nb_apart_end_without_memory(void);

#endif
