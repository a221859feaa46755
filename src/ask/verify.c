/*
 * Re-checks a report without the solver that made it. The certificates are
 * checked against the model, and the report is rebuilt from the model and the
 * checked certificates; it must be the same to the byte.
 */
#include "ask/verify.h"
#include "ask/ask.h"
#include "ask/claims.h"
#include "ask/router_names.h"
#include "ask/verify_inputs.h"

#include "core/memory.h"
#include "core/version.h"
#include "model/input.h"
#include "report/format.h"
#include "report/grid.h"
#include "report/reader.h"
#include "report/seal.h"
#include "ask/written.h"

#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A report that is read point by point, and rebuilt at the same time. */
struct verify {
    const struct nb_run *run;
    const struct nb_written *written;
    const struct nb_question_kind *kind; /* NULL: unknown */
    struct nb_report_reader *reader;
    struct nb_model *model;
    char *folder;       /* the report's; NULL: the working folder */
    const char *inputs; /* another one with its files; NULL: none */
    bool is_moved;      /* whether they are looked up there */
    struct nb_text given, rebuilt;
    size_t line; /* of the file, up to the point */
    bool is_spelled;
    bool is_short, is_long; /* digits of the points so far */
    struct nb_text *said;
};

/* Rebuilds a point from the model and the given certificates; a refused point
 * has none. */
static enum nb_status verify_answer(struct verify *verify,
                                    const struct nb_point *given, size_t index,
                                    struct nb_point *out, struct nb_error *err)
{
    const struct nb_question_kind *kind = verify->kind;
    struct nb_model here = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_ask_model(&kind->form, verify->model, index, &here, out, err));
    NB_TRY(nb_ask_try(kind, &here, err));
    const struct nb_question question = {
        .model = &here,
        .run = *verify->run,
        .written = verify->written,
        .is_checked = true,
    };
    if (!nb_question_proves(kind) || nb_point_refusal(given) != NULL) {
        NB_TRY(nb_ask_compute(kind, &question, NULL, out, NULL, err));
    } else {
        nb_text_print(verify->said, "  certificate  ");
        NB_TRY(nb_ask_compute(kind, &question, given, out, verify->said, err));
        nb_text_print(verify->said, "\n");
        nb_claims_say(kind, given, verify->said);
    }
    NB_TRY(nb_point_name_routers(out, &here, err));
done:
    nb_model_release(&here);
    return status;
}

/* No message quotes an input: whoever wrote the report might not be permitted
 * to read it. */
static enum nb_status verify_build(struct verify *verify,
                                   const struct nb_point *given, size_t index,
                                   struct nb_point *out, struct nb_error *err)
{
    struct nb_error inner = { 0 };
    const enum nb_status status =
        verify_answer(verify, given, index, out, &inner);
    if (status != NB_OK && (nb_point_refusal(given) == NULL ||
                            !nb_point_refuse(verify->kind, verify->model,
                                             status, inner.message, out)))
        return status == NB_REFUTED || verify->model->input_count == 0
                   ? nb_fail_again(err, status, &inner)
                   : nb_fail(err, status,
                             "its inputs do not answer its question "
                             "(netbound run says why)");
    return nb_point_check(out, err);
}

static size_t verify_lines(const struct nb_text *text)
{
    size_t count = 0;
    for (const char *c = text->bytes; (c = strchr(c, '\n')) != NULL; c++)
        count++;
    return count;
}

/* Fails with the number of the first line that differs and excerpts from just
 * before the difference; the reason for a refusal may quote an input. */
