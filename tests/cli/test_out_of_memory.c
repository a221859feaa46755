/* Out of memory: one allocation of the whole program fails, including libxml2,
 * libxslt and the C library, either by itself or with all later ones. The
 * program gives the right answer or one line about memory; it does not crash,
 * prints nothing else and leaves no part of a file. NB_EVERY_SITE=1 tries every
 * allocation (an hour), otherwise a few tens per question. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "export/export.h"

#include "../support/cases.h"
#include "../support/program.h"
#include "../support/scratch.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static char program[PROGRAM_PATH], preload[PROGRAM_PATH + 40];

/* The outcome of a run. */
struct ended {
    int status;
    struct nb_text out, err, file;
    long sites;
};

static void take(int descriptor, struct nb_text *text)
{
    char block[65536];
    ssize_t length;
    lseek(descriptor, 0, SEEK_SET);
    nb_text_add(text, "", 0);
    while ((length = read(descriptor, block, sizeof block)) > 0)
        nb_text_add(text, block, (size_t)length);
    close(descriptor);
    assert_int_equal(nb_text_check(text, NULL), NB_OK);
}

/* Becomes the program; never returns. */
static void become(const char *line, long at, bool on, const int said[3])
{
    char words[400], number[32], *arguments[32] = { program };
    int count = 1;
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok(words, " "); word != NULL;
         word = strtok(NULL, " "))
        arguments[count++] = word;
    setenv("LD_PRELOAD", preload, 1);
    snprintf(number, sizeof number, "%ld", at);
    setenv("FAIL_AT", number, 1);
    snprintf(number, sizeof number, "%d", said[2]);
    setenv("FAIL_COUNT", number, 1);
    if (on)
        setenv("FAIL_ON", "1", 1);
    dup2(said[0], STDOUT_FILENO);
    dup2(said[1], STDERR_FILENO);
    if (chdir(nb_scratch_folder()) == 0)
        execv(program, arguments);
    _exit(127);
}

/* Reads and removes the file "page" if there is one; only the given files may
 * be left. */
static void take_file(struct nb_text *file)
{
    static const char *const given[] = { ".", "..", "g.graphml", "m.xml",
                                         "r.xml" };
    char path[NB_SCRATCH_PATH];
    nb_scratch_name("page", path);
    if (access(path, F_OK) == 0) {
        assert_int_equal(nb_text_read_file(path, 1 << 24, file, NULL), NB_OK);
        unlink(path);
    }
    DIR *folder = opendir(nb_scratch_folder());
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        size_t i = 0;
        while (i < 5 && strcmp(entry->d_name, given[i]) != 0)
            i++;
        if (i == 5)
            fail_msg("left behind: %s", entry->d_name);
    }
    closedir(folder);
}

static void run(const char *line, long at, bool on, struct ended *ended)
{
    int said[3];
    struct nb_text count = { 0 };
    *ended = (struct ended){ 0 };
    for (int i = 0; i < 3; i++)
        assert_true((said[i] = memfd_create("said", 0)) >= 0);
    const pid_t id = fork();
    assert_true(id >= 0);
    if (id == 0)
        become(line, at, on, said);
    assert_int_equal(waitpid(id, &ended->status, 0), id);
    take(said[0], &ended->out);
    take(said[1], &ended->err);
    take(said[2], &count);
    take_file(&ended->file);
    ended->sites = strtol(count.bytes, NULL, 10);
    nb_text_release(&count);
}

static void release(struct ended *ended)
{
    nb_text_release(&ended->out);
    nb_text_release(&ended->err);
    nb_text_release(&ended->file);
}

static bool is_same(const struct nb_text *a, const struct nb_text *b)
{
    return a->length == b->length &&
           (a->length == 0 || memcmp(a->bytes, b->bytes, a->length) == 0);
}

/* One line about memory, and nothing else. */
static bool is_refused(const struct ended *ended)
{
    const char *line = ended->err.bytes;
    const char *end = strchr(line, '\n');
    return WIFEXITED(ended->status) && WEXITSTATUS(ended->status) == 1 &&
           ended->out.length == 0 && ended->file.length == 0 &&
           strncmp(line, "netbound: ", 10) == 0 && end != NULL &&
           end[1] == '\0' && strstr(line, "memory") != NULL;
}

static void check(const char *line, long at, bool on, const struct ended *whole,
                  long counts[2])
{
    struct ended ended;
    run(line, at, on, &ended);
    const bool is_right =
        ended.status == 0 && is_same(&ended.out, &whole->out) &&
        is_same(&ended.file, &whole->file) && is_same(&ended.err, &whole->err);
    if (!is_right && !is_refused(&ended))
        fail_msg("%s: without allocation %ld%s: status %x, %zu bytes, said "
                 "\"%.300s\"",
                 line, at, on ? " and on" : "", (unsigned)ended.status,
                 ended.out.length, ended.err.bytes);
    counts[is_right]++;
    release(&ended);
}

