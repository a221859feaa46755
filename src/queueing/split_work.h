/* What the rules of a split and its solution share. */
#ifndef NB_QUEUEING_SPLIT_WORK_H
#define NB_QUEUEING_SPLIT_WORK_H

#include "queueing/split.h"

/*
 * The free capacities y_i = 1 - rho_i are the unknowns: delays and their
 * derivatives are sums of positive terms in them, so nothing cancels however
 * close saturation is:
 *
 *     D_i = m_i (factor / (2 y_i) + constant + 1 - factor / 2),
 *     y_1 / s_1 + y_2 / s_2 = 1 / s_1 + 1 / s_2 - alpha.
 */
struct nb_split_law {
    enum {
        NB_SPLIT_EQUAL, /* weight_1 / y_1^p + lift_1 = weight_2 / y_2^p + lift_2
                           as long as neither class gets less than nothing */
        NB_SPLIT_SHARE, /* x_1 = share alpha */
        NB_SPLIT_CAP    /* x_1 = alpha until y_1 falls to cap */
    } form;
    int power; /* p: 1 or 2 */
    struct nb_enclosure weight[NB_PATH_CLASSES];
    struct nb_enclosure lift[NB_PATH_CLASSES]; /* one of them is 0 */
    struct nb_enclosure share;
    struct nb_enclosure cap;
};

/* constant + 1 - factor / 2, > 0: what a hop takes but for factor / (2 y). */
struct nb_enclosure nb_split_base(struct nb_mean_delay delay);

/* a or its square root, by the power. */
struct nb_enclosure nb_split_root(struct nb_enclosure a, int power);

/* weight_i / y^p + lift_i */
struct nb_enclosure nb_split_side(const struct nb_split_law *law,
                                  enum nb_split_path i, struct nb_enclosure y);

/*
 * The free capacities at which both sides of the law are equal, whatever rate
 * a class then gets. Without lifts y_1 = ratio y_2, a linear equation.
 *
 * spare           1 / s_1 + 1 / s_2 - alpha
 * y               out, [NB_PATH_CLASSES]
 * is_closed_form  out: else found by bisection
 */
void nb_split_balance(const struct nb_split *split,
                      const struct nb_split_law *law, struct nb_enclosure spare,
                      struct nb_enclosure y[], bool *is_closed_form);

#endif
