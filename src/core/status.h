/* Status: what a function that can fail returns, and why it failed. */
#ifndef NB_CORE_STATUS_H
#define NB_CORE_STATUS_H

#include "core/public.h"

enum nb_status {
    NB_OK = 0,
    NB_INVALID,        /* the input is wrong: value and permitted range */
    NB_USAGE,          /* the command line is wrong */
    NB_NO_MEMORY,      /* an allocation failed or would not fit */
    NB_IO,             /* a file could not be read or written */
    NB_OVERFLOW,       /* an exact result does not fit in 64 bits */
    NB_NO_CONVERGENCE, /* an iteration ended without a result */
    NB_REFUTED,        /* a verdict: the checked claim does not hold */
    NB_STOPPED,        /* nb_run.stop was set */
};

/* Caller-owned; zero-initialise it. The first failure recorded is kept, because
 * the innermost function knows most. */
struct nb_error {
    enum nb_status status;
    char message[512];
    char option[32]; /* the option whose value is wrong; "": none, or unknown */
};

NB_INTERNAL_BEGIN

/*
 * Records a failure in err (may be NULL) and returns status, so that
 * "return nb_fail(...)" is the whole error path.
 */
enum nb_status nb_fail(struct nb_error *err, enum nb_status status,
                       const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Names the option that a failure is about, unless it is known already. Returns
 * status. */
enum nb_status nb_fail_in(enum nb_status status, struct nb_error *err,
                          const char *option);
#define nb_fail_about(err, status, option, ...)                                \
    nb_fail_in(nb_fail(err, status, __VA_ARGS__), err, option)

/* Records a failure that another error holds. */
enum nb_status nb_fail_again(struct nb_error *err, enum nb_status status,
                             const struct nb_error *inner);

NB_INTERNAL_END

#endif
