/* Progress of long loops on standard error (declared in command.h). */
#include "cli/command.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* The one line that stands on the terminal. */
static struct {
    struct timespec begin; /* of the whole answer */
    struct timespec shown;
    bool stands;
} progress;

static double progress_seconds(struct timespec from, struct timespec to)
{
    return (double)(to.tv_sec - from.tv_sec) +
           1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

static void progress_show(void *context, const char *what, size_t done,
                          size_t total)
{
    const double quiet = context != NULL ? 0 : 2; /* seconds before a line */
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (progress_seconds(progress.begin, now) < quiet ||
        (progress.stands && progress_seconds(progress.shown, now) < 0.1))
        return;
    fprintf(stderr, "\r\033[K%s: %zu of %zu, %.0f s", what, done, total,
            progress_seconds(progress.begin, now));
    fflush(stderr);
    progress.shown = now;
    progress.stands = true;
}

struct nb_run nb_progress_run(const struct nb_invocation *invocation)
{
    static int always;
    struct nb_run run = { .threads = invocation->threads };
    clock_gettime(CLOCK_MONOTONIC, &progress.begin);
    if (invocation->progress == NB_PROGRESS_ALWAYS)
        run.progress_context = &always;
    if (invocation->progress == NB_PROGRESS_ALWAYS ||
        (invocation->progress == NB_PROGRESS_AUTO && isatty(STDERR_FILENO)))
        run.progress = progress_show;
    return run;
}

void nb_progress_end(void)
{
    if (progress.stands)
        fprintf(stderr, "\r\033[K");
    progress.stands = false;
}
