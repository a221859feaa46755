/* Calls that are stopped again and again: with a checkpoint they reach the
 * answer of an uninterrupted call. */
#include "core/memory.h"
#include "ask/ask.h"
#include "ask/verify.h"

#include "../support/command_line.h"
#include "../support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <unistd.h>

static const char *const lines[] = {
    "buffer --sweep load=0.1:0.9:0.1",
    "deadlock regular:30,degree=4 --routing lash",
    "latency torus:4x4 --sweep load=0.1,0.2,0.3",
    "load torus:6x6 --routing val --sweep traffic=tornado,transpose",
    "optimum random:10,p=0.3 --worst-case",
    "permutations torus:4x4 --routing dor --count 2000",
    "simulate ring:4 --cycles 320 --sweep load=0.1:0.3:0.1",
    "simulate ring:4 --cycles 320 --load 0.3 --replications 6",
    "worst-case mesh:3x3 --routing romm",
};

/* Sets a stop after some calls of progress. */
struct stopper {
    int stop;
    size_t left;
};

static void stopper_note(void *context, const char *what, size_t done,
                         size_t total)
{
    struct stopper *stopper = context;
    (void)what;
    (void)done;
    (void)total;
    if (stopper->left == 0 || --stopper->left == 0)
        __atomic_store_n(&stopper->stop, 1, __ATOMIC_RELAXED);
}

static enum nb_status ask(const char *line, const struct nb_run *run,
                          struct nb_text *out, struct nb_error *err)
{
    struct nb_invocation invocation = { 0 };
    struct nb_report report = { 0 };
    char words[COMMAND_LINE_LENGTH];
    enum nb_status status;
    NB_TRY(command_line_read(line, words, &invocation, err));
    NB_TRY(nb_new_copy(&invocation.model.command,
                       invocation.command->form->name, "the question", err));
    NB_TRY(nb_ask(&invocation.model, run, &report, err));
    report.made = (struct nb_made){ 1, 0 };
    NB_TRY(nb_report_write(&report, NB_FORMAT_XML, NULL, out, err));
done:
    nb_invocation_release(&invocation);
    nb_report_release(&report);
    return status;
}

static void stopped_calls_go_on(void **state)
{
    char kept[NB_SCRATCH_PATH];
    size_t stops = 0;
    (void)state;
    nb_scratch_name("kept", kept);
    for (size_t l = 0; l < sizeof lines / sizeof *lines; l++) {
        struct nb_text whole = { 0 }, out = { 0 };
        struct nb_error err = { 0 };
        enum nb_status status = NB_STOPPED;
        if (ask(lines[l], NULL, &whole, &err) != NB_OK)
            fail_msg("%s: %s", lines[l], err.message);
        unlink(kept);
        for (size_t calls = 1; status == NB_STOPPED; calls *= 8, stops++) {
            struct stopper stopper = { .left = calls };
            const struct nb_run run = { .threads = 2,
                                        .progress = stopper_note,
                                        .progress_context = &stopper,
                                        .stop = &stopper.stop,
                                        .checkpoint = kept,
                                        .lost = &err };
            struct nb_error stopped = { 0 };
            status = ask(lines[l], &run, &out, &stopped);
            if (status == NB_STOPPED)
                assert_string_equal(stopped.message, "stopped on request");
        }
        assert_int_equal(status, NB_OK);
        assert_int_equal(err.status, NB_OK);
        assert_string_equal(out.bytes, whole.bytes);
        nb_text_release(&whole);
        nb_text_release(&out);
        assert_int_equal(nb_memory_live_blocks(), 0);
    }
    assert_true(stops >= sizeof lines / sizeof *lines);
}

static void a_check_is_stopped(void **state)
{
    char path[NB_SCRATCH_PATH];
    struct nb_text out = { 0 }, said = { 0 };
    struct nb_error err = { 0 };
    const int stop = 1;
    const struct nb_run unstopped = { 0 }, run = { .stop = &stop };
    (void)state;
    nb_scratch_name("report.xml", path);
    assert_int_equal(ask(lines[8], NULL, &out, &err), NB_OK);
    assert_int_equal(nb_file_write(path, out.bytes, out.length, NULL), NB_OK);
    assert_int_equal(nb_verify_file(path, NULL, &unstopped, NULL, &said, &err),
                     NB_OK);
    assert_int_equal(nb_verify_file(path, NULL, &run, NULL, &said, &err),
                     NB_STOPPED);
    assert_string_equal(err.message, "stopped on request");
    nb_text_release(&out);
    nb_text_release(&said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stopped_calls_go_on),
        cmocka_unit_test(a_check_is_stopped),
    };
    return cmocka_run_group_tests(tests, nb_scratch_setup, nb_scratch_teardown);
}
