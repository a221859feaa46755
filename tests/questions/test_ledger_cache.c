/* The ledger's cache: changed and foreign files, and failing allocations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/scratch.h"

#include "questions/ledger/ledger_cache.h"
#include "core/memory.h"

#include "core/digest.h"
#include "core/text.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A question and its answer of one quantity. */
static struct nb_point point;
static struct nb_text question;

static int make_question(void **state)
{
    if (nb_scratch_setup(state) != 0)
        return -1;
    setenv("XDG_CACHE_HOME", nb_scratch_folder(), 1);
    nb_point_add_bracket(&point, "mean_hops", 0.1, 0.3, "hops", "", "");
    nb_text_print(&question, "<model command=\"simulate\"/>");
    return 0;
}

static int forget_question(void **state)
{
    nb_text_release(&question);
    nb_point_release(&point);
    assert_int_equal(nb_memory_live_blocks(), 0);
    return nb_scratch_teardown(state);
}

/* Looks the answer up, having kept it if is_kept; returns whether it is
 * found. */
static bool cache_has(const struct nb_cache *cache, bool is_kept)
{
    struct nb_point found = { 0 };
    if (is_kept)
        nb_cache_keep(cache, &question, "simulate", &point);
    const bool is_found = nb_cache_find(cache, &question, "simulate", &found);
    if (is_found) {
        assert_int_equal(found.quantity_count, 1);
        assert_true(found.quantities[0].value == point.quantities[0].value);
    }
    nb_point_release(&found);
    return is_found;
}

/* The same, opening the cache, with a number of allocations. */
static bool cache_keeps(bool is_kept, long allowed)
{
    struct nb_cache cache;
    nb_memory_allow(allowed);
    const bool is_found = nb_cache_open(false, &cache, NULL) == NB_OK &&
                          cache_has(&cache, is_kept);
    nb_memory_allow(-1);
    nb_cache_close(&cache);
    return is_found;
}

/* Empties the cache and makes its folders; folder: out, that of the entries. */
static void renew(char folder[NB_SCRATCH_PATH])
{
    struct nb_cache cache;
    char command[NB_SCRATCH_PATH + 40];
    snprintf(command, sizeof command, "rm -rf %s/*", nb_scratch_folder());
    assert_int_equal(system(command), 0);
    assert_int_equal(nb_cache_open(false, &cache, NULL), NB_OK);
    assert_true(cache.is_open);
    nb_scratch_name("netbound", folder);
    snprintf(folder + strlen(folder), NB_SCRATCH_PATH - strlen(folder), "/%s",
             cache.program);
    nb_cache_close(&cache);
}

/* The same, with the entry of the question; path: out, its place. */
static struct nb_text renew_entry(char path[NB_SCRATCH_PATH])
{
    char digest[NB_DIGEST_TEXT];
    struct nb_text out = { 0 };
    renew(path);
    assert_true(cache_keeps(true, -1));
    nb_digest_bytes(question.bytes, question.length, digest);
    snprintf(path + strlen(path), NB_SCRATCH_PATH - strlen(path), "/%s.kept",
             digest);
    assert_int_equal(nb_text_read_file(path, 1 << 20, &out, NULL), NB_OK);
    return out;
}

static bool holds(const char *path, const struct nb_text *bytes)
{
    struct nb_text text = { 0 };
    const bool is_same =
        nb_text_read_file(path, 1 << 20, &text, NULL) == NB_OK &&
        text.length == bytes->length &&
        memcmp(text.bytes, bytes->bytes, text.length) == 0;
    nb_text_release(&text);
    return is_same;
}

/* A bit changed anywhere, or the rest missing: the answer is not found, and is
 * kept again unless the first lines no longer show who wrote them. */