/* Answers a question with one allocation after another failing. */
static void survives(const char *line)
{
    enum { LAST = 4 }; /* the last ones are those of the layout */
    const long sample = (long)nb_cases_trials(12, 2);
    const bool is_whole = getenv("NB_EVERY_SITE") != NULL;
    struct ended whole;
    run(line, 0, false, &whole);
    assert_int_equal(whole.status, 0);
    assert_true(whole.sites > sample);
    const long step = is_whole ? 1 : whole.sites / sample;
    for (int on = 0; on < 2; on++) {
        long counts[2] = { 0, 0 };
        for (long at = 1 + on * (step / 2); at <= whole.sites; at += step)
            check(line, at, on, &whole, counts);
        for (long at = whole.sites - LAST; at <= whole.sites; at++)
            check(line, at, on, &whole, counts);
        assert_true(counts[0] > 0);
        print_message("%s: %ld allocations, %s: %ld refused, %ld right\n", line,
                      whole.sites, on ? "all from one on" : "one", counts[0],
                      counts[1]);
    }
    release(&whole);
}

static void test_fit(void **state)
{
    (void)state;
    survives("topology --fit terminals=30,radix=15");
}

static void test_own_tables(void **state)
{
    (void)state;
    survives("limits --topology dragonfly:h=1 --threads 1");
}

static void test_graphml(void **state)
{
    (void)state;
    survives("load --topology file:g.graphml --threads 1");
}

static void test_adaptive(void **state)
{
    (void)state;
    survives("load --topology ring:5 --routing ugal --traffic tornado "
             "--threads 1");
    survives("permutations --topology ring:4 --routing goal --count 2 "
             "--threads 1");
}

static void test_run(void **state)
{
    (void)state;
    survives("run m.xml --threads 1");
    survives("run m.xml --threads 1 --output page --format csv");
}

static void test_verify(void **state)
{
    (void)state;
    survives("verify r.xml --threads 1");
}

static void test_export(void **state)
{
    (void)state;
    char line[100];
    survives("export r.xml --to csv");
    for (const struct nb_embedded *style = nb_styles; style->name; style++) {
        snprintf(line, sizeof line, "export r.xml --output page --to %.*s",
                 (int)strcspn(style->name, "."), style->name);
        survives(line);
    }
}

/* The C library cannot make a C locale. */
static void test_no_locale(void **state)
{
    static const char *const lines[] = {
        "load --topology ring:5",
        "load --topology file:g.graphml --format xml --output page",
        "buffer --load 0.5 --format csv",
        "run m.xml",
        "verify r.xml",
        "export r.xml --to html --output page",
        "help load",
    };
    struct ended ended;
    (void)state;
    setenv("FAIL_LOCALE", "1", 1);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        run(lines[i], 0, false, &ended);
        if (!is_refused(&ended))
            fail_msg("%s: status %x, said \"%.300s\"", lines[i],
                     (unsigned)ended.status, ended.err.bytes);
        release(&ended);
    }
    unsetenv("FAIL_LOCALE");
}

static const char graphml[] =
    "<graphml xmlns='http://graphml.graphdrawing.org/xmlns'>"
    "<key id='b' for='edge' attr.name='bandwidth'><default>2</default></key>"
    "<key id='t' for='node' attr.name='terminals'/>"
    "<graph edgedefault='undirected'>"
    "<node id='a'><data key='t'>2</data></node><node id='b'/><node id='c'/>"
    "<edge source='a' target='b'><data key='b'>4</data></edge>"
    "<edge source='b' target='c' directed='false'/>"
    "<edge source='a' target='c'><data key='b'>0.5</data></edge>"
    "</graph></graphml>";

static int setup(void **state)
{
    const char *given = getenv("NETBOUND");
    char path[NB_SCRATCH_PATH];
    struct ended ended;
    if (nb_scratch_setup(state) != 0 || !program_own_path(preload) ||
        realpath(given != NULL ? given : "build/netbound", program) == NULL)
        return -1;
    strcpy(strrchr(preload, '/'), "/preload/failing.so");
    nb_scratch_write(nb_scratch_name("g.graphml", path), graphml,
                     sizeof graphml - 1);
    run("worst-case --topology torus:3x3 --routing dor --save-model m.xml "
        "--format xml --output r.xml",
        0, false, &ended);
    release(&ended);
    return ended.status == 0 && ended.sites > 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fit),     cmocka_unit_test(test_own_tables),
        cmocka_unit_test(test_graphml), cmocka_unit_test(test_adaptive),
        cmocka_unit_test(test_run),     cmocka_unit_test(test_verify),
        cmocka_unit_test(test_export),  cmocka_unit_test(test_no_locale),
    };
#ifdef __SANITIZE_ADDRESS__
    print_message("skipped: the sanitizer has its own allocations\n");
    return 0;
#endif
    return cmocka_run_group_tests(tests, setup, nb_scratch_teardown);
}
