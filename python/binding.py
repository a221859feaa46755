"""Compiles netbound._library, through which Python calls the library.

setup.py chooses the library: the one that it builds, which becomes part of the
module, or with NETBOUND_LIBRARY=installed the installed shared library. The
compiler checks the declarations against netbound.h: omitted parts are "...", and
a field with another type or place is an error.
"""
import os
import subprocess

from cffi import FFI


def pkg_config(*options: str) -> list[str]:
    return subprocess.run(["pkg-config", *options], check=True,
                          capture_output=True, text=True).stdout.split()


ffi = FFI()
ffi.cdef("""
enum nb_status { NB_OK, NB_INVALID, NB_USAGE, NB_NO_MEMORY, NB_IO, NB_OVERFLOW,
                 NB_NO_CONVERGENCE, NB_REFUTED, ... };
struct nb_error { enum nb_status status; char message[...]; ...; };
struct nb_ratio { int64_t numerator; int64_t denominator; ...; };
struct nb_text { char *bytes; size_t length; ...; };
void nb_text_release(struct nb_text *text);
struct nb_run {
    int threads;
    void (*progress)(void *context, const char *what, size_t done,
                     size_t total);
    void *progress_context;
    const int *stop;
    const char *checkpoint;
    struct nb_error *lost;
    ...;
};

struct stage { char what[...]; size_t done, total; ...; };
struct watch { ...; };
void watch_init(struct watch *watch);
void watch_note(void *watch, const char *what, size_t done, size_t total);
void watch_read(struct watch *watch, struct stage *out);

struct nb_model_option { char *name; char *value; ...; };
struct nb_model {
    char *command;
    char *title;
    size_t option_count;
    struct nb_model_option *options;
    size_t sweep_count;
    struct nb_model_option *sweeps;
    ...;
};
enum nb_status nb_model_begin(struct nb_model *, const char *, struct nb_error *);
enum nb_status nb_model_set(struct nb_model *, const char *, const char *,
                            struct nb_error *);
enum nb_status nb_model_add_sweep(struct nb_model *, const char *, const char *,
                                  struct nb_error *);
enum nb_status nb_ask_read(const char *path, struct nb_model *, struct nb_error *);
void nb_model_release(struct nb_model *);

struct nb_quantity {
    char *name;
    double value, lower, upper;
    char *unit;
    struct nb_ratio exact;
    char *method;
    char *source;
    ...;
};
enum nb_cell_type { NB_CELL_WHOLE, NB_CELL_NUMBER, NB_CELL_RATIO, NB_CELL_TEXT,
                    ... };
struct nb_column { char *name; char *unit; enum nb_cell_type type; ...; };
union nb_cell { int64_t whole; double number; struct nb_ratio ratio; char *text;
                ...; };
struct nb_table {
    char *name;
    bool is_certificate;
    size_t column_count;
    struct nb_column *columns;
    size_t row_count;
    union nb_cell *cells;
    ...;
};
struct nb_note { char *name; char *text; ...; };
struct nb_point {
    size_t setting_count;
    struct nb_model_option *settings;
    size_t quantity_count;
    struct nb_quantity *quantities;
    size_t note_count;
    struct nb_note *notes;
    size_t table_count;
    struct nb_table *tables;
    ...;
};
struct nb_report {
    struct nb_model model;
    char *program;
    size_t point_count;
    struct nb_point *points;
    ...;
};
enum nb_status nb_ask(struct nb_model *, const struct nb_run *,
                      struct nb_report *, struct nb_error *);
void nb_report_release(struct nb_report *);
enum nb_format { NB_FORMAT_TEXT, NB_FORMAT_CSV, NB_FORMAT_XML,
                 NB_FORMAT_JSON, ... };
enum nb_status nb_report_write(const struct nb_report *, enum nb_format,
                               const char *table, struct nb_text *,
                               struct nb_error *);
struct nb_exhibit { const struct nb_report *report; bool is_digest_right; ...; };
enum nb_status nb_export_write(const char *style, const struct nb_exhibit *,
                               size_t count, struct nb_text *,
                               struct nb_error *);
enum nb_status nb_report_read_file(const char *path, struct nb_report *,
                                   bool *is_digest_right, struct nb_error *);
struct nb_written;
enum nb_status nb_verify_file(const char *path, const char *folder, const struct nb_run *,
                              const struct nb_written *, struct nb_text *said,
                              struct nb_error *);

struct nb_parameter { const char *name; const char *help; const char *initial;
                      const char *choices; ...; };
struct nb_form { const char *name; const char *summary; const char *example;
                 const struct nb_parameter *options; ...; };
struct nb_question_kind { struct nb_form form; ...; };
extern const struct nb_question_kind *const nb_questions[];

typedef ... gsl_error_handler_t;
gsl_error_handler_t *gsl_set_error_handler_off(void);
""")
if os.environ.get("NETBOUND_LIBRARY") == "installed":
    folder = pkg_config("--variable=libdir", "netbound")[0]
    libraries = pkg_config("--libs", "netbound", "gsl")
    if not folder.startswith("/usr/lib/"):  # a user's own folder
        libraries.append(f"-Wl,-rpath,{folder}")
else:  # the archive, with the libraries that it needs
    needed = subprocess.run(["make", "-s", "ldlibs"], check=True,
                            capture_output=True, text=True).stdout.split()
    libraries = ["-Wl,--exclude-libs,ALL", "-Wl,--strip-debug",
                 "build/libnetbound.a", "-pthread", *needed]

# The latest progress: any thread of the library notes it, Python reads it.
WATCH = """
#include <netbound.h>
#include <gsl/gsl_errno.h>
#include <pthread.h>
#include <stdio.h>

struct stage { char what[160]; size_t done, total; };
struct watch { pthread_mutex_t lock; struct stage stage; };

static void watch_init(struct watch *watch)
{
    pthread_mutex_init(&watch->lock, NULL);
}

static void watch_note(void *context, const char *what, size_t done,
                       size_t total)
{
    struct watch *watch = context;
    pthread_mutex_lock(&watch->lock);
    snprintf(watch->stage.what, sizeof watch->stage.what, "%s", what);
    watch->stage.done = done;
    watch->stage.total = total;
    pthread_mutex_unlock(&watch->lock);
}

static void watch_read(struct watch *watch, struct stage *out)
{
    pthread_mutex_lock(&watch->lock);
    *out = watch->stage;
    pthread_mutex_unlock(&watch->lock);
}
"""
ffi.set_source(
    "netbound._library", WATCH,
    extra_compile_args=pkg_config("--cflags", "netbound", "gsl"),
    extra_link_args=libraries)

if __name__ == "__main__":
    ffi.compile(verbose=True)
