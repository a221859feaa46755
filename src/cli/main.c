/* netbound: the program. */
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/reference.h"
#include "cli/terminal.h"
#include "core/ranks.h"
#include "core/store.h"
#include "core/try.h"
#include "core/version.h"
#include "core/xml_check.h"

#include <gsl/gsl_errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* How the invocation's text looks. Other formats, and commands that are not
 * questions, have no columns that could be misconfigured. */
static enum nb_status main_look(struct nb_invocation *invocation,
                                struct nb_error *err)
{
    const struct nb_command *command = invocation->command;
    const bool is_text = nb_model_get(&invocation->model, "to") != NULL ||
                         invocation->format_name.text != NULL;
    if (invocation->format != NB_FORMAT_TEXT || invocation->style != NULL ||
        !(is_text || nb_command_takes(command, &nb_common_options[0])))
        return NB_OK;
    const enum nb_status status = nb_terminal_look(
        is_text, invocation->output.text, &invocation->look, err);
    invocation->look.numbers = (enum nb_numbers)invocation->numbers.choice;
    return status;
}

/* Writes a text that an invocation of no question has made. */
static enum nb_status main_write(const struct nb_invocation *invocation,
                                 struct nb_text *text, struct nb_error *err)
{
    enum nb_status status;
    if (invocation->command != NULL && invocation->command->is_wrapped)
        nb_terminal_wrap(invocation->output.text, text);
    NB_TRY(nb_text_check(text, err));
    NB_TRY(nb_output_write(invocation->output.text, text, err));
done:
    return status;
}

static enum nb_status main_do(struct nb_invocation *invocation,
                              struct nb_error *err)
{
    const struct nb_command *command = invocation->command;
    struct nb_text text = { 0 };
    enum nb_status status;
    if (command->question != NULL)
        return nb_answer(invocation, 1, err);
    if (command->run != NULL)
        return command->run(invocation, err);
    NB_TRY(command->print(invocation, &text, err));
    NB_TRY(main_write(invocation, &text, err));
done:
    nb_text_release(&text);
    return status;
}

/* Whether an argument asks for help. */
static bool main_is_help(const char *argument)
{
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

/* Reads the command and its arguments; COMMAND --help means help COMMAND. */
static enum nb_status main_read(struct nb_invocation *invocation, int count,
                                char **arguments, struct nb_error *err)
{
    const char *name = count > 1 ? arguments[1] : "help";
    const bool wants_help = main_is_help(name);
    enum nb_status status;
    NB_TRY(
        nb_command_need(wants_help ? "help" : name, &invocation->command, err));
    for (int i = 2; i < count && !wants_help; i++)
        if (main_is_help(arguments[i])) {
            invocation->words[invocation->word_count++] = name;
            return nb_command_need("help", &invocation->command, err);
        }
    NB_TRY(nb_invocation_read(invocation, count > 2 ? count - 2 : 0,
                              arguments + 2, err));
    NB_TRY(main_look(invocation, err));
    NB_TRY(nb_outputs_check(invocation, err));
done:
    return status;
}

static enum nb_status main_run(int count, char **arguments,
                               struct nb_error *err)
{
    struct nb_deal deal = { 0 };
    struct nb_invocation invocation = { .deal = &deal };
    struct nb_text text = { 0 };
    const char *name = count > 1 ? arguments[1] : "";
    enum nb_status status = NB_OK;
    if (strcmp(name, "--version") == 0) {
        printf(NB_PROGRAM "%s\n", nb_ranks_how());
        return NB_OK;
    }
    if (strcmp(name, "complete") == 0) { /* called only by shells */
        nb_complete_print(arguments + 2, count - 2, &text);
        NB_TRY(main_write(&invocation, &text, err));
        goto done;
    }
    NB_TRY(main_read(&invocation, count, arguments, err));
    NB_TRY(main_do(&invocation, err));
done:
    nb_text_release(&text);
    nb_progress_end();
    nb_deal_close(&deal);
    nb_invocation_release(&invocation);
    return status;
}

/* Prints the error, on the first rank. */
static int main_tell(enum nb_status status, const struct nb_error *error)
{
    const struct nb_look look = nb_terminal_error_look();
    if (status == NB_OK)
        return 0;
    if (nb_ranks_is_first())
        fprintf(stderr, "%snetbound:%s %s\n", nb_ink_begin(&look, NB_INK_ALERT),
                nb_ink_end(&look, NB_INK_ALERT), error->message);
    return status == NB_USAGE ? 2 : 1;
}

/* By default glibc comes to keep large freed blocks and clears them in full on
 * reuse, one thread after the other as the heap shrinks and grows. Fresh pages
 * are cleared only when they are touched. */
static void main_allocate_well(void)
{
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 26);
#endif
}

int main(int count, char **arguments)
{
    struct nb_error error = { 0 };
    struct nb_store store = { 0 };
    main_allocate_well();
    signal(SIGXFSZ, SIG_IGN);    /* writing past the limit then just fails */
    gsl_set_error_handler_off(); /* the default handler ends the program */
    nb_store_use(&store);        /* all points of a sweep see the same files */
    nb_interrupt_install();
    enum nb_status status = nb_ranks_begin(&error);
    if (status == NB_OK)
        status = main_run(count, arguments, &error);
    nb_store_release(&store);
    nb_xml_check_finish();
    if (status == NB_OK && fflush(stdout) != 0) {
        nb_interrupt_unread();
        status = nb_fail(&error, NB_IO, "cannot write to standard output");
    }
    status = nb_ranks_gather(status, &error);
    const int answer = main_tell(status, &error);
    nb_ranks_finish();
    return answer;
}
