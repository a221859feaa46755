/* Reading and writing whole files. The tests may run as root, for whom no
 * folder is closed: unwritable places are paths below a file, /proc and the
 * full device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/scratch.h"

#include "core/memory.h"
#include "core/spool.h"
#include "core/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t file_count(const char *where)
{
    size_t count = 0;
    DIR *stream = opendir(where);
    assert_non_null(stream);
    while (readdir(stream) != NULL)
        count++;
    closedir(stream);
    return count - 2;
}

static void file_expect(const char *path, const char *bytes, size_t length)
{
    struct nb_text text = { 0 };
    assert_int_equal(nb_text_read_file(path, 1 << 20, &text, NULL), NB_OK);
    assert_int_equal(text.length, length);
    assert_memory_equal(text.bytes, bytes, length);
    nb_text_release(&text);
}

static void test_round_trip(void **state)
{
    (void)state;
    static char bytes[200000];
    char path[NB_SCRATCH_PATH];
    nb_scratch_name("file", path);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 7 % 256);
    static const size_t lengths[] = { 0, 1, 65535, 65536, 65537, 200000, 3 };
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        assert_int_equal(nb_file_write(path, bytes, lengths[i], NULL), NB_OK);
        file_expect(path, bytes, lengths[i]);
        assert_int_equal(file_count(nb_scratch_folder()), 1);
    }
    unlink(path);
}

static void test_permissions(void **state)
{
    (void)state;
    char path[NB_SCRATCH_PATH];
    struct stat found;
    nb_scratch_name("file", path);
    const mode_t mask = umask(027);
    assert_int_equal(nb_file_write(path, "x", 1, NULL), NB_OK);
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0640);
    assert_int_equal(chmod(path, 0604), 0);
    assert_int_equal(nb_file_write(path, "y", 1, NULL), NB_OK);
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0604);
    umask(mask);
    unlink(path);
}

static void test_reading_limit(void **state)
{
    (void)state;
    char path[NB_SCRATCH_PATH];
    struct nb_text text = { 0 };
    struct nb_error error = { 0 };
    nb_scratch_name("file", path);
    nb_scratch_write(path, "12345", 5);
    assert_int_equal(nb_text_read_file(path, 5, &text, NULL), NB_OK);
    nb_text_release(&text);
    assert_int_equal(nb_text_read_file(path, 4, &text, &error), NB_INVALID);
    assert_non_null(strstr(error.message, path));
    assert_non_null(strstr(error.message, "4 bytes"));
    nb_text_release(&text);
    /* Endless devices also stop at the limit. */
    error = (struct nb_error){ 0 };
    assert_int_equal(nb_text_read_file("/dev/zero", 100000, &text, &error),
                     NB_INVALID);
    assert_true(text.length < 1 << 20);
    nb_text_release(&text);
    unlink(path);
}

static void test_reading_refusals(void **state)
{
    (void)state;
    char path[NB_SCRATCH_PATH];
    struct nb_text text = { 0 };
    struct nb_error error = { 0 };
    nb_scratch_name("missing", path);
    assert_int_equal(nb_text_read_file(path, 10, &text, &error), NB_IO);
    assert_non_null(strstr(error.message, path));
    assert_non_null(strstr(error.message, "No such file"));
    error = (struct nb_error){ 0 };
    assert_int_equal(nb_text_read_file(nb_scratch_folder(), 10, &text, &error),
                     NB_IO);
    assert_non_null(strstr(error.message, "is a directory"));
    nb_text_release(&text);
}

static void file_expect_unwritable(const char *path, const char *cause)
{
    struct nb_error error = { 0 };
    const enum nb_status status = nb_file_write(path, "abc", 3, &error);
    if (status != NB_IO || strstr(error.message, path) == NULL ||
        strstr(error.message, cause) == NULL)
        fail_msg("%s: status %d, \"%s\"", path, (int)status, error.message);
}

static void test_unwritable_places(void **state)
{
    (void)state;
    char path[NB_SCRATCH_PATH], below[NB_SCRATCH_PATH];
    nb_scratch_name("file", path);
    nb_scratch_write(path, "kept", 4);
    nb_scratch_path(path, "below", below);
    file_expect_unwritable(below, "Not a directory");
    nb_scratch_name("no/such/folder", below);
    file_expect_unwritable(below, "No such file");
    file_expect_unwritable(nb_scratch_folder(), "directory");
    if (access("/proc/self", F_OK) == 0)
        file_expect_unwritable("/proc/netbound-test",
                               strerror(geteuid() == 0 ? ENOENT : EACCES));
    else
        print_message("skipped: a file in /proc: there is no /proc\n");
    file_expect_unwritable("/dev/full", "No space left");
    file_expect(path, "kept", 4);
    assert_int_equal(file_count(nb_scratch_folder()), 1);
    unlink(path);
}

