/*
 * View: reports as one XML tree that style sheets turn into pages, tables and
 * notebooks. It holds what people see: numbers already rounded beside their
 * full digits, tables laid out, charts already drawn in numbers.
 *
 *     view @program
 *       report @id @command @title @question @file @digest
 *           @tables @shown-tables       how many
 *         verified .                    a line of what was checked; none if
 *                                       nobody asked
 *         option  @name @value          what was asked, defaults filled in
 *         sweep   @name @value
 *         input   @path @sha256
 *         made    @threads @seconds @seed
 *         note    @name @place .        a sentence; place: " at load 0.1", " at
 *                                       load 0.1 and 3 more of 9 points"
 *         table   @id @name @title @kind @unit @rows @shown @number
 *           column  @name @unit @side (left|right) @type @swept @over
 *           row     cell @raw @exact @decimal .
 *                                       raw: full digits, where they differ;
 *                                       exact: the ratio beside a decimal;
 *                                       decimal: instead of a ratio
 *           source  .                   of its quantities, each once
 *         certificate @name @rows       evidence that verify reads
 *         citation @key .               of what the answer rests on, in order
 *         formula @quantity @place @value @method @source @meaning
 *                                       how a number is had (of a sweep, at
 *                                       its first point)
 *           line    .                   the formula, once more in another way,
 *                                       with its numbers; MathML among words
 *                                       (typeset.h)
 *           step    @meaning            an intermediate number or a check
 *             name, line  .             as above
 *         csv     @name @rows .         a table as CSV, every digit; empty
 *                                       where it has more rows than wanted
 *         chart   (below)
 *
 * title is the report's, or else the question; digest is fits, broken or empty
 * (not read from a file).
 * A table's kind is quantities (a row for each, or for each point of a
 * sweep), pivot (one quantity, its name and unit the table's; columns over the
 * values of an option) or table (of the report, named so); rows counts all
 * rows, of which a style sheet may ask to have only the first (below). shown:
 * "yes" for the tables that people want to see first, "first" for a ranking,
 * which stands before them, "no" for the others. swept: "yes" for the
 * columns of swept options. Ids are unique in the view.
 *
 *     chart @id @kind @title @of @description @width @height @data
 *           @x @y @series @value @relative @log-x @log-y @note
 *       axis   @side (bottom|left) @label @from @to @at
 *         tick   @at @label @more @grid (yes|no)
 *                                      more: a second line of a row's name
 *       series @name @index            index: 0, 1, ... chooses its colour
 *         band   @points               between lower and upper, a polygon
 *         line   @points               "x,y x,y ..."; several where it breaks
 *         point  @x @y @low @high @open @up @edge @title
 *                                      low, high: ends of its error bar; open:
 *                                      "yes" if it is not known well; up:
 *                                      "yes" if that has no upper end; edge:
 *                                      "yes" if it lies beyond the upper edge
 *         bar    @x @y @width @height @title
 *         value  @x @y @side (right|above) .
 *                                      a bar's number, beside its end
 *       limit  @at @label @index      where series saturate, in x; no index:
 *                                     all of them, else that of its colour
 *       at     @name @value           the chart shows only rows with this value
 *                                     in this column of data: of one point of
 *                                     a sweep what was set there, of one
 *                                     distribution, class or item its name;
 *                                     none: all rows
 *       wire   @x1 @y1 @x2 @y2 @bend @level @title   a channel of a drawing
 *       router @x @y @r @label @title
 *       cell   @x @y @width @height @level @title     of a matrix
 *       scale  @label
 *         step   @level @label         what the levels 0 .. 8 mean
 *       legend: the series' names, where there are two or more
 *
 * title tells what a chart shows; of is the title of its report, with which it
 * is no other chart's. Coordinates are in the user units of a drawing of @width
 * x @height, y downward, already placed within the axes. kind is lines, bars,
 * comparison, network or matrix; data names the table (or "quantities") that
 * the chart shows, x, y (names between blanks) and series its columns there,
 * for those who plot it with other means. A matrix has the rows' x and y as its
 * axes
 * ("source", "target") and shows the column value ("load"); it is empty where
 * rows have no number, as those of a permutation. relative is "yes" where the
 * chart shows ratios of two columns: of validation simulated by prediction, of
 * ledger computed by published; other charts have no such attribute. title of
 * a point tells its values in words. note says what is left out ("every 5th of
 * 10,000 points").
 *
 * An axis runs from @from (its low end) to @to, in x if it is at the bottom
 * and in y if left; @at is its place in the other direction. A style sheet
 * writes the ticks' labels within 24 units beneath the bottom axis and within
 * 60 left of the left one, the labels of the axes in the 24 units beneath that
 * and above the left axis's upper end; it puts legend and scale beneath the
 * drawing, so no room is left for them. A wire with a bend is a quadratic
 * curve whose control point lies bend times the wire's length beside its
 * middle, on the left of the way from 1 to 2; no bend or 0: straight.
 */
#ifndef NB_EXPORT_VIEW_H
#define NB_EXPORT_VIEW_H

#include "export/export.h"

#include <libxml/tree.h>

/* What a style sheet wants to have in the view. */
struct nb_view_wants {
    size_t rows; /* of each table at most; 0: no tables */
    bool hidden; /* tables as well that nobody asked to see */
    bool charts;
    size_t csv; /* tables of at most so many rows as CSV; 0: none */
    bool formulas;
};

/*
 * Builds the view.
 *
 * out  out; the caller frees it with xmlFreeDoc
 *
 * Errors: NB_NO_MEMORY; NB_INVALID if no point has the table asked for.
 */
enum nb_status nb_view_build(const struct nb_exhibit *exhibits, size_t count,
                             const struct nb_view_wants *wants, xmlDocPtr *out,
                             struct nb_error *err);

/*
 * For the parts of the view: a new element at the end of a parent, and its
 * attributes. What XML cannot hold becomes U+FFFD. A failed allocation is
 * remembered in the tree's document (nb_view_has_failed) and gives NULL,
 * which all of them accept.
 */
xmlNodePtr nb_view_add(xmlNodePtr parent, const char *element);
void nb_view_set(xmlNodePtr node, const char *name, const char *value);
void nb_view_print(xmlNodePtr node, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A coordinate, rounded to a hundredth, no "-0". */
void nb_view_place(xmlNodePtr node, const char *name, double value);
/* Text content: in one line (what ends a line becomes a blank), or as it is. */
void nb_view_text(xmlNodePtr node, const char *text);
void nb_view_lines(xmlNodePtr node, const char *text);
bool nb_view_has_failed(xmlDocPtr document);

/* Whether a unit is worth writing: not those of pure numbers, "" (or NULL)
 * and "1". */
bool nb_view_has_unit(const char *unit);

#endif
