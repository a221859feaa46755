/* Interruption: how Ctrl-C and similar signals, or a closed pipe, end the
 * program. */
#ifndef NB_CLI_INTERRUPT_H
#define NB_CLI_INTERRUPT_H

/*
 * Makes SIGHUP, SIGINT, SIGTERM, SIGQUIT and SIGXCPU clear the progress line
 * and end the program as these signals do, but never in the middle of
 * nb_file_write by the calling thread, which must be the program's first.
 * Ignored signals stay ignored. With several ranks, the first exits with status
 * 1 on SIGTERM, which it gets when another rank dies, and reports what is kept;
 * the others end a second later to leave it the time.
 */
void nb_interrupt_install(void);

/* From now on finished work is kept in a checkpoint. */
void nb_interrupt_keep(const char *checkpoint);
/* From now on no more is kept. */
void nb_interrupt_lose(void);

/*
 * Call after a failed write: if nobody reads the pipe any more, ends the
 * program as SIGPIPE does, unless that was ignored when the program began.
 * Until then SIGPIPE is ignored, so that files are written completely.
 */
void nb_interrupt_unread(void);

#endif
