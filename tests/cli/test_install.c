/* `make install` leaves everything that a program using the library needs:
 * headers, libraries and pkg-config file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/text.h"
#include "core/version.h"
#include "support/program.h"
#include "support/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Runs a command in the shell and fails the test unless it succeeds; out: its
 * output, both streams. In it $S is the scratch folder and $P the PREFIX
 * installed to. */
static void run(const char *command, struct nb_text *out)
{
    char path[NB_SCRATCH_PATH], line[2000];
    nb_scratch_name("said", path);
    snprintf(line, sizeof line, "( %s ) >%s 2>&1", command, path);
    const int status = system(line);
    *out = (struct nb_text){ 0 };
    assert_int_equal(nb_text_read_file(path, 1 << 20, out, NULL), NB_OK);
    if (status != 0)
        fail_msg("%s\n%s", command, out->bytes);
}

static void expect(const char *command, const char *expected)
{
    struct nb_text said;
    run(command, &said);
    assert_string_equal(said.bytes, expected);
    nb_text_release(&said);
}

/* The build B that this program, B/tests/NAME, belongs to: make with that B
 * installs what is being tested. */
static int install(void **state)
{
    char program[PROGRAM_PATH], line[PROGRAM_PATH + 500];
    char prefix[NB_SCRATCH_PATH];
    if (nb_scratch_setup(state) != 0 || !program_own_path(program))
        return -1;
    for (int i = 0; i < 2; i++)
        *strrchr(program, '/') = '\0';
    const char *mode = strrchr(program, '/') + 1;
    if (strcmp(mode, "sanitize") != 0 && strcmp(mode, "coverage") != 0)
        mode = "release";
    nb_scratch_name("usr", prefix);
    setenv("S", nb_scratch_folder(), 1);
    setenv("P", prefix, 1);
    /* Without the variables of a make that runs the tests. */
    unsetenv("MAKEFLAGS");
    unsetenv("MFLAGS");
    unsetenv("MAKELEVEL");
    snprintf(line, sizeof line, "make -s install B='%s' MODE=%s PREFIX=\"$P\"",
             program, mode);
    setenv("MAKE_INSTALL", line, 1);
    snprintf(line, sizeof line, "%s/lib/pkgconfig", prefix);
    setenv("PKG_CONFIG_PATH", line, 1);
    snprintf(line, sizeof line, "%s/lib", prefix);
    setenv("LD_LIBRARY_PATH", line, 1);
    return system("eval \"$MAKE_INSTALL\"") == 0 ? 0 : -1;
}

static void program_runs(void **state)
{
    (void)state;
    expect("\"$P/bin/netbound\" --version", "netbound " NB_VERSION "\n");
    expect("pkg-config --modversion netbound", NB_VERSION "\n");
}

/* 2/7: Towles and Dally; the rest as the program prints it. */
static void example_compiles_and_runs(void **state)
{
    (void)state;
    struct nb_text said;
    run("cc -Wall -Wextra -Wpedantic -Werror -o \"$S/example\" "
        "examples/worst_case.c $(pkg-config --cflags --libs netbound)",
        &said);
    assert_string_equal(said.bytes, "");
    nb_text_release(&said);
    expect("\"$S/example\" | head -1",
           "worst case: 2/7 packets/cycle/terminal, when\n");
    expect("\"$S/example\" | tail -n +2 >\"$S/rows\"; "
           "\"$P/bin/netbound\" worst-case --topology torus:8x8 --routing dor "
           "--table permutation --format csv | sed -n "
           "'2,5s/\\(.*\\),\\(.*\\)/router \\1 sends to router \\2/p' | "
           "cmp - \"$S/rows\"; wc -l <\"$S/rows\"",
           "4\n");
    expect("test $(wc -l <examples/worst_case.c) -lt 40", "");
}

/* The program needs the shared library by its soname, and the library has only
 * public symbols; with --static nothing of netbound's is loaded. */
static void libraries_are_shared_and_static(void **state)
{
    (void)state;
    expect("test \"$(readelf -d \"$S/example\" | grep -o 'libnetbound[^]]*')\" "
           "= \"$(basename \"$(realpath \"$P/lib/libnetbound.so\")\")\"",
           "");
    expect("nm -D --defined-only \"$P/lib/libnetbound.so\" | "
           "grep -c ' nb_worst_case_find$\\| nb_suggest'",
           "1\n");
    expect("cc -o \"$S/static\" examples/worst_case.c "
           "$(pkg-config --cflags --libs --static netbound | "
           "sed 's/-lnetbound/-l:libnetbound.a/') && \"$S/static\" | "
           "head -1; readelf -d \"$S/static\" | grep -c netbound || true",
           "worst case: 2/7 packets/cycle/terminal, when\n0\n");
}

/* Every function that the library shows is declared for users and called by
 * tests/contract. */
static void functions_are_tested(void **state)
{
    (void)state;
    expect("nm -D --defined-only \"$P/lib/libnetbound.so\" | "
           "sed -n 's/.* T \\(nb_.*\\)/\\1/p' | sort >\"$S/shown\"; "
           "python3 tests/contract/calls.py $(cc -Isrc -MM src/netbound.h | "
           "grep -o 'src/[^ ]*[.]h') | "
           "sed -n 's/^static int call_\\(.*\\)(const.*/\\1/p' | sort | "
           "cmp - \"$S/shown\"",
           "");
}

