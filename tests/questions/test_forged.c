/* Reports with anything in them changed, and a digest that fits again: verify
 * accepts none that says something false. The changes are generated from the
 * reports: each line, each number and each word; and each cell of each
 * certificate, where the rest of the report follows the changed certificate. */
#include "ask/verify.h"

#include "core/digest.h"
#include "core/locale.h"
#include "core/memory.h"
#include "core/random.h"
#include "ask/ask.h"
#include "ask/claims.h"
#include "ask/router_names.h"
#include "report/format.h"
#include "report/tree.h"

#include "../support/cases.h"
#include "../support/fuzz_question.h"
#include "../support/scratch.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* A small question of every kind, and more where there are certificates: every
 * table of such a kind is in a report. In a line, @ stands for the folder with
 * files.
 *
 * slow  one of this many forgeries is tried; 0: all */
static const struct {
    const char *line;
    size_t slow;
} questions[] = {
    { "audit --topology ring:4 --routing minhop --alone --matchings 5 "
      "--cables 3",
      0 },
    { "audit --topology ring:6 --alone --matchings 5 --cables 3", 0 },
    { "audit --topology mesh:3x2,bandwidth=1+4 --alone --matchings 5", 0 },
    { "audit --topology torus:3x3 --routing lash-tor --alone --matchings 5",
      10 },
    { "audit --topology ring:5 --routing dor --matchings 5 --cables 2", 0 },
    { "audit --topology mesh:2x2 --routing updown --alone --matchings 5", 0 },
    { "audit --topology ring:6 --hosts 0,[2-4] --alone --matchings 5", 0 },
    { "buffer --radix 4 --load 0.5 --overflow 1e-3", 0 },
    { "deadlock --topology ring:4 --routing dor", 0 },
    { "deadlock --topology mesh:2x2 --routing dor --classes hop", 0 },
    { "deadlock --topology mesh:3x2 --routing min", 0 },
    { "deadlock --topology ring:3 --routing dor --messages 2", 0 },
    { "deadlock --topology mesh:2x2 --routing dor --messages 2 "
      "--virtual-networks 2",
      0 },
    { "deadlock --topology torus:3x3 --routing min-adaptive", 0 },
    { "deadlock --topology ring:5 --routing minhop", 0 },
    { "deadlock --topology ring:6 --routing val", 0 },
    { "delay --hops 2 --load 0.5", 0 },
    { "latency --topology ring:4 --routing dor --load 0.3", 0 },
    { "ledger --id randall-window", 40 },
    { "limits --topology ring:4 --routing dor", 0 },
    { "load --topology ring:4 --routing dor --traffic tornado --rate 0.3", 0 },
    { "load --topology file:@/net.txt --traffic file:@/traffic.csv", 0 },
    { "load --topology ring:4 --load 1/3 --sweep traffic=uniform,tornado", 0 },
    { "optimum --topology mesh:2x3 --traffic uniform --gap 0.2", 0 },
    { "optimum --topology ring:4 --traffic tornado --paths minimal "
      "--schemes",
      0 },
    { "optimum --topology ring:5 --traffic tornado --stretch 1.5 "
      "--time-limit 100",
      0 },
    { "optimum --topology ring:4 --traffic tornado --routing ugal "
      "--paths scheme",
      0 },
    { "optimum --topology mesh:3x2 --worst-case --time-limit 100", 0 },
    { "optimum --topology ring:4 --worst-case --locality", 0 },
    { "optimum --topology mesh:2x2 --worst-case --at 0.8 --paths minimal", 0 },
    { "optimum --topology ring:3 --worst-case --unbalanced", 0 },
    { "optimum --topology ring:4 --worst-case --unbalanced --saturated "
      "exceeds",
      0 },
    { "optimum --topology mesh:3x2 --average --count 5", 0 },
    { "optimum --topology ring:5 --adversary --starts 2 --time-limit 100", 0 },
    { "optimum --topology mesh:2x2 --adversary --paths minimal", 0 },
    { "permutations --topology ring:4 --routing dor --count 20", 0 },
    { "permutations --topology ring:3 --routing dor --count 2 --seed 31", 0 },
    { "permutations --topology ring:3 --routing ugal --count 2 --seed 31", 0 },
    { "permutations --topology torus:3x3 --routing chaos --count 3 --gap 0.3",
      0 },
    { "power --topology ring:4", 0 },
    { "qcn --topology dragonfly:h=2", 10 },
    { "reorder --hops 2 --load 0.5", 0 },
    { "simulate --topology ring:3 --routing dor --load 0.3 --cycles 300", 60 },
    { "split --topology ring:5 --load 0.3 --rule theorem-5", 0 },
    { "topology --topology ccc:3", 0 },
    { "topology --topology ring --find topology.routers=3:6 --where "
      "terminals<=5",
      0 },
    { "validate --topology ring:3 --routing dor --cycles 300", 200 },
    { "virtual-networks --terminals 16 --round 8 --networks 3", 0 },
    { "worst-case --topology torus:3x3 --routing dor", 0 },
    { "worst-case --topology mesh:3x2 --routing min", 0 },
    { "worst-case --topology torus:3x3,terminals=2 --routing val", 0 },
    { "worst-case --topology ring:5 --routing dor --unbalanced", 0 },
    { "worst-case --topology ring:4 --routing dor --unbalanced "
      "--saturated exceeds",
      0 },
    { "worst-case --topology mesh:3x2 --routing any-minimal", 0 },
    { "worst-case --topology ring:4 --routing ugal", 0 },
    { "worst-case --topology ring:5 --routing rlb --sample-paths 30", 0 },
    { "worst-case --sweep topology=ring:3,ring:4 --routing min", 0 },
};
enum { QUESTIONS = sizeof questions / sizeof *questions };

