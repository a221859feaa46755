/* Try: the steps of a function that can fail. */
#ifndef NB_CORE_TRY_H
#define NB_CORE_TRY_H

#include "core/status.h"

/* Runs a step; on failure jumps to the function's own "done:" label.
 * Needs a local "enum nb_status status". It never frees and never returns. */
#define NB_TRY(step)                                                           \
    do {                                                                       \
        status = (step);                                                       \
        if (status != NB_OK)                                                   \
            goto done;                                                         \
    } while (0)

#endif
