/* What a linear program is made of (used by linear*.c alone). */
#ifndef NB_BOUNDS_LINEAR_WORK_H
#define NB_BOUNDS_LINEAR_WORK_H

#include "bounds/linear/linear.h"

/* A row or a column with what the last solution says about it. */
struct nb_linear_line {
    enum nb_linear_sense sense; /* of a row */
    double limit;               /* right-hand side, or upper end */
    double cost;                /* of a column */
    double result;              /* a column's value, a row's reduced cost */
    int basis;                  /* GLPK's status, together a basis; 0: new */
};

struct nb_linear_lines {
    size_t count;
    size_t capacity;
    struct nb_linear_line *line;
};

/*
 * GLPK's objects live no longer than one solution: its errors end in a jump
 * that leaves them unusable, its memory belongs to the thread that made it,
 * and copying a program is nothing beside solving it. What a solution goes on
 * from is the basis, which is kept here.
 */
struct nb_linear {
    struct nb_linear_lines rows;
    struct nb_linear_lines columns;
    size_t entry_count;
    size_t entry_capacity;
    /* [1 + entry] as glp_load_matrix wants them, from 1. */
    int *entry_row;
    int *entry_column;
    double *entry_value;
    double objective;
};

#endif
