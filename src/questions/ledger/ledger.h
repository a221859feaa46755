/* Ledger: published numbers beside what this program computes for them. */
#ifndef NB_QUESTIONS_LEDGER_LEDGER_H
#define NB_QUESTIONS_LEDGER_LEDGER_H

#include "questions/question.h"
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
    bool is_computed; /* what follows holds */
    struct nb_ratio exact;
    double value, lower, upper;
    double difference; /* from what is printed, else from the reference */
    enum nb_verdict verdict;
    bool is_exact_met; /* what the column exact says, or it says nothing */
    /* What the row's check gave; owned, NULL if it was not asked. */
    char *shown;
    /* Why the verdict is not what the data expects; owned, NULL if it is. */
    char *surprise;
};

/* The command that answers a row: the one that the first word of its traffic
 * names, as in "split:rule=cqr,load=0.4", else the one of its quantity. NULL
 * if this program has none. */
const struct nb_question_kind *
nb_entry_command(const struct nb_published_row *row);

/* Numbers first, first + 1, ..., last that stand in a row's traffic by turns,
 * wherever it says "FIRST..LAST", as in "random-permutation:seed=1..16": the
 * row is the mean of as many questions. One if it says nothing of the kind. */
struct nb_entry_span {
    int64_t first, last;
};

/* Errors: NB_INVALID naming file, line, row and a span that is empty or too
 * long. */
enum nb_status nb_entry_span(const struct nb_published_row *row,
                             struct nb_entry_span *out, struct nb_error *err);

/*
 * The question that a row is, complete.
 *
 * row     with a command
 * number  of the row's span
 * root    the folder that paths in rows start from
 *
 * Errors: NB_INVALID naming file, line, row and what its command refuses.
 */
enum nb_status nb_entry_model(const struct nb_published_row *row,
                              int64_t number, const char *root,
                              struct nb_model *out, struct nb_error *err);

/* Whether a row is the quotient of two others: its traffic is
 * "ratio:of=ID,to=ID", and its quantity says how it is given: ratio, percent
 * (100 ratio), percent_above (100 ratio - 100), percent_below. */
bool nb_entry_is_ratio(const struct nb_published_row *row);

/*
 * The two rows, dividend first.
 *
 * Errors: NB_INVALID naming file, line, row and what is wrong: an id that no
 * row has, one that no command answers, two units.
 */
enum nb_status nb_entry_ratio_rows(const struct nb_published_row *row,
                                   const struct nb_published *published,
                                   const struct nb_published_row *parts[2],
                                   struct nb_error *err);

/*
 * Their quotient, as the row's quantity has it: exact if both are, else all
 * that it may be, of estimates the quotient of the ends of their intervals.
 *
 * of  >= 0
 * to  > 0
 *
 * Errors: NB_INVALID for a divisor that may be 0, and for a quantity or a unit
 * that a quotient is not given in.
 */
enum nb_status nb_entry_ratio(const struct nb_published_row *row,
                              const struct nb_quantity *of,
                              const struct nb_quantity *to,
                              struct nb_quantity *out, struct nb_error *err);

/* The most that can be accepted of what the row's question offers, in the unit
 * of its quantity; unknown where that is no accepted throughput. */
struct nb_ratio nb_entry_offered(const struct nb_published_row *row,
                                 const struct nb_model *model,
                                 const struct nb_point *point);

/*
 * Computes every entry whose row is not expected to be pending, and what the
 * checks of those ask that differ. Equal questions are answered once, each by
 * one thread; answers that take long come from the cache, unless the question
 * wants them fresh or is only checked.
 *
 * folder     of the published numbers
 * entries    [count]  rows set, all else zero
 * published  the rows that quotients are of
 *
 * Errors: as the commands', with file, line and row.
 */
enum nb_status nb_entries_compute(const struct nb_question *question,
                                  const char *folder,
                                  const struct nb_published *published,
                                  struct nb_entry *entries, size_t count,
                                  struct nb_error *err);

/*
 * Compares a computed quantity with the entry's row and sets the entry. What
 * is printed stands for all that rounds to it: the number agrees if all that
 * it may be does so, and is consistent if only some of it does, or if a load
 * below some of that was offered, for then nothing more can be accepted.
 *
 * offered  nb_entry_offered
 */
void nb_entry_judge(struct nb_entry *entry, const struct nb_quantity *quantity,
                    struct nb_ratio offered);

/* Explains the entry if the quantity that its row's check asked for does what
 * the check says; sets shown. Errors: NB_NO_MEMORY. */
enum nb_status nb_entry_explain(struct nb_entry *entry,
                                const struct nb_quantity *quantity,
                                struct nb_error *err);

/* Notes what about a judged entry is not as the data expects, if anything.
 * Errors: NB_NO_MEMORY. */
enum nb_status nb_entry_settle(struct nb_entry *entry, struct nb_error *err);
enum nb_status nb_entry_wonder(struct nb_entry *entry, const char *what,
                               const char *instead, struct nb_error *err);

/* What a verdict is called in the ledger: "agrees to the printed digits", of a
 * printed word "agrees with what is printed", with nothing printed "agrees with
 * the reference value", else its name. */
const char *nb_entry_verdict(const struct nb_entry *entry);

/* What a surprise begins with, and the name of the note of all of them. */
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

/* Adds the table "layout": rows and columns of the source's own table.
 * Errors: NB_NO_MEMORY. */
enum nb_status nb_ledger_add_layout(const struct nb_entry *entries,
                                    size_t count, struct nb_point *out,
                                    struct nb_error *err);

/* Appends the ledger for people: the table "layout" if there is one, and the
 * rows that do not agree; else all rows, source by source. */
enum nb_status nb_ledger_print(const struct nb_point *point,
                               const struct nb_look *look, struct nb_text *text,
                               struct nb_error *err);

#endif