static void changed_entries_are_not_believed(void **state)
{
    char path[NB_SCRATCH_PATH];
    struct nb_text entry = renew_entry(path);
    const size_t head = strcspn(entry.bytes, "\n") + 1 + 2 * NB_DIGEST_TEXT;
    struct nb_cache cache;
    (void)state;
    assert_int_equal(nb_cache_open(false, &cache, NULL), NB_OK);
    for (size_t at = 0; at < entry.length; at++) {
        entry.bytes[at] ^= (char)(1 << at % 8);
        nb_scratch_write(path, entry.bytes, entry.length);
        assert_false(cache_has(&cache, false));
        assert_int_equal(cache_has(&cache, true), at >= head);
        entry.bytes[at] ^= (char)(1 << at % 8);
        assert_int_equal(holds(path, &entry), at >= head);
        nb_scratch_write(path, entry.bytes, at);
        assert_false(cache_has(&cache, false));
    }
    nb_cache_close(&cache);
    nb_text_release(&entry);
}

/* An answer changed together with a digest of the file's own bytes, as anybody
 * could compute it. */
static void resealed_entries_are_not_believed(void **state)
{
    char path[NB_SCRATCH_PATH], digest[NB_DIGEST_TEXT];
    struct nb_text entry = renew_entry(path), rest = { 0 };
    const size_t head = strcspn(entry.bytes, "\n") + 1 + 2 * NB_DIGEST_TEXT;
    (void)state;
    entry.bytes[head + NB_DIGEST_TEXT + 20] ^= 1;
    nb_text_add(&rest, entry.bytes, head);
    nb_text_add(&rest, entry.bytes + head + NB_DIGEST_TEXT,
                entry.length - head - NB_DIGEST_TEXT);
    nb_digest_bytes(rest.bytes, rest.length, digest);
    memcpy(entry.bytes + head, digest, NB_DIGEST_DIGITS);
    nb_scratch_write(path, entry.bytes, entry.length);
    assert_false(cache_keeps(false, -1));
    nb_text_release(&entry);
    nb_text_release(&rest);
}

/* The entry under the name of another question. */
static void moved_entries_are_not_believed(void **state)
{
    char path[NB_SCRATCH_PATH];
    struct nb_text entry = renew_entry(path), own = question;
    (void)state;
    question = (struct nb_text){ 0 };
    nb_text_print(&question, "<model command=\"simulate\">more</model>");
    struct nb_text other = renew_entry(path);
    nb_scratch_write(path, entry.bytes, entry.length);
    assert_false(cache_keeps(false, -1));
    assert_false(cache_keeps(true, -1));
    assert_true(holds(path, &entry));
    nb_text_release(&entry);
    nb_text_release(&other);
    nb_text_release(&question);
    question = own;
}

/* In the entry's place: a link to the same bytes, one to nothing, a pipe that
 * nobody writes to, and a folder. None is read, and all stay. */
static void only_files_are_read(void **state)
{
    char path[NB_SCRATCH_PATH], target[NB_SCRATCH_PATH];
    struct nb_text entry = renew_entry(path);
    struct stat before, after;
    (void)state;
    nb_scratch_name("target", target);
    for (int i = 0; i < 4; i++) {
        remove(path);
        if (i == 0)
            nb_scratch_write(target, entry.bytes, entry.length);
        assert_int_equal(i == 0   ? symlink(target, path)
                         : i == 1 ? symlink("nowhere", path)
                         : i == 2 ? mkfifo(path, 0600)
                                  : mkdir(path, 0700),
                         0);
        assert_int_equal(lstat(path, &before), 0);
        assert_false(cache_keeps(false, -1));
        assert_false(cache_keeps(true, -1));
        assert_int_equal(lstat(path, &after), 0);
        assert_true(before.st_ino == after.st_ino);
        assert_true(holds(target, &entry));
    }
    nb_text_release(&entry);
}

/* The cache itself, or the program's part of it, is a link: nothing is read or
 * written there. */
