/* Chart checks: what holds of every chart of a view (src/export/view.h). */
#ifndef NB_TESTS_SUPPORT_CHART_CHECKS_H
#define NB_TESTS_SUPPORT_CHART_CHECKS_H

#include "report/report.h"

#include <libxml/tree.h>
#include <stdbool.h>

enum { NB_CHART_COMPLAINT = 200 };

/* A document whose root has the report's charts over axes; NULL if memory
 * failed. The caller frees it. */
xmlDocPtr nb_chart_document(const struct nb_report *report);

/*
 * Whether every chart is sound: attributes there, ids unique, axes within the
 * drawing, everything drawn within the axes, titles at what is pointed at.
 *
 * complaint  out: the first that is not so
 */
bool nb_charts_are_sound(xmlDocPtr document,
                         char complaint[NB_CHART_COMPLAINT]);

/* The kinds of the charts in order, between blanks: "lines lines bars". */
void nb_chart_kinds(xmlDocPtr document, char *out, size_t size);

/* The n-th child of that name, from 0 on; NULL if there are fewer. */
xmlNodePtr nb_chart_child(xmlNodePtr node, const char *name, size_t n);
/* How many children of that name there are. */
size_t nb_chart_count(xmlNodePtr node, const char *name);
/* An attribute as a number; NaN if it is missing or none. */
double nb_chart_number(xmlNodePtr node, const char *name);
/* Whether an attribute is there and the same. */
bool nb_chart_is(xmlNodePtr node, const char *name, const char *value);

#endif
