/* Confidence: how far an estimate from independent samples may lie from the
 * true value. */
#ifndef NB_LOAD_CONFIDENCE_H
#define NB_LOAD_CONFIDENCE_H

/* Probability that an interval holds; both sides fail equally often. */
#define NB_CONFIDENCE 0.95

/*
 * The number of standard deviations z beyond which one side of the normal
 * distribution has probability (1 - NB_CONFIDENCE) / 2 / events: 1.96 for one
 * event; for several, the probability that any of them fails is at most (1 -
 * NB_CONFIDENCE) / 2.
 *
 * events  >= 1
 */
double nb_confidence_deviations(double events);

/* The probability of the normal distribution beyond this number of deviations,
 * as a share of one side's risk: the inverse is 1 / nb_confidence_share. */
double nb_confidence_share(double deviations);

/*
 * How far a sum of independent variables, each in an interval of at most this
 * range, may lie on one side of its mean by the normal distribution:
 *
 *     m = z (sqrt(variance + h^2) + h),   h = z range / 2.
 *
 * This is the root of m^2 = z^2 (variance + range m), Wilson's: if nearly all
 * variables are at an end of their range, the estimated variance says little,
 * and the variance for a mean that is m further on is greater by at most range
 * m. For counts of an event never seen, the limit is a count of z^2.
 *
 * variance    of the sum, estimated without bias from each group of identically
 *             distributed variables
 * deviations  z, from nb_confidence_deviations
 *
 * Source: [Wilson1927], for a probability. That it never fails more often than
 * the normal distribution predicts is tested by summing over all outcomes of
 * two binomial distributions, but not proved.
 */
double nb_confidence_margin(double variance, double range, double deviations);

/*
 * Growth of the variance of such a sum per growth of its mean, at most range;
 * nb_confidence_margin takes it in place of the range. Along the distributions
 * exp(theta x) P(x) it is third cumulant / variance (for the margin below, the
 * third cumulant is negated). Two more variables at the end of their range,
 *
 *     (third + 2 range^3) / (variance + 2 range^2), 0 at least,
 *
 * give the range where nothing was seen, and make up for estimates from few
 * values: tested like the margin, with the number of variables found necessary.
 *
 * third  third cumulant of the sum (third central moment), estimated
 * range  of one variable beyond its mean, on the side of the margin
 */
double nb_confidence_slope(double variance, double third, double range);

#endif
