/* Checkpoints with records of other questions, other places and other bytes:
 * the answer of every question is the one without a checkpoint. */
#include "ask/registry.h"

#include "core/memory.h"
#include "core/random.h"

#include "../support/cases.h"
#include "../support/command_line.h"
#include "../support/scratch.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Two questions whose loops have the same names and sizes, as far as
 * possible. */
static const struct spliced_pair {
    const char *question, *other;
} pairs[] = {
    { "audit ring:5 --routing minhop --matchings 8",
      "audit ring:5 --routing minhop --matchings 8 --seed 3" },
    { "buffer --sweep load=0.1:0.5:0.1 --depth 8",
      "buffer --sweep load=0.2:0.6:0.1 --depth 8" },
    { "deadlock torus:4x4 --sweep routing=dor,val",
      "deadlock torus:4x4 --sweep routing=min,romm" },
    { "delay --hops 5 --load 0.8", "delay --hops 4 --load 0.8" },
    { "latency mesh:4x4 --sweep load=0.1,0.2,0.3",
      "latency torus:4x4 --sweep load=0.1,0.2,0.3" },
    { "limits dragonfly:h=2", "limits dragonfly:h=3" },
    { "load torus:4x4 --traffic tornado --sweep routing=dor,val",
      "load torus:4x4 --traffic transpose --sweep routing=dor,val" },
    { "optimum ring:6 --worst-case", "optimum ring:8 --worst-case" },
    { "permutations torus:4x4 --routing dor --count 2000",
      "permutations torus:4x4 --routing dor --count 2000 --seed 3" },
    { "permutations ring:5 --routing min-adaptive --count 8 --simulate "
      "4:cycles=320",
      "permutations ring:5 --routing min-adaptive --count 8 --simulate "
      "4:cycles=640" },
    { "power torus:4x4", "power torus:5x5" },
    { "qcn dragonfly:h=2 --sweep load=0.2:0.4:0.1",
      "qcn dragonfly:h=2 --sweep load=0.3:0.5:0.1" },
    { "reorder --load 0.5", "reorder --load 0.6" },
    { "simulate ring:4 --cycles 320 --sweep load=0.1:0.3:0.1",
      "simulate ring:4 --cycles 320 --sweep load=0.1:0.3:0.1 --seed 2" },
    { "simulate ring:4 --cycles 320 --load 0.3 --replications 6",
      "simulate ring:4 --cycles 320 --load 0.4 --replications 6" },
    { "split ring:8 --load 0.4 --sweep rule=optimal,cqr,gal",
      "split ring:8 --load 0.6 --sweep rule=optimal,cqr,gal" },
    { "topology file:data/topologies/abilene.txt",
      "topology dragonfly:h=2,fail=0-1" },
    { "validate ring:4 --load 0.2 --cycles 320",
      "validate ring:4 --load 0.2 --cycles 320 --seed 2" },
    { "virtual-networks --terminals 64 --networks 4",
      "virtual-networks --terminals 64 --networks 3" },
    { "worst-case mesh:3x3 --routing romm",
      "worst-case mesh:3x3 --routing dor" },
    { "worst-case mesh:3x3 --routing dor --unbalanced",
      "worst-case mesh:3x3 --routing o1turn --unbalanced" },
    { "worst-case mesh:3x3 --routing any-minimal",
      "worst-case mesh:3x3 --routing min-adaptive" },
};
enum { PAIRS = sizeof pairs / sizeof *pairs, TRIALS = 40 };

static char page[NB_SCRATCH_PATH], kept[NB_SCRATCH_PATH];

/* Answers silently: it would report what the checkpoint holds. */
static void answer_silently(struct nb_invocation *invocation,
                            struct nb_error *err)
{
    const int error = dup(STDERR_FILENO), none = open("/dev/null", O_WRONLY);
    dup2(none, STDERR_FILENO);
    if (err->status == NB_OK)
        nb_answer(invocation, 1, err);
    nb_deal_close(invocation->deal);
    dup2(error, STDERR_FILENO);
    close(none);
    close(error);
}

/* Answers a command line (words between blanks) as CSV. */
static struct nb_text answer(const char *line, const char *checkpoint)
{
    struct nb_deal deal = { 0 };
    struct nb_invocation invocation = { .deal = &deal };
    struct nb_error err = { 0 };
    struct nb_text out = { 0 };
    char words[COMMAND_LINE_LENGTH];
    command_line_read(line, words, &invocation, &err);
    invocation.format = NB_FORMAT_CSV;
    invocation.output.text = page;
    invocation.checkpoint.text = checkpoint;
    invocation.threads.whole = 1;
    answer_silently(&invocation, &err);
    nb_invocation_release(&invocation);
    if (err.status != NB_OK)
        fail_msg("%s: %s", line, err.message);
    assert_int_equal(nb_text_read_file(page, 1 << 26, &out, NULL), NB_OK);
    return out;
}

