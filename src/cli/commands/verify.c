/*
 * netbound verify: re-checks a report without the solver that made it. The
 * certificates are checked against the model, the report is built anew from
 * the model and the checked certificates, and must be the same to the byte.
 */
#include "cli/command.h"

#include "core/memory.h"
#include "model/input.h"
#include "report/grid.h"

#include <stdio.h>
#include <string.h>

static enum nb_status verify_point(const struct nb_invocation *invocation,
                                   const struct nb_command *command,
                                   const struct nb_report *given, size_t index,
                                   struct nb_report *rebuilt,
                                   struct nb_text *said, struct nb_error *err)
{
    struct nb_model here = { 0 };
    struct nb_point *point = nb_report_add_point(rebuilt);
    enum nb_status status = NB_OK;
    if (point == NULL)
        return nb_fail(err, NB_NO_MEMORY, "no memory for the report");
    NB_TRY(nb_sweep_model(command, &given->model, index, &here, point, err));
    const struct nb_question question = {
        .model = &here,
        .run = nb_progress_run(invocation),
    };
    if (command->check == NULL) {
        NB_TRY(command->answer(&question, point, err));
    } else {
        nb_text_print(said, "  certificate  ");
        NB_TRY(
            command->check(&question, &given->points[index], point, said, err));
        nb_text_print(said, "\n");
    }
    nb_point_note_clock(point, &here);
    NB_TRY(nb_point_check(point, err));
done:
    nb_progress_end();
    nb_model_release(&here);
    return status;
}

/* The number of the first line that differs, and excerpts from a little before
 * the difference on. */
static enum nb_status verify_compare(const struct nb_text *given,
                                     const struct nb_text *rebuilt,
                                     struct nb_error *err)
{
    size_t line = 1, begin = 0, i = 0;
    if (given->length == rebuilt->length &&
        memcmp(given->bytes, rebuilt->bytes, given->length) == 0)
        return NB_OK;
    for (; given->bytes[i] != '\0' && given->bytes[i] == rebuilt->bytes[i];
         i++) {
        if (given->bytes[i] == '\n') {
            line++;
            begin = i + 1;
        }
    }
    if (i > begin + 40)
        begin = i - 40;
    const int length_given = (int)strcspn(given->bytes + begin, "\n");
    const int length_rebuilt = (int)strcspn(rebuilt->bytes + begin, "\n");
    return nb_fail(
        err, NB_REFUTED,
        "line %zu of the report is not what its model and "
        "certificates give: \"%.*s\" instead of \"%.*s\"",
        line, length_given < 100 ? length_given : 100, given->bytes + begin,
        length_rebuilt < 100 ? length_rebuilt : 100, rebuilt->bytes + begin);
}

static enum nb_status verify_report(const struct nb_invocation *invocation,
                                    const struct nb_report *given,
                                    struct nb_report *rebuilt,
                                    struct nb_text *said, struct nb_error *err)
{
    const struct nb_command *command = nb_command_find(given->model.command);
    struct nb_text text[2] = { { 0 }, { 0 } };
    size_t count;
    enum nb_status status = NB_OK;
    if (command == NULL || command->answer == NULL)
        return nb_fail(err, NB_REFUTED, "unknown command \"%.60s\"",
                       given->model.command);
    NB_TRY(nb_sweep_count(&given->model, &count, err));
    if (count != given->point_count)
        NB_TRY(nb_fail(err, NB_REFUTED,
                       "the report has %zu points, its model %zu",
                       given->point_count, count));
    for (size_t i = 0; i < count; i++)
        NB_TRY(verify_point(invocation, command, given, i, rebuilt, said, err));
    /* The models are one and the same; lend it for writing. */
    rebuilt->model = given->model;
    rebuilt->program = given->program;
    rebuilt->made = given->made;
    status = nb_report_write(given, NB_FORMAT_XML, NULL, &text[0], err);
    if (status == NB_OK)
        status = nb_report_write(rebuilt, NB_FORMAT_XML, NULL, &text[1], err);
    rebuilt->model = (struct nb_model){ 0 };
    rebuilt->program = NULL;
    NB_TRY(status);
    NB_TRY(verify_compare(&text[0], &text[1], err));
done:
    nb_text_release(&text[0]);
    nb_text_release(&text[1]);
    return status;
}

/* A report is written in one way only, so that a changed digit shows even
 * where it is read as the same double. Not the model: its paths are taken from
 * the report's folder, and every answer depends on it. */
