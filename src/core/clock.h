/* Clock: monotonic time, for limits and progress. */
#ifndef NB_CORE_CLOCK_H
#define NB_CORE_CLOCK_H

/* [s] since some moment in the past. */
double nb_clock_now(void);

#endif
