/* Plan: the switches of a tree as boxes in rows, the leaves in row 0, and the
 * cables between boxes. Hosts are only counted. Made from the tables "switches"
 * and "channels" of an audit alone, so that a report read back looks the
 * same. */
#ifndef NB_EXPORT_CHARTS_PLAN_H
#define NB_EXPORT_CHARTS_PLAN_H

#include "core/memory.h"
#include "report/report.h"

enum {
    NB_PLAN_LEVELS = 16, /* at most */
    NB_PLAN_BOXES = 72,  /* at most per row, or switches share boxes */
    NB_PLAN_SINGLE = 36, /* switches per level that are drawn one by one if
                          * there are pods */
};

struct nb_plan_switch {
    int64_t router;
    const char *name, *odd; /* borrowed; odd: "" if nothing is odd */
    uint32_t level;
    int64_t part; /* pod or plane; -1: none */
    uint64_t hosts;
    uint32_t row;
    size_t box;
};

/* One switch, the switches of a pod or plane, or of several of them. */
struct nb_plan_box {
    uint32_t row;
    size_t first, count; /* of nb_plan.order */
    uint64_t hosts;
    size_t odd;    /* switches at which something is odd */
    size_t inside; /* 1 + its link to itself; 0: none */
};

/* The cables between two boxes, or within one. */
struct nb_plan_link {
    size_t from, to;  /* boxes, from <= to */
    size_t cables[2]; /* channels in this direction, and back */
    bool has_loop[2]; /* whether one of them is in the credit loop */
    double most;      /* largest value */
};

/* Owns its arrays; zero-initialised is empty. */
struct nb_plan {
    bool has_pods; /* boxes are pods, with planes above them */
    uint32_t levels, rows;
    size_t count;
    struct nb_plan_switch *switches; /* by router */
    struct nb_plan_switch **order;   /* by row, then from left to right */
    size_t box_count;
    struct nb_plan_box *boxes; /* by row, then from left to right */
    size_t link_count;
    struct nb_plan_link *links;
    const char *value, *unit; /* name of the values: "load" */
    size_t cables;            /* between switches */
    double most;              /* largest value; 0: no traffic */
    size_t fullest;           /* row of the first channel that has it */
    size_t fullest_link;
    size_t equal; /* number of these channels */
    size_t loop;  /* channels of the credit loop */
    struct nb_pool pool;
};

/*
 * Makes the plan of a point.
 *
 * out  row counts of 0 if there is no tree of switches, or the tables do not
 *      fit each other; the names in it live as long as the point
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_plan_build(const struct nb_point *point, struct nb_plan *out,
                             struct nb_error *err);

void nb_plan_release(struct nb_plan *plan);

#endif
