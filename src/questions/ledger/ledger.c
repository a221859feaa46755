/* netbound ledger: compares published numbers with computed ones. */
#include "questions/ledger/ledger.h"

#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEDGER(field) offsetof(struct nb_ledger_question, field)

static const struct nb_parameter ledger_options[] = {
    NB_OPTION(
        "data", LEDGER(data), MEASUREMENT, PATH, NB_PUBLISHED,
        "folder of the published numbers; if it does not exist, the installed "
        "ones",
        .detail =
            "Files that the rows name are looked up two folders above it."),
    NB_OPTION("source", LEDGER(source), MEASUREMENT, WORD, "",
              "select numbers of this source, such as Singh2005"),
    NB_OPTION("of", LEDGER(of), MEASUREMENT, WORD, "",
              "select numbers of this table, such as \"Table 3.5\"",
              .detail = "The text then has the layout of that table."),
    NB_OPTION("id", LEDGER(id), MEASUREMENT, WORD, "",
              "select the number with this id"),
    NB_OPTION("verdict", LEDGER(verdict), OUTPUT, CHOICE, "",
              "show only numbers with this verdict; all are counted",
              .choices = "agrees|explained|consistent|disagrees|pending|given"),
    NB_OPTION("fresh", LEDGER(fresh), RUN, FLAG, "",
              "recompute everything, without recorded runs and the cache of "
              "simulated numbers",
              .detail = "Runs that take long are recorded in recorded/runs.csv "
                        "of the data; the table runs lists them. The cache is "
                        "$XDG_CACHE_HOME/netbound. It holds what the same "
                        "build of the program simulated before."),
    { 0 },
};

/* A choice of rows: an option and the row's text that it selects by. */
static const struct ledger_choice {
    const char *name;
    size_t wanted, key;
} ledger_choices[] = {
    { "source", LEDGER(source), offsetof(struct nb_published_row, source) },
    { "table", LEDGER(of), offsetof(struct nb_published_row, table) },
    { "id", LEDGER(id), offsetof(struct nb_published_row, id) },
};

static const char *ledger_text(const void *of, size_t place)
{
    const char *text;
    memcpy(&text, (const char *)of + place, sizeof text);
    return text;
}

/* Keeps the entries with this key; if there are none, fails and names the
 * keys. */
static enum nb_status ledger_choose(const struct ledger_choice *choice,
                                    const char *wanted,
                                    struct nb_entry *entries, size_t *count,
                                    struct nb_error *err)
{
    enum { SHOWN = 300 };
    struct nb_text others = { 0 };
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        const char *key = ledger_text(entries[i].row, choice->key);
        size_t first = 0;
        while (strcmp(ledger_text(entries[first].row, choice->key), key) != 0)
            first++;
        if (strcmp(key, wanted) == 0)
            entries[kept++].row = entries[i].row;
        else if (first == i)
            nb_text_print(&others, "%s%s", others.length > 0 ? ", " : "", key);
    }
    *count = kept;
    enum nb_status status = nb_text_check(&others, err);
    if (status == NB_OK && kept == 0)
        status = nb_fail(err, NB_INVALID,
                         "no published number has %s \"%.60s\" (permitted: "
                         "%.*s%s)",
                         choice->name, wanted, SHOWN, others.bytes,
                         others.length > SHOWN ? "..." : "");
    nb_text_release(&others);
    return status;
}

/* Selects the entries of the rows asked about; reference values come last, as a
 * separate list. */
static enum nb_status ledger_select(const struct nb_ledger_question *request,
                                    const struct nb_published *published,
                                    struct nb_entry **entries, size_t *count,
                                    struct nb_error *err)
{
    enum nb_status status;
    *count = 0;
    NB_TRY(nb_new(entries, published->count, sizeof **entries, "rows", err));
    for (int is_reference = 0; is_reference < 2; is_reference++)
        for (size_t i = 0; i < published->count; i++)
            if (nb_row_is_reference(&published->rows[i]) == is_reference)
                (*entries)[(*count)++].row = &published->rows[i];
    for (size_t i = 0; i < sizeof ledger_choices / sizeof *ledger_choices;
         i++) {
        const char *wanted = ledger_text(request, ledger_choices[i].wanted);
        if (wanted != NULL)
            NB_TRY(ledger_choose(&ledger_choices[i], wanted, *entries, count,
                                 err));
    }
done:
    return status;
}

static void ledger_add_count(struct nb_point *out, const char *name,
                             size_t count)
{
    nb_point_add_exact(out, name, nb_ratio_make((nb_int128)count, 1), "",
                       "count", "");
}

/* Adds the number of published numbers per verdict, the number of reference
 * values, which are counted separately, and a note of rows whose verdict is not
 * what the data expects. */
static void ledger_add_counts(const struct nb_entry *entries, size_t count,
                              struct nb_point *out)
{
    size_t verdicts[NB_VERDICTS] = { 0 }, references[2] = { 0 }, surprises = 0;
    const struct nb_entry *first = NULL;
    for (size_t i = 0; i < count; i++) {
        const bool agrees = entries[i].verdict == NB_VERDICT_AGREES;
        if (nb_row_is_reference(entries[i].row))
            references[agrees]++;
        else
            verdicts[entries[i].verdict]++;
        if (entries[i].surprise == NULL)
            continue;
        first = surprises++ > 0 ? first : &entries[i];
    }
    const size_t reference_count = references[0] + references[1];
    ledger_add_count(out, "published_numbers", count - reference_count);
    for (size_t i = 0; i < NB_VERDICTS; i++)
        ledger_add_count(out, nb_verdict_names[i], verdicts[i]);
    ledger_add_count(out, "reference_values", reference_count);
    ledger_add_count(out, "reference_values_met", references[true]);
    if (first == NULL)
        return;
    nb_point_note(out, NB_LEDGER_SURPRISE,
                  "%zu of %zu rows, the first is %.60s", surprises, count,
                  first->row->id);
}