static void test_devices_are_written_in_place(void **state)
{
    (void)state;
    struct stat found;
    assert_int_equal(nb_file_write("/dev/null", "abc", 3, NULL), NB_OK);
    assert_int_equal(stat("/dev/null", &found), 0);
    assert_true(S_ISCHR(found.st_mode));
}

static struct stat file_stat(const char *path)
{
    struct stat state;
    assert_int_equal(lstat(path, &state), 0);
    return state;
}

/* Writes through all kinds of links; each is kept, and the file it names is
 * new. */
static void test_links_stay(void **state)
{
    (void)state;
    char target[NB_SCRATCH_PATH], link[NB_SCRATCH_PATH],
        folder[NB_SCRATCH_PATH], beyond[NB_SCRATCH_PATH], new[NB_SCRATCH_PATH];
    nb_scratch_write(nb_scratch_name("target", target), "old", 3);
    assert_int_equal(mkdir(nb_scratch_name("folder", folder), 0777), 0);
    nb_scratch_name("folder/new", new);
    static const struct {
        const char *says;
        bool is_new; /* names folder/new, which does not exist */
    } rows[] = { { "target", false },
                 { "folder/../target", false },
                 { "folder/back", false },
                 { "folder/new", true },
                 { "./folder/on", true } };
    assert_int_equal(
        symlink("../target", nb_scratch_name("folder/back", beyond)), 0);
    assert_int_equal(symlink("new", nb_scratch_name("folder/on", beyond)), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *named = rows[i].is_new ? new : target;
        char bytes[] = "row 0";
        bytes[4] = (char)('0' + i);
        assert_int_equal(symlink(rows[i].says, nb_scratch_name("link", link)),
                         0);
        assert_int_equal(nb_file_probe(link, NULL), NB_OK);
        assert_int_equal(access(new, F_OK) == 0, false);
        assert_true(nb_file_is_same(link, named));
        assert_int_equal(nb_file_write(link, bytes, 5, NULL), NB_OK);
        assert_true(S_ISLNK(file_stat(link).st_mode));
        assert_true(S_ISREG(file_stat(named).st_mode));
        file_expect(named, bytes, 5);
        unlink(link);
        unlink(new);
    }
    assert_true(S_ISLNK(file_stat(beyond).st_mode));
    assert_int_equal(symlink("link", link), 0);
    struct nb_error error = { 0 };
    assert_int_equal(nb_file_write(link, "x", 1, &error), NB_IO);
    assert_non_null(strstr(error.message, strerror(ELOOP)));
    assert_int_equal(file_count(nb_scratch_folder()), 3);
    unlink(link);
    unlink(target);
    unlink(beyond);
    unlink(nb_scratch_name("folder/back", beyond));
    assert_int_equal(rmdir(folder), 0);
}

/* How reserving space fails, instead of what the system does; 0: not. */
static int reserving;

int posix_fallocate(int descriptor, off_t offset, off_t length)
{
    if (reserving != 0)
        return reserving;
    return fallocate(descriptor, 0, offset, length) == 0 ? 0 : errno;
}

/* Both names of a file show what is written to one; longer and shorter, also
 * where the file system cannot reserve space. */
static void test_hard_links_stay(void **state)
{
    (void)state;
    static const char *const contents[] = { "longer than the old", "s", "" };
    static const int unsupported[] = { 0, EINVAL, EOPNOTSUPP };
    char one[NB_SCRATCH_PATH], other[NB_SCRATCH_PATH];
    nb_scratch_write(nb_scratch_name("one", one), "old one", 7);
    assert_int_equal(link(one, nb_scratch_name("other", other)), 0);
    const ino_t before = file_stat(one).st_ino;
    assert_true(nb_file_is_same(one, other));
    for (size_t i = 0; i < 9; i++) {
        const char *content = contents[i % 3];
        const size_t length = strlen(content);
        reserving = unsupported[i / 3];
        assert_int_equal(nb_file_write(other, content, length, NULL), NB_OK);
        file_expect(one, content, length);
        assert_int_equal(file_stat(one).st_ino, before);
        assert_int_equal(file_stat(one).st_nlink, 2);
    }
    reserving = ENOSPC;
    assert_int_equal(nb_file_write(other, "lost", 4, NULL), NB_IO);
    file_expect(one, "", 0);
    reserving = 0;
    assert_int_equal(file_count(nb_scratch_folder()), 2);
    unlink(one);
    unlink(other);
}

