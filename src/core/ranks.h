/* Ranks: the processes of one run that MPI started, on one machine or many
 * (make MPI=1). All have the same arguments and do the same work, except what
 * is dealt out (core/deal.h); only the first writes. Without MPI there is just
 * one. */
#ifndef NB_CORE_RANKS_H
#define NB_CORE_RANKS_H

#include "core/text.h"

/* Call before anything else. Errors: NB_IO if this MPI does not allow calls by
 * different threads in turn. */
enum nb_status nb_ranks_begin(struct nb_error *err);

int nb_ranks_count(void);
int nb_ranks_own(void); /* 0 for the first */
bool nb_ranks_is_first(void);
/* Suffix of the program's name: ", with MPI" if built with MPI. */
const char *nb_ranks_how(void);
/* Whether something such as mpirun started this process, even as the only rank:
 * its output then goes to that program, which may look like a terminal. */
bool nb_ranks_are_started(void);
/* The number of other ranks that share this one's processors. */
int nb_ranks_beside(void);

/* Kinds of messages. */
enum nb_ranks_kind {
    NB_RANKS_WANT,   /* asks for tasks, with results of others */
    NB_RANKS_ANSWER, /* tasks, or none */
    NB_RANKS_DONE,   /* wants no more tasks */
    NB_RANKS_END,    /* the rank's work ended, with its error */
};

struct nb_ranks_message {
    enum nb_ranks_kind kind;
    int rank; /* destination, or origin */
    struct nb_text bytes;
};

void nb_ranks_send(const struct nb_ranks_message *message);
/* Waits for the next message without using processor time. */
enum nb_status nb_ranks_receive(struct nb_ranks_message *out,
                                struct nb_error *err);
/* Broadcasts the first rank's bytes; all ranks call it. A rank that runs out of
 * memory for them ends all. */
void nb_ranks_share(struct nb_text *bytes);

/* How the first rank treats a rank that ended before the others: as an error,
 * that rank's own if it sent one. */
enum nb_status nb_ranks_lose(const struct nb_ranks_message *end,
                             struct nb_error *err);

/* The first rank continues; nb_ranks_finish will end the others. */
void nb_ranks_leave(void);
bool nb_ranks_are_left(void);

/* After all work: if the first rank has no error, it takes over that of any
 * other rank. */
enum nb_status nb_ranks_gather(enum nb_status status, struct nb_error *error);
/* After the error was printed; ends ranks that are still at work. */
void nb_ranks_finish(void);

#endif
