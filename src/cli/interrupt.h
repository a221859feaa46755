/* Interruption: how Ctrl-C and its like end the program. */
#ifndef NB_CLI_INTERRUPT_H
#define NB_CLI_INTERRUPT_H

/*
 * Makes SIGHUP, SIGINT and SIGTERM clear the progress line and end the program
 * as these signals do, but never in the middle of nb_file_write by the calling
 * thread, the program's first. Signals that were ignored stay so.
 */
void nb_interrupt_install(void);

#endif
