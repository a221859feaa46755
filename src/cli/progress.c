/*
 * Progress of long loops on standard error (declared in command.h): one line,
 *
 *     pair loads  [#########.......]  57 %  about 12 s left
 *     cycles  [#########.......]  57 %  12.3 k cycles/s  about 12 s left
 *
 * Some stages have a single task that runs for minutes, so a separate thread
 * draws the line, in addition to the tasks when they end. A file or pipe gets a
 * new line now and then instead.
 */
#include "cli/command.h"

#include "core/clock.h"
#include "core/locale.h"
#include "core/ranks.h"

#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { PROGRESS_WIDEST = 250 }; /* columns */
enum { PROGRESS_WHAT = 160 };

/* [s] Work before the line appears, and time between two drawings. */
#define PROGRESS_QUIET 2.0
#define PROGRESS_STEP  0.2
/* [s] Time between lines if standard error is not a terminal. */
#define PROGRESS_LINES 60.0

/* State of the line; all of it under the lock. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t end; /* of the answer, for the drawing thread */
    pthread_t drawer;
    bool has_drawer, has_ended;
    bool is_always; /* without the delay */
    bool has_begun;
    double begin;  /* of the first answer; all times in seconds */
    bool is_plain; /* lines, for a file or pipe */
    double said;   /* when the last one was written */
    char what[PROGRESS_WHAT];
    size_t done, total;
    double stage_begin, last_done;
    char line[PROGRESS_WIDEST + 1];
} progress = { .lock = PTHREAD_MUTEX_INITIALIZER,
               .end = PTHREAD_COND_INITIALIZER };

/* Whether the line is on the terminal; a signal handler reads it, too. */
static atomic_bool progress_stands;

/* Usable columns: a character in the last one would wrap on some terminals. */
static int progress_width(void)
{
    struct winsize size;
    int width = 80;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        width = size.ws_col;
    return (width <= PROGRESS_WIDEST ? width : PROGRESS_WIDEST) - 1;
}

/* The estimated time left in the stage; the time so far if there is no estimate
 * or it is exceeded. */
static void progress_print_time(double now, char text[32])
{
    const double run = now - progress.stage_begin;
    double foretold = 0;
    if (progress.done > 0 && progress.done < progress.total)
        foretold = (progress.last_done - progress.stage_begin) *
                   (double)progress.total / (double)progress.done;
    const bool is_left = foretold > run;
    double time = is_left ? ceil(foretold - run) : floor(run);
    const char *unit = "s";
    if (time > 5940) {
        time /= 3600;
        unit = "h";
    } else if (time > 99) {
        time /= 60;
        unit = "min";
    }
    text[0] = '\0';
    if (time > 0)
        nb_snprintf(text, 32, is_left ? "about %.0f %s left" : "%.0f %s so far",
                    time, unit);
}

/* Cycles per second, if the stage counts cycles. */
static void progress_print_rate(char text[32])
{
    static const char *const prefixes[] = { "", "k ", "M ", "G " };
    const double time = progress.last_done - progress.stage_begin;
    double rate = time > 0 ? (double)progress.done / time : 0;
    size_t p = 0;
    text[0] = '\0';
    if (strcmp(progress.what, "cycles") != 0 || rate == 0)
        return;
    for (; rate >= 999.5 && p + 1 < sizeof prefixes / sizeof *prefixes; p++)
        rate /= 1000;
    nb_snprintf(text, 32, "%.3g %scycles/s  ", rate, prefixes[p]);
}

static void progress_print(double now, char line[PROGRESS_WIDEST + 1])
{
    const size_t total = progress.total > 0 ? progress.total : 1;
    const int width = progress_width();
    const int rate_width = strcmp(progress.what, "cycles") == 0 ? 16 : 0;
    char time[32], rate[32], bar[PROGRESS_WIDEST + 1] = "";
    char whole[2 * PROGRESS_WIDEST + PROGRESS_WHAT];
    progress_print_time(now, time);
    progress_print_rate(rate);
    /* The text next to the bar has a fixed length, so that the bar does not
     * jump. */
    const int beside = snprintf(whole, sizeof whole, "%s  []  100 %%  %*s%-17s",
                                progress.what, rate_width, "", "");
    const int length = width - beside;
    if (length > 0) {
        memset(bar, '.', (size_t)length);
        memset(bar, '#', progress.done * (size_t)length / total);
        bar[length] = '\0';
    }
    snprintf(whole, sizeof whole,
             length > 0 ? "%s  [%s]  %3zu %%  %s%s" : "%s%s  %zu %%  %s%s",
             progress.what, bar, 100 * progress.done / total, rate, time);
    snprintf(line, PROGRESS_WIDEST + 1, "%.*s", width, whole);
}

/* Whether standard error accepts a line at once: never wait for its reader. */
static bool progress_has_room(void)
{
    struct pollfd error = { .fd = STDERR_FILENO, .events = POLLOUT };
    return poll(&error, 1, 0) == 1;
}

