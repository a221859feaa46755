/* Topology: the measures of a network, or the networks that fit. */
#ifndef NB_QUESTIONS_TOPOLOGY_TOPOLOGY_QUESTION_H
#define NB_QUESTIONS_TOPOLOGY_TOPOLOGY_QUESTION_H

#include "core/public.h"
#include "bounds/cuts/bisection.h"
#include "questions/fit/fit_question.h"
#include "questions/problem.h"

NB_PUBLIC_BEGIN

/* The options of netbound topology; NULL: not given. */
struct nb_topology_question {
    const char *topology, *fit;
    const char *prices; /* a file; for networks that fit */
    struct nb_ratio clock;
    bool expansion;
};

/* Owns all. */
struct nb_topology_answer {
    bool is_fit; /* only fit is set; else everything except fit */
    struct nb_fit_answer fit;
    struct nb_problem problem;
    struct nb_bisection bisection;
    struct nb_topology_distance {
        struct nb_ratio value; /* [hop] */
        const char *method, *source;
    } diameter, mean_distance;
    /* If asked for; else NB_NONE and empty. */
    uint32_t moore_diameter; /* NB_NONE: unknown */
    bool has_expansion;
    struct nb_enclosure gap, expansion;
};

/*
 * run  NULL: all cores
 *
 * Errors: those of the builders, nb_fit_question_read and nb_distance_search.
 */
NB_DECLARE_QUESTION(topology);
void nb_topology_answer_release(struct nb_topology_answer *answer);

NB_PUBLIC_END

#endif
