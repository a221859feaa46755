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
 * Errors: those of the builders; NB_INVALID for a rule of classes that does not
 * exist or does not suit the scheme.
 */
NB_DECLARE_QUESTION(deadlock);

void nb_deadlock_answer_release(struct nb_deadlock_answer *answer);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

NB_DECLARE_RECHECK(deadlock);

NB_INTERNAL_END

#endif
