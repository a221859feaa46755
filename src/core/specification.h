/* Specifications: "kind:value,key=value" against a kind's parameter table. */
#ifndef NB_CORE_SPECIFICATION_H
#define NB_CORE_SPECIFICATION_H

#include "core/ratio.h"
#include "core/status.h"
#include "core/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum nb_parameter_type {
    NB_WHOLE,   /* whole number in [least, most] */
    NB_NUMBER,  /* exact ratio or decimal in [least, most] */
    NB_REAL,    /* decimal in [least, most], of any exponent: 1e-300 */
    NB_CHOICE,  /* one of the words in choices */
    NB_RADICES, /* whole numbers in [least, most] joined by x: 8x8 */
    NB_LIST,    /* whole numbers in [least, most] joined by + */
    NB_PATH,    /* a file's path */
    NB_WORD,    /* a name looked up by the kind itself */
    NB_FLAG,    /* yes or no; on the command line --name means yes */
};

/* Sections of a command's help, in this order. */
enum nb_option_group {
    NB_GROUP_NONE,
    NB_GROUP_NETWORK,
    NB_GROUP_TRAFFIC,
    NB_GROUP_ROUTER,
    NB_GROUP_MEASUREMENT,
    NB_GROUP_SEARCH,
    NB_GROUP_OUTPUT,
    NB_GROUP_RUN,
    NB_GROUP_COUNT,
};

/* Kinds of networks, under which lists put topologies and routing schemes. */
enum nb_family {
    NB_FAMILY_ANY,
    NB_FAMILY_GRIDS,
    NB_FAMILY_TREES,
    NB_FAMILY_GROUPS,
    NB_FAMILY_GRAPHS,
    NB_FAMILY_COUNT,
};

enum { NB_MAX_DIMENSIONS = 6, NB_MAX_PARAMETERS = 24 };

/* One row of a kind's table, used by help, parsing and model files. A table
 * ends with a zero row. */
struct nb_parameter {
    const char *name;
    const char *help;   /* a line or two; begins with a noun or an imperative */
    const char *detail; /* what help NAME adds, in paragraphs; NULL: nothing */
    enum nb_option_group group;
    bool is_first; /* help shows it without --all */
    enum nb_parameter_type type;
    bool is_leading;     /* may stand right after "kind:" without its name */
    bool is_list;        /* NB_NUMBER: several, joined by + */
    const char *initial; /* default; NULL: must be given */
    /* "fixed|random". NB_WHOLE: words permitted in addition to numbers; NULL:
     * none. NB_WORD: all permitted words; NULL: any. */
    const char *choices;
    double least, most;
    /* Only of a question's options: */
    size_t field;     /* offset of its value (union nb_value) in the question */
    const char *unit; /* a base of core/unit.h: 15ns is accepted, too */
    const char *counts; /* "flits"; NULL: no name, or given by unit */
    /* NB_WORD: the parameters of a specification without a kind; NULL: no such
     * specification, or its kinds have parameters. */
    const struct nb_parameter *parts;
    const char *also; /* another name, which several options may share */
    /* Names of other options, separated by spaces; NULL: none. For an output
     * file only with is used. */
    const char *with;   /* permitted, and initial applies, only together with
                         * one of these; NAME=VALUE: only with that value */
    const char *beside; /* NAME=VALUE: with that option VALUE is the default,
                         * instead of initial */
    const char *apart;  /* not permitted together with any of these */
    const char *joins;  /* NB_WORD: may be given several times, the values
                         * joined by this; NULL: once */
    const char *either; /* this or one of these must be given */
    /* NB_NUMBER: decimals are permitted together with one of these (written as
     * with), else only whole numbers; NULL: always. */
    const char *decimals;
    /* Output file: refuses paths of unknown formats; word of a kind: refuses
     * what nothing accepts. NULL: accepts all. */
    enum nb_status (*accepts)(const char *text, struct nb_error *err);
};

/*
 * Rows of these tables. initial: NULL: must be given. The help text and what
 * else a row says come last:
 *
 *     NB_PARAMETER("radix", WHOLE, "4", "ports of a router", .least = 2)
 *
 * NB_OPTION: an option of a question; field: its offset in the question.
 * NB_COMMAND_OPTION: one that is no field of a question.
 */
#define NB_PARAMETER(name_, type_, initial_, ...)                              \
    {                                                                          \
        .name = name_, .type = NB_##type_, .initial = initial_,                \
        .help = __VA_ARGS__                                                    \
    }