/* A full disk leaves both new and rewritten files intact: here a limit, which
 * the system meets at the same place. */
static void test_no_room_loses_nothing(void **state)
{
    (void)state;
    static char bytes[100000];
    char one[NB_SCRATCH_PATH], other[NB_SCRATCH_PATH];
    struct rlimit before, narrow;
    memset(bytes, 'x', sizeof bytes);
    nb_scratch_write(nb_scratch_name("one", one), "kept", 4);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    narrow = before;
    narrow.rlim_cur = 50000;
    void (*const then)(int) = signal(SIGXFSZ, SIG_IGN);
    for (int names = 1; names <= 2; names++) {
        struct nb_error error = { 0 };
        if (names == 2)
            assert_int_equal(link(one, nb_scratch_name("other", other)), 0);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &narrow), 0);
        const enum nb_status status =
            nb_file_write(one, bytes, sizeof bytes, &error);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(status, NB_IO);
        assert_non_null(strstr(error.message, strerror(EFBIG)));
        file_expect(one, "kept", 4);
        assert_int_equal(file_count(nb_scratch_folder()), names);
    }
    signal(SIGXFSZ, then);
    unlink(one);
    unlink(other);
}

/* The same if the content cannot be read: bytes that a full device should have
 * kept. */
static void test_lost_content_loses_nothing(void **state)
{
    (void)state;
    char one[NB_SCRATCH_PATH], other[NB_SCRATCH_PATH];
    struct nb_spool content = { .file = fopen("/dev/full", "w+b") };
    assert_non_null(content.file);
    assert_int_equal(fputs("new", content.file), 1);
    nb_scratch_write(nb_scratch_name("one", one), "kept", 4);
    assert_int_equal(link(one, nb_scratch_name("other", other)), 0);
    assert_int_equal(nb_file_write_spool(one, &content, NULL), NB_IO);
    file_expect(one, "kept", 4);
    nb_spool_release(&content);
    unlink(other);
    /* a file that can only be written */
    content.file = fopen(nb_scratch_name("other", other), "wb");
    assert_non_null(content.file);
    assert_int_equal(fputs("new", content.file), 1);
    assert_int_equal(nb_file_write_spool(one, &content, NULL), NB_IO);
    file_expect(one, "kept", 4);
    nb_spool_release(&content);
    unlink(one);
    unlink(other);
}

/* All bits of the mode; as root the owner, too. */
static void test_owner_and_mode_stay(void **state)
{
    (void)state;
    char path[NB_SCRATCH_PATH];
    nb_scratch_write(nb_scratch_name("file", path), "old", 3);
    if (geteuid() == 0)
        assert_int_equal(chown(path, 1234, 2345), 0);
    else
        print_message("not root: the owner is not tested\n");
    assert_int_equal(chmod(path, 02751), 0);
    const struct stat before = file_stat(path);
    assert_int_equal(nb_file_write(path, "new", 3, NULL), NB_OK);
    const struct stat after = file_stat(path);
    assert_int_equal(after.st_mode, before.st_mode);
    assert_int_equal(after.st_uid, before.st_uid);
    assert_int_equal(after.st_gid, before.st_gid);
    file_expect(path, "new", 3);
    unlink(path);
}

/* The file, unnamed file or pipe behind /dev/stdout and similar names is
 * written directly. */
static void test_descriptors_are_written(void **state)
{
    (void)state;
    static const char *const forms[] = { "/dev/fd/%d", "/proc/self/fd/%d" };
    char path[NB_SCRATCH_PATH], name[64], read_back[8];
    int ends[2];
    if (access("/dev/fd/", F_OK) != 0) {
        print_message("skipped: names of descriptors: there is no /dev/fd\n");
        skip();
    }
    nb_scratch_write(nb_scratch_name("file", path), "old\n", 4);
    const ino_t before = file_stat(path).st_ino;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const int file = open(path, O_WRONLY | O_APPEND);
        snprintf(name, sizeof name, forms[i], file);
        assert_true(nb_file_is_same(name, path));
        assert_int_equal(nb_file_probe(name, NULL), NB_OK);
        assert_int_equal(nb_file_write(name, "more\n", 5, NULL), NB_OK);
        close(file);
        assert_int_equal(nb_file_probe(name, NULL), NB_IO);
        assert_int_equal(nb_file_write(name, "more\n", 5, NULL), NB_IO);
        assert_int_equal(pipe(ends), 0);
        snprintf(name, sizeof name, forms[i], ends[1]);
        assert_int_equal(nb_file_write(name, "piped", 5, NULL), NB_OK);
        assert_int_equal(read(ends[0], read_back, sizeof read_back), 5);
        snprintf(name, sizeof name, forms[i], ends[0]); /* read only */
        assert_int_equal(nb_file_probe(name, NULL), NB_IO);
        close(ends[0]);
        close(ends[1]);
    }
    file_expect(path, "old\nmore\nmore\n", 14);
    assert_int_equal(file_stat(path).st_ino, before);
    const int file = open(path, O_RDWR);
    unlink(path);
    snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)getpid(), file);
    assert_int_equal(nb_file_write(name, "new", 3, NULL), NB_OK);
    assert_int_equal(pread(file, read_back, 8, 0), 8);
    assert_memory_equal(read_back, "new\nmore", 8);
    close(file);
    assert_int_equal(file_count(nb_scratch_folder()), 0);
}

