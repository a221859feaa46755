/* The program's name and version, in reports and on --version. */
#ifndef NB_CLI_VERSION_H
#define NB_CLI_VERSION_H

#include "core/version.h"

#define NB_PROGRAM "netbound " NB_VERSION

#endif