#define NB_COMMAND_OPTION(name_, group_, type_, initial_, ...)                 \
    NB_PARAMETER(name_, type_, initial_, __VA_ARGS__,                          \
                 .group = NB_GROUP_##group_)
#define NB_OPTION(name_, field_, group_, type_, initial_, ...)                 \
    NB_PARAMETER(name_, type_, initial_, __VA_ARGS__,                          \
                 .group = NB_GROUP_##group_, .field = field_)

/* Every registry entry starts with this. */
struct nb_kind {
    const char *name;
    const char *aliases; /* separated by spaces; NULL: none */
    const char *summary; /* one line of help */
    const char *detail;  /* what else help says; NULL: nothing */
    enum nb_family family;
    const struct nb_parameter *parameters; /* NULL: none */
};

/* A kind and a checked value for each of its parameters. Owns the values. */
struct nb_specification {
    const struct nb_kind *kind;
    size_t count;
    struct nb_setting {
        const struct nb_parameter *parameter;
        char *value;
    } setting[NB_MAX_PARAMETERS];
};

/* A registry as seen here: the n-th kind, NULL past the end. */
typedef const struct nb_kind *nb_kind_at(size_t index);

enum { NB_MAX_NUMBERS = 64 };

/* A value of a row; the row's type selects the member. */
union nb_value {
    int64_t whole;
    struct nb_ratio number;
    double real;
    int choice;       /* index among the row's choices, from 0 */
    bool flag;        /* yes */
    const char *text; /* all other types; borrowed */
};

/* The value of an option that is not given and has no default, by type: a flag
 * is no, a text NULL, a number unknown. */
#define NB_NO_WHOLE  INT64_MIN
#define NB_NO_CHOICE (-1)

NB_INTERNAL_BEGIN

/* The kind of that name or alias, and its place; NULL if there is none. */
const struct nb_kind *nb_kind_find(nb_kind_at *kinds, const char *name,
                                   size_t length, size_t *index);

/*
 * Reads "kind", "kind:value", "kind:value,key=value,...".
 *
 * what      "topology", "traffic", "routing"; for messages
 * kinds     the registry
 * common    parameters that every kind of this registry has; may be NULL
 * index     out: the kind's place in the registry
 *
 * Errors: NB_INVALID naming the unknown kind, unknown or repeated key, missing
 * or refused value, with what is permitted.
 */
enum nb_status nb_specification_read(const char *text, const char *what,
                                     nb_kind_at *kinds,
                                     const struct nb_parameter *common,
                                     struct nb_specification *out,
                                     size_t *index, struct nb_error *err);

/*
 * Refuses what is wrong whatever else is given: an unknown kind, or a value
 * that its parameter cannot have, except numbers out of range. Parameters that
 * some kinds lack are accepted.
 *
 * Errors: those of nb_specification_read.
 */
enum nb_status nb_specification_check(const char *text, const char *what,
                                      nb_kind_at *kinds,
                                      const struct nb_parameter *common,
                                      struct nb_error *err);

void nb_specification_release(struct nb_specification *specification);

/* Appends the text that reads back as the same specification, without
 * parameters at their defaults; nothing if zero-initialised. */
void nb_specification_print(const struct nb_specification *specification,
                            struct nb_text *text);

/* Values by parameter name. If the kind's table lacks the name, or the value is
 * of another type: "", false, 0 and unknown. */
const char *nb_specification_text(const struct nb_specification *specification,
                                  const char *name);
bool nb_specification_is(const struct nb_specification *specification,
                         const char *name, const char *value);
int64_t nb_specification_whole(const struct nb_specification *specification,
                               const char *name);
struct nb_ratio
nb_specification_ratio(const struct nb_specification *specification,
                       const char *name);

/*
 * The numbers of a row with is_list.
 *
 * out    [NB_MAX_NUMBERS]
 * count  out: at least 1; 0 if there is no value
 */
void nb_specification_ratios(const struct nb_specification *specification,
                             const char *name, struct nb_ratio *out,
                             size_t *count);

/*
 * Splits "8x4" or "3+5" into numbers.
 *
 * Errors: NB_INVALID naming the text if a part is not a whole number in
 * [least, most] or there are more than capacity parts.
 */
enum nb_status nb_whole_list_read(const char *text, const char *what,
                                  char separator, int64_t least, int64_t most,
                                  size_t capacity, uint32_t *out, size_t *count,
                                  struct nb_error *err);

/* Whether text[0 .. length) is one of the words in list, separated by the
 * separator; list may be NULL. */
bool nb_word_is_in(const char *list, char separator, const char *text,
                   size_t length);

/*
 * Reads a value, which must be one that its row permits.
 *
 * Errors: NB_INVALID naming the row, the value and what is permitted.
 */
enum nb_status nb_parameter_read(const struct nb_parameter *parameter,
                                 const char *text, union nb_value *out,
                                 struct nb_error *err);

/*
 * The length of the first "NAME=VALUE" of several separated by commas. Values
 * may contain commas: "pair=0,9". After a specification, a name of no row is
 * one of its parameters: in "arrivals=onoff:burst=5,spread=burst,load=0.6" the
 * value ends before load.
 */
size_t nb_setting_length(const struct nb_parameter *rows, const char *text);

/* Only checks that it can be read. */
enum nb_status nb_parameter_check(const struct nb_parameter *parameter,
                                  const char *value, struct nb_error *err);

NB_INTERNAL_END

#endif
