/* Program: netbound itself, run in the scratch folder of the test, with its
 * standard error read. */
#ifndef NB_TESTS_SUPPORT_PROGRAM_H
#define NB_TESTS_SUPPORT_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct program {
    pid_t id;
    int error;     /* the end of its standard error to read from */
    bool is_shown; /* it also has its standard output */
    char said[1 << 16];
    size_t length;
};

/* A question whose answer takes half a minute: a sweep of short ones. Writes
 * the file "report". */
#define PROGRAM_LONG                                                           \
    "worst-case --topology mesh:16x16 --routing romm --output report "         \
    "--sweep topology.bandwidth=1:100:1 "

enum { PROGRAM_PATH = 4096 };
/* The path of the running test program, once its main has begun and before it
 * changes folders; needs no /proc. False if it cannot be found. */
bool program_own_path(char path[PROGRAM_PATH]);

/* The signals that end a program in use, 0 after the last. */
extern const int program_signals[];

/*
 * Starts the program named by $NETBOUND, or build/netbound; fails the test if
 * it cannot.
 *
 * line          its arguments, separated by blanks
 * columns       of the terminal that is its standard error; 0: it is a pipe
 * on_interrupt  SIG_DFL or SIG_IGN, what SIGINT does before it begins
 */
void program_start(struct program *program, const char *line,
                   unsigned short columns, void (*on_interrupt)(int));

/* The same, with standard output on the terminal, too. */
void program_start_shown(struct program *program, const char *line,
                         unsigned short columns);

/* Reads some of the program's output; false at its end. Fails the test if it is
 * silent for a minute. */
bool program_listen(struct program *program);

/* Reads to the end and returns the status reported by waitpid. */
int program_end(struct program *program);

/* Fails the test unless the status is that of death by a signal. */
void program_expect_killed(int status, int number);

/* Fails the test unless the program's last output clears its line. */
void program_expect_cleared(const struct program *program);

#endif
