/* Traffic matrices whose values are separated by blanks. */
#ifndef NB_TRAFFIC_MATRIX_BLANKS_H
#define NB_TRAFFIC_MATRIX_BLANKS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether blanks separate the values of a matrix, or the columns of a list, in
 * a file that would otherwise be CSV or a table of Noxim.
 *
 * terminals, routers  a matrix has as many rows and columns as one of these
 * is_table            false: blanks do unless there are commas. true: only in a
 *                     square matrix of that size, unless each line is a flow of
 *                     Noxim, "source destination [pir [por]]", with a rate
 * above 0 between different terminals; or in lines longer than any of Noxim
 */
bool nb_matrix_has_blanks(const char *text, size_t terminals, size_t routers,
                          bool is_table);

/* Puts commas instead; comments, from # or % on, become empty lines. */
void nb_matrix_put_commas(char *text);

#endif