/* Forgeries of one report, and what became of them. */
struct forge {
    const char *question;
    const struct nb_question_kind *kind;
    struct nb_text bytes;
    struct nb_report original;
    size_t index; /* of the forgery in its report */
    size_t slow;
};

static struct {
    size_t tried, accepted;
    size_t claimed; /* of these: only what verify names as claimed differs */
    size_t same;    /* the changed question has the given answer */
    size_t proof;   /* another certificate proves the same or less */
    size_t untrue;
    size_t stopped; /* verification takes longer than a forgery is worth */
} tally;

/* A changed option, such as the rows of the ledger, may ask for an answer that
 * takes hours. */
enum {
    PATIENCE = 5,
    ENOUGH = 300
}; /* [s] of processor time: for a forgery,
    * and for what must be verified */
static int is_late;

static void stop_now(int signal)
{
    (void)signal;
    is_late = 1;
}

static void set_patience(int seconds)
{
    const struct itimerval time = { .it_value = { .tv_sec = seconds } };
    setitimer(ITIMER_PROF, &time, NULL);
}

static enum nb_status verify(const char *path, int seconds,
                             struct nb_error *err)
{
    const struct nb_run run = { .threads = 1, .stop = &is_late };
    struct nb_text said = { 0 };
    *err = (struct nb_error){ 0 };
    is_late = 0;
    set_patience(seconds);
    const enum nb_status status =
        nb_verify_file(path, NULL, &run, NULL, &said, err);
    set_patience(0);
    tally.stopped += status == NB_STOPPED;
    nb_text_release(&said);
    return status;
}

static void write_model(const struct nb_model *model, struct nb_text *text)
{
    nb_model_write(model, true, 0, text);
    assert_int_equal(nb_text_check(text, NULL), NB_OK);
}

static bool texts_equal(const struct nb_text *a, const struct nb_text *b)
{
    return a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0;
}

static bool models_equal(const struct nb_model *a, const struct nb_model *b)
{
    struct nb_text one = { 0 }, other = { 0 };
    write_model(a, &one);
    write_model(b, &other);
    const bool is_equal = texts_equal(&one, &other);
    nb_text_release(&one);
    nb_text_release(&other);
    return is_equal;
}

static bool points_equal(const struct nb_report *a, const struct nb_report *b)
{
    struct nb_text one = { 0 }, other = { 0 };
    for (size_t i = 0; i < a->point_count; i++)
        nb_point_write_xml(&a->points[i], &one, NULL);
    for (size_t i = 0; i < b->point_count; i++)
        nb_point_write_xml(&b->points[i], &other, NULL);
    const bool is_equal = texts_equal(&one, &other);
    nb_text_release(&one);
    nb_text_release(&other);
    return is_equal;
}

/* Whether what a quantity says is consistent with the true one: the same exact
 * value, or an interval that does not exclude the true interval. */
static bool quantity_is_true(const struct nb_quantity *said,
                             const struct nb_quantity *known)
{
    const bool is_ordered =
        said->lower <= said->value && said->value <= said->upper;
    if (strcmp(said->unit, known->unit) != 0)
        return false;
    if (nb_ratio_is_known(said->exact) && nb_ratio_is_known(known->exact))
        return nb_ratio_compare(said->exact, known->exact) == 0;
    return is_ordered && said->lower <= known->upper &&
           known->lower <= said->upper;
}

/* A quantity of the routing or bracket in the report, which another certificate
 * may change. */
static bool quantity_is_of_witness(const struct nb_quantity *quantity)
{
    return strstr(quantity->method, "of the routing found") != NULL ||
           strcmp(quantity->name, "duality_gap") == 0;
}

/* Whether a quantity is the true one; or, where claims permit another one, is
 * consistent with it. */
static bool quantity_passes(const struct nb_question_kind *kind,
                            const struct nb_point *said,
                            const struct nb_quantity *one,
                            const struct nb_quantity *known)
{
    const bool is_same =
        one->value == known->value && one->lower == known->lower &&
        one->upper == known->upper &&
        nb_ratio_is_known(one->exact) == nb_ratio_is_known(known->exact);
    return quantity_is_of_witness(one) ||
           (quantity_is_true(one, known) &&
            (is_same || nb_claims_quantity(kind, said, one)));
}

/* A note whose words name the certificate's witness, or what its brackets leave
 * open. */
