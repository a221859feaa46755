/* Crossing: brackets the place on a line where an answer changes, by trials
 * some of which are inconclusive. */
#ifndef NB_CORE_CROSSING_H
#define NB_CORE_CROSSING_H

enum nb_crossing_side {
    NB_SIDE_LOW,
    NB_SIDE_OPEN,
    NB_SIDE_HIGH
}; /* OPEN: undecided */

/* The crossing lies between low and high; trials from doubt_first to doubt_last
 * were undecided (+inf and -inf: none). */
struct nb_crossing {
    double low, high;
    double doubt_first, doubt_last;
};

/* A crossing between two places, which may be infinite. */
struct nb_crossing nb_crossing_between(double low, double high);

/* Forgets undecided trials, to repeat them with more effort. */
void nb_crossing_forget(struct nb_crossing *crossing);

/* Takes in the outcome of a trial at a place between low and high. */
void nb_crossing_add(struct nb_crossing *crossing, double place,
                     enum nb_crossing_side side);

/*
 * The next place to try: the midpoint of the wider of the parts below and above
 * the undecided trials, or of the whole.
 *
 * enough  parts of this width or less are not divided
 *
 * Returns NaN if none is wider; both ends must be finite.
 */
double nb_crossing_next(const struct nb_crossing *crossing, double enough);

/* Progress of bisection from one width to another, in [0, 1]: the share of the
 * halvings needed that are done. */
double nb_crossing_share(const struct nb_crossing *crossing, double from,
                         double to);

#endif
