/* Chart checks: properties of every chart of a view (src/export/view.h). */
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
 * Whether every chart is sound: attributes are there, ids are unique, axes lie
 * within the drawing, everything is drawn within the axes, and what can be
 * pointed at has a title.
 *
 * complaint  out: the first failure
 */
bool nb_charts_are_sound(xmlDocPtr document,
                         char complaint[NB_CHART_COMPLAINT]);

/* The kinds of the charts in order, separated by blanks: "lines lines bars". */
void nb_chart_kinds(xmlDocPtr document, char *out, size_t size);

/* The n-th child of that name, from 0 on; NULL if there are fewer. */
xmlNodePtr nb_chart_child(xmlNodePtr node, const char *name, size_t n);
/* The number of children of that name. */
size_t nb_chart_count(xmlNodePtr node, const char *name);
/* An attribute as a number; NaN if it is missing or not a number. */
double nb_chart_number(xmlNodePtr node, const char *name);
/* Whether an attribute is there and has this value. */
bool nb_chart_is(xmlNodePtr node, const char *name, const char *value);

#endif
