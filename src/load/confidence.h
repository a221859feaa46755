/* Confidence: limits of means from samples that hold for any law of bounded
 * variables and any number of samples, not only for many. */
#ifndef NB_LOAD_CONFIDENCE_H
#define NB_LOAD_CONFIDENCE_H

#include <stddef.h>
#include <stdint.h>

/* Every interval of one answer holds, all at once, with this probability. */
#define NB_CONFIDENCE 0.95

/* ln(events / risk): each of so many events may fail with probability
 * e^-log_risk if one of them may with probability risk. */
double nb_confidence_log_risk(double events, double risk);

/*
 * An upper limit of the probability p of which samples independent trials
 * came true hits times: the p above hits/samples with
 *
 *     samples kl(hits/samples, p) = log_risk,
 *     kl(q, p) = q ln(q/p) + (1-q) ln((1-q)/(1-p)),
 *
 * and 1 if all came true. It fails with probability e^-log_risk at most, and
 * without hits it is the best there is, 1 - e^(-log_risk/samples). Rounded up.
 *
 * samples  >= 1
 *
 * Source: [Hoeffding1963, Theorem 1].
 */
double nb_confidence_upper(uint64_t hits, uint64_t samples, double log_risk);

/*
 * How far a sum S of independent variables, each in an interval of this range
 * at most, may lie on one side of its mean:
 *
 *     sqrt(2 L) s + range L / 3,   s = sqrt(variance + a L range^2 / 2)
 *                                      + range sqrt(a L / 2)
 *
 * where L = log_risk, the variables come in groups of at least `samples` of
 * the same law, a = samples / (samples - 1), and variance is the sum over
 * groups of m V, V the unbiased sample variance of the group's m variables:
 * an unbiased estimate of the variance of S. s bounds the root of the latter
 * but with probability e^-L; each side fails with that probability again.
 *
 * samples  >= 2
 *
 * Source: Bernstein's inequality, [BoucheronLugosiMassart2013, Theorem 2.10];
 * s as in [MaurerPontil2009, Theorem 10], whose proof (a self-bounding sum,
 * Theorem 7) holds for groups as well: every group's m V / range^2 satisfies
 * its conditions, and so does their sum, of independent variables.
 */
double nb_confidence_margin(double variance, double range, uint64_t samples,
                            double log_risk);

#endif
