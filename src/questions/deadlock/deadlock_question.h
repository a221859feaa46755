/* Deadlock: whether packets can come to wait for each other forever. */
#ifndef NB_QUESTIONS_DEADLOCK_DEADLOCK_QUESTION_H
#define NB_QUESTIONS_DEADLOCK_DEADLOCK_QUESTION_H

#include "core/public.h"
#include "deadlock/protocol.h"
#include "questions/problem.h"

NB_PUBLIC_BEGIN

/* The options of netbound deadlock; each is what its row says. */
struct nb_deadlock_question {
    const char *topology, *routing;
    const char *classes;                /* NULL: the scheme's own */
    int64_t messages, virtual_networks; /* 0: not given */
};

/* Owns its parts, which point to each other: must not be copied. */
struct nb_deadlock_answer {
    struct nb_topology topology;
    struct nb_routing routing;
    struct nb_deadlock found;
    struct nb_protocol protocol; /* with messages, instead of found */
};

/*
 * run  NULL: all cores
 *
 * Errors: those of the builders; NB_INVALID for a rule of classes that does not
 * exist or does not suit the scheme.
 */
enum nb_status nb_deadlock_ask(const struct nb_deadlock_question *request,
                               const struct nb_run *run,
                               struct nb_deadlock_answer *out,
                               struct nb_error *err);

void nb_deadlock_answer_release(struct nb_deadlock_answer *answer);

/* Adds the answer to a report's point. */
void nb_deadlock_report(const struct nb_deadlock_answer *answer,
                        struct nb_point *out);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/*
 * Checks the proofs of a given answer by walking all routes again.
 *
 * said  appended: what was checked
 *
 * Errors: NB_REFUTED; those of nb_deadlock_ask.
 */
enum nb_status nb_deadlock_recheck(const struct nb_deadlock_question *request,
                                   const struct nb_run *run,
                                   const struct nb_point *given,
                                   struct nb_deadlock_answer *out,
                                   struct nb_text *said, struct nb_error *err);

NB_INTERNAL_END

#endif
