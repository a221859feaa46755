/* Every question gives the same bytes in every locale: options, models, answers
 * in all formats, files of networks and traffic, reports read back and
 * verified. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/command.h"
#include "core/try.h"
#include "export/export.h"
#include "ask/ask.h"
#include "ask/verify.h"

#include "support/cases.h"
#include "support/locales.h"
#include "support/scratch.h"

#include <glob.h>
#include <gsl/gsl_errno.h>
#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* @ is the folder of the test; files that a line writes are read by the next.
 * Lines that begin with ! are refused. */
static const char *const lines[] = {
    "topology --topology ring:8,bandwidth=0.5",
    "topology --topology random:routers=12,p=0.35,seed=3 --network @/r.graphml",
    "topology --topology torus:4x4,bandwidth=2.5 --network @/t.graphml",
    "load --topology file:@/t.graphml --traffic tornado --explain",
    "topology --topology torus:4x4,bandwidth=0.25 --network @/t.DOT",
    "topology --topology torus:4x4,bandwidth=0.25 --network @/t.csv",
    "load --topology file:@/t.csv --rate 0.15",
    "topology --topology ring:5 --network @/t.ibnetdiscover",
    "load --topology file:@/t.ibnetdiscover --routing minhop --forwarding "
    "@/t.lft",
    "audit --topology file:@/t.ibnetdiscover --routing file:@/t.lft --alone "
    "--matchings 2",
    "load --topology file:data/topologies/slurm-topology.conf",
    "load --topology file:data/topologies/chiplets.json",
    "load --topology file:data/topologies/abilene.txt --format csv",
    "load --topology ring:5 --routing file:data/routing/ring5-weighted.csv",
    "load --topology ring:8 --traffic hot-spot:nodes=0+1+2+3+4+5+6+7,share=0.2 "
    "--matrix @/m.csv",
    "load --topology ring:8 --traffic file:@/m.csv --matrix @/m.json",
    "load --topology ring:8 --traffic file:@/m.json --matrix @/m.NOXIM",
    "load --topology ring:8 --traffic file:@/m.NOXIM",
    "load --topology ring:8 --rate 200Gbps/250B --clock 1.25GHz",
    "! load --topology ring:8 --rate 0,5",
    "! load --topology RING:8",
    "! load --topology ring:8 --traffic TITI",
    "load --topology torus:4x4 --routing rlb:threshold=0.25 --sweep "
    "rate=0.1:0.9:0.2",
    "load --topology torus:4x4 --routing ival --find rate --where "
    "max_channel_load<=0.75",
    "worst-case --topology torus:4x4 --routing val --permutation @/p.csv",
    "worst-case --topology mesh:3x3,bandwidth=1.5 --routing romm",
    "permutations --topology torus:3x3 --count 20 --bins 4",
    "optimum --topology ring:5 --traffic tornado",
    "optimum --topology torus:3x3 --worst-case --locality",
    "limits --topology dragonfly:h=2 --clock 1.25GHz",
    "split --topology ring:8 --load 0.4",
    "latency --topology torus:4x4 --load 0.35 --flits 3",
    "buffer --load 0.9 --overflow 1e-9 --explain",
    "buffer --load 0.5 --arrivals onoff:burst=5.5 --overflow 1e-3",
    "delay --hops 3 --load 0.55 --overflow 1e-3",
    "delay --topology fattree:k=4,n=2 --load 0.8 --overflow 1e-6",
    "reorder --hops 2 --load 0.5 --overflow 1e-3",
    "deadlock --topology torus:3x3 --routing dor",
    "virtual-networks --terminals 64 --round 2.5 --networks 4",
    "virtual-networks --terminals 64 --round 3 --networks 4",
    "power --topology torus:4x4 --forwarding-table 25.5",
    "qcn --topology dragonfly:h=1",
    "simulate --topology ring:4 --load 0.55 --cycles 640 --warm-up 90 "
    "--replications 2",
    "simulate --topology ring:4 --router credit --load 0.5 --cycles 64 "
    "--warm-up 9 --replications 1 --depths --reorder --window 8",
    "validate --topology ring:4 --check loads --cycles 640 --warm-up 90 "
    "--replications 2",
    "topology --fit terminals=30,radix=15 --prices data/prices.csv",
    "ledger --data data/published --id towles-dor-ur",
};
enum { LINES = sizeof lines / sizeof *lines, WORDS = 40, ROOM = 1000 };

/* Appends the report in every format; in those of style sheets if it is
 * exported. */
