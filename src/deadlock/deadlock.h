/* Deadlock: whether packets of a scheme can come to wait for each other, with
 * proof either way. */
#ifndef NB_DEADLOCK_DEADLOCK_H
#define NB_DEADLOCK_DEADLOCK_H

#include "deadlock/causes.h"
#include "deadlock/dealt.h"

NB_PUBLIC_BEGIN

enum nb_deadlock_verdict {
    NB_DEADLOCK_FREE,
    /* Packets wait in a circle, each for the next one's virtual channel. */
    NB_DEADLOCK_POSSIBLE,
    /* There is a circle, but packets in it may go elsewhere: what is shown for
     * schemes that choose is enough to be free, not needed. */
    NB_DEADLOCK_UNKNOWN,
};

/* What shows a graph to be acyclic, or not. */
struct nb_deadlock_proof {
    struct nb_order order;
    struct nb_causes causes;
};

/* Owns its parts; borrows the routing. Not to be copied: parts point to each
 * other. */
struct nb_deadlock {
    struct nb_vc_classes classes;
    struct nb_dependencies dependencies;
    struct nb_deadlock_proof proof;
    enum nb_deadlock_verdict verdict;
    unsigned used; /* classes that some packet may be in */
    /* With all classes made one, of oblivious schemes that use several. */
    bool has_one;
    struct nb_routing unclassed; /* the routing, without classes */
    struct nb_vc_classes one_class;
    struct nb_deadlock_proof one;
    /* Where that may be fewer classes, if some were found. */
    struct nb_dealt dealt;
    /* The fewest classes with which the scheme's routes are free: at least
     * least, at most most. */
    unsigned least, most;
};

/*
 * Walks all routes and looks for a circle. The walk of two-phase schemes phase
 * by phase may add dependencies that no packet has; where these close a circle,
 * the routes are walked as wholes.
 *
 * Errors: as nb_vc_classes_build, nb_dependencies_find.
 * Source: [DallySeitz1987]; of schemes with a choice [Duato1993].
 */
enum nb_status nb_deadlock_find(const struct nb_routing *routing,
                                const struct nb_run *run,
                                struct nb_deadlock *out, struct nb_error *err);

/*
 * Builds the same from given proofs, which are checked by walking all routes
 * again: numbers that every dependency ascends, each one more than the
 * greatest that leads to it; or a circle whose dependencies have the causes
 * given, and that is as short as any.
 *
 * given, one, dealt  taken over, also on failure; one is empty where has_one
 *                    is false, dealt where there are no layers
 *
 * Errors: NB_REFUTED, saying what does not hold; as nb_deadlock_find.
 */
enum nb_status nb_deadlock_check(const struct nb_routing *routing,
                                 const struct nb_run *run,
                                 struct nb_deadlock_proof *given,
                                 struct nb_deadlock_proof *one,
                                 struct nb_dealt *dealt,
                                 struct nb_deadlock *out, struct nb_error *err);

void nb_deadlock_proof_release(struct nb_deadlock_proof *proof);
void nb_deadlock_release(struct nb_deadlock *deadlock);

NB_PUBLIC_END

#endif
