/* Latency curve: the mean latency at loads up to saturation. */
#ifndef NB_QUESTIONS_LATENCY_LATENCY_CURVE_H
#define NB_QUESTIONS_LATENCY_LATENCY_CURVE_H

#include "questions/latency/latency_question.h"

/*
 * Adds the table latency_curve of an oblivious scheme: rows from no load
 * towards saturation, ever closer to each other. None if nothing saturates, if
 * no load is a fraction of the capacity, or if the delays depend on the rate
 * itself (bernoulli, terminals that send more than a packet per cycle).
 */
void nb_latency_report_curve(const struct nb_latency_answer *answer,
                             struct nb_point *out);

extern const struct nb_table_kind nb_latency_curve_table;

#endif