/* The first three lines of a checkpoint, and its records. */
struct spliced_file {
    struct nb_text bytes;
    size_t count;
    size_t start[200]; /* of each record, and the end of the last */
};

static void file_make(const char *line, struct spliced_file *out)
{
    size_t at = 0;
    *out = (struct spliced_file){ 0 };
    unlink(kept);
    struct nb_text text = answer(line, kept);
    nb_text_release(&text);
    assert_int_equal(nb_text_read_file(kept, 1 << 26, &out->bytes, NULL),
                     NB_OK);
    for (int i = 0; i < 3; i++)
        at += strcspn(out->bytes.bytes + at, "\n") + 1;
    for (out->start[0] = at; at < out->bytes.length;
         out->start[++out->count] = at) {
        uint64_t head[3];
        memcpy(head, out->bytes.bytes + at, sizeof head);
        at += sizeof head + head[2] + 64;
        assert_in_range(out->count, 0, 198);
        assert_in_range(at, 0, out->bytes.length);
    }
    assert_true(out->count > 0);
}

static void file_add(const struct spliced_file *file, size_t record,
                     struct nb_text *out)
{
    nb_text_add(out, file->bytes.bytes + file->start[record],
                file->start[record + 1] - file->start[record]);
}

/* Some records of both files, some of them as if they were other tasks' or with
 * a bit changed, and perhaps a part of one more. */
static void splice_files(const struct spliced_file files[2],
                         struct nb_random *random, struct nb_text *out)
{
    const size_t count = nb_random_next(random) % 12;
    nb_text_add(out, files[0].bytes.bytes, files[0].start[0]);
    for (size_t i = 0; i < count; i++) {
        const struct spliced_file *from =
            &files[nb_random_next(random) % 3 / 2];
        const size_t record = nb_random_next(random) % from->count;
        const size_t start = out->length;
        file_add(from, record, out);
        const uint64_t way = nb_random_next(random) % 8;
        if (way == 0) /* the place of another task */
            memcpy(out->bytes + start,
                   from->bytes.bytes +
                       from->start[nb_random_next(random) % from->count],
                   2 * sizeof(uint64_t));
        if (way == 1)
            out->bytes[start +
                       nb_random_next(random) % (out->length - start)] ^=
                (char)(1 << nb_random_next(random) % 8);
        if (way == 2)
            out->length -= nb_random_next(random) % (out->length - start);
    }
}

static void expect_same(const struct spliced_pair *pair, const char *how,
                        const struct nb_text *bytes,
                        const struct nb_text *expected)
{
    nb_scratch_write(kept, bytes->bytes, bytes->length);
    struct nb_text got = answer(pair->question, kept);
    if (got.length != expected->length ||
        memcmp(got.bytes, expected->bytes, got.length) != 0)
        fail_msg("%s: %s of \"%s\": another answer", pair->question, how,
                 pair->other);
    nb_text_release(&got);
}

static void no_splice_changes_an_answer(void **state)
{
    const size_t trials = nb_cases_trials(TRIALS, 20);
    char how[40];
    (void)state;
    for (size_t p = 0; p < PAIRS; p++) {
        struct spliced_file files[2];
        if (!nb_cases_have(p, 8))
            continue;
        struct nb_text whole = answer(pairs[p].question, NULL), text = { 0 };
        file_make(pairs[p].question, &files[0]);
        file_make(pairs[p].other, &files[1]);
        nb_text_add(&text, files[0].bytes.bytes, files[0].start[0]);
        for (size_t i = 0; i < files[1].count; i++)
            file_add(&files[1], i, &text);
        expect_same(&pairs[p], "all records", &text, &whole);
        for (size_t seed = 1; seed <= trials; seed++) {
            struct nb_random random;
            nb_random_init(&random, seed, p);
            text.length = 0;
            splice_files(files, &random, &text);
            snprintf(how, sizeof how, "seed %zu, records", seed);
            expect_same(&pairs[p], how, &text, &whole);
        }
        for (int i = 0; i < 2; i++)
            nb_text_release(&files[i].bytes);
        nb_text_release(&text);
        nb_text_release(&whole);
    }
}

static void every_question_is_asked(void **state)
{
    (void)state;
    for (size_t q = 0; nb_questions[q] != NULL; q++) {
        const struct nb_form *form = &nb_questions[q]->form;
        bool is_asked = form->common != NULL && /* it takes no checkpoint */
                        strstr(form->common, "checkpoint") == NULL;
        for (size_t p = 0; p < PAIRS; p++)
            is_asked |=
                strcspn(pairs[p].question, " ") == strlen(form->name) &&
                strncmp(pairs[p].question, form->name, strlen(form->name)) == 0;
        if (!is_asked)
            fail_msg("no pair of questions for %s", form->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_question_is_asked),
        cmocka_unit_test(no_splice_changes_an_answer),
    };
    if (nb_scratch_setup(NULL) != 0)
        return 1;
    nb_scratch_name("page", page);
    nb_scratch_name("kept", kept);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    nb_scratch_teardown(NULL);
    return failed;
}