/* 1/3: Towles and Dally; val carries half the capacity, 8/k = 1, for any
 * traffic. */
static void example_in_cpp_runs(void **state)
{
    (void)state;
    expect("g++ -Wall -Wextra -Wpedantic -Werror -o \"$S/cpp\" "
           "examples/loads.cc $(pkg-config --cflags --libs netbound) && "
           "\"$S/cpp\"",
           "dor: 1/3 packets/cycle/terminal\n"
           "val: 1/2 packets/cycle/terminal\n");
}

/* Any question by the one call, and typed: same output as the program. */
static void examples_ask_questions(void **state)
{
    (void)state;
    expect(
        "cc -Wall -Wextra -Wpedantic -Werror -o \"$S/ask\" examples/ask.c "
        "$(pkg-config --cflags --libs netbound) && \"$S/ask\" >\"$S/answer\" "
        "&& NETBOUND_COLUMNS=aligned \"$P/bin/netbound\" worst-case "
        "--topology torus:8x8 --routing dor | cmp - \"$S/answer\"",
        "");
    expect("g++ -Wall -Wextra -Wpedantic -Werror -o \"$S/sweep\" "
           "examples/sweep.cc $(pkg-config --cflags --libs netbound) && "
           "\"$S/sweep\" >\"$S/answer\" && NETBOUND_COLUMNS=aligned "
           "\"$P/bin/netbound\" buffer --radix 16 --sweep load=0.5:0.9:0.2 | "
           "cmp - \"$S/answer\"",
           "");
    expect("cc -Wall -Wextra -Wpedantic -Werror -o \"$S/typed\" "
           "examples/typed.c $(pkg-config --cflags --libs netbound) && "
           "\"$S/typed\"",
           "at most 0.285714 packets/cycle/terminal\nload 0.5: 27 packets\n"
           "load 0.7: 49 packets\nload 0.9: 158 packets\n");
}

/* Each header compiles on its own, without the project's folders. */
static void headers_stand_alone(void **state)
{
    (void)state;
    expect("mkdir \"$S/alone\" && cd \"$P/include\" && "
           "for header in netbound.h $(find netbound -name '*.h'); do "
           "printf '#include <%s>\\nextern int none;\\n' $header "
           ">\"$S/alone/$(echo $header | tr / -).c\"; done; "
           "cc -std=c17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only "
           "$(pkg-config --cflags netbound) \"$S\"/alone/*.c",
           "");
    expect("grep -rh '^#include \"' \"$P/include\" | grep -v '\"netbound/' || "
           "true",
           "");
}

/* Files for file: and run are where the manual says. */
static void data_is_there(void **state)
{
    (void)state;
    expect("cd \"$P/share/netbound\" && \"$P/bin/netbound\" topology "
           "--topology file:data/topologies/two-rows.anynet --format csv | "
           "grep '^routers'; test -e models/model.xsd",
           "routers,8,8,8,1,8,\n");
}

/* Published numbers are found from any folder, as are the files that they name;
 * a local folder of that name takes precedence. */
static void ledger_is_found(void **state)
{
    (void)state;
    expect("cd \"$S\" && \"$P/bin/netbound\" ledger --source Singh2005 --of "
           "'Table 3.5' | head -1",
           "ledger  source Singh2005  of Table 3.5  data data/published\n");
    expect("mkdir -p \"$S/own/data/published\" && cd \"$S/own\" && "
           "! \"$P/bin/netbound\" ledger",
           "netbound: \"data/published\" has no file *.csv (give the folder of "
           "the published numbers with --data DIR)\n");
}

/* A package is made in a folder of its own and contains no trace of it.
 * Distributions keep libraries in a folder per architecture. Everybody may read
 * what is installed, whatever the umask. */
static void packages_are_staged(void **state)
{
    (void)state;
    expect("umask 077; eval \"$MAKE_INSTALL\" PREFIX=/opt/netbound "
           "LIBDIR=/opt/netbound/lib/arch DESTDIR=\"$S/stage\" && "
           "find \"$S/stage\" ! -type l ! -perm -444; cd \"$S/stage\"; ls; "
           "grep -r \"$S\" . -l --include=*.pc --include=*.h; "
           "cd opt/netbound/lib; ls; ls arch | sed 's/so[.].*/so.N/'; "
           "sed -n '/^prefix/p; /^libdir/p' arch/pkgconfig/netbound.pc",
           "opt\narch\nlibnetbound.a\nlibnetbound.so\nlibnetbound.so.N\n"
           "pkgconfig\nprefix=/opt/netbound\nlibdir=${prefix}/lib/arch\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(program_runs),
        cmocka_unit_test(example_compiles_and_runs),
        cmocka_unit_test(libraries_are_shared_and_static),
        cmocka_unit_test(functions_are_tested),
        cmocka_unit_test(example_in_cpp_runs),
        cmocka_unit_test(examples_ask_questions),
        cmocka_unit_test(headers_stand_alone),
        cmocka_unit_test(data_is_there),
        cmocka_unit_test(ledger_is_found),
        cmocka_unit_test(packages_are_staged),
    };
    return cmocka_run_group_tests(tests, install, nb_scratch_teardown);
}