static enum nb_status verify_compare(const struct verify *verify,
                                     bool is_refusal, struct nb_error *err)
{
    const struct nb_text *given = &verify->given, *rebuilt = &verify->rebuilt;
    size_t line = verify->line + 1, begin = 0, i = 0;
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
    if (is_refusal && verify->model->input_count > 0)
        return nb_fail(err, NB_REFUTED,
                       "line %zu of the report is not what its model gives",
                       line);
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

/* One version writes a report in exactly one form, so a changed digit shows
 * even if it is read as the same double. */
static void verify_spelling(struct verify *verify, const struct nb_text *text)
{
    verify->is_spelled =
        verify->is_spelled &&
        nb_reader_spells(verify->reader, text->bytes, text->length);
}

/* A point is written with the shortest digits, or, up to version 0.2.0, with 17
 * digits; all points of a report use the same. */
static enum nb_status verify_point_spelling(struct verify *verify,
                                            const struct nb_point *given,
                                            struct nb_error *err)
{
    struct nb_text spelled = { 0 };
    enum nb_status status = NB_OK;
    const bool is_short = nb_reader_is_next(verify->reader, verify->given.bytes,
                                            verify->given.length);
    if (!is_short || verify->is_long)
        NB_TRY(nb_point_write_long_xml(given, &spelled, err));
    const bool is_long =
        spelled.length > 0 &&
        nb_reader_is_next(verify->reader, spelled.bytes, spelled.length);
    verify->is_short |= is_short && !is_long;
    verify->is_long |= is_long && !is_short;
    verify->is_spelled =
        verify->is_spelled && !(verify->is_short && verify->is_long);
    verify_spelling(verify, is_long ? &spelled : &verify->given);
done:
    nb_text_release(&spelled);
    return status;
}

static enum nb_status verify_point(struct verify *verify,
                                   struct nb_point *given, size_t index,
                                   struct nb_error *err)
{
    struct nb_point rebuilt = { 0 };
    enum nb_status status;
    verify->given.length = verify->rebuilt.length = 0;
    NB_TRY(nb_point_write_xml(given, &verify->given, err));
    NB_TRY(verify_point_spelling(verify, given, err));
    if (verify->folder != NULL || verify->is_moved) { /* as the model's paths */
        NB_TRY(nb_point_resolve(&verify->kind->form, verify->model,
                                verify->folder, given, err));
        if (verify->is_moved)
            NB_TRY(nb_point_resolve(&verify->kind->form, verify->model,
                                    verify->inputs, given, err));
        verify->given.length = 0;
        NB_TRY(nb_point_write_xml(given, &verify->given, err));
    }
    NB_TRY(verify_build(verify, given, index, &rebuilt, err));
    NB_TRY(nb_point_write_xml(&rebuilt, &verify->rebuilt, err));
    NB_TRY(verify_compare(verify, nb_point_refusal(&rebuilt) != NULL, err));
    verify->line += verify_lines(&verify->given);
done:
    nb_point_release(&rebuilt);
    return status;
}

/* Files that are not where the report says may be in the other folder. */
static enum nb_status verify_find_inputs(struct verify *verify,
                                         struct nb_error *err)
{
    struct nb_model *model = verify->model;
    struct stat about;
    enum nb_status status = NB_OK;
    if (verify->inputs == NULL)
        return NB_OK;
    if (stat(verify->inputs, &about) != 0 || !S_ISDIR(about.st_mode))
        return nb_fail(err, NB_INVALID,
                       "--inputs \"%.200s\" is not permitted (permitted: an "
                       "existing folder)",
                       verify->inputs);
    for (size_t i = 0; i < model->input_count; i++)
        verify->is_moved |= access(model->inputs[i].path, F_OK) != 0;
    if (verify->is_moved) {
        NB_TRY(nb_model_resolve_inputs(model, verify->inputs, err));
        NB_TRY(nb_model_resolve_paths(&verify->kind->form, model,
                                      verify->inputs, err));
    }
done:
    return status;
}

/* Checks the part before the points. The model may be spelled in any form: its
 * paths are resolved from the report's folder, and every answer depends on
 * it. */
static enum nb_status verify_head(struct verify *verify, const char *path,
                                  struct nb_error *err)
{
    struct nb_report *head = nb_reader_head(verify->reader);
    struct nb_text text = { 0 };
    enum nb_status status = NB_OK;
    nb_xml_write_head(&head->model, head->program, &text);
    NB_TRY(nb_text_check(&text, err));
    verify->line = verify_lines(&text);
    text.length = (size_t)(strstr(text.bytes, "\n  <model") + 1 - text.bytes);
    verify_spelling(verify, &text);
    verify->is_spelled =
        verify->is_spelled && nb_reader_skip(verify->reader, "\n  </model>\n");
    text.length = 0;
    if (nb_reader_is_made_first(verify->reader))
        nb_xml_write_made(&head->made, &text);
    nb_text_add(&text, "", 0);
    NB_TRY(nb_text_check(&text, err));
    verify->line += verify_lines(&text);
    verify_spelling(verify, &text);
    NB_TRY(nb_model_find_folder(path, &verify->folder, err));
    if (verify->kind != NULL) {
        NB_TRY(nb_model_resolve_paths(&verify->kind->form, &head->model,
                                      verify->folder, err));
        NB_TRY(verify_find_inputs(verify, err));
    }
done:
    nb_text_release(&text);
    return status;
}

/* Checks all points and the text after them, except the digest. */
static enum nb_status verify_points(struct verify *verify, size_t count,
                                    struct nb_error *err)
{
    struct nb_report *head = nb_reader_head(verify->reader);
    struct nb_point given = { 0 };
    size_t expected;
    bool is_there = true;
    enum nb_status status;
    if (verify->kind == NULL)
        NB_TRY(nb_fail(err, NB_REFUTED, "unknown command \"%.60s\"",
                       verify->model->command));
    NB_TRY(nb_verify_inputs(&verify->kind->form, verify->model, verify->folder,
                            verify->inputs, err));
    NB_TRY(nb_sweep_count(verify->model, &expected, err));
    if (count != expected)
        NB_TRY(nb_fail(err, NB_REFUTED,
                       "the report has %zu points, its model %zu", count,
                       expected));
    for (size_t i = 0; is_there && i <= count; i++) {
        nb_point_release(&given);
        NB_TRY(nb_reader_next(verify->reader, &given, &is_there, err));
        if (is_there)
            NB_TRY(verify_point(verify, &given, i, err));
    }
    verify->given.length = 0;
    if (!nb_reader_is_made_first(verify->reader))
        nb_xml_write_made(&head->made, &verify->given);
    nb_text_print(&verify->given, "%s", NB_SEAL_START);
    NB_TRY(nb_text_check(&verify->given, err));
    verify_spelling(verify, &verify->given);
done:
    nb_point_release(&given);
    return status;
}

/* Reads the whole file once: checks that it is a report, counts its points and
 * checks the digest. */
static enum nb_status verify_read(struct nb_report_reader *reader,
                                  size_t *count, struct nb_error *err)
{
    struct nb_point point;
    bool is_there = true;
    enum nb_status status;
    for (*count = 0;; ++*count) {
        NB_TRY(nb_reader_next(reader, &point, &is_there, err));
        if (!is_there)
            break;
        nb_point_release(&point);
    }
done:
    return status;
}

/* Another version of the program may use other words for the same numbers. */
static enum nb_status verify_fail(const char *path, const char *program,
                                  enum nb_status status, const char *why,
                                  struct nb_error *err)
{
    if (strcmp(program, NB_PROGRAM) == 0)
        return nb_fail(err, status, "\"%s\" is not verified: %s", path, why);
    return nb_fail(err, status,
                   "\"%s\" is not verified: it was made by %.40s, which may "
                   "word things differently from this " NB_PROGRAM ": %s",
                   path, program, why);
}

enum nb_status nb_verify_report(const char *path,
                                struct nb_report_reader *reader,
                                const char *inputs, const struct nb_run *run,
                                const struct nb_written *written,
                                struct nb_text *said, struct nb_error *err)
{
    struct nb_error inner = { 0 };
    const struct nb_run all = { 0 };
    struct verify verify = { .run = run != NULL ? run : &all,
                             .written = written,
                             .inputs = inputs,
                             .reader = reader,
                             .is_spelled = true,
                             .said = said };
    char digits[2][NB_DIGEST_TEXT];
    size_t count;
    enum nb_status status;
    NB_TRY(verify_read(reader, &count, err));
    const bool is_digest_right = nb_reader_is_digest_right(reader, digits[0]);
    NB_TRY(nb_reader_rewind(reader, true, err));
    const struct nb_report *head = nb_reader_head(reader);
    verify.model = &nb_reader_head(reader)->model;
    verify.kind = nb_question_find(verify.model->command);
    nb_text_add_plain(said, nb_file_name(path));
    nb_text_print(said, ": verified\n");
    NB_TRY(verify_head(&verify, path, err));
    NB_TRY(nb_written_check_model(written, verify.model, err));
    status = verify_points(&verify, count, &inner);
    /* A broken certificate says more than the digest that it also breaks. */
    if (status == NB_OK && !is_digest_right)
        status = nb_fail(&inner, NB_REFUTED,
                         "the digest does not fit the file: it was changed");
    if (status == NB_OK && !verify.is_spelled)
        status = nb_fail(&inner, NB_REFUTED,
                         "it is not written as this program writes reports");
    nb_reader_is_digest_right(reader, digits[1]);
    if (status == NB_OK && strcmp(digits[0], digits[1]) != 0)
        status = nb_fail(&inner, NB_REFUTED, "it changed while it was read");
    if (status != NB_OK)
        NB_TRY(verify_fail(nb_file_name(path), head->program, status,
                           inner.message, err));
    nb_text_print(
        said,
        "  report       every quantity and table rebuilt: no byte differs\n");
    nb_claims_say_head(head, said);
    nb_text_print(said, "  digest       fits\n");
    NB_TRY(nb_text_check(said, err));
done:
    nb_delete(verify.folder);
    nb_text_release(&verify.given);
    nb_text_release(&verify.rebuilt);
    return status;
}

enum nb_status nb_verify_file(const char *path, const char *inputs,
                              const struct nb_run *run,
                              const struct nb_written *written,
                              struct nb_text *said, struct nb_error *err)
{
    struct nb_report_reader *reader = NULL;
    const int *before = nb_run_watch(run);
    struct nb_error wrong = { 0 };
    enum nb_status status;
    NB_TRY(nb_reader_open(path, SIZE_MAX, true, &reader, &wrong));
    status = nb_verify_report(path, reader, inputs, run, written, said, &wrong);
done:
    nb_reader_close(reader);
    return nb_run_unwatch(before, status, &wrong, err);
}
