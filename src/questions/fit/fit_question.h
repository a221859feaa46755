/* What the option fit of `netbound topology` asks for. */
#ifndef NB_QUESTIONS_FIT_FIT_QUESTION_H
#define NB_QUESTIONS_FIT_FIT_QUESTION_H

#include "topology/fit.h"

struct nb_fit_question {
    struct nb_fit_demand demand;
    int64_t diameter;         /* [hop] at most; 0: any */
    struct nb_ratio capacity; /* [packets/cycle/terminal] at least; unknown:
                               * any */
    struct nb_ratio oversize; /* at most so many times demand.terminals;
                               * unknown: any */
};

/*
 * Reads "radix=64,terminals=10000,...". A colon may stand in the place of the
 * first comma, as a sweep of fit.radix puts one.
 *
 * Errors: as nb_specification_read; NB_USAGE for oversize without terminals.
 */
enum nb_status nb_fit_question_read(const char *text,
                                    struct nb_fit_question *out,
                                    struct nb_error *err);

#endif
