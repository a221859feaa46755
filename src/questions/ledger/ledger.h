/* Ledger: compares published numbers with what this program computes. */
#ifndef NB_QUESTIONS_LEDGER_LEDGER_H
#define NB_QUESTIONS_LEDGER_LEDGER_H

#include "ask/question.h"
#include "questions/ledger/published.h"

/* The options of netbound ledger; each is what its row says. */
struct nb_ledger_question {
    const char *data, *source, *of, *id; /* NULL: not given */
    int verdict;                         /* enum nb_verdict, or NB_NO_CHOICE */
    bool fresh;
};

/* A row of the ledger. */
struct nb_entry {
    const struct nb_published_row *row;
    bool is_computed; /* the fields below are set */
    struct nb_ratio exact;
    double value, lower, upper;
    double difference; /* from the printed number, else from the reference */
    enum nb_verdict verdict;
    bool is_exact_met; /* meets the column exact, or that is empty */
    /* The readings tried, with their results; owned, NULL if none. */
    char *shown;
    /* Date of a recorded run that it is based on; "": none. */
    char recorded[11];
    /* Why the verdict is not what the data expects; owned, NULL if it is. */
    char *surprise;
};

/* The command that answers a row: the one named by the first word of its
 * traffic, as in "split:rule=cqr,load=0.4", else the one of its quantity. NULL
 * if this program has none. */
const struct nb_question_kind *
nb_entry_command(const struct nb_published_row *row);

/* The numbers first, first + 1, ..., last that replace "FIRST..LAST" in a row's
 * traffic, as in "random-permutation:seed=1..16". The row is the mean over that
 * many questions; without such a span it is one question. */
struct nb_entry_span {
    int64_t first, last;
};

/* Errors: NB_INVALID naming file, line, row and an empty or too long span. */
enum nb_status nb_entry_span(const struct nb_published_row *row,
                             struct nb_entry_span *out, struct nb_error *err);

/*
 * The question of a row, complete.
 *
 * number  from the row's span
 * root    the folder from which paths in rows are resolved; NULL: the model has
 *         only the options that the row gives, as it gives them
 *
 * Errors: NB_INVALID naming file, line, row and what its command refuses, or
 * that no command answers it.
 */
enum nb_status nb_entry_model(const struct nb_published_row *row,
                              int64_t number, const char *root,
                              struct nb_model *out, struct nb_error *err);

/* Whether a row is the quotient of two others: its traffic is
 * "ratio:of=ID,to=ID", and its quantity gives the form: ratio, percent (100
 * ratio), percent_above (100 ratio - 100), percent_below. */
bool nb_entry_is_ratio(const struct nb_published_row *row);

/*
 * The row with that id.
 *
 * length  of the id, which need not end with NUL
 *
 * Errors: NB_INVALID naming file, line, row and an unknown id.
 */
enum nb_status nb_entry_other_row(const struct nb_published_row *row,
                                  const struct nb_published *published,
                                  const char *id, size_t length,
                                  const struct nb_published_row **out,
                                  struct nb_error *err);

/* The quantity of a row as printed: exactly its number; or, if is_range, all
 * values that its digits cover. */
struct nb_quantity nb_entry_printed(const struct nb_published_row *row,
                                    bool is_range);

/*
 * Finds the two rows, dividend first.
 *
 * Errors: NB_INVALID naming file, line, row and the problem: an unknown id,
 * different units.
 */
enum nb_status nb_entry_ratio_rows(const struct nb_published_row *row,
                                   const struct nb_published *published,
                                   const struct nb_published_row *parts[2],
                                   struct nb_error *err);

/*
 * Computes their quotient in the form of the row's quantity: exact if both are,
 * else a bracket; for estimates the quotient of the ends of their intervals.
 *
 * of  >= 0
 * to  > 0
 *
 * Errors: NB_INVALID for a divisor that may be 0, and for a quantity or a unit
 * that is not a form of a quotient.
 */
enum nb_status nb_entry_ratio(const struct nb_published_row *row,
                              const struct nb_quantity *of,
                              const struct nb_quantity *to,
                              struct nb_quantity *out, struct nb_error *err);

/* Whether the row prints a parameter: its traffic is
 * "default:of=OWNER,name=NAME", where OWNER is topology or routing, for a
 * parameter of the kind in that column, or a command, for one of its
 * options. */
bool nb_entry_is_default(const struct nb_published_row *row);

