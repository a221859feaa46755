/* Optimum question: what the options of netbound optimum ask for. */
#ifndef NB_QUESTIONS_OPTIMUM_OPTIMUM_QUESTION_H
#define NB_QUESTIONS_OPTIMUM_OPTIMUM_QUESTION_H

#include "bounds/optimum/path_class.h"
#include "topology/symmetry.h"
#include "questions/problem.h"

struct nb_optimum_goal;

/* What the goals have in common. Owns problem; class borrows its network, so
 * that the struct stays where it was made. */
struct nb_optimum {
    const struct nb_question *question;
    const struct nb_optimum_goal *goal;
    struct nb_problem problem;
    struct nb_path_class class;
    double seconds;            /* time limit, +inf: none */
    enum nb_overload overload; /* of --worst-case --unbalanced */
};

/* What the best routing may be sought for; one file optimum_*.c each. */
struct nb_optimum_goal {
    const char *option; /* that asks for it */
    /* Further options and outputs that it takes, between blanks. */
    const char *permitted;
    enum nb_status (*answer)(const struct nb_optimum *optimum,
                             struct nb_point *out, struct nb_error *err);
    /* As check of struct nb_command. */
    enum nb_status (*check)(const struct nb_optimum *optimum,
                            const struct nb_point *given, struct nb_point *out,
                            struct nb_text *said, struct nb_error *err);
    /* The group that the paths of the report's table are spread over; NULL:
     * no routing is found. Errors: NB_NO_MEMORY. */
    enum nb_status (*symmetry)(const struct nb_optimum *optimum,
                               const struct nb_point *given,
                               struct nb_symmetry *out, struct nb_error *err);
};

extern const struct nb_optimum_goal nb_optimum_traffic;
extern const struct nb_optimum_goal nb_optimum_worst_case;
extern const struct nb_optimum_goal nb_optimum_average;
extern const struct nb_optimum_goal nb_optimum_adversary;

extern const struct nb_parameter nb_optimum_options[];

enum { NB_OPTIMUM_COUNT = 100 }; /* of permutations, unless given */

enum { NB_OPTIMUM_ROUTING_TABLE, NB_OPTIMUM_PERMUTATION };
extern const struct nb_parameter nb_optimum_outputs[];

/*
 * Finds out what is asked for and builds the network, the traffic and the
 * class of paths.
 *
 * Errors: NB_USAGE unless there is just one goal and all options given are
 * among its own; as nb_problem_build and nb_path_class_init.
 */
enum nb_status nb_optimum_init(const struct nb_question *question,
                               struct nb_optimum *out, struct nb_error *err);
void nb_optimum_release(struct nb_optimum *optimum);

/* The value of a number option; not known where it is not given. */
struct nb_ratio nb_optimum_number(const struct nb_optimum *optimum,
                                  const char *name);

/* That of a whole one, or what it is unless given. */
uint64_t nb_optimum_whole(const struct nb_optimum *optimum, const char *name,
                          int64_t initial);

/* As write of struct nb_command. */
enum nb_status nb_optimum_write(const struct nb_question *question,
                                const struct nb_point *point,
                                struct nb_error *err);

#endif
