/* Shared by the parts of a search: the request (find_request.c), the trials
 * (find_trials.c), the search itself (find_search.c) and the answer
 * (find.c). */
#ifndef NB_ASK_FIND_PARTS_H
#define NB_ASK_FIND_PARTS_H

#include "core/crossing.h"
#include "ask/find.h"

enum {
    NB_FIND_VALUE = 80, /* longest text of a value tried, with its terminator */
    NB_FIND_MOST = 400  /* trials of a search */
};

/* The least value tried where 0 is permitted. */
#define NB_FIND_LEAST 1e-9

enum nb_find_verdict {
    NB_FIND_HOLDS,
    NB_FIND_FAILS,
    NB_FIND_UNDECIDED,
    NB_FIND_REFUSED
};
extern const char *const nb_find_verdicts[];

/* The request. */
struct nb_find_request {
    char name[NB_FIND_WORD]; /* "load" or "topology.h" */
    const struct nb_parameter *row;
    bool is_parameter; /* parameter of a topology, traffic or routing */
    bool is_whole;     /* only whole numbers are permitted */
    bool has_range;
    double least, most;
    char quantity[NB_FIND_WORD];
    bool is_most;             /* <=; otherwise >= */
    char value[NB_FIND_WORD]; /* as given */
    double within;
    bool is_simulated; /* answers are simulated, with intervals */
    size_t dimensions; /* of radices, which are all equal; 0: one number */
};

struct nb_find_trial {
    double value;
    double place; /* on the axis of the search: the value, or its logarithm */
    enum nb_find_verdict verdict;
    double number, lower, upper; /* of the quantity; NaN: none */
    bool is_saturated;           /* in a simulation */
};

struct nb_find {
    const struct nb_question_kind *kind;
    const struct nb_question *question;
    struct nb_find_request request;
    struct nb_model model; /* without the search */
    struct nb_run run;     /* of a trial; shows no progress of its own */
    double share;          /* completed fraction of the search */
    double left;           /* expected number of remaining trials */
    bool is_whole, is_log;
    bool is_alone; /* trials ask only for the condition's quantity */
    bool is_known; /* the quantity has been seen: its unit, its method and the
                    * value that it is compared with are known */
    char *unit, *method;
    struct nb_ratio exact; /* if not known, use lower */
    double lower, upper;
    size_t count;
    struct nb_find_trial trials[NB_FIND_MOST];
    const struct nb_find_trial *sorted[NB_FIND_MOST]; /* trials by value */
    size_t having[NB_FIND_REFUSED + 1];               /* number by verdict */
    size_t lacking;          /* trials whose answer lacks the quantity */
    struct nb_error lack;    /* names the quantities of such an answer */
    struct nb_error refused; /* the first refusal */
    double refused_value;
    struct nb_point kept; /* answer at the last value where it held */
    double kept_value;
    /* Trials on both sides of the value sought, by number; SIZE_MAX: none. */
    size_t low, high;
    struct nb_crossing crossing;
};

/*
 * Reads the request of a model.
 *
 * Errors: NB_USAGE naming what is wrong and what is permitted.
 */
enum nb_status nb_find_read(const struct nb_form *form,
                            const struct nb_model *model,
                            struct nb_find_request *out, struct nb_error *err);

/* Prints the shortest text that reads back as the value. */
void nb_find_print(const struct nb_find *find, double value,
                   char out[NB_FIND_VALUE]);

/* The question's model at a value. Errors: those of nb_model_complete. */
enum nb_status nb_find_model(const struct nb_find *find, double value,
                             struct nb_model *out, struct nb_error *err);

/*
 * Answers the question at a value.
 *
 * is_alone  only the condition's quantity
 * given     as in nb_question_check; NULL: the question is answered
 *
 * Errors: the question's; NB_OVERFLOW for a network larger than is tried.
 */
enum nb_status nb_find_ask(struct nb_find *find, double value, bool is_alone,
                           const struct nb_point *given, struct nb_text *said,
                           struct nb_point *out, struct nb_error *err);

/* Whether a status means that the question is refused at this value but may be
 * answered at others. */
bool nb_find_is_refused(enum nb_status status);

/* The place of a value; 0, which has no logarithm, is next to the least value
 * that is tried. */
double nb_find_place(const struct nb_find *find, double value);

/*
 * Finds the trial at a value, or makes it.
 *
 * index  out: its number; SIZE_MAX if there is no room
 *
 * Errors: the question's, except those that refuse the value.
 */
enum nb_status nb_find_try(struct nb_find *find, double value, size_t *index,
                           struct nb_error *err);

/* The same; if a whole number is refused, takes the nearest one between the
 * ends that is not. */
enum nb_status nb_find_try_near(struct nb_find *find, double value, double low,
                                double high, size_t *index,
                                struct nb_error *err);

/* Makes trials until low and high enclose the value sought, as far as that can
 * be decided. Errors: the question's, if every value is refused. */
enum nb_status nb_find_search(struct nb_find *find, struct nb_error *err);

/* Whether the condition holds below rather than above, by the direction of the
 * quantity, if nothing else decides. A quantity that does not certainly change
 * counts as rising. */
bool nb_find_is_greatest(const struct nb_find *find);

/* Whether a trial between the ends is undecided. */
bool nb_find_is_doubtful(const struct nb_find *find);

/* Whether the condition holds for the value itself, ignoring its interval. */
bool nb_find_holds_about(const struct nb_find *find,
                         const struct nb_find_trial *trial);

/*
 * Finds neighbours between which the condition changes, judged by the values
 * without their intervals. Of several such pairs, which may arise by chance, it
 * takes the one nearest to a certain trial. If the direction of the quantity is
 * certain, or no trial is, only a change in the expected direction counts.
 *
 * low, high  out, by number
 *
 * Returns false if there are none.
 */
bool nb_find_change(const struct nb_find *find, size_t *low, size_t *high);

#endif
