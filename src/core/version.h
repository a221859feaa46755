/* Version of the library and the program. */
#ifndef NB_CORE_VERSION_H
#define NB_CORE_VERSION_H

#define NB_VERSION "0.3.0"

/* The program that made a report. */
#define NB_PROGRAM "netbound " NB_VERSION

#endif