static void folders_are_no_links(void **state)
{
    char path[NB_SCRATCH_PATH], target[NB_SCRATCH_PATH];
    (void)state;
    nb_scratch_name("elsewhere", target);
    for (int i = 0; i < 2; i++) {
        renew(path);
        assert_int_equal(mkdir(target, 0700), 0);
        assert_int_equal(rmdir(path), 0);
        if (i == 0)
            rmdir(nb_scratch_name("netbound", path));
        assert_int_equal(symlink(target, path), 0);
        assert_false(cache_keeps(true, -1));
        assert_int_equal(rmdir(target), 0); /* it is empty */
    }
}

/* Names a file below the folder of another program. */
static const char *name_other(const char *name, char path[NB_SCRATCH_PATH])
{
    static char folder[NB_SCRATCH_PATH];
    snprintf(folder, sizeof folder, "netbound/%064d/%s", 7, name);
    return nb_scratch_name(folder, path);
}

/* Of another program's folder only entries are removed: files with the right
 * name and first lines. A link to such a folder is not entered. */
static void only_entries_are_removed(void **state)
{
    char path[NB_SCRATCH_PATH], entry[NB_SCRATCH_PATH], other[200];
    char question_digest[NB_DIGEST_TEXT];
    struct nb_text bytes = { 0 };
    (void)state;
    renew(path);
    nb_digest_bytes("q", 1, question_digest);
    nb_text_print(&bytes, "netbound ledger cache 1\n%064d\n%s\nrest", 7,
                  question_digest);
    assert_int_equal(mkdir(name_other("", path), 0700), 0);
    snprintf(other, sizeof other, "%s.kept", question_digest);
    nb_scratch_write(name_other(other, entry), bytes.bytes, bytes.length);
    nb_scratch_write(name_other("notes", path), bytes.bytes, bytes.length);
    snprintf(other, sizeof other, "%064d.kept", 1);
    nb_scratch_write(name_other(other, path), bytes.bytes, bytes.length);
    assert_false(cache_keeps(false, -1));
    assert_int_equal(access(entry, F_OK), -1);
    assert_true(holds(name_other("notes", path), &bytes));
    assert_int_equal(unlink(path), 0);
    assert_true(holds(name_other(other, path), &bytes));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(access(name_other("", path), F_OK), 0);
    assert_false(cache_keeps(false, -1)); /* the folder is now empty */
    assert_int_equal(access(name_other("", path), F_OK), -1);
    nb_text_release(&bytes);
}

static void linked_programs_are_not_cleared(void **state)
{
    char path[NB_SCRATCH_PATH], target[NB_SCRATCH_PATH], digest[NB_DIGEST_TEXT];
    struct nb_text bytes = { 0 };
    (void)state;
    renew(path);
    nb_digest_bytes("q", 1, digest);
    nb_text_print(&bytes, "netbound ledger cache 1\n%064d\n%s\n", 7, digest);
    assert_int_equal(mkdir(nb_scratch_name("target", target), 0700), 0);
    snprintf(target + strlen(target), 100, "/%s.kept", digest);
    nb_scratch_write(target, bytes.bytes, bytes.length);
    name_other("", path);
    path[strlen(path) - 1] = '\0';
    assert_int_equal(symlink("../target", path), 0);
    assert_false(cache_keeps(false, -1));
    assert_true(holds(target, &bytes));
    nb_text_release(&bytes);
}

static void failing_memory_is_survived(void **state)
{
    char path[NB_SCRATCH_PATH];
    long allowed = 0;
    (void)state;
    renew(path);
    const long before = nb_memory_live_blocks();
    while (!cache_keeps(true, allowed++)) {
        assert_int_equal(nb_memory_live_blocks(), before);
        assert_true(allowed < 10000);
    }
    assert_true(allowed > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_entries_are_not_believed),
        cmocka_unit_test(resealed_entries_are_not_believed),
        cmocka_unit_test(moved_entries_are_not_believed),
        cmocka_unit_test(only_files_are_read),
        cmocka_unit_test(folders_are_no_links),
        cmocka_unit_test(only_entries_are_removed),
        cmocka_unit_test(linked_programs_are_not_cleared),
        cmocka_unit_test(failing_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, make_question, forget_question);
}