static void show(const struct nb_report *report, bool is_exported,
                 struct nb_text *out)
{
    const struct nb_exhibit exhibit = { .report = report };
    for (int format = NB_FORMAT_TEXT; format <= NB_FORMAT_JSON; format++)
        assert_int_equal(
            nb_report_write(report, (enum nb_format)format, NULL, out, NULL),
            NB_OK);
    for (size_t i = 0; is_exported && nb_styles[i].name != NULL; i++) {
        struct nb_error error = { 0 };
        char style[64];
        snprintf(style, sizeof style, "%.*s",
                 (int)strcspn(nb_styles[i].name, "."), nb_styles[i].name);
        if (nb_export_write(style, &exhibit, 1, out, &error) != NB_OK)
            nb_text_print(out, "%s: %s\n", style, error.message);
    }
}

/* Appends what reading the report and its model again gives, and verifying. */
static void read_again(const struct nb_report *report, struct nb_text *out)
{
    char path[NB_SCRATCH_PATH];
    bool is_right = false;
    const struct nb_run run = { 0 };
    struct nb_report again = { 0 };
    struct nb_model model = { 0 };
    struct nb_text text = { 0 };
    struct nb_error error = { 0 };
    nb_scratch_name("report.xml", path);
    assert_int_equal(nb_report_write(report, NB_FORMAT_XML, NULL, &text, NULL),
                     NB_OK);
    nb_scratch_write(path, text.bytes, text.length);
    assert_int_equal(nb_report_read_file(path, &again, &is_right, &error),
                     NB_OK);
    assert_true(is_right);
    assert_int_equal(nb_report_write(&again, NB_FORMAT_XML, NULL, out, NULL),
                     NB_OK);
    if (nb_verify_file(path, NULL, &run, NULL, out, &error) != NB_OK)
        nb_text_print(out, "not verified: %s\n", error.message);
    assert_int_equal(nb_ask_read(path, &model, NULL), NB_OK);
    nb_model_write(&model, true, 0, out);
    nb_model_release(&model);
    nb_report_release(&again);
    nb_text_release(&text);
}

/* Appends the files that a line wrote. */
static void take_files(const struct nb_invocation *invocation,
                       struct nb_text *out)
{
    for (size_t i = 0; i < NB_OUTPUTS; i++)
        if (invocation->outputs[i] != NULL)
            assert_int_equal(
                nb_text_read_file(invocation->outputs[i], 1 << 24, out, NULL),
                NB_OK);
}

static void answer_model(struct nb_model *model, bool is_exported,
                         struct nb_text *out)
{
    struct nb_report report = { 0 };
    struct nb_error error = { 0 };
    const enum nb_status status = nb_ask(model, NULL, &report, &error);
    if (status != NB_OK && status != NB_REFUTED)
        fail_msg("%s", error.message);
    report.made = (struct nb_made){ 1, 0 };
    show(&report, is_exported, out);
    read_again(&report, out);
    nb_report_release(&report);
}

/* The words of a line, with the folder for @. */
static int cut(const char *line, char text[ROOM], char *word[WORDS])
{
    char *rest = text;
    size_t length = 0;
    int count = 0;
    for (const char *at = line + strspn(line, "! "); *at != '\0'; at++)
        length += (size_t)snprintf(text + length, ROOM - length,
                                   *at == '@' ? "%s" : "%.1s",
                                   *at == '@' ? nb_scratch_folder() : at);
    assert_true(length < ROOM);
    while (rest != NULL && count < WORDS)
        word[count++] = strsep(&rest, " ");
    return count;
}

/* Answers a line as the program does, with its files, and as the library
 * does. */
static void answer_line(const char *line, bool is_exported, struct nb_text *out)
{
    char text[ROOM], page[NB_SCRATCH_PATH], *word[WORDS];
    struct nb_deal deal = { 0 };
    struct nb_invocation invocation = { .deal = &deal };
    struct nb_error error = { 0 };
    enum nb_status status;
    const int count = cut(line, text, word);
    invocation.command = nb_command_find(word[0]);
    nb_scratch_name("page", page);
    NB_TRY(nb_model_begin(&invocation.model, word[0], &error));
    NB_TRY(nb_invocation_read(&invocation, count - 1, word + 1, &error));
    invocation.output.text = page;
    NB_TRY(nb_answer(&invocation, 1, &error));
    assert_int_equal(nb_text_read_file(page, 1 << 24, out, NULL), NB_OK);
    take_files(&invocation, out);
    answer_model(&invocation.model, is_exported, out);
done:
    if ((status != NB_OK) != (*line == '!'))
        fail_msg("%s: %s", line, error.message);
    nb_text_print(out, "%s\n", error.message);
    nb_deal_close(&deal);
    nb_invocation_release(&invocation);
}

static void read_model(const char *path, bool is_exported, struct nb_text *out)
{
    struct nb_model model = { 0 };
    struct nb_error error = { 0 };
    (void)is_exported;
    if (nb_ask_read(path, &model, &error) != NB_OK)
        fail_msg("%s", error.message);
    nb_model_write(&model, true, 0, out);
    nb_model_release(&model);
}

