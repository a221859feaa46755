/* Deadlock: whether packets of a scheme can wait for each other in a cycle,
 * with a proof either way. */
#ifndef NB_DEADLOCK_DEADLOCK_H
#define NB_DEADLOCK_DEADLOCK_H

#include "deadlock/causes.h"
#include "deadlock/dealt.h"

#include <limits.h>

NB_PUBLIC_BEGIN

enum nb_deadlock_verdict {
    NB_DEADLOCK_FREE,
    /* Packets can wait in a cycle, each for the next one's virtual channel. */
    NB_DEADLOCK_POSSIBLE,
    /* There is a cycle, but packets in it may have another choice: for schemes
     * that choose, the absence of cycles is sufficient but not necessary. */
    NB_DEADLOCK_UNKNOWN,
};

/* The proof that a graph is acyclic, or that it is not. */
struct nb_deadlock_proof {
    struct nb_order order;
    struct nb_causes causes;
};

#define NB_NO_CLASSES UINT_MAX

/* Owns its parts; borrows the routing. Do not copy: parts point to each
 * other. */
struct nb_deadlock {
    struct nb_vc_classes classes;
    struct nb_dependencies dependencies;
    struct nb_deadlock_proof proof;
    enum nb_deadlock_verdict verdict;
    unsigned used; /* classes that some packet may be in */
    /* With all classes merged into one; only for oblivious schemes that use
     * several. */
    bool has_one;
    struct nb_routing unclassed; /* the routing, without classes */
    struct nb_vc_classes one_class;
    struct nb_deadlock_proof one;
    /* Layers, if some were found and need fewer classes. */
    struct nb_dealt dealt;
    /* The smallest number of classes with which the scheme's routes are free of
     * deadlock: a lower and an upper bound; NB_NO_CLASSES: packets go round, so
     * no number is enough. */
    unsigned least, most;
};

/*
 * Walks all routes and looks for a cycle of dependencies. For two-phase
 * schemes, walking phase by phase may add dependencies that no packet has; if
 * these close a cycle, whole routes are walked.
 *
 * Errors: those of nb_vc_classes_build and nb_dependencies_find.
 * Source: [DallySeitz1987]; for schemes with a choice [Duato1993].
 */
enum nb_status nb_deadlock_find(const struct nb_routing *routing,
                                const struct nb_run *run,
                                struct nb_deadlock *out, struct nb_error *err);

void nb_deadlock_release(struct nb_deadlock *deadlock);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/*
 * Builds the same from given proofs and checks these by walking all routes
 * again. A proof is a numbering that every dependency ascends, in which each
 * number is one more than the greatest number of a vertex that leads to it; or
 * a cycle as short as any, with a cause for each of its dependencies.
 *
 * given, one, dealt  ownership is taken, also on failure; one is empty where
 *                    has_one is false, dealt where there are no layers. Either
 *                    is refuted where nb_deadlock_find finds it, and layers
 *                    where it finds fewer.
 *
 * Errors: NB_REFUTED, saying what does not hold; those of nb_deadlock_find.
 */
enum nb_status nb_deadlock_check(const struct nb_routing *routing,
                                 const struct nb_run *run,
                                 struct nb_deadlock_proof *given,
                                 struct nb_deadlock_proof *one,
                                 struct nb_dealt *dealt,
                                 struct nb_deadlock *out, struct nb_error *err);

void nb_deadlock_proof_release(struct nb_deadlock_proof *proof);

NB_INTERNAL_END

#endif
