/* What the two halves of the plain reader share. */
#ifndef NB_TESTS_SUPPORT_PLAIN_WORK_H
#define NB_TESTS_SUPPORT_PLAIN_WORK_H

#include "plain_formula.h"

enum { PLAIN_DEPTH = 20, PLAIN_LONG = 800 };

/* Where names are looked up. */
struct plain {
    const struct nb_subject *subject;
    const struct nb_table *table; /* being iterated over; or NULL */
    size_t row;
    int depth;
    const char *complaint;
};

/* All of these change the text that they read. */
double plain_sum(struct plain *plain, char *text);
double plain_name(struct plain *plain, char *name);

/* The first table that a text names. */
const struct nb_table *plain_named(const struct plain *plain, const char *text);

double plain_fail(struct plain *plain, const char *complaint);
char *plain_trim(char *text);
/* A copy of a slice in one line, at most PLAIN_LONG characters. */
void plain_copy(struct nb_stretch text, char *copy);

#endif