/* "-" reads the descriptor: the rest of a file, and a socket, which no
 * /dev/stdin opens. */
static void test_standard_input(void **state)
{
    (void)state;
    char path[NB_SCRATCH_PATH];
    struct nb_text text = { 0 };
    int ends[2];
    const int before = dup(STDIN_FILENO);
    nb_scratch_write(nb_scratch_name("file", path), "read rest", 9);
    const int file = open(path, O_RDWR);
    assert_int_equal(lseek(file, 5, SEEK_SET), 5);
    assert_int_equal(dup2(file, STDIN_FILENO), STDIN_FILENO);
    assert_true(nb_file_is_same(NB_FILE_STDIN, path));
    file_expect(NB_FILE_STDIN, "rest", 4);
    close(file);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(write(ends[1], "sent", 4), 4);
    close(ends[0]);
    close(ends[1]);
    assert_false(nb_file_is_same(NB_FILE_STDIN, path));
    file_expect(NB_FILE_STDIN, "sent", 4);
    close(STDIN_FILENO);
    struct nb_error error = { 0 };
    assert_int_equal(nb_text_read_file(NB_FILE_STDIN, 9, &text, &error), NB_IO);
    assert_non_null(strstr(error.message, "standard input"));
    assert_non_null(strstr(error.message, strerror(EBADF)));
    if (before >= 0)
        assert_int_equal(dup2(before, STDIN_FILENO), STDIN_FILENO);
    close(before);
    unlink(path);
}

/* The longest permitted names. */
static void test_long_names(void **state)
{
    (void)state;
    char name[256], path[NB_SCRATCH_PATH + 256];
    memset(name, 'n', 255);
    for (size_t length = 245; length <= 255; length++) {
        name[length] = '\0';
        snprintf(path, sizeof path, "%s/%s", nb_scratch_folder(), name);
        assert_int_equal(nb_file_probe(path, NULL), NB_OK);
        assert_int_equal(nb_file_write(path, "x", 1, NULL), NB_OK);
        assert_int_equal(nb_file_write(path, "yz", 2, NULL), NB_OK);
        file_expect(path, "yz", 2);
        unlink(path);
        name[length] = 'n';
    }
}

static void test_same_files(void **state)
{
    (void)state;
    static const struct {
        const char *one, *other;
        bool is_same;
    } rows[] = {
        { "a", "a", true },
        { "a", "./a", true },
        { "a", "s/../a", true },
        { "a", "l", true },
        { "a", "b", false },
        { "n", "n", true }, /* does not exist yet */
        { "n", "s/../n", true },
        { "n", "s/n", false },
        { "n", "b", false },
        { "s", "s", false },
        { "gone/n", "gone/n", false },
        { "/dev/null", "/dev/null", false },
    };
    char path[2][NB_SCRATCH_PATH];
    nb_scratch_write(nb_scratch_name("a", path[0]), "a", 1);
    nb_scratch_write(nb_scratch_name("b", path[0]), "a", 1);
    assert_int_equal(mkdir(nb_scratch_name("s", path[0]), 0777), 0);
    assert_int_equal(symlink("s/../a", nb_scratch_name("l", path[0])), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const names[2] = { rows[i].one, rows[i].other };
        for (int k = 0; k < 2; k++)
            if (names[k][0] == '/')
                snprintf(path[k], NB_SCRATCH_PATH, "%s", names[k]);
            else
                nb_scratch_name(names[k], path[k]);
        if (nb_file_is_same(path[0], path[1]) != rows[i].is_same ||
            nb_file_is_same(path[1], path[0]) != rows[i].is_same)
            fail_msg("%s and %s", names[0], names[1]);
    }
    unlink(nb_scratch_name("a", path[0]));
    unlink(nb_scratch_name("b", path[0]));
    unlink(nb_scratch_name("l", path[0]));
    rmdir(nb_scratch_name("s", path[0]));
    assert_int_equal(file_count(nb_scratch_folder()), 0);
}

