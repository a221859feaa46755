/* Options with units: the model after a command line was read. */
#include "cli/command.h"

#include "core/memory.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

/* Reads a command line, words between blanks. */
static enum nb_status read_line(const char *line, char words[300],
                                struct nb_invocation *invocation,
                                struct nb_error *err)
{
    char *argument[24];
    int count = 0;
    snprintf(words, 300, "%s", line);
    for (char *word = strtok(words, " "); word != NULL;
         word = strtok(NULL, " "))
        argument[count++] = word;
    *invocation = (struct nb_invocation){ 0 };
    invocation->command = nb_command_find(argument[0]);
    assert_non_null(invocation->command);
    return nb_invocation_read(invocation, count - 1, argument + 1, err);
}

/* Appends "name=value " of every option, "name~values " of every sweep. */
static void print_model(const struct nb_model *model, struct nb_text *text)
{
    for (size_t i = 0; i < model->option_count; i++)
        nb_text_print(text, "%s=%s ", model->options[i].name,
                      model->options[i].value);
    for (size_t i = 0; i < model->sweep_count; i++)
        nb_text_print(text, "%s~%s ", model->sweeps[i].name,
                      model->sweeps[i].value);
}

static const struct {
    const char *line, *model;
} lines[] = {
    { "load --rate 0.10", "rate=0.10 " },
    { "load --rate 200Gbps/250B", "rate=0.1 clock=1 " },
    { "load --rate 200Gbps/250B --clock 2GHz", "rate=0.05 clock=0.5 " },
    { "load --clock 2GHz --rate 200Gbps/250B", "clock=0.5 rate=0.05 " },
    { "load --clock 2GHz --rate 1/3", "clock=0.5 rate=1/3 " },
    { "load --load 60%", "load=0.6 " },
    { "load --sweep load=0.1,20%,1/3", "load~0.1,0.2,1/3 " },
    { "load --sweep load=10%:50%:20%", "load~0.1:0.5:0.2 " },
    { "load --sweep rate=1Mpps:2Mpps:1Mpps",
      "clock=1 rate~0.001:0.002:0.001 " },
    { "load --sweep topology=torus:4x4,ring:8 --load 1%",
      "load=0.01 topology~torus:4x4,ring:8 " },
    { "limits --link-latency 15ns", "local-delay=15 global-delay=15 " },
    { "limits --link-latency 15ns --sweep local-delay=1us,2us",
      "global-delay=15 local-delay~1000,2000 " },
    { "limits --global-delay 3cycles", "global-delay=3 flit-time=1 " },
    { "limits --clock 0.5GHz --global-delay 3cycles",
      "global-delay=6 flit-time=2 " },
    { "simulate --cycles auto --warm-up 1us", "cycles=auto warm-up=1000 "
                                              "clock=1 " },
    { "simulate --link-latency 3 --pipeline 2ns",
      "pipeline=2 channel-latency=3 clock=1 " },
    { "simulate --sweep link-latency=1,2", "channel-latency~1,2 " },
    { "optimum --time-limit 500ms", "time-limit=0.5 " },
    /* Within specifications: 200 Gbps of 2000 bits are 0.1 packets per ns. */
    { "load --topology torus:4x4,bandwidth=200Gbps/250B --clock 2ns",
      "topology=torus:4x4,bandwidth=0.2 clock=2 " },
    { "worst-case --topology mesh:3x3,bandwidth=0.3+200Gbps/250B --clock 1ns",
      "topology=mesh:3x3,bandwidth=0.3+0.1 clock=1 " },
    { "load --topology dragonfly:h=2,global-bandwidth=400Gbps/250B --clock 2ns "
      "--sweep topology.local-bandwidth=200Gbps/250B,1",
      "topology=dragonfly:h=2,global-bandwidth=0.4 clock=2 "
      "topology.local-bandwidth~0.2,1 " },
    { "load --clock 2ns --sweep topology=ring:4,ring:4,bandwidth=100Mpps",
      "clock=2 topology~ring:4,ring:4,bandwidth=0.2 " },
};

static void models_hold_plain_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct nb_invocation invocation;
        struct nb_text text = { 0 };
        struct nb_error err = { 0 };
        char words[300];
        if (read_line(lines[i].line, words, &invocation, &err) != NB_OK)
            fail_msg("%s: %s", lines[i].line, err.message);
        print_model(&invocation.model, &text);
        if (strcmp(text.bytes, lines[i].model) != 0)
            fail_msg("%s: \"%s\" instead of \"%s\"", lines[i].line, text.bytes,
                     lines[i].model);
        nb_text_release(&text);
        nb_invocation_release(&invocation);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void failing_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        enum nb_status status = NB_NO_MEMORY;
        for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
            struct nb_invocation invocation;
            struct nb_error err = { 0 };
            char words[300];
            nb_memory_allow(allowed);
            status = read_line(lines[i].line, words, &invocation, &err);
            nb_memory_allow(-1);
            nb_invocation_release(&invocation);
            assert_int_equal(nb_memory_live_blocks(), 0);
        }
        assert_int_equal(status, NB_OK);
    }
}

/* The unit of every option exists, its default fits it, and shared names are
 * not names of options. */
static void tables_are_sound(void **state)
{
    (void)state;
    for (size_t c = 0; nb_commands[c] != NULL; c++) {
        const struct nb_parameter *rows = nb_commands[c]->form->options;
        for (const struct nb_parameter *row = rows;
             row != NULL && row->name != NULL; row++) {
            if (row->unit != NULL && nb_unit_base_find(row->unit) == NULL)
                fail_msg("%s --%s: no unit %s", nb_commands[c]->form->name,
                         row->name, row->unit);
            for (const struct nb_parameter *other = rows;
                 row->also != NULL && other->name != NULL; other++)
                assert_string_not_equal(other->name, row->also);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_hold_plain_numbers),
        cmocka_unit_test(failing_memory),
        cmocka_unit_test(tables_are_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
