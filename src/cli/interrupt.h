/* Interruption: how Ctrl-C and its like, or a closed pipe, end the program. */
#ifndef NB_CLI_INTERRUPT_H
#define NB_CLI_INTERRUPT_H

/*
 * Makes SIGHUP, SIGINT, SIGTERM, SIGQUIT and SIGXCPU clear the progress line
 * and end the program as these signals do, but never in the middle of
 * nb_file_write by the calling thread, the program's first. Signals that were
 * ignored stay so. Of several ranks the first ends with exit status 1 on
 * SIGTERM, which it gets when another dies, and says what is kept; the others
 * end a second later, so that it can.
 */
void nb_interrupt_install(void);

/* From now on finished work is kept in a checkpoint. */
void nb_interrupt_keep(const char *checkpoint);

/*
 * To be called where a write failed: if that was since nobody reads the pipe
 * any more, ends the program as SIGPIPE does, unless that was ignored when the
 * program began. Until then it is ignored, so that files are written whole.
 */
void nb_interrupt_unread(void);

#endif