/* The probe and the write refuse the same paths with the same message; a probe
 * leaves no trace. */
static void test_probe_leaves_nothing(void **state)
{
    (void)state;
    static const char *const names[] = { "new", "", "no/x", "file/x", "new/" };
    char path[NB_SCRATCH_PATH], file[NB_SCRATCH_PATH];
    nb_scratch_write(nb_scratch_name("file", file), "kept", 4);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct nb_error probed = { 0 }, written = { 0 };
        nb_scratch_name(names[i], path);
        const enum nb_status status = nb_file_probe(path, &probed);
        assert_int_equal(status, i == 0 ? NB_OK : NB_IO);
        assert_int_equal(file_count(nb_scratch_folder()), 1);
        if (status != NB_OK) {
            assert_int_equal(nb_file_write(path, "x", 1, &written), status);
            assert_string_equal(probed.message, written.message);
        }
    }
    file_expect(file, "kept", 4);
    unlink(file);
}

/* As a user other than root: a file that may not be written is not replaced
 * either, and one in a closed folder is rewritten. */
static void test_permissions_are_kept_to(void **state)
{
    (void)state;
    char folder[NB_SCRATCH_PATH], path[NB_SCRATCH_PATH], new[NB_SCRATCH_PATH];
    assert_int_equal(mkdir(nb_scratch_name("closed", folder), 0777), 0);
    nb_scratch_write(nb_scratch_name("closed/file", path), "old", 3);
    nb_scratch_name("closed/new", new);
    if (geteuid() == 0) {
        assert_int_equal(chmod(nb_scratch_folder(), 0755), 0);
        assert_int_equal(chown(path, 1234, 1234), 0);
        assert_int_equal(chown(folder, 1234, 1234), 0);
        assert_int_equal(setegid(1234), 0);
        assert_int_equal(seteuid(1234), 0);
    }
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(nb_file_probe(path, NULL), NB_IO);
    assert_int_equal(nb_file_write(path, "new", 3, NULL), NB_IO);
    file_expect(path, "old", 3);
    assert_int_equal(chmod(path, 0644), 0);
    assert_int_equal(chmod(folder, 0555), 0);
    assert_int_equal(nb_file_probe(path, NULL), NB_OK);
    assert_int_equal(nb_file_write(path, "in place", 8, NULL), NB_OK);
    file_expect(path, "in place", 8);
    assert_int_equal(nb_file_probe(new, NULL), NB_IO);
    assert_int_equal(nb_file_write(new, "x", 1, NULL), NB_IO);
    assert_int_equal(chmod(folder, 0755), 0);
    if (getuid() == 0) {
        assert_int_equal(seteuid(0), 0);
        assert_int_equal(setegid(0), 0);
    }
    assert_int_equal(file_count(folder), 1);
    unlink(path);
    rmdir(folder);
}

static void test_failing_memory(void **state)
{
    (void)state;
    char path[NB_SCRATCH_PATH];
    struct nb_text text = { 0 };
    nb_scratch_name("file", path);
    const long before = nb_memory_live_blocks();
    nb_memory_allow(0); /* the write leaves none */
    assert_int_equal(nb_file_write(path, "abc", 3, NULL), NB_OK);
    assert_int_equal(file_count(nb_scratch_folder()), 1);
    assert_int_equal(nb_text_read_file(path, 10, &text, NULL), NB_NO_MEMORY);
    nb_memory_allow(-1);
    nb_text_release(&text);
    assert_int_equal(nb_memory_live_blocks(), before);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_permissions),
        cmocka_unit_test(test_reading_limit),
        cmocka_unit_test(test_reading_refusals),
        cmocka_unit_test(test_unwritable_places),
        cmocka_unit_test(test_devices_are_written_in_place),
        cmocka_unit_test(test_links_stay),
        cmocka_unit_test(test_hard_links_stay),
        cmocka_unit_test(test_no_room_loses_nothing),
        cmocka_unit_test(test_lost_content_loses_nothing),
        cmocka_unit_test(test_owner_and_mode_stay),
        cmocka_unit_test(test_descriptors_are_written),
        cmocka_unit_test(test_standard_input),
        cmocka_unit_test(test_long_names),
        cmocka_unit_test(test_same_files),
        cmocka_unit_test(test_probe_leaves_nothing),
        cmocka_unit_test(test_permissions_are_kept_to),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, nb_scratch_setup, nb_scratch_teardown);
}
