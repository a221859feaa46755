/* Model: a question as data (a command with its options) and its XML. */
#ifndef NB_MODEL_MODEL_H
#define NB_MODEL_MODEL_H

#include "core/embedded.h"
#include "core/status.h"
#include "core/text.h"

#include <stdbool.h>
#include <stddef.h>

NB_PUBLIC_BEGIN

/* One option as on the command line: --name value. */
struct nb_model_option {
    char *name;
    char *value;
    long line; /* in the file it was read from; 0: none */
};

/* A file the question reads, pinned by its digest. */
struct nb_model_input {
    char *path;
    char sha256[65]; /* lower-case hexadecimal; "" if unknown */
};

/* Owns everything; zero-initialised is valid and empty. Options are in the
 * order of the command's table, sweeps in the order given. */
struct nb_model {
    char *command;
    long line;   /* in the file it was read from; 0: none */
    char *title; /* NULL: none */
    size_t show_count;
    char **show; /* what to show of the answer; none: the default */
    size_t option_count;
    struct nb_model_option *options;
    size_t sweep_count;
    struct nb_model_option *sweeps; /* value: "A:B:STEP" or "v1,v2,..." */
    size_t input_count;
    struct nb_model_input *inputs;
};

#define NB_XML_NAMESPACE "urn:netbound:1"
enum { NB_MODEL_BYTES = 1 << 20, NB_REPORT_BYTES = 1 << 28 };

void nb_model_release(struct nb_model *model);

/* Begins the model of a question, such as "worst-case". Errors: NB_NO_MEMORY.
 */
enum nb_status nb_model_begin(struct nb_model *model, const char *question,
                              struct nb_error *err);

/* Sets or replaces an option; value NULL removes it. Errors: NB_NO_MEMORY. */
enum nb_status nb_model_set(struct nb_model *model, const char *name,
                            const char *value, struct nb_error *err);

/* The value of an option, NULL if it is not set. */
const char *nb_model_get(const struct nb_model *model, const char *name);
enum nb_status nb_model_add_sweep(struct nb_model *model, const char *name,
                                  const char *values, struct nb_error *err);
/*
 * Sets what to show of the answer, replacing any earlier choice.
 *
 * names  quantities, tables and columns of tables, "capacity,networks.radix";
 *        NULL: the default
 *
 * Errors: NB_INVALID unless these are 1 to 100 different names.
 */
enum nb_status nb_model_set_show(struct nb_model *model, const char *names,
                                 struct nb_error *err);

/* Takes a file that a model names. */
typedef enum nb_status nb_model_take(void *context, const char *path,
                                     struct nb_error *err);

/*
 * Reads a model file, or the model inside a report file. Relative paths of
 * inputs are taken from the file's folder if such a file exists there, else
 * from the working folder; options, sweeps and inputs then hold the path that
 * was found.
 *
 * Errors: NB_IO, NB_INVALID naming file, line and what is wrong.
 */
enum nb_status nb_model_read_file(const char *path, struct nb_model *out,
                                  struct nb_error *err);

/* Appends <model> as XML, indented by indent spaces, 0 to 100 (the nearest of
 * these), in the form used in reports. is_root: as a separate file with <ask>,
 * valid against models/model.xsd (a model without a command is written in the
 * other form, and every reader refuses it). */
void nb_model_write(const struct nb_model *model, bool is_root, int indent,
                    struct nb_text *text);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/* models/report.xsd; it includes models/model.xsd, which includes
 * src/model/ask.xsd. Files are checked against them before anything that a
 * schema cannot express. */
extern const struct nb_embedded nb_schemas[];

/* The options with elements of their own in a file, in the file's order; ends
 * with NULL. */
extern const char *const nb_model_elements[];
bool nb_model_has_element(const char *option);

/*
 * Checks that XML can hold every name, every value and the title unchanged.
 *
 * Errors: NB_INVALID naming an invalid name, or an option whose value is not
 * UTF-8 or has control characters.
 */
enum nb_status nb_model_check_text(const struct nb_model *model,
                                   struct nb_error *err);

/*
 * Sets the value that a sweep has at one of its points: of an option, or with
 * "routing.ties" of a key of the specification in the option routing.
 *
 * Errors: NB_NO_MEMORY; NB_INVALID if a key's option is not set.
 */
enum nb_status nb_model_put(struct nb_model *model, const char *name,
                            const char *value, struct nb_error *err);

/*
 * The command and the options at a point of the sweeps. Keys of options that
 * are not set are left out: no command makes such a point.
 *
 * settings  [count]  the swept options' values there, in the sweeps' order
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_model_at(const struct nb_model *model,
                           const struct nb_model_option *settings, size_t count,
                           struct nb_model *out, struct nb_error *err);

/* Removes the sweep of that name, if there is one. */
void nb_model_remove_sweep(struct nb_model *model, const char *name);

/*
 * Finds the files named by options and sweeps (values "file:PATH" or
 * "file:PATH,..."; in sweeps any item), and records them with their digests in
 * inputs. A pipe or device is recorded without a digest, because it can be read
 * only once.
 *
 * Errors: NB_IO if a file cannot be read; NB_INVALID naming a file whose digest
 * differs from the one already recorded.
 */
enum nb_status nb_model_pin_inputs(struct nb_model *model,
                                   struct nb_error *err);

/* Appends text with the five XML characters escaped, tab and line ends as
 * character references (attributes would lose them), and what XML does not
 * allow (control characters, bytes that are not UTF-8) replaced by U+FFFD. */
void nb_xml_escape(const char *plain, struct nb_text *text);
/* The same without escapes, for trees whose writers escape. */
void nb_xml_clean(const char *plain, struct nb_text *text);

NB_INTERNAL_END

#endif
