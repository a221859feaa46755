/* Ranks: the processes of one run, on one machine or many, that MPI started
 * (make MPI=1). All have the same arguments and do the same but for what is
 * dealt out (core/deal.h); the first alone writes. Without MPI there is one. */
#ifndef NB_CORE_RANKS_H
#define NB_CORE_RANKS_H

#include "core/text.h"

/* Before anything else that a program does. Errors: NB_IO if the MPI cannot be
 * called by one thread after the other. */
enum nb_status nb_ranks_begin(struct nb_error *err);

int nb_ranks_count(void);
int nb_ranks_own(void); /* from 0, the first */
bool nb_ranks_is_first(void);
/* What the program's name is followed by: ", with MPI" if it is. */
const char *nb_ranks_how(void);
/* Whether something such as mpirun started this process, be it the only rank:
 * what it writes to is that program's, which may look like a terminal. */
bool nb_ranks_are_started(void);
/* The other ranks that this one has its processors in common with. */
int nb_ranks_beside(void);

/* What a message is. */
enum nb_ranks_kind {
    NB_RANKS_WANT,   /* a task, with results of others */
    NB_RANKS_ANSWER, /* tasks, or none */
    NB_RANKS_DONE,   /* no more is wanted */
    NB_RANKS_END,    /* of the rank's work, with its error */
};

struct nb_ranks_message {
    enum nb_ranks_kind kind;
    int rank; /* that it goes to, or came from */
    struct nb_text bytes;
};

void nb_ranks_send(const struct nb_ranks_message *message);
/* Waits for the next message, without taking a processor's time. */
enum nb_status nb_ranks_receive(struct nb_ranks_message *out,
                                struct nb_error *err);
/* Gives all ranks, which all call it, the first one's bytes. A rank that has no
 * room for them ends all. */
void nb_ranks_share(struct nb_text *bytes);

/* What the first makes of a rank that has ended before the others: an error,
 * that rank's own if it had one. */
enum nb_status nb_ranks_lose(const struct nb_ranks_message *end,
                             struct nb_error *err);

/* The first goes on without the others, which nb_ranks_finish will end. */
void nb_ranks_leave(void);
bool nb_ranks_are_left(void);

/* After all work: the first one's error, if it has none, becomes that of any
 * other rank. */
enum nb_status nb_ranks_gather(enum nb_status status, struct nb_error *error);
/* After that was told; where ranks are still at work, ends them. */
void nb_ranks_finish(void);

#endif
