/* View parts: what nb_view_build puts together, each to its own elements. */
#ifndef NB_EXPORT_VIEW_PARTS_H
#define NB_EXPORT_VIEW_PARTS_H

#include "export/view.h"

/*
 * Adds an element <table> for the quantities and for every table that is no
 * certificate.
 *
 * wants   how many rows of each, and whether tables that nobody asked to see
 * prefix  what the ids begin with
 * parent  the element <report>
 *
 * Errors: NB_NO_MEMORY; NB_INVALID if no point has the table asked for.
 */
enum nb_status nb_view_add_tables(const struct nb_exhibit *exhibit,
                                  const struct nb_view_wants *wants,
                                  const char *prefix, xmlNodePtr parent,
                                  struct nb_error *err);

/* Adds <formula> and <citation> elements. Errors: NB_NO_MEMORY. */
enum nb_status nb_view_add_formulas(const struct nb_report *report,
                                    xmlNodePtr parent, struct nb_error *err);

#endif
