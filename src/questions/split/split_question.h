/* Split: one stream divided over minimal and non-minimal paths. */
#ifndef NB_QUESTIONS_SPLIT_SPLIT_QUESTION_H
#define NB_QUESTIONS_SPLIT_SPLIT_QUESTION_H

#include "core/public.h"
#include "queueing/split.h"
#include "questions/problem.h"

NB_PUBLIC_BEGIN

/* The options of netbound split; see its option rows. */
struct nb_split_question {
    const char *topology, *paths, *shared; /* NULL: not given */
    struct nb_ratio rate, clock, load;
    const char *rule;
    int delay_model; /* 0: Singh's, 1: Pollaczek-Khinchine */
};

struct nb_split_answer {
    struct nb_split split;
    struct nb_split_result answer;
    struct nb_enclosure rate; /* [packets/cycle] to be divided */
    struct nb_capacity capacity;
    bool is_tornado; /* a topology is given, so there is a capacity */
};

/*
 * run  NULL: all cores
 *
 * Errors: those of the builders; NB_INVALID for a network without a ring,
 * invalid paths, and rates out of range.
 */
NB_DECLARE_QUESTION(split);

NB_PUBLIC_END

#endif
