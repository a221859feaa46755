/* Questions of fuzz targets, given as on a command line. */
#ifndef NB_TESTS_SUPPORT_FUZZ_QUESTION_H
#define NB_TESTS_SUPPORT_FUZZ_QUESTION_H

#include "report/report.h"

/*
 * Answers a question.
 *
 * line  words separated by blanks, the first one the command
 *
 * Errors: those of nb_ask.
 */
enum nb_status fuzz_ask(const char *line, struct nb_report *out,
                        struct nb_error *err);

#endif
