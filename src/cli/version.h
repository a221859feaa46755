/* The program's name and version, in reports and on --version. */
#ifndef NB_CLI_VERSION_H
#define NB_CLI_VERSION_H

#define NB_PROGRAM "netbound 0.1.0"

#endif
