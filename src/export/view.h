/*
 * View: reports as one XML tree that style sheets turn into pages, tables and
 * notebooks. It holds what people see: rounded numbers with their full digits,
 * tables laid out, charts already drawn in numbers.
 *
 *     view @program
 *       report @id @command @title @question @file @digest
 *           @tables @shown-tables       how many
 *         verified .                    a line about each check; none if
 *                                       nothing was checked
 *         option  @name @value          the question, defaults filled in
 *         sweep   @name @value
 *         input   @path @sha256
 *         made    @threads @seconds @seed
 *         principal @name @unit @sure . one or two quantities that stand for
 * the report; of a sweep the least and greatest value; sure: interval, ratio,
 *                                       or the number of points
 *         note    @name @place .        a sentence; place: " at load 0.1", " at
 *                                       load 0.1 and 3 more of 9 points"
 *         table   @id @name @title @kind @unit @rows @shown @number
 *           column  @name @unit @side (left|right) @type @swept @over
 *           row     cell @raw @exact @decimal .
 *                                       raw: full digits, where they differ;
 *                                       exact: the ratio of a decimal;
 *                                       decimal: the decimal of a ratio
 *           source  .                   of its quantities, each once
 *         certificate @name @rows       evidence that verify reads
 *         citation @key .               a source of the answer, in order
 *         formula @quantity @place @value @method @source @meaning
 *                                       how a number was computed (in a sweep,
 *                                       at its first point)
 *           line    .                   the formula, once more in another form,
 *                                       with its numbers; MathML within text
 *                                       (typeset.h)
 *           step    @meaning            an intermediate number or a check
 *             name, line  .             as above
 *         csv     @name @rows .         a table as CSV, every digit; empty
 *                                       if it has more rows than wanted
 *         chart   (below)
 *
 * title is the report's, or else the question; digest is fits, broken or empty
 * (not read from a file). A table's kind is quantities (a row for each, or for
 * each point of a sweep), pivot (one quantity, its name and unit the table's;
 * columns over the values of an option) or table (of the report, with its
 * name); rows is the number of all rows; a style sheet may request only the
 * first ones (below). shown: "yes" for the tables that people want to see
 * first, "first" for a ranking, which precedes them, "no" for the others.
 * swept: "yes" for the columns of swept options. Ids are unique in the view.
 *
 *     chart @id @kind @title @of @description @width @height @data
 *           @x @y @series @value @relative @log-x @log-y @note @form
 *       axis   @side (bottom|left) @label @from @to @at
 *         tick   @at @label @more @grid (yes|no)
 *                                      more: a second line of a row's name
 *       series @name @index            index: 0, 1, ... chooses its colour
 *         band   @points               between lower and upper, a polygon
 *         line   @points               "x,y x,y ..."; several where it breaks
 *         point  @x @y @low @high @open @up @edge @slice @title
 *                                      low, high: ends of its error bar; open:
 *                                      "yes" if it is not known well; up:
 *                                      "yes" if that has no upper end; edge:
 *                                      "yes" if it lies beyond the upper edge;
 *                                      slice: the path of its part of the
 *                                      circle that series with the same place
 *                                      share, around 0, 0
 *         bar    @x @y @width @height @title
 *         value  @x @y @side (right|above) .
 *                                      a bar's number, next to its end
 *       limit  @at @label @index      where series saturate, in x; no index:
 *                                     all of them, else that of its colour
 *       at     @name @value           the chart shows only rows with this value
 *                                     in this column of data: for one point of
 *                                     a sweep its settings, for one
 *                                     distribution, class or item its name;
 *                                     none: all rows
 *       wire   @x1 @y1 @x2 @y2 @bend @level @title   a channel of a drawing
 *       router @x @y @r @label @title
 *       link   @d @level @marked (full|loop) @title   of a fabric (form): the
 *                                      path of cables between two boxes; no
 *                                      title: of all those of a level
 *       box    @x @y @width @height @level @turned @title   switches; level: of
 *                                      the cables within; turned: "yes" if its
 *                                      lines run upward
 *         line @x @y .                 words in it
 *       word   @x @y .
 *       mark   @x @y @kind (full|loop|odd)   fullest cable, credit loop, odd
 *                                      switch; also before the caption
 *       cell   @x @y @width @height @level @title     of a matrix
 *       scale  @label
 *         step   @level @label         meaning of the levels 0 .. 8
 *       legend: the series' names, if there are two or more
 *
 * title names what a chart shows; of is the title of its report; no other chart
 * has the same pair. Coordinates are in the user units of a drawing of @width x
 * @height, y downward, already placed within the axes. kind is lines, bars,
 * comparison, network or matrix; form is fabric for a network of switches in
 * rows by level. data names the table (or "quantities") that the chart shows,
 * x, y (names between blanks) and series its columns there, for readers who
 * plot it with other tools. A matrix has the rows' x and y as its axes
 * ("source", "target") and shows the column value ("load"); it is empty if rows
 * have no number, as those of a permutation. relative is "yes" if the chart
 * shows ratios of two columns: in validation simulated by prediction, in ledger
 * computed by published; other charts have no such attribute. title of a point
 * gives its values in words. note states what is left out ("every 5th of 10,000
 * points").
 *
 * An axis runs from @from (its low end) to @to, in x if it is at the bottom and
 * in y if left; @at is its place in the other direction. A style sheet writes
 * the ticks' labels within 24 units beneath the bottom axis and within 60 left
 * of the left one, the labels of the axes in the 24 units beneath that and
 * above the left axis's upper end; it puts legend and scale beneath the
 * drawing, so no room is left for them. A wire with a bend is a quadratic curve
 * whose control point lies bend times the wire's length to the side of its
 * middle, on the left when going from 1 to 2; no bend or 0: straight.
 */
#ifndef NB_EXPORT_VIEW_H
#define NB_EXPORT_VIEW_H

#include "export/export.h"

#include <libxml/tree.h>

/* What a style sheet requests of the view. */
struct nb_view_wants {
    size_t rows; /* maximum rows of each table; 0: no tables */
    bool hidden; /* include tables that are hidden by default */
    bool charts;
    size_t csv; /* maximum rows of tables as CSV; 0: none */
    bool formulas;
};

/*
 * Builds the view.
 *
 * out  out; the caller frees it with xmlFreeDoc
 *
 * Errors: NB_NO_MEMORY; NB_INVALID if no point has the requested table.
 */
enum nb_status nb_view_build(const struct nb_exhibit *exhibits, size_t count,
                             const struct nb_view_wants *wants, xmlDocPtr *out,
                             struct nb_error *err);

/*
 * For the parts of the view: a new element at the end of a parent, and its
 * attributes. Characters that XML cannot hold become U+FFFD. A failed
 * allocation is recorded in the tree's document (nb_view_has_failed) and
 * returns NULL, which all of them accept.
 */
xmlNodePtr nb_view_add(xmlNodePtr parent, const char *element);
void nb_view_set(xmlNodePtr node, const char *name, const char *value);
void nb_view_print(xmlNodePtr node, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A coordinate, rounded to a hundredth, no "-0". */
void nb_view_place(xmlNodePtr node, const char *name, double value);
/* Text content: in one line (line ends become blanks), or unchanged. */
void nb_view_text(xmlNodePtr node, const char *text);
void nb_view_lines(xmlNodePtr node, const char *text);
bool nb_view_has_failed(xmlDocPtr document);

/* Whether a unit is worth writing: not those of pure numbers, "" (or NULL) and
 * "1". */
bool nb_view_has_unit(const char *unit);

#endif
