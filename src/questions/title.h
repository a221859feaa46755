/* Title: what people call a report - its model's title, or else a sentence
 * made of its question. */
#ifndef NB_QUESTIONS_TITLE_H
#define NB_QUESTIONS_TITLE_H

#include "core/public.h"
#include "questions/question.h"

NB_PUBLIC_BEGIN

/*
 * Appends the title of a complete model: its own, or else the sentence of its
 * question (nb_form.title) followed by every option and sweep that the sentence
 * does not name and that is not as it would be by itself, so that two models
 * have two titles.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_title_print(const struct nb_model *model,
                              struct nb_text *text, struct nb_error *err);

/* Gives a report its title (nb_report.title). Errors: NB_NO_MEMORY. */
enum nb_status nb_report_entitle(struct nb_report *report,
                                 struct nb_error *err);

NB_PUBLIC_END

#endif