static void answer_file(const char *path, bool is_exported, struct nb_text *out)
{
    struct nb_model model = { 0 };
    assert_int_equal(nb_ask_read(path, &model, NULL), NB_OK);
    answer_model(&model, is_exported, out);
    nb_model_release(&model);
}

/* Fails at the first byte that differs. */
static void is_same(const struct nb_text *got, const struct nb_text *expected,
                    const char *question, const char *locale)
{
    size_t at = 0;
    const size_t most =
        got->length < expected->length ? got->length : expected->length;
    while (at < most && got->bytes[at] == expected->bytes[at])
        at++;
    if (at < got->length || at < expected->length)
        fail_msg("%s, %s: \"%.80s\" instead of \"%.80s\"", locale, question,
                 got->bytes + (at > 40 ? at - 40 : 0),
                 expected->bytes + (at > 40 ? at - 40 : 0));
}

/* Compares the answers to a question in each locale with those in C. */
static void compare(const char *question,
                    void (*answer)(const char *question, bool is_exported,
                                   struct nb_text *out),
                    bool is_exported)
{
    struct nb_text expected = { 0 };
    setlocale(LC_ALL, "C");
    answer(question, is_exported, &expected);
    assert_true(expected.length > 0);
    for (size_t i = 0; locale_names[i] != NULL; i++) {
        struct nb_text got = { 0 };
        assert_non_null(setlocale(LC_ALL, locale_names[i]));
        answer(question, is_exported, &got);
        is_same(&got, &expected, question, locale_names[i]);
        nb_text_release(&got);
    }
    nb_text_release(&expected);
}

static void test_lines(void **state)
{
    (void)state;
    for (size_t q = 0; nb_questions[q] != NULL; q++) {
        const char *name = nb_questions[q]->form.name;
        size_t i = 0;
        while (i < LINES && (strncmp(lines[i], name, strlen(name)) != 0 ||
                             lines[i][strlen(name)] != ' '))
            i++;
        if (i == LINES)
            fail_msg("no line asks %s", name);
    }
    for (size_t i = 0; i < LINES; i++)
        compare(lines[i], answer_line, nb_cases_have(i, 6));
}

/* Every shipped model is read, and those that are answered at once are
 * answered. */
static void test_models(void **state)
{
    static const char *const quick[] = {
        "benito-figure-4-23.xml",     "benito-figure-4-4.xml",
        "benito-figure-6-4.xml",      "mesh-8x8-min.xml",
        "singh-figure-7.11.xml",      "singh-figure-7.6.xml",
        "torus-8x8-dor.xml",          "tables/buffer-depth.xml",
        "tables/topology-sizing.xml",
    };
    enum { QUICK = sizeof quick / sizeof *quick };
    char path[100];
    glob_t found;
    (void)state;
    assert_int_equal(glob("models/*.xml", 0, NULL, &found), 0);
    assert_int_equal(glob("models/tables/*.xml", GLOB_APPEND, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        compare(found.gl_pathv[i], read_model, false);
    globfree(&found);
    for (size_t i = 0; i < QUICK; i++) {
        snprintf(path, sizeof path, "models/%s", quick[i]);
        compare(path, answer_file, nb_cases_have(i, 5));
    }
}

static atomic_bool is_over;

static void *change_locale(void *context)
{
    (void)context;
    for (size_t i = 0; !is_over; i++) {
        const char *name = locale_names[i % 4];
        setlocale(LC_ALL, name != NULL ? name : "C");
    }
    return NULL;
}

/* Another thread sets the drawn locales and C in turn. */
static void test_changes_during_use(void **state)
{
    static struct nb_text expected[LINES];
    pthread_t thread;
    (void)state;
    setlocale(LC_ALL, "C");
    for (size_t i = 0; i < LINES; i++)
        answer_line(lines[i], false, &expected[i]);
    assert_int_equal(pthread_create(&thread, NULL, change_locale, NULL), 0);
    for (size_t i = 0; i < LINES; i++) {
        struct nb_text got = { 0 };
        answer_line(lines[i], false, &got);
        is_same(&got, &expected[i], lines[i], "a changing locale");
        nb_text_release(&got);
    }
    is_over = true;
    pthread_join(thread, NULL);
    for (size_t i = 0; i < LINES; i++)
        nb_text_release(&expected[i]);
}

static int begin(void **state)
{
    gsl_set_error_handler_off();
    return nb_scratch_setup(state);
}

static int end(void **state)
{
    setlocale(LC_ALL, "C");
    return nb_scratch_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_models),
        cmocka_unit_test(test_changes_during_use),
    };
    if (begin(NULL) != 0 || !locales_make(nb_scratch_folder()))
        return end(NULL);
    return cmocka_run_group_tests(tests, NULL, end);
}