/*
 * The default of that parameter, as it is declared.
 *
 * Errors: NB_INVALID naming file, line, row and the problem: an unknown
 * parameter, a default that is no number, another unit.
 */
enum nb_status nb_entry_default(const struct nb_published_row *row,
                                struct nb_quantity *out, struct nb_error *err);

/* The load that the row's question offers, an upper bound on its accepted
 * throughput, in the unit of its quantity; unknown if that is not an accepted
 * throughput. */
struct nb_ratio nb_entry_offered(const struct nb_published_row *row,
                                 const struct nb_model *model,
                                 const struct nb_point *point);

/*
 * Computes every entry whose row is not expected to be pending, and the
 * questions of the readings if the numbers differ. Equal questions are answered
 * once, each by one thread. Answers that take long come from the recorded runs,
 * else from the cache, unless the question asks for fresh ones; if it is only
 * checked, the cache is not used.
 *
 * folder     of the published numbers
 * entries    [count]  rows set, all else zero
 * published  rows that quotients refer to
 * out        gets the table "runs"
 *
 * Errors: those of the commands, with file, line and row.
 */
enum nb_status nb_entries_compute(const struct nb_question *question,
                                  const char *folder,
                                  const struct nb_published *published,
                                  struct nb_entry *entries, size_t count,
                                  struct nb_point *out, struct nb_error *err);

/*
 * Compares a computed quantity with the entry's row and sets the entry. The
 * printed number covers all values that round to it. The number agrees if all
 * possible values of the quantity are covered. It is consistent if only some
 * are, or if the load offered is below part of what is covered, since no more
 * than that can be accepted.
 *
 * offered  nb_entry_offered
 */
void nb_entry_judge(struct nb_entry *entry, const struct nb_quantity *quantity,
                    struct nb_ratio offered);

/* Explains the entry if the quantity computed for the reading passes its test;
 * appends both to shown. Errors: NB_NO_MEMORY. */
enum nb_status nb_entry_explain(struct nb_entry *entry,
                                const struct nb_reading *reading,
                                const struct nb_quantity *quantity,
                                struct nb_error *err);

/* The same for a reading "same as ID"; other is that row's entry, judged. */
enum nb_status nb_entry_repeat(struct nb_entry *entry,
                               const struct nb_reading *reading,
                               const struct nb_entry *other,
                               struct nb_error *err);

/* Notes what differs in a judged entry from what the data expects, if anything.
 * Errors: NB_NO_MEMORY. */
enum nb_status nb_entry_settle(struct nb_entry *entry, struct nb_error *err);
enum nb_status nb_entry_wonder(struct nb_entry *entry, const char *what,
                               const char *instead, struct nb_error *err);

/* The name of a verdict in the ledger: "agrees to the printed digits", for a
 * printed word "agrees with what is printed", if nothing is printed "agrees
 * with the reference value", else its own name. */
const char *nb_entry_verdict(const struct nb_entry *entry);

/* First word of a surprise, and the name of the note about all of them. */
#define NB_LEDGER_SURPRISE "unexpected"

/* The columns of the table "ledger". */
enum {
    NB_LEDGER_ID,
    NB_LEDGER_SOURCE,
    NB_LEDGER_TABLE,
    NB_LEDGER_CELL,
    NB_LEDGER_QUANTITY,
    NB_LEDGER_TOPOLOGY,
    NB_LEDGER_ROUTING,
    NB_LEDGER_TRAFFIC,
    NB_LEDGER_PUBLISHED,
    NB_LEDGER_COMPUTED,
    NB_LEDGER_LOWER,
    NB_LEDGER_UPPER,
    NB_LEDGER_EXACT,
    NB_LEDGER_DIFFERENCE,
    NB_LEDGER_VERDICT,
    NB_LEDGER_REASON,
    NB_LEDGER_WIDTH,
};

/* Adds the table "layout": rows and columns as in the source's own table.
 * Errors: NB_NO_MEMORY. */
enum nb_status nb_ledger_add_layout(const struct nb_entry *entries,
                                    size_t count, struct nb_point *out,
                                    struct nb_error *err);

/* Appends the ledger for readers: the table "layout", if there is one, and the
 * rows that do not agree; else all rows, source by source. */
enum nb_status nb_ledger_print(const struct nb_point *point,
                               const struct nb_look *look, struct nb_text *text,
                               struct nb_error *err);

/* Tables of the answer. */
extern const struct nb_table_kind nb_ledger_layout_table, nb_ledger_runs_table;

#endif
