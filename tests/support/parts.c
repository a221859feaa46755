/*
 * The main of a test program:
 *
 *     test_load              runs all parts, each in its own process, and
 *                            reports how each ended and how long it took
 *     test_load NAME...      those of these names
 *     test_load --list       lists the names
 */
#include "support/parts.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double parts_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Whether it passed: it neither failed nor was ended by a signal. */
static bool parts_run(const struct nb_test_part *part)
{
    const double begin = parts_time();
    int status = -1;
    fflush(NULL);
    const pid_t id = fork();
    if (id == 0) /* a crash does not end the others */
        exit(part->main());
    if (id < 0 || waitpid(id, &status, 0) != id)
        perror("fork");
    else if (WIFSIGNALED(status))
        fprintf(stderr, "%s: ended by signal %d\n", part->name,
                WTERMSIG(status));
    printf("%-6s %7.1f s  %s\n", status == 0 ? "passed" : "FAILED",
           parts_time() - begin, part->name);
    return status == 0;
}

static const struct nb_test_part *parts_find(const char *name)
{
    for (const struct nb_test_part *part = nb_test_parts; part->name; part++)
        if (strcmp(part->name, name) == 0)
            return part;
    fprintf(stderr, "no part is named \"%s\" (--list shows the names)\n", name);
    exit(2);
}

static void parts_list(void)
{
    for (const struct nb_test_part *part = nb_test_parts; part->name; part++)
        puts(part->name);
}

int main(int argc, char **argv)
{
    bool has_passed = true;
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        parts_list();
        return EXIT_SUCCESS;
    }
    for (int i = 1; i < argc; i++)
        has_passed = parts_run(parts_find(argv[i])) && has_passed;
    for (const struct nb_test_part *part = nb_test_parts;
         argc == 1 && part->name; part++)
        has_passed = parts_run(part) && has_passed;
    return has_passed ? EXIT_SUCCESS : EXIT_FAILURE;
}
