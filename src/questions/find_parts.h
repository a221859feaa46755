/* Searches: what their parts share, the request (find_request.c), the trials
 * (find_trials.c), the search (find_search.c) and the answer (find.c). */
#ifndef NB_QUESTIONS_FIND_PARTS_H
#define NB_QUESTIONS_FIND_PARTS_H

#include "core/crossing.h"
#include "questions/find.h"

enum {
    NB_FIND_VALUE = 80, /* the longest text of what is tried, with its end */
    NB_FIND_MOST = 400  /* trials of a search */
};

/* The least value that is tried where 0 is permitted. */
#define NB_FIND_LEAST 1e-9

enum nb_find_verdict {
    NB_FIND_HOLDS,
    NB_FIND_FAILS,
    NB_FIND_UNDECIDED,
    NB_FIND_REFUSED
};
extern const char *const nb_find_verdicts[];

/* What is asked for. */
struct nb_find_request {
    char name[NB_FIND_WORD]; /* "load" or "topology.h" */
    const struct nb_parameter *row;
    bool is_parameter; /* of a kind of networks, patterns or schemes */
    bool is_whole;     /* only whole numbers are permitted */
    bool has_range;
    double least, most;
    char quantity[NB_FIND_WORD];
    bool is_most;             /* <=; else >= */
    char value[NB_FIND_WORD]; /* as given */
    double within;
    bool is_simulated; /* the answers have intervals of simulations */
    size_t dimensions; /* of radices, which are alike; 0: one number */
};

struct nb_find_trial {
    double value;
    double place; /* where it lies: the value, or its logarithm */
    enum nb_find_verdict verdict;
    double number, lower, upper; /* of the quantity; NaN: none */
    bool is_saturated;           /* by a simulation */
};

struct nb_find {
    const struct nb_question_kind *kind;
    const struct nb_question *question;
    struct nb_find_request request;
    struct nb_model model; /* without the search */
    struct nb_run run;     /* of a trial, which has no line of its own */
    double share;          /* of the search that is done */
    double left;           /* trials that are still expected */
    bool is_whole, is_log;
    bool is_alone; /* trials are asked for the condition's quantity alone */
    bool is_known; /* the quantity has been seen: its unit and method, and the
                    * value that it is held to */
    char *unit, *method;
    struct nb_ratio exact; /* not known: lower is it */
    double lower, upper;
    size_t count;
    struct nb_find_trial trials[NB_FIND_MOST];
    const struct nb_find_trial *sorted[NB_FIND_MOST]; /* them by value */
    size_t having[NB_FIND_REFUSED + 1];               /* by verdict */
    size_t lacking;          /* trials whose answer has not the quantity .. */
    struct nb_error lack;    /* .. which says what such a one has */
    struct nb_error refused; /* the first refusal */
    double refused_value;
    struct nb_point kept; /* the answer at the last value where it held */
    double kept_value;
    /* Trials on both sides of what is found, by number; none: SIZE_MAX. */
    size_t low, high;
    struct nb_crossing crossing;
};

/*
 * Reads what a model asks for.
 *
 * Errors: NB_USAGE naming what is wrong and what is permitted.
 */
enum nb_status nb_find_read(const struct nb_form *form,
                            const struct nb_model *model,
                            struct nb_find_request *out, struct nb_error *err);

/* The shortest text that is read as the value. */
void nb_find_print(const struct nb_find *find, double value,
                   char out[NB_FIND_VALUE]);

/* The question at a value. Errors: as nb_model_complete. */
enum nb_status nb_find_model(const struct nb_find *find, double value,
                             struct nb_model *out, struct nb_error *err);

/*
 * Asks the question at a value.
 *
 * is_alone  for the condition's quantity alone
 * given     as of nb_question_check; NULL: the question is asked
 *
 * Errors: the question's; NB_OVERFLOW for a network larger than is tried.
 */
enum nb_status nb_find_ask(struct nb_find *find, double value, bool is_alone,
                           const struct nb_point *given, struct nb_text *said,
                           struct nb_point *out, struct nb_error *err);

/* Whether a status says that the question is refused, as it need not be at
 * other values. */
bool nb_find_is_refused(enum nb_status status);

/* Where a value lies: 0, which has no logarithm, beside the least value that
 * is tried. */
double nb_find_place(const struct nb_find *find, double value);

/*
 * The trial at a value, which is made if it is a new one.
 *
 * index  out: its number; SIZE_MAX if there is no room
 *
 * Errors: the question's, but for those that refuse the value.
 */
enum nb_status nb_find_try(struct nb_find *find, double value, size_t *index,
                           struct nb_error *err);

/* The same; where a whole number is refused, of the next one beside it between
 * the ends that is not. */
enum nb_status nb_find_try_near(struct nb_find *find, double value, double low,
                                double high, size_t *index,
                                struct nb_error *err);

/* Makes trials until low and high enclose what is asked for, as far as it can
 * be told. Errors: the question's, where it is refused at every value. */
enum nb_status nb_find_search(struct nb_find *find, struct nb_error *err);

/* Whether it holds below rather than above, by how the quantity goes, where
 * nothing else tells. What is not certain to change counts as rising. */
bool nb_find_is_greatest(const struct nb_find *find);

/* Whether a trial between the ends is undecided. */
bool nb_find_is_doubtful(const struct nb_find *find);

/* Whether the condition holds by the value alone, which may have an interval
 * about it. */
bool nb_find_holds_about(const struct nb_find *find,
                         const struct nb_find_trial *trial);

/*
 * Neighbours between which the condition changes by the values alone: of
 * several, as by chance, those nearest to what is certain. Where it is certain
 * which way the quantity goes, or nothing is, only a change that way counts.
 *
 * low, high  out, by number
 *
 * Returns false if there are none.
 */
bool nb_find_change(const struct nb_find *find, size_t *low, size_t *high);

#endif
