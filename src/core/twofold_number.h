/* Twofold number: a pair of doubles whose sum has 106 bits. */
#ifndef NB_CORE_TWOFOLD_NUMBER_H
#define NB_CORE_TWOFOLD_NUMBER_H

#include "core/public.h"

NB_PUBLIC_BEGIN

/* The value is high + low, and high is the nearest double. */
struct nb_twofold {
    double high, low;
};

NB_PUBLIC_END

#endif
