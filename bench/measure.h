/* Measuring: time and memory. */
#ifndef NB_BENCH_MEASURE_H
#define NB_BENCH_MEASURE_H

#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Seconds. */
static inline double measure_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of processor time of this process, whatever else the machine runs. */
static inline double measure_used(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Resets the peak memory of the process. */
static inline void measure_reset_peak(void)
{
    malloc_trim(0); /* otherwise old free blocks would hide new ones */
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file != NULL) {
        fputs("5", file);
        fclose(file);
    }
}

/* Peak memory of the process since then, in MB. */
static inline double measure_peak(void)
{
    double kilobytes = 0;
    char line[256];
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "VmHWM: %lf", &kilobytes) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return kilobytes / 1024;
}

#endif