static bool note_is_of_witness(const char *name)
{
    static const char *const names[] = { "worst_channel", "max_channel",
                                         "required", "open_bracket",
                                         "too_large" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool lies_in(const struct nb_point *point, const char *name,
                    double least, double most)
{
    const struct nb_quantity *quantity = nb_point_quantity(point, name);
    return quantity == NULL ||
           (quantity->lower >= least && quantity->upper <= most);
}

/* Whether one quantity is not certainly above another, if there are both. */
static bool bounds_order(const struct nb_point *point, const char *less,
                         const char *more)
{
    const struct nb_quantity *a = nb_point_quantity(point, less);
    const struct nb_quantity *b = nb_point_quantity(point, more);
    return a == NULL || b == NULL || a->lower <= b->upper;
}

/* Bounds that need no certificate. */
static bool keeps_known_bounds(const struct nb_point *point)
{
    return lies_in(point, "locality", 1, INFINITY) &&
           lies_in(point, "mean_share", 0, 1) &&
           lies_in(point, "min_share", 0, 1) &&
           lies_in(point, "effective_bisection", 0, 1) &&
           lies_in(point, "duality_gap", 0, INFINITY) &&
           bounds_order(point, "least_channel_load", "max_channel_load") &&
           bounds_order(point, "throughput", "optimal_throughput");
}

static const char *find_note(const struct nb_point *point, const char *name)
{
    for (size_t i = 0; i < point->note_count; i++)
        if (strcmp(point->notes[i].name, name) == 0)
            return point->notes[i].text;
    return NULL;
}

/* What is wrong with a point whose certificates differ from the true ones;
 * NULL: nothing. */
static const char *find_untruth(const struct nb_question_kind *kind,
                                const struct nb_point *said,
                                const struct nb_point *known, char text[200])
{
    for (size_t i = 0; i < said->quantity_count; i++) {
        const struct nb_quantity *one = &said->quantities[i];
        const struct nb_quantity *other = nb_point_quantity(known, one->name);
        snprintf(text, 200, "%s %.17g in [%.17g, %.17g]", one->name, one->value,
                 one->lower, one->upper);
        if (other == NULL || !quantity_passes(kind, said, one, other))
            return text;
    }
    for (size_t i = 0; i < known->quantity_count; i++)
        if (nb_point_quantity(said, known->quantities[i].name) == NULL)
            return known->quantities[i].name;
    if (!keeps_known_bounds(said))
        return "a known bound";
    for (size_t i = 0; i < said->note_count; i++) {
        const char *note = find_note(known, said->notes[i].name);
        snprintf(text, 200, "note %s: %s", said->notes[i].name,
                 said->notes[i].text);
        if (!note_is_of_witness(said->notes[i].name) &&
            !nb_claims_note(kind, said->notes[i].name) &&
            (note == NULL || strcmp(note, said->notes[i].text) != 0))
            return text;
    }
    for (size_t i = 0; i < known->note_count; i++)
        if (find_note(said, known->notes[i].name) == NULL &&
            !note_is_of_witness(known->notes[i].name) &&
            !nb_claims_note(kind, known->notes[i].name))
            return known->notes[i].name;
    return NULL;
}

/* Answers the question of the forged report anew. */
static bool answer_again(struct nb_report *out)
{
    const struct nb_run run = { .threads = 1 };
    struct nb_model model = { 0 };
    char path[NB_SCRATCH_PATH];
    enum nb_status status =
        nb_ask_read(nb_scratch_name("forged.xml", path), &model, NULL);
    if (status == NB_OK)
        status = nb_ask(&model, &run, out, NULL);
    nb_model_release(&model);
    return status == NB_OK;
}

static void judge(struct forge *forge, const struct nb_report *forged,
                  const char *what)
{
    struct nb_report again = { 0 };
    const struct nb_report *known = &forge->original;
    const bool is_same_model = models_equal(&forged->model, &known->model);
    const char *untruth = NULL;
    char text[200];
    tally.accepted++;
    if (!is_same_model) {
        if (answer_again(&again))
            known = &again;
        else
            untruth = "the question has no answer";
    }
    if (untruth == NULL && !points_equal(forged, known)) {
        if (!nb_question_proves(forge->kind) ||
            forged->point_count != known->point_count)
            untruth = "another answer";
        for (size_t i = 0; untruth == NULL && i < known->point_count; i++)
            untruth = find_untruth(forge->kind, &forged->points[i],
                                   &known->points[i], text);
        tally.proof += untruth == NULL;
    } else if (untruth == NULL) {
        *(is_same_model ? &tally.claimed : &tally.same) += 1;
    }
    if (untruth != NULL) {
        tally.untrue++;
        print_message("%s: %s: %s\n", forge->question, what, untruth);
    }
    nb_report_release(&again);
}

/* Verifies bytes, whose digest is made to fit. */
static void try_bytes(struct forge *forge, struct nb_text *bytes,
                      const char *what)
{
    char path[NB_SCRATCH_PATH], digits[NB_DIGEST_TEXT];
    struct nb_report forged = { 0 };
    struct nb_error err;
    bool is_right;
    char *place =
        bytes->bytes != NULL ? strstr(bytes->bytes, "<digest ") : NULL;
    nb_scratch_name("forged.xml", path);
    assert_int_equal(nb_text_check(bytes, NULL), NB_OK);
    if (place != NULL && (place = strchr(place, '>')) != NULL &&
        strlen(place + 1) >= NB_DIGEST_DIGITS) {
        memset(place + 1, '0', NB_DIGEST_DIGITS);
        nb_digest_bytes(bytes->bytes, bytes->length, digits);
        memcpy(place + 1, digits, NB_DIGEST_DIGITS);
    }
    if (bytes->length == forge->bytes.length &&
        memcmp(bytes->bytes, forge->bytes.bytes, bytes->length) == 0)
        return; /* no forgery */
    tally.tried++;
    nb_scratch_write(path, bytes->bytes, bytes->length);
    if (verify(path, PATIENCE, &err) == NB_OK) {
        assert_int_equal(nb_report_read_file(path, &forged, &is_right, &err),
                         NB_OK);
        judge(forge, &forged, what);
    }
    nb_report_release(&forged);
}

enum { SHARE = 130, SHARE_OF_ALL = 13 };

/* Whether the next forgery is tried. All of them take two minutes: CASES=all
 * has a share of them, unless FORGERIES is set. */
static bool is_drawn(struct forge *forge)
{
    const bool is_shared = nb_cases_are_all() && getenv("FORGERIES") == NULL;
    const size_t step =
        (forge->slow > 0 ? forge->slow : 1) * (is_shared ? SHARE_OF_ALL : 1);
    const size_t index = forge->index++;
    return index % step == 0 && nb_cases_have(index / step, SHARE);
}

/* Replaces bytes [begin, end) of the report by others. */
static void try_change(struct forge *forge, size_t begin, size_t end,
                       const char *other, size_t length)
{
    const struct nb_text *bytes = &forge->bytes;
    struct nb_text changed = { 0 };
    char what[200];
    size_t line = begin;
    if (!is_drawn(forge) || (end - begin == length &&
                             memcmp(bytes->bytes + begin, other, length) == 0))
        return;
    while (line > 0 && bytes->bytes[line - 1] != '\n')
        line--;
    snprintf(what, sizeof what, "%.*s -> %.*s in %.*s", (int)(end - begin),
             bytes->bytes + begin, (int)length, other,
             (int)strcspn(bytes->bytes + line, "\n"), bytes->bytes + line);
    nb_text_add(&changed, bytes->bytes, begin);
    nb_text_add(&changed, other, length);
    nb_text_add(&changed, bytes->bytes + end, bytes->length - end);
    try_bytes(forge, &changed, what);
    nb_text_release(&changed);
}

static void try_text(struct forge *forge, size_t begin, size_t end,
                     const char *other)
{
    try_change(forge, begin, end, other, strlen(other));
}

/* Changes of a number to others of its kind. */
static void forge_number(struct forge *forge, size_t begin, size_t end)
{
    static const char *const others[] = { "0",   "1",    "-1",  "inf", "-inf",
                                          "nan", "1/2",  "?",   "0.5", "-0",
                                          "",    "1e-9", "1e99" };
    char own[NB_NUMBER_TEXT], text[NB_NUMBER_TEXT + 8];
    snprintf(own, sizeof own, "%.*s", (int)(end - begin),
             forge->bytes.bytes + begin);
    const double value = nb_strtod(own, NULL);
    const double near[] = { nextafter(value, INFINITY),
                            nextafter(value, -INFINITY),
                            value + 1,
                            value - 1,
                            2 * value,
                            value / 2,
                            -value,
                            value * (1 + 1e-6),
                            value * (1 - 1e-6) };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        try_text(forge, begin, end, others[i]);
    for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
        nb_number_print(near[i], text);
        try_text(forge, begin, end, text);
    }
    snprintf(text, sizeof text, "0%s", own);
    try_text(forge, begin, end, text);
    snprintf(text, sizeof text, "%s0", own);
    try_text(forge, begin, end, text);
}

/* The value of an attribute or the contents of an element, after `from`; false
 * if there is none. */
static bool find_value(const char *bytes, size_t from, size_t *begin,
                       size_t *end)
{
    const char *at = bytes + from;
    while (*at != '\0') {
        at += strcspn(at, "\">");
        if (*at == '\0')
            return false;
        const char close = *at == '"' ? '"' : '<';
        at++;
        if (close == '<' && (*at == '\n' || *at == '<'))
            continue;
        *begin = (size_t)(at - bytes);
        *end = *begin + strcspn(at, close == '"' ? "\"" : "<");
        return true;
    }
    return false;
}

static bool is_number(const char *bytes, size_t length)
{
    return length > 0 && strspn(bytes, "0123456789.e+-") >= length;
}

/* Changes of a word or sentence: to others, and of each number in it. */
static void forge_words(struct forge *forge, size_t begin, size_t end)
{
    const char *bytes = forge->bytes.bytes;
    char text[600];
    size_t next_begin, next_end;
    const int length = (int)(end - begin);
    try_text(forge, begin, end, "");
    try_text(forge, begin, end, "x");
    try_text(forge, begin, end, "yes");
    try_text(forge, begin, end, "no");
    snprintf(text, sizeof text, "%.*s ", length, bytes + begin);
    try_text(forge, begin, end, text);
    snprintf(text, sizeof text, "%.*sx", length, bytes + begin);
    try_text(forge, begin, end, text);
    for (size_t i = begin; i < end; i++) {
        const char digit = (char)('0' + (bytes[i] - '0' + 1) % 10);
        if (nb_is_digit(bytes[i]))
            try_change(forge, i, i + 1, &digit, 1);
    }
    if (find_value(bytes, end + 1, &next_begin, &next_end))
        try_change(forge, begin, end, bytes + next_begin,
                   next_end - next_begin);
}

/* Changes of a value, or of each of the cells in it. */
static void forge_value(struct forge *forge, size_t begin, size_t end)
{
    const char *bytes = forge->bytes.bytes;
    size_t last = SIZE_MAX;
    if (strspn(bytes + begin, "0123456789.e+-?/infa ") < end - begin) {
        forge_words(forge, begin, end);
        return;
    }
    for (size_t at = begin, stop; at <= end && begin < end; at = stop + 1) {
        stop = at + strcspn(bytes + at, " <\"");
        forge_number(forge, at, stop);
        if (last != SIZE_MAX) { /* the neighbour's value */
            try_change(forge, at, stop, bytes + last, at - 1 - last);
            try_change(forge, last, at - 1, bytes + at, stop - at);
        }
        last = at;
    }
}

/* Changes of each value in the report, also to the previous number. */
static void forge_values(struct forge *forge)
{
    const char *bytes = forge->bytes.bytes;
    const size_t digest = (size_t)(strstr(bytes, "<digest ") - bytes);
    size_t begin, end = 0, last = 0, last_end = 0;
    while (find_value(bytes, end + (end > 0), &begin, &end) && end < digest) {
        forge_value(forge, begin, end);
        if (!is_number(bytes + begin, end - begin))
            continue;
        if (last_end > 0) {
            try_change(forge, begin, end, bytes + last, last_end - last);
            try_change(forge, last, last_end, bytes + begin, end - begin);
        }
        last = begin;
        last_end = end;
    }
}

/* Lines dropped, doubled, moved and added: elements, rows, whole tables. */
static void forge_lines(struct forge *forge)
{
    const char *bytes = forge->bytes.bytes;
    const size_t digest = (size_t)(strstr(bytes, "<digest ") - bytes);
    for (size_t begin = 0, end; begin < digest; begin = end) {
        struct nb_text text = { 0 };
        const size_t length = strcspn(bytes + begin, "\n") + 1;
        const size_t next = strcspn(bytes + begin + length, "\n") + 1;
        end = begin + length;
        try_change(forge, begin, end, "", 0);
        try_text(forge, end, end, "<!-- x -->\n");
        try_text(forge, end - 1, end - 1, " ");
        nb_text_add(&text, bytes + begin, length);
        nb_text_add(&text, bytes + begin, length);
        try_change(forge, begin, end, text.bytes, text.length);
        text.length = 0;
        nb_text_add(&text, bytes + end, next);
        nb_text_add(&text, bytes + begin, length);
        try_change(forge, begin, end + next, text.bytes, text.length);
        nb_text_release(&text);
    }
}

/* Writes a report whose only point is the given one, and verifies it. */
static void try_point(struct forge *forge, const struct nb_point *point,
                      const char *what)
{
    struct nb_report report = forge->original;
    struct nb_point only = *point;
    struct nb_text bytes = { 0 };
    report.points = &only;
    report.point_count = 1;
    assert_int_equal(
        nb_report_write(&report, NB_FORMAT_XML, NULL, &bytes, NULL), NB_OK);
    try_bytes(forge, &bytes, what);
    nb_text_release(&bytes);
}

/* Verifies the report with the point's tables; and if they prove anything, the
 * report that says what they prove. */
static void try_tables(struct forge *forge, const struct nb_point *given,
                       const char *what)
{
    struct nb_model here = { 0 };
    struct nb_point proved = { 0 };
    struct nb_text said = { 0 };
    if (!is_drawn(forge))
        return;
    try_point(forge, given, what);
    assert_int_equal(nb_ask_model(&forge->kind->form, &forge->original.model, 0,
                                  &here, &proved, NULL),
                     NB_OK);
    const struct nb_question question = { .model = &here,
                                          .run = { .threads = 1 },
                                          .is_checked = true };
    if (nb_question_check(forge->kind, &question, given, &proved, &said,
                          NULL) == NB_OK &&
        nb_point_name_routers(&proved, &here, NULL) == NB_OK)
        try_point(forge, &proved, what);
    nb_text_release(&said);
    nb_point_release(&proved);
    nb_model_release(&here);
}

/* Cells [0, row_count) of a table that is being changed; texts are shared. */
struct rows {
    struct nb_point *point;
    struct nb_table *table;
    struct nb_table was;
};

/* Gives a table room for one more row. */
static struct rows open_rows(struct nb_point *point, size_t table)
{
    struct rows rows = { point, &point->tables[table], point->tables[table] };
    const size_t columns = rows.was.column_count;
    union nb_cell *cells =
        nb_new_array((rows.was.row_count + 1) * columns, sizeof *cells);
    assert_non_null(cells);
    if (rows.was.row_count > 0)
        memcpy(cells, rows.was.cells,
               rows.was.row_count * columns * sizeof *cells);
    rows.table->cells = cells;
    return rows;
}

static void close_rows(struct rows *rows)
{
    nb_delete(rows->table->cells);
    *rows->table = rows->was;
}

static union nb_cell *row_at(const struct rows *rows, size_t row)
{
    return rows->table->cells + row * rows->table->column_count;
}

static void set_row_count(struct rows *rows, size_t count)
{
    rows->table->row_count = count;
    rows->table->cell_count = count * rows->table->column_count;
}

static void drop_row(struct rows *rows, size_t row)
{
    const size_t size = rows->table->column_count * sizeof(union nb_cell);
    memmove(row_at(rows, row), row_at(rows, row + 1),
            (rows->table->row_count - row - 1) * size);
    set_row_count(rows, rows->table->row_count - 1);
}

static void copy_row(struct rows *rows, size_t from, size_t to)
{
    memcpy(row_at(rows, to), row_at(rows, from),
           rows->table->column_count * sizeof(union nb_cell));
}

static void swap_rows(struct rows *rows, size_t one, size_t other)
{
    const size_t spare = rows->was.row_count;
    copy_row(rows, one, spare);
    copy_row(rows, other, one);
    copy_row(rows, spare, other);
}

enum { CELL_CHANGES = 12 };

/* Makes one of CELL_CHANGES changes to a cell; false if it has no such
 * change. */
static bool change_cell(struct rows *rows, size_t row, size_t column,
                        size_t change)
{
    union nb_cell *cell = row_at(rows, row) + column;
    const size_t count = rows->was.row_count;
    const union nb_cell near =
        rows->was.cells[(row + 1) % count * rows->was.column_count + column];
    const double v = cell->number;
    const int64_t w = cell->whole;
    const struct nb_ratio r = cell->ratio;
    switch (rows->table->columns[column].type) {
    case NB_CELL_WHOLE: {
        const int64_t to[] = { 0,     1,          w + 1,     w - 1,
                               2 * w, near.whole, INT64_MAX, -1,
                               3 * w, 64,         w / 2,     INT64_C(1) << 40 };
        cell->whole = to[change];
        return true;
    }
    case NB_CELL_NUMBER: {
        const double to[] = { 0,        1,     nextafter(v, INFINITY),
                              -v,       2 * v, nextafter(v, -INFINITY),
                              INFINITY, NAN,   near.number,
                              v / 2,    v + 1, -INFINITY };
        cell->number = to[change];
        return true;
    }
    case NB_CELL_RATIO: {
        const struct nb_ratio to[] = {
            { 0, 1 },
            { 1, 1 },
            { 0, 0 },
            { 1, 0 },
            { -r.numerator, r.denominator },
            nb_ratio_multiply(r, nb_ratio_make(2, 1)),
            nb_ratio_multiply(r, nb_ratio_make(1, 2)),
            nb_ratio_multiply(r, nb_ratio_make(1000001, 1000000)),
            nb_ratio_multiply(r, nb_ratio_make(999999, 1000000)),
            near.ratio,
            nb_ratio_add(r, nb_ratio_one),
            { INT64_MAX, 1 },
        };
        cell->ratio = to[change];
        return true;
    }
    default:
        cell->text = near.text;
        return change == 0;
    }
}

/* All changes of one cell and one row. */
static void forge_row(struct forge *forge, struct nb_point *point, size_t table,
                      size_t row)
{
    struct rows rows;
    char what[200];
    const size_t count = point->tables[table].row_count;
    for (size_t c = 0; c < point->tables[table].column_count; c++)
        for (size_t change = 0; change < CELL_CHANGES; change++) {
            rows = open_rows(point, table);
            snprintf(what, sizeof what, "table %s, row %zu, column %s, %zu",
                     rows.table->name, row, rows.table->columns[c].name,
                     change);
            if (change_cell(&rows, row, c, change))
                try_tables(forge, point, what);
            close_rows(&rows);
        }
    for (int change = 0; change < 4; change++) {
        rows = open_rows(point, table);
        snprintf(what, sizeof what, "table %s, row %zu, %s", rows.table->name,
                 row,
                 (const char *[]){ "dropped", "doubled", "swapped",
                                   "first" }[change]);
        if (change == 0)
            drop_row(&rows, row);
        if (change == 1) {
            copy_row(&rows, row, count);
            set_row_count(&rows, count + 1);
        }
        if (change >= 2)
            swap_rows(&rows, row, change == 2 ? (row + 1) % count : 0);
        try_tables(forge, point, what);
        close_rows(&rows);
    }
}

/* Several random changes of a point's certificates at a time. */
static void forge_mixed(struct forge *forge, struct nb_point *point,
                        struct nb_random *random)
{
    struct rows rows[3];
    size_t used = 0;
    char what[200] = "several changes";
    for (size_t i = 0; i < 3; i++) {
        const size_t table =
            (size_t)nb_random_below(random, point->table_count);
        const size_t count = point->tables[table].row_count;
        bool is_new = point->tables[table].is_certificate && count > 0;
        for (size_t u = 0; u < used; u++)
            is_new = is_new && rows[u].table != &point->tables[table];
        if (!is_new)
            continue;
        rows[used] = open_rows(point, table);
        for (size_t k = nb_random_below(random, count) + 1; k > 0; k--) {
            struct rows *here = &rows[used];
            const size_t left = here->table->row_count;
            const size_t row =
                left > 0 ? (size_t)nb_random_below(random, left) : 0;
            if (left == 0)
                break;
            if (nb_random_below(random, 3) == 0)
                drop_row(here, row);
            else
                change_cell(
                    here, row,
                    (size_t)nb_random_below(random, here->table->column_count),
                    (size_t)nb_random_below(random, CELL_CHANGES));
        }
        used++;
    }
    try_tables(forge, point, what);
    while (used > 0)
        close_rows(&rows[--used]);
}

/* A column times 2, emptied and missing tables. */
static void forge_table(struct forge *forge, struct nb_point *point,
                        size_t table)
{
    struct rows rows = open_rows(point, table);
    char what[200];
    snprintf(what, sizeof what, "table %s, emptied", rows.table->name);
    set_row_count(&rows, 0);
    try_tables(forge, point, what);
    close_rows(&rows);
    for (size_t c = 0; c < point->tables[table].column_count; c++) {
        rows = open_rows(point, table);
        snprintf(what, sizeof what, "table %s, column %s, doubled",
                 rows.table->name, rows.table->columns[c].name);
        for (size_t r = 0; r < rows.table->row_count; r++) {
            union nb_cell *cell = row_at(&rows, r) + c;
            if (rows.table->columns[c].type == NB_CELL_WHOLE)
                cell->whole *= 2;
            else if (rows.table->columns[c].type == NB_CELL_NUMBER)
                cell->number *= 2;
        }
        try_tables(forge, point, what);
        close_rows(&rows);
    }
    struct nb_point without = *point;
    struct nb_table *tables = nb_new_array(point->table_count, sizeof *tables);
    assert_non_null(tables);
    memcpy(tables, point->tables, point->table_count * sizeof *tables);
    memmove(tables + table, tables + table + 1,
            (point->table_count - table - 1) * sizeof *tables);
    without.tables = tables;
    without.table_count--;
    snprintf(what, sizeof what, "table %s, missing", point->tables[table].name);
    try_tables(forge, &without, what);
    nb_delete(tables);
}

/* Certificates changed, with a report that follows them. */
static void forge_certificates(struct forge *forge)
{
    struct nb_point *point = &forge->original.points[0];
    struct nb_random random;
    size_t rows = 0;
    if (!nb_question_proves(forge->kind) || forge->original.point_count != 1)
        return;
    for (size_t t = 0; t < point->table_count; t++) {
        if (!point->tables[t].is_certificate)
            continue;
        forge_table(forge, point, t);
        for (size_t r = 0; r < point->tables[t].row_count; r++)
            forge_row(forge, point, t, r);
        rows += point->tables[t].row_count;
    }
    nb_random_init(&random, 1, (uint64_t)forge->index);
    for (size_t i = 0; i < 20 * rows; i++)
        forge_mixed(forge, point, &random);
}

/* A note that another report might have. */
static void forge_note(struct forge *forge, const char *name, const char *text)
{
    struct nb_point *point = &forge->original.points[0];
    struct nb_point more = *point;
    struct nb_note *notes = nb_new_array(point->note_count + 1, sizeof *notes);
    assert_non_null(notes);
    if (point->note_count > 0)
        memcpy(notes, point->notes, point->note_count * sizeof *notes);
    notes[more.note_count++] = (struct nb_note){ (char *)name, (char *)text };
    more.notes = notes;
    if (is_drawn(forge))
        try_point(forge, &more, name);
    nb_delete(notes);
}

/* Numbers of a quantity that change together. */
static void forge_quantity(struct forge *forge, struct nb_quantity *quantity)
{
    const struct nb_quantity was = *quantity;
    const struct nb_ratio twice =
        nb_ratio_multiply(was.exact, nb_ratio_make(2, 1));
    const double width = fmax(was.upper - was.lower, 1e-9);
    for (int change = 0; change < 7; change++) {
        *quantity = was;
        switch (change) {
        case 0: /* all doubled */
            quantity->exact = twice;
            quantity->value *= 2;
            quantity->lower *= 2;
            quantity->upper *= 2;
            break;
        case 1: /* wider, no longer exact */
            quantity->exact = (struct nb_ratio){ 0, 0 };
            quantity->lower -= width;
            quantity->upper += width;
            break;
        case 2: /* a point */
            quantity->lower = quantity->upper = was.value;
            break;
        case 3:
            quantity->lower = was.upper;
            quantity->upper = was.lower;
            break;
        case 4:
            quantity->value = quantity->lower = quantity->upper = NAN;
            break;
        case 5:
            quantity->value = was.value == was.lower ? was.upper : was.lower;
            break;
        default:
            quantity->exact = (struct nb_ratio){ 0, 0 };
        }
        if (is_drawn(forge))
            try_point(forge, &forge->original.points[0], quantity->name);
    }
    *quantity = was;
}

/* Whether every value lies between its bounds, and known bounds hold. */
static bool is_sensible(const struct nb_point *point)
{
    for (size_t i = 0; i < point->quantity_count; i++) {
        const struct nb_quantity *one = &point->quantities[i];
        const bool is_nothing =
            isnan(one->value) && isnan(one->lower) && isnan(one->upper);
        if (!is_nothing &&
            !(one->lower <= one->value && one->value <= one->upper))
            return false;
    }
    return keeps_known_bounds(point);
}

static void write_files(void)
{
    static const char net[] = "0 1\n1 2\n2 3\n3 0 2\n";
    static const char traffic[] = "0,1,0,0\n0,0,1,0\n0,0,0,1\n1,0,0,0\n";
    char path[NB_SCRATCH_PATH];
    nb_scratch_write(nb_scratch_name("net.txt", path), net, strlen(net));
    nb_scratch_write(nb_scratch_name("traffic.csv", path), traffic,
                     strlen(traffic));
}

/* The question with the folder in its place. */
static void name_folder(const char *question, char line[600])
{
    size_t used = 0;
    for (const char *at = question; *at != '\0'; at++)
        used +=
            (size_t)(*at == '@' ? snprintf(line + used, 600 - used, "%s",
                                           nb_scratch_folder())
                                : snprintf(line + used, 600 - used, "%c", *at));
}

/* Answers the question and reads the report back, which must be verified. */
static void open_question(struct forge *forge)
{
    struct nb_report answer = { 0 };
    struct nb_error err = { 0 };
    char path[NB_SCRATCH_PATH], line[600];
    bool is_right;
    name_folder(forge->question, line);
    if (fuzz_ask(line, &answer, &err) != NB_OK)
        fail_msg("%s: %s", forge->question, err.message);
    forge->kind = nb_question_find(answer.model.command);
    for (size_t i = 0; i < answer.point_count; i++)
        if (!is_sensible(&answer.points[i]))
            fail_msg("%s: a value is not between its bounds", forge->question);
    assert_int_equal(
        nb_report_write(&answer, NB_FORMAT_XML, NULL, &forge->bytes, &err),
        NB_OK);
    nb_report_release(&answer);
    nb_scratch_name("forged.xml", path);
    nb_scratch_write(path, forge->bytes.bytes, forge->bytes.length);
    if (verify(path, ENOUGH, &err) != NB_OK)
        fail_msg("%s: %s", forge->question, err.message);
    assert_int_equal(
        nb_report_read_file(path, &forge->original, &is_right, &err), NB_OK);
}

/* " KIND.TABLE" for every table that was met, and " KIND". */
static struct nb_text met;

static void note_tables(const struct forge *forge)
{
    const char *kind = forge->kind->form.name;
    nb_text_print(&met, " %s", kind);
    for (size_t i = 0; i < forge->original.point_count; i++)
        for (size_t t = 0; t < forge->original.points[i].table_count; t++)
            nb_text_print(&met, " %s.%s", kind,
                          forge->original.points[i].tables[t].name);
}

static bool is_met(const char *name)
{
    return nb_word_is_in(met.bytes, ' ', name, strlen(name));
}

/* Whether a table is no certificate, and too rare for a question here. */
static bool is_left_out(const char *name)
{
    static const char *const names[] = { "audit.tree", "audit.odd_cables" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static void check_all_are_met(const struct nb_question_kind *kind)
{
    struct nb_text all = { 0 };
    char name[100];
    if (nb_question_proves(kind))
        nb_form_print_tables(&kind->form, " ", &all);
    const char *tables = all.bytes != NULL ? all.bytes : "";
    if (!is_met(kind->form.name))
        fail_msg("no question %s", kind->form.name);
    for (size_t length; *tables != '\0'; tables += length) {
        tables += strspn(tables, " ");
        length = strcspn(tables, " ");
        snprintf(name, sizeof name, "%s.%.*s", kind->form.name, (int)length,
                 tables);
        if (!is_met(name) && !is_left_out(name))
            fail_msg("no report has table %s", name);
    }
    nb_text_release(&all);
}

static void forge_question(const char *line, size_t slow)
{
    struct forge forge = { .question = line, .slow = slow };
    open_question(&forge);
    forge_values(&forge);
    forge_lines(&forge);
    if (forge.original.point_count == 1) {
        struct nb_point *point = &forge.original.points[0];
        for (size_t i = 0; i < point->quantity_count; i++)
            forge_quantity(&forge, &point->quantities[i]);
        forge_note(&forge, "time_limit",
                   "stopped by the time limit of 100 s: the bracket is what "
                   "was proved by then");
        forge_note(&forge, "bound", "an upper bound");
    }
    forge_certificates(&forge);
    note_tables(&forge);
    nb_text_release(&forge.bytes);
    nb_report_release(&forge.original);
}

static void test_no_false_report_is_verified(void **state)
{
    (void)state;
    signal(SIGPROF, stop_now);
    write_files();
    for (size_t q = 0; q < QUESTIONS; q++)
        forge_question(questions[q].line, questions[q].slow);
    for (size_t i = 0; nb_questions[i] != NULL; i++)
        check_all_are_met(nb_questions[i]);
    nb_text_release(&met);
    print_message("%zu forgeries, %zu accepted: %zu change what is only "
                  "claimed, %zu ask another question with the same answer, "
                  "%zu prove the answer in another way, %zu are false; %zu "
                  "were stopped\n",
                  tally.tried, tally.accepted, tally.claimed, tally.same,
                  tally.proof, tally.untrue, tally.stopped);
    assert_int_equal(tally.untrue, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_false_report_is_verified),
    };
    return cmocka_run_group_tests(tests, nb_scratch_setup, nb_scratch_teardown);
}
