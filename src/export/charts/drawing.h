/* Drawing: common parts of the pictures of networks and matrices. */
#ifndef NB_EXPORT_CHARTS_DRAWING_H
#define NB_EXPORT_CHARTS_DRAWING_H

#include "export/charts/chart.h"
#include "export/charts/chart_sweep.h"
#include "export/charts/placing.h"
#include "topology/topology.h"

enum {
    NB_DRAWING_WIDTH = 640,
    NB_DRAWING_LEVELS = 8,   /* in addition to 0, which means no load or rate */
    NB_DRAWING_POINTS = 4,   /* maximum points of a sweep that are drawn */
    NB_DRAWING_WIRES = 2000, /* maximum channels drawn one by one */
};

/* A table at a point, and where its chart is added. */
struct nb_drawing {
    const struct nb_report *report;
    const struct nb_point *point;
    const struct nb_table *table;
    const char *prefix;
    int *number; /* of charts so far */
    xmlNodePtr parent;
};

/* Which points of the sweeps are drawn. */
struct nb_drawing_choice {
    size_t point_count; /* that have the table */
    size_t different;   /* number left when only one of those equal up to scale
                         * is kept */
    size_t count;
    const struct nb_point *points[NB_DRAWING_POINTS];
};

/*
 * Chooses which of the points with rows in a table are drawn. Of points along a
 * number whose drawings differ only in scale, keeps the last without infinite
 * cells; of the rest, takes an even selection that includes the first and the
 * last.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_drawing_choose(const struct nb_sweep *sweep,
                                 const char *table,
                                 struct nb_drawing_choice *out,
                                 struct nb_error *err);

/* Appends to the chart's note, with "; " as separator. Errors: NB_NO_MEMORY. */
enum nb_status nb_drawing_add_note(xmlNodePtr chart, struct nb_error *err,
                                   const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The column that determines a network's colours; column_count: none is
 * drawn. */
size_t nb_drawing_network_column(const struct nb_table *table);

/* A whole number of the table; -1 if it is not below count. */
int64_t nb_drawing_whole(const struct nb_table *table, size_t row,
                         size_t column, size_t count);

/*
 * The level of a value:
 *
 *     0 for 0, else ceil(8 value/most)
 *
 * value  >= 0; +inf and values above most count as most
 */
int nb_drawing_level(double value, double most);

/*
 * Starts a chart.
 *
 * title  without the point's place in the sweeps, which is added
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_drawing_start(const struct nb_drawing *drawing,
                                const char *kind, const char *title,
                                double height, xmlNodePtr *out,
                                struct nb_error *err);

/* Adds the scale of all levels, up to most, "load [packets/cycle]". */
void nb_drawing_add_scale(xmlNodePtr chart, const char *name, const char *unit,
                          double most);

/* Appends "1 router", "2 routers". */
void nb_drawing_print_count(size_t count, const char *what,
                            struct nb_text *text);

/* Appends "load 1.75 packets/cycle". */
void nb_drawing_print_value(const char *name, double value, const char *unit,
                            struct nb_text *text);

/* Sets an attribute to a text, and releases the text. Errors: NB_NO_MEMORY. */
enum nb_status nb_drawing_set(xmlNodePtr node, const char *name,
                              struct nb_text *text, struct nb_error *err);

/*
 * Draws networks, their channels coloured by their values on one scale, each as
 * a chart; as a matrix of its parts if it has too many channels. Draws nothing
 * if the table does not fit the network.
 *
 * drawings  [count]  of one table, at most NB_DRAWING_POINTS
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_drawing_add_networks(const struct nb_drawing *drawings,
                                       size_t count, struct nb_error *err);

/* Draws pairs of sources and destinations as a matrix. Errors: NB_NO_MEMORY. */
enum nb_status nb_drawing_add_pairs(const struct nb_drawing *drawing,
                                    struct nb_error *err);

#endif
