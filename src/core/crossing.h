/* Crossing: where an answer changes from one side to the other along a line,
 * enclosed by trials some of which decide nothing. */
#ifndef NB_CORE_CROSSING_H
#define NB_CORE_CROSSING_H

enum nb_crossing_side {
    NB_SIDE_LOW,
    NB_SIDE_OPEN,
    NB_SIDE_HIGH
}; /* OPEN: undecided */

/* The crossing lies between low and high; what is undecided between them, from
 * doubt_first to doubt_last (+inf and -inf: nothing). */
struct nb_crossing {
    double low, high;
    double doubt_first, doubt_last;
};

/* A crossing between two places, which may be infinite. */
struct nb_crossing nb_crossing_between(double low, double high);

/* What is undecided is to be tried again, with more effort. */
void nb_crossing_forget(struct nb_crossing *crossing);

/* Takes in what a trial at a place between low and high showed. */
void nb_crossing_add(struct nb_crossing *crossing, double place,
                     enum nb_crossing_side side);

/*
 * The next place to try: in the middle of the wider of the parts below and
 * above what is undecided, or of the whole.
 *
 * enough  parts as narrow are left alone
 *
 * Returns NaN if all are; both ends must be finite.
 */
double nb_crossing_next(const struct nb_crossing *crossing, double enough);

/* How much of the way from one width to another is done, in [0, 1]: as many of
 * the halvings that it takes. */
double nb_crossing_share(const struct nb_crossing *crossing, double from,
                         double to);

#endif