/* "progress: pair loads 57 %, about 12 s left", now and then. */
static void progress_say(double now)
{
    char time[32];
    if (now - progress.said < PROGRESS_LINES || !progress_has_room())
        return;
    progress.said = now;
    progress_print_time(now, time);
    fprintf(stderr, "progress: %s", progress.what);
    if (progress.total > 0)
        fprintf(stderr, " %zu %%", 100 * progress.done / progress.total);
    fprintf(stderr, "%s%s\n", time[0] != '\0' ? ", " : "", time);
}

/* Draws the line unless it is too early or would be the same. */
static void progress_draw(double now)
{
    char line[PROGRESS_WIDEST + 1];
    if (progress.is_plain) {
        progress_say(now);
        return;
    }
    if (!progress.is_always && now - progress.begin < PROGRESS_QUIET)
        return;
    progress_print(now, line);
    if (strcmp(line, progress.line) == 0 || !progress_has_room())
        return;
    memcpy(progress.line, line, strlen(line) + 1);
    atomic_store(&progress_stands, true);
    fprintf(stderr, "\r%s\033[K", line);
}

static void *progress_run_drawer(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&progress.lock);
    while (!progress.has_ended) {
        const double next = nb_clock_now() + PROGRESS_STEP;
        const struct timespec until = {
            .tv_sec = (time_t)next,
            .tv_nsec = (long)(1e9 * (next - floor(next))),
        };
        pthread_cond_clockwait(&progress.end, &progress.lock, CLOCK_MONOTONIC,
                               &until);
        if (!progress.has_ended)
            progress_draw(nb_clock_now());
    }
    pthread_mutex_unlock(&progress.lock);
    return NULL;
}

static void progress_begin_stage(const char *what, size_t total, double now)
{
    snprintf(progress.what, sizeof progress.what, "%s", what);
    progress.done = 0;
    progress.total = total;
    progress.stage_begin = progress.last_done = now;
}

/* Changes the stage's name; the new one gets a line of its own if all are
 * shown. */
static void progress_rename(const char *what)
{
    snprintf(progress.what, sizeof progress.what, "%s", what);
    if (!progress.is_always || !progress_has_room())
        return;
    fprintf(stderr, "\r%s\033[K\n", progress.what);
    progress.line[0] = '\0';
}

/* nb_run.progress: every stage begins with done = 0. */
static void progress_note(void *context, const char *what, size_t done,
                          size_t total)
{
    (void)context;
    const double now = nb_clock_now();
    pthread_mutex_lock(&progress.lock);
    if (done == 0) {
        progress_begin_stage(what, total, now);
        progress_draw(now);
    } else {
        if (strncmp(progress.what, what, PROGRESS_WHAT - 1) != 0)
            progress_rename(what);
        if (done > progress.done) { /* it stays at total */
            progress.done = done;
            progress.total = total; /* the estimate may have grown */
            progress.last_done = now;
        }
    }
    pthread_mutex_unlock(&progress.lock);
}

struct nb_run nb_progress_run(const struct nb_invocation *invocation)
{
    struct nb_run run = { .threads = (int)invocation->threads.whole,
                          .deal = invocation->deal };
    const bool is_always = invocation->progress.choice == NB_PROGRESS_ALWAYS;
    if (invocation->progress.choice == NB_PROGRESS_NEVER ||
        !nb_ranks_is_first())
        return run;
    run.progress = progress_note;
    const double now = nb_clock_now();
    pthread_mutex_lock(&progress.lock);
    if (!progress.has_begun) /* many short answers also take long */
        progress.begin = progress.said = now;
    progress.has_begun = true;
    progress.is_always = is_always;
    progress.is_plain = !is_always && !isatty(STDERR_FILENO);
    progress.has_ended = false;
    progress_begin_stage("preparing", 0, now);
    if (!progress.has_drawer)
        progress.has_drawer = pthread_create(&progress.drawer, NULL,
                                             progress_run_drawer, NULL) == 0;
    pthread_mutex_unlock(&progress.lock);
    return run;
}

void nb_progress_clear(void)
{
    static const char clear[] = "\r\033[K";
    if (atomic_exchange(&progress_stands, false) && progress_has_room() &&
        write(STDERR_FILENO, clear, sizeof clear - 1) < 0)
        return; /* failing to clear the line does no harm */
}

void nb_progress_say(const char *line)
{
    pthread_mutex_lock(&progress.lock);
    nb_progress_clear();
    fprintf(stderr, "netbound: %s\n", line);
    progress.line[0] = '\0'; /* so that it is drawn again */
    pthread_mutex_unlock(&progress.lock);
}

void nb_progress_end(void)
{
    if (progress.has_drawer) {
        pthread_mutex_lock(&progress.lock);
        progress.has_ended = true;
        pthread_cond_signal(&progress.end);
        pthread_mutex_unlock(&progress.lock);
        pthread_join(progress.drawer, NULL);
        progress.has_drawer = false;
    }
    progress.line[0] = '\0';
    nb_progress_clear();
}
