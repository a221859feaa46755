/* Drawn: the charts of a report made for a test. */
#ifndef NB_TESTS_DRAWN_H
#define NB_TESTS_DRAWN_H

#include "export/charts/chart.h"
#include "topology/topology.h"

/* A report about a network with one point and no tables. Fills a
 * zero-initialised report; the caller releases it. */
struct nb_point *nb_drawn_report(struct nb_report *report,
                                 const char *topology);

/*
 * Adds a table "channels" with the loads of the network's channels.
 *
 * load  of a channel, as a whole number
 */
void nb_drawn_add_loads(const struct nb_topology *topology,
                        struct nb_point *point,
                        int64_t (*load)(size_t channel));

/* Adds a table of these columns with count rows of whole numbers. */
void nb_drawn_add_rows(struct nb_point *point, const char *name,
                       const char *columns, size_t count, size_t width,
                       const int64_t *rows);

/* The charts of a report as children of the root, an element; the caller
 * frees its document. Checks that they are numbered. */
xmlNodePtr nb_drawn_charts(const struct nb_report *report);

/* The number of children of that name of an element, and one of them. */
size_t nb_drawn_count(xmlNodePtr parent, const char *name);
xmlNodePtr nb_drawn_child(xmlNodePtr parent, const char *name, size_t index);

/* Attributes; a text is valid until the 16th next call. */
const char *nb_drawn_text(xmlNodePtr node, const char *name);
double nb_drawn_number(xmlNodePtr node, const char *name);

/* Draws the report with more and more allocations allowed, until it succeeds;
 * fails the test on a leak or another error than NB_NO_MEMORY. */
void nb_drawn_fail_memory(const struct nb_report *report);

#endif