/* Adds what is unexpected, then the row's note, then the readings tried, then
 * the date of a recorded run. */
static enum nb_status ledger_add_reason(const struct nb_entry *entry,
                                        size_t table, struct nb_point *out,
                                        struct nb_error *err)
{
    const struct nb_published_row *row = entry->row;
    struct nb_text text = { 0 };
    nb_text_add(&text, "", 0);
    if (entry->surprise != NULL)
        nb_text_print(&text, "%s", entry->surprise);
    if (text.length > 0 && *row->note != '\0')
        nb_text_print(&text, ": ");
    nb_text_print(&text, "%s", row->note);
    if (entry->shown != NULL)
        nb_text_print(&text, "; %s", entry->shown);
    if (*entry->recorded != '\0')
        nb_text_print(&text, "%srecorded %s", text.length > 0 ? "; " : "",
                      entry->recorded);
    const enum nb_status status = nb_text_check(&text, err);
    if (status == NB_OK)
        NB_ROW(out, table, text.bytes);
    nb_text_release(&text);
    return status;
}

static const struct nb_table_kind ledger_ledger_table = {
    .name = "ledger",
    .columns = NB_SPELLED(
        "id:text,source:text,table:text,cell:text,quantity:text,topology:text,"
        "routing:text,traffic:text,published:text,computed:number,lower:number,"
        "upper:number,exact:ratio,difference:number,verdict:text,"
        "reason:text")
};

static enum nb_status ledger_add_table(const struct nb_entry *entries,
                                       size_t count, struct nb_point *out,
                                       struct nb_error *err)
{
    const size_t table = nb_table_start(out, &ledger_ledger_table);
    for (size_t i = 0; i < count; i++) {
        const struct nb_entry *entry = &entries[i];
        const struct nb_published_row *row = entry->row;
        NB_ROW(out, table, row->id, row->source, row->table, row->cell,
               row->quantity, row->topology, row->routing, row->traffic,
               row->printed, entry->is_computed ? entry->value : NAN,
               entry->is_computed ? entry->lower : NAN,
               entry->is_computed ? entry->upper : NAN);
        NB_ROW(out, table, entry->exact,
               entry->is_computed ? entry->difference : NAN,
               nb_entry_verdict(entry));
        const enum nb_status status = ledger_add_reason(entry, table, out, err);
        if (status != NB_OK)
            return status;
    }
    return NB_OK;
}

/* Moves the entries of one verdict to the front; returns their number. */
static size_t ledger_sort_verdict(struct nb_entry *entries, size_t count,
                                  int verdict)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if ((int)entries[i].verdict == verdict) {
            const struct nb_entry moved = entries[i];
            entries[i] = entries[kept];
            entries[kept++] = moved;
        }
    return kept;
}

/* Whether the entries, all of one table, have the same source. */
static bool ledger_is_of_one(const struct nb_entry *entries, size_t count)
{
    bool is_of_one = count > 0;
    for (size_t i = 1; i < count; i++)
        is_of_one = is_of_one &&
                    strcmp(entries[i].row->source, entries[0].row->source) == 0;
    return is_of_one;
}

static enum nb_status ledger_answer(const struct nb_question *question,
                                    struct nb_point *out, struct nb_error *err)
{
    const struct nb_ledger_question *request = question->request;
    struct nb_published published = { 0 };
    struct nb_text folder = { 0 };
    struct nb_entry *entries = NULL;
    size_t count = 0;
    enum nb_status status;
    NB_TRY(nb_published_find(request->data, &folder, err));
    NB_TRY(nb_published_read(folder.bytes, &published, err));
    NB_TRY(ledger_select(request, &published, &entries, &count, err));
    NB_TRY(nb_entries_compute(question, folder.bytes, &published, entries,
                              count, out, err));
    ledger_add_counts(entries, count, out);
    size_t shown = count;
    if (request->verdict != NB_NO_CHOICE)
        shown = ledger_sort_verdict(entries, count, request->verdict);
    NB_TRY(ledger_add_table(entries, shown, out, err));
    if (request->of != NULL && ledger_is_of_one(entries, shown))
        NB_TRY(nb_ledger_add_layout(entries, shown, out, err));
done:
    for (size_t i = 0; i < count; i++) {
        nb_delete(entries[i].surprise);
        nb_delete(entries[i].shown);
    }
    nb_delete(entries);
    nb_text_release(&folder);
    nb_published_release(&published);
    return status;
}

static enum nb_status ledger_judge(const struct nb_point *point,
                                   struct nb_error *err)
{
    for (size_t i = 0; i < point->note_count; i++)
        if (strcmp(point->notes[i].name, NB_LEDGER_SURPRISE) == 0)
            return nb_fail(err, NB_REFUTED, "a verdict failed: %s",
                           point->notes[i].text);
    return NB_OK;
}

const struct nb_question_kind nb_question_kind_ledger = {
    .form = {
        .name = "ledger",
.summary = "published numbers compared with netbound's",
        .example = "netbound ledger --source Singh2005 --of \"Table 3.5\"",
        .title = "Published numbers and ours[ of {source}][, {of}][, {id}]",
        .options = ledger_options,
        .main_table = "ledger",
        .common = "format output table numbers title save-model explain threads "
                  "progress",
        .tables = NB_TABLES(
            &ledger_ledger_table, &nb_ledger_layout_table,
            &nb_ledger_runs_table),
    },
    .size = sizeof(struct nb_ledger_question),
    .answer = ledger_answer,
    .print = nb_ledger_print,
    .judge = ledger_judge,
};
