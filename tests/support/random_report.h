/* Random reports and models, including hostile texts, and their comparison. */
#ifndef NB_TESTS_RANDOM_REPORT_H
#define NB_TESTS_RANDOM_REPORT_H

#include "core/random.h"
#include "report/report.h"

/* HOSTILE also has what XML cannot hold: control characters and bytes that are
 * not UTF-8. */
enum nb_text_kind { NB_TEXT_PERMITTED, NB_TEXT_HOSTILE };

/* Fill zero-initialised objects; the caller releases them. */
void nb_random_model(struct nb_random *random, enum nb_text_kind kind,
                     struct nb_model *out);
void nb_random_report(struct nb_random *random, enum nb_text_kind kind,
                      struct nb_report *out);

bool nb_models_are_equal(const struct nb_model *a, const struct nb_model *b);
bool nb_reports_are_equal(const struct nb_report *a, const struct nb_report *b);

#endif
