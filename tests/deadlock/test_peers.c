/* Verdicts of a second program, ibdmchk, on the tables of every engine of
 * opensm: we find cycles exactly where it finds credit loops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/scratch.h"
#include "../support/topology_checks.h"

#include "deadlock/deadlock.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PEERS_TEXT = 2 * NB_SCRATCH_PATH };

/* Appends words and the path of a file in a folder; "" if there is no such
 * file. */
static void peers_append(char *text, const char *words, const char *folder,
                         const char *name)
{
    char path[PEERS_TEXT];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const size_t length = strlen(text);
    if (access(path, R_OK) == 0)
        snprintf(text + length, 4 * PEERS_TEXT - length, "%s%s", words, path);
}

static void check_run(const char *run)
{
    char network[PEERS_TEXT], routing[4 * PEERS_TEXT] = "", verdict[80] = "";
    struct problem problem;
    struct nb_deadlock found = { 0 };
    snprintf(network, sizeof network, "%s/ibdmchk.verdict", run);
    FILE *file = fopen(network, "r");
    assert_non_null(file);
    assert_non_null(fgets(verdict, sizeof verdict, file));
    fclose(file);
    snprintf(network, sizeof network, "file:%s/../ibnetdiscover.txt", run);
    peers_append(routing, "file:", run, "opensm-lfts.dump");
    peers_append(routing, ",sl=", run, "sl.txt");
    peers_append(routing, ",sl2vl=", run, "opensm-sl2vl.dump");
    problem_open(&problem, network, routing);
    assert_int_equal(nb_deadlock_find(&problem.routing, NULL, &found, NULL),
                     NB_OK);
    TOPOLOGY_CHECK((found.verdict == NB_DEADLOCK_FREE) ==
                       (strstr(verdict, "no credit loops") != NULL),
                   "%s: %s", run, verdict);
    nb_deadlock_release(&found);
    problem_close(&problem);
}

static void test_verdicts(void **state)
{
    (void)state;
    const char *from = getenv("NETBOUND_FABRICS");
    char folder[NB_SCRATCH_PATH], text[2 * NB_SCRATCH_PATH + 64];
    glob_t runs = { 0 };
    if (from == NULL) {
        print_message("verdicts of ibdmchk are skipped: NETBOUND_FABRICS is "
                      "not set\n");
        skip();
    }
    assert_true(nb_scratch_open(folder));
    snprintf(text, sizeof text, "tar xJf %s/opensm-runs.tar.xz -C %s", from,
             folder);
    assert_int_equal(system(text), 0);
    snprintf(text, sizeof text, "%s/*/*/ibdmchk.verdict", folder);
    assert_int_equal(glob(text, 0, NULL, &runs), 0);
    for (size_t i = 0; i < runs.gl_pathc; i++) {
        *strrchr(runs.gl_pathv[i], '/') = '\0';
        check_run(runs.gl_pathv[i]);
    }
    assert_true(runs.gl_pathc > 90);
    globfree(&runs);
    nb_scratch_close(folder);
}

/* Paths of two hops round a ring wait for each other, unless they are divided
 * between two lanes. */
static void test_ring(void **state)
{
    (void)state;
    static const struct {
        const char *routing;
        enum nb_deadlock_verdict verdict;
    } runs[] = {
        { "file:data/fabrics/ring5-lash.lft", NB_DEADLOCK_POSSIBLE },
        { "file:data/fabrics/ring5-lash.lft,sl=data/fabrics/ring5-lash.sl",
          NB_DEADLOCK_FREE },
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct problem problem;
        struct nb_deadlock found = { 0 };
        problem_open(&problem, "file:data/fabrics/ring5.ibnetdiscover",
                     runs[i].routing);
        assert_int_equal(nb_deadlock_find(&problem.routing, NULL, &found, NULL),
                         NB_OK);
        assert_int_equal(found.verdict, runs[i].verdict);
        nb_deadlock_release(&found);
        problem_close(&problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_ring),
                                        cmocka_unit_test(test_verdicts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
