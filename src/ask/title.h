/* Title: what a report is called - the title of its model, or else a sentence
 * made from its question. */
#ifndef NB_ASK_TITLE_H
#define NB_ASK_TITLE_H

#include "core/public.h"
#include "ask/question.h"

/*
 * Appends the title of a complete model: its own, or else the sentence of its
 * question (nb_form.title). Every option and sweep that the sentence does not
 * mention and that differs from its default is appended, so that two models
 * have two titles.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_title_print(const struct nb_model *model,
                              struct nb_text *text, struct nb_error *err);

/* Sets the title of a report (nb_report.title). Errors: NB_NO_MEMORY. */
enum nb_status nb_report_entitle(struct nb_report *report,
                                 struct nb_error *err);

#endif
