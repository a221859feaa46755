/* Confidence: how far an estimate from independent samples may lie from what
 * it estimates. */
#ifndef NB_LOAD_CONFIDENCE_H
#define NB_LOAD_CONFIDENCE_H

/* An interval holds with this probability, either side failing alike. */
#define NB_CONFIDENCE 0.95

/*
 * The standard deviations z beyond which one side of the normal distribution
 * has (1 - NB_CONFIDENCE) / 2 / events: 1.96 for one event, and for several so
 * many that none of them fails with (1 - NB_CONFIDENCE) / 2 together.
 *
 * events  >= 1
 */
double nb_confidence_deviations(double events);

/* What the normal distribution has beyond so many deviations, as a share of one
 * side's risk: the inverse is 1 / nb_confidence_share. */
double nb_confidence_share(double deviations);

/*
 * How far a sum of independent variables, each in an interval of this range
 * at most, may lie on one side of its mean by the normal distribution:
 *
 *     m = z (sqrt(variance + h^2) + h),   h = z range / 2.
 *
 * This is the root of m^2 = z^2 (variance + range m), Wilson's: where few of
 * the variables are not at an end of their range, the variance estimated says
 * little, and that of a mean m further on is greater by range m at most. Of
 * counts none of which was seen, the limit is z^2 of them.
 *
 * variance    of the sum, estimated without bias from each group of variables
 *             alike
 * deviations  z, as of nb_confidence_deviations
 *
 * Source: [Wilson1927], for a probability; that it never fails more often
 * than the normal distribution says is tested by summing over all outcomes of
 * two binomial distributions, and proved for none.
 */
double nb_confidence_margin(double variance, double range, double deviations);

/*
 * How fast the variance of such a sum grows as its mean does, range at most,
 * for nb_confidence_margin in the place of the range: along the distributions
 * exp(theta x) P(x) it is third cumulant / variance (the margin below takes
 * the third cumulant negated). Two variables more at the end of their range,
 *
 *     (third + 2 range^3) / (variance + 2 range^2), 0 at least,
 *
 * give the range where nothing was seen, and what estimates from few lack:
 * tested as the margin is, with as many as are needed.
 *
 * third  third cumulant of the sum (third central moment), estimated
 * range  of one variable beyond its mean, on the side of the margin
 */
double nb_confidence_slope(double variance, double third, double range);

#endif