static enum nb_status verify_spelling(const struct nb_text *file,
                                      const struct nb_report *given,
                                      struct nb_error *err)
{
    static const char model[] = "\n  <model", made[] = "\n  <made ",
                      point[] = "\n  <point>", digest[] = "\n  <digest";
    struct nb_text text = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_report_write(given, NB_FORMAT_XML, NULL, &text, err));
    const char *const from[2] = { file->bytes, text.bytes };
    const char *part[2][3];
    for (int i = 0; i < 2; i++) {
        part[i][0] = strstr(from[i], model);
        part[i][1] = strstr(from[i], made);
        if (part[i][1] == NULL)
            part[i][1] = strstr(from[i], point);
        part[i][2] = strstr(from[i], digest);
        if (part[i][1] == NULL)
            part[i][1] = part[i][2];
        if (part[i][0] == NULL || part[i][1] == NULL || part[i][2] == NULL)
            NB_TRY(nb_fail(err, NB_REFUTED,
                           "it is not written as this program writes reports"));
    }
    const size_t head = (size_t)(part[1][0] - from[1]);
    const size_t points = (size_t)(part[1][2] - part[1][1]);
    if ((size_t)(part[0][0] - from[0]) != head ||
        memcmp(from[0], from[1], head) != 0 ||
        (size_t)(part[0][2] - part[0][1]) != points ||
        memcmp(part[0][1], part[1][1], points) != 0)
        status = nb_fail(err, NB_REFUTED,
                         "it is not written as this program writes reports");
done:
    nb_text_release(&text);
    return status;
}

/* Paths in swept settings and of options are taken from the report's folder,
 * as the other inputs of the model were when it was read. */
static enum nb_status verify_resolve(const char *path, struct nb_report *given,
                                     struct nb_error *err)
{
    const struct nb_command *command = nb_command_find(given->model.command);
    char *folder = NULL;
    enum nb_status status = NB_OK;
    if (command != NULL && command->answer != NULL)
        NB_TRY(nb_model_resolve_paths(command, &given->model, path, err));
    NB_TRY(nb_model_find_folder(path, &folder, err));
    for (size_t i = 0; i < given->point_count; i++) {
        struct nb_model lent = { .option_count = given->points[i].setting_count,
                                 .options = given->points[i].settings };
        NB_TRY(nb_model_resolve_inputs(&lent, folder, err));
    }
done:
    nb_delete(folder);
    return status;
}

enum nb_status nb_verify_text(const struct nb_invocation *invocation,
                              const char *path, const struct nb_text *file,
                              struct nb_text *said, struct nb_error *err)
{
    struct nb_report given = { 0 }, rebuilt = { 0 };
    struct nb_error inner = { 0 }, spelling = { 0 };
    bool is_digest_right = false;
    enum nb_status status = NB_OK;
    NB_TRY(nb_report_read(path, file, &given, &is_digest_right, err));
    nb_text_add_plain(said, path);
    nb_text_print(said, ": verified\n");
    const enum nb_status spelled = verify_spelling(file, &given, &spelling);
    NB_TRY(verify_resolve(path, &given, err));
    status = nb_model_pin_files(nb_command_find(given.model.command),
                                &given.model, &inner);
    if (status == NB_OK)
        status = verify_report(invocation, &given, &rebuilt, said, &inner);
    /* A broken certificate says more than the digest it breaks, too. */
    if (status == NB_OK && !is_digest_right)
        status = nb_fail(&inner, NB_REFUTED,
                         "the digest does not fit the file: it was changed");
    if (status == NB_OK && spelled != NB_OK)
        status = nb_fail(&inner, spelled, "%s", spelling.message);
    if (status != NB_OK)
        NB_TRY(nb_fail(err, status, "\"%s\" is not verified: %s", path,
                       inner.message));
    nb_text_print(said,
                  "  report       every quantity and table built anew: no byte "
                  "differs\n  digest       fits\n");
    NB_TRY(nb_text_check(said, err));
done:
    nb_report_release(&given);
    nb_report_release(&rebuilt);
    return status;
}

enum nb_status nb_verify_file(const struct nb_invocation *invocation,
                              const char *path, struct nb_text *said,
                              struct nb_error *err)
{
    struct nb_text file = { 0 };
    enum nb_status status;
    NB_TRY(nb_text_read_file(path, NB_REPORT_BYTES, &file, err));
    NB_TRY(nb_verify_text(invocation, path, &file, said, err));
done:
    nb_text_release(&file);
    return status;
}

static enum nb_status verify_run(struct nb_invocation *invocation,
                                 struct nb_error *err)
{
    struct nb_text said = { 0 };
    enum nb_status status = NB_OK;
    if (invocation->word_count != 1)
        return nb_fail(err, NB_USAGE,
                       "verify needs one report file, got %zu (see: netbound "
                       "help verify)",
                       invocation->word_count);
    NB_TRY(nb_verify_file(invocation, invocation->words[0], &said, err));
    NB_TRY(nb_output_write(invocation->output, &said, err));
done:
    nb_text_release(&said);
    return status;
}

const struct nb_command nb_command_verify = {
    .name = "verify",
    .summary = "re-check a report's numbers and certificates",
    .words = "REPORT.xml",
    .example = "netbound verify report.xml",
    .common = "output threads progress",
    .run = verify_run,
};
