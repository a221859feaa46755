/*
 * Times the main case of every command against the best peer that Debian has
 * for it, alternately, and writes a report: build/bench.xml, from which
 * `netbound export` makes a page. Run from the root, with build/netbound made.
 *
 *     bench_peers [quick]    9 runs of each; with "quick", 3
 *
 * Seconds run from the question to the answer, including reading the file of a
 * network and building it. For both sides there are three: for the second
 * answer in one process (of ours, for the first after PEERS_WARM), for the
 * first one, and for the whole process. A peer (bench/peers.py) must find the
 * same answer. A peer that is not installed is skipped, with a message.
 */
#include "core/memory.h"
#include "core/text.h"
#include "core/version.h"
#include "measure.h"
#include "ask/ask.h"
#include "report/report.h"

#include <gsl/gsl_errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>

/* A question of ours, and how a peer finds the same. */
struct peers_case {
    const char *network;  /* written to the file net.csv before; NULL: none */
    const char *tables;   /* a scheme: written to net.ibnetdiscover instead,
                           * with its forwarding tables in net.lft */
    const char *question; /* command line */
    const char *quantity; /* of the last point, which the peer finds, too */
    double within;        /* relative */
    const char *peer;     /* for people; without find, why there is none */
    const char *find;     /* arguments of bench/peers.py; NULL: no peer */
};

static const struct peers_case peers_cases[] = {
    { "regular:512,degree=6", NULL, "topology --topology file:net.csv",
      "mean_distance", 1e-9, "igraph, distances and edge betweenness",
      "distances net.csv" },
    { "regular:512,degree=6", NULL, "load --topology file:net.csv",
      "max_channel_load", 1e-9, "igraph, edge betweenness",
      "betweenness net.csv" },
    { "regular:128,degree=4", NULL, "worst-case --topology file:net.csv",
      "worst_case_channel_load", 1e-9, "scipy, linear sum assignment",
      "worst_case net.csv" },
    { "mesh:8x8", NULL, "optimum --topology mesh:8x8 --traffic transpose",
      "optimal_throughput_absolute", 1e-6,
      "HiGHS in scipy, flows over channels", "flows net.csv 8" },
    { NULL, NULL, "permutations --topology torus:8x8 --routing dor:ties=split",
      "mean_throughput_absolute", 0.01, "scipy, sparse product",
      "permutations 8 10000" },
    { NULL, NULL, "split --topology ring:8 --load 0.4 --rule optimal",
      "mean_delay", 1e-6, "scipy, bounded minimisation", "split 3 5 0.4" },
    { "regular:512,degree=6", NULL,
      "latency --topology file:net.csv --rate 0.5 "
      "--delay-model pollaczek-khinchine",
      "mean_latency", 1e-9, "igraph, edge betweenness, and numpy",
      "latency net.csv 0.5" },
    { NULL, NULL, "buffer --radix 16 --load 0.9", "buffer_depth", 0,
      "numpy, inversion by FFT", "queue 0.9 1" },
    { NULL, NULL, "buffer --radix 32 --load 0.6 --arrivals onoff:burst=5",
      "buffer_depth", 0, "numpy, inversion by FFT", "bursty 32 0.6 5" },
    { NULL, NULL, "delay --radix 16 --hops 5 --load 0.9", "delay_quantile", 0,
      "numpy, inversion by FFT and tilts", "delays 0.9 5" },
    { NULL, NULL, "reorder --radix 16 --hops 5 --load 0.9", "reorder_depth", 0,
      "numpy, inversion by FFT, counts and theorem 7", "reorder 0.9 5" },
    { NULL, NULL, "deadlock --topology mesh:16x16 --routing dor",
      "dependencies", 0, "scipy, strong components", "dependencies 16" },
    { NULL, NULL,
      "simulate --topology torus:8x8 --routing dor --rate 0.5 "
      "--replications 1 --cycles 32000",
      "mean_latency", 0.01, "numpy, 32 networks side by side",
      "simulation 8 0.5 32000" },
    { "regular:128,degree=4", "dfsssp",
      "deadlock --topology file:net.ibnetdiscover --routing file:net.lft",
      "deadlock_free", 0, "ibdmchk, all that it checks",
      "credit_loops net.ibnetdiscover net.lft" },
    { "regular:32,degree=4", "minhop",
      "audit --topology file:net.ibnetdiscover --routing file:net.lft --alone",
      "deadlock_free", 0, "ibdmchk: paths, counts at ports and credit loops",
      "credit_loops net.ibnetdiscover net.lft" },
    { NULL, NULL, "limits --topology torus:16x16",
      .peer = "none: closed forms" },
    { NULL, NULL, "power --topology dragonfly:h=6",
      .peer = "none: closed forms" },
    { NULL, NULL, "qcn --topology dragonfly:h=6",
      .peer = "none: closed forms" },
    { NULL, NULL, "virtual-networks --terminals 1024 --congestion 100",
      .peer = "none: closed forms" },
    { NULL, NULL, "validate --topology torus:4x4 --cycles 2048",
      .peer = "none: see simulate and the predictions above" },
};
enum { PEERS_CASES = sizeof peers_cases / sizeof *peers_cases };
enum { PEERS_RUNS = 9, PEERS_QUICK = 3, PEERS_MISSING = 77 };

#define PEERS_WARM 0.25 /* seconds until a processor runs at full speed */

/* The timed parts of a run. */
enum { PEERS_SECOND, PEERS_FIRST, PEERS_WHOLE, PEERS_WAYS };

/* Times of one side. */
struct peers_times {
    size_t count;
    double seconds[PEERS_WAYS][PEERS_RUNS];
    double answer;
};

struct peers_bench {
    char root[PATH_MAX], folder[PATH_MAX];
    size_t runs;
    struct nb_report report;
    struct nb_text skipped;
    size_t table, compared, slower[PEERS_WAYS], different;
};

static void peers_must(enum nb_status status, const struct nb_error *err)
{
    if (status == NB_OK)
        return;
    fprintf(stderr, "bench_peers: %s\n", err->message);
    exit(EXIT_FAILURE);
}

static int peers_ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts them; their number is odd. */
static double peers_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, peers_ascending);
    return values[count / 2];
}

/* Runs a line of the shell; returns its status. */
static int peers_shell(const char *line, double *seconds)
{
    const double start = measure_now();
    const int state = system(line);
    *seconds = measure_now() - start;
    return WIFEXITED(state) ? WEXITSTATUS(state) : EXIT_FAILURE;
}

/* The program's own process, and the report that it writes. */
static void peers_run_program(struct peers_bench *bench,
                              const struct peers_case *one,
                              struct peers_times *times)
{
    const size_t n = times->count;
    struct nb_error err = { 0 };
    struct nb_report report = { 0 };
    struct nb_text line = { 0 };
    bool is_right;
    nb_text_print(&line,
                  "'%s/build/netbound' %s --format xml --output ours.xml",
                  bench->root, one->question);
    if (peers_shell(line.bytes, &times->seconds[PEERS_WHOLE][n]) != 0)
        exit(EXIT_FAILURE); /* it has printed why */
    peers_must(nb_report_read_file("ours.xml", &report, &is_right, &err), &err);
    times->seconds[PEERS_FIRST][n] = report.made.seconds;
    nb_report_release(&report);
    nb_text_release(&line);
}

/* The model of a command line; an option without a value is a flag. */
static void peers_read(const char *question, struct nb_model *out)
{
    struct nb_error err = { 0 };
    char line[256];
    char *rest = line;
    snprintf(line, sizeof line, "%s", question);
    peers_must(nb_model_begin(out, strsep(&rest, " "), &err), &err);
    while (rest != NULL) {
        const char *name = strsep(&rest, " ") + strlen("--");
        const bool is_flag = rest == NULL || strncmp(rest, "--", 2) == 0;
        peers_must(
            nb_model_set(out, name, is_flag ? "yes" : strsep(&rest, " "), &err),
            &err);
    }
}

/* The library in this process; returns the seconds. */
static double peers_ask(const struct peers_case *one, double *answer)
{
    struct nb_error err = { 0 };
    struct nb_model model = { 0 };
    struct nb_report report = { 0 };
    peers_read(one->question, &model);
    const double start = measure_now();
    peers_must(nb_ask(&model, NULL, &report, &err), &err);
    const double seconds = measure_now() - start;
    if (one->quantity != NULL)
        *answer = nb_point_quantity(&report.points[report.point_count - 1],
                                    one->quantity)
                      ->value;
    nb_report_release(&report);
    return seconds;
}

static void peers_run_ours(struct peers_bench *bench,
                           const struct peers_case *one,
                           struct peers_times *times)
{
    double *second = &times->seconds[PEERS_SECOND][times->count];
    peers_run_program(bench, one, times);
    const double start = measure_now();
    *second = peers_ask(one, &times->answer);
    do /* a peer's process has been running for as long when it is timed */
        *second = peers_ask(one, &times->answer);
    while (measure_now() - start < PEERS_WARM);
    times->count++;
}

/* Returns false if the peer is not installed. */
static bool peers_run_other(struct peers_bench *bench,
                            const struct peers_case *one,
                            struct peers_times *times)
{
    const size_t n = times->count;
    struct nb_text line = { 0 };
    char said[256] = "";
    nb_text_print(&line, "/usr/bin/python3 '%s/bench/peers.py' %s >said",
                  bench->root, one->find);
    const int status = peers_shell(line.bytes, &times->seconds[PEERS_WHOLE][n]);
    FILE *file = fopen("said", "r");
    const bool is_there =
        file != NULL && fgets(said, sizeof said, file) != NULL;
    if (file != NULL)
        fclose(file);
    nb_text_release(&line);
    if (status == PEERS_MISSING) {
        printf("skipped: %s: %s", one->peer, said);
        nb_text_print(&bench->skipped, "%s%s",
                      bench->skipped.length > 0 ? ", " : "", one->peer);
        return false;
    }
    if (status != 0 || !is_there ||
        sscanf(said, "%lf %lf %lf", &times->seconds[PEERS_FIRST][n],
               &times->seconds[PEERS_SECOND][n], &times->answer) != 3) {
        fprintf(stderr, "bench_peers: %s failed\n", one->find);
        exit(EXIT_FAILURE);
    }
    times->count++;
    return true;
}

/* Adds a cell with three digits, the precision of times. */
static void peers_add_number(struct peers_bench *bench, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.3g", value);
    nb_table_add_number(bench->report.points, bench->table, strtod(text, NULL));
}

/* The medians of each kind, and the least and most of second answers. */
static void peers_add_times(struct peers_bench *bench,
                            struct peers_times *times, double *median)
{
    const size_t n = times->count;
    for (int way = 0; way < PEERS_WAYS; way++)
        median[way] =
            n > 0 ? peers_median(times->seconds[way], n) : (double)NAN;
    const double *second = times->seconds[PEERS_SECOND];
    const double values[] = { median[PEERS_SECOND],
                              n > 0 ? second[0] : (double)NAN,
                              n > 0 ? second[n - 1] : (double)NAN,
                              median[PEERS_FIRST], median[PEERS_WHOLE] };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        peers_add_number(bench, 1e3 * values[i]);
}

/* Adds the row of a case. */
static void peers_add(struct peers_bench *bench, const struct peers_case *one,
                      struct peers_times *ours, struct peers_times *other)
{
    struct nb_point *point = bench->report.points;
    const bool is_compared = other->count > 0;
    const bool agrees = is_compared && fabs(ours->answer - other->answer) <=
                                           one->within * fabs(other->answer);
    const char *answer = !is_compared ? "" : agrees ? "agrees" : "DIFFERS";
    double own[PEERS_WAYS], peer[PEERS_WAYS];
    nb_table_add_text(point, bench->table, one->question);
    nb_table_add_text(point, bench->table,
                      one->network != NULL ? one->network : "");
    nb_table_add_text(point, bench->table, one->peer);
    peers_add_times(bench, ours, own);
    peers_add_times(bench, other, peer);
    for (int way = 0; way < PEERS_WAYS; way++) {
        peers_add_number(bench, peer[way] / own[way]);
        bench->slower[way] += is_compared && peer[way] < own[way];
    }
    nb_table_add_text(point, bench->table, answer);
    bench->compared += is_compared;
    bench->different += is_compared && !agrees;
    printf("%8.2f ms %8.2f ms %6.2f %6.2f %6.2f %-8s%s\n",
           1e3 * own[PEERS_SECOND], 1e3 * peer[PEERS_SECOND],
           peer[PEERS_SECOND] / own[PEERS_SECOND],
           peer[PEERS_FIRST] / own[PEERS_FIRST],
           peer[PEERS_WHOLE] / own[PEERS_WHOLE], answer, one->question);
    fflush(stdout);
}

/* Writes the files that a case reads. */
static void peers_prepare(const struct peers_bench *bench,
                          const struct peers_case *one)
{
    const char *file = one->tables != NULL ? "net.ibnetdiscover" : "net.csv";
    struct nb_text line = { 0 };
    double unused;
    nb_text_print(&line,
                  "'%s/build/netbound' topology --topology '%s' --network %s "
                  ">said",
                  bench->root, one->network, file);
    if (one->tables != NULL)
        nb_text_print(&line,
                      " && '%s/build/netbound' load --topology file:%s "
                      "--routing '%s' --forwarding net.lft >said",
                      bench->root, file, one->tables);
    if (peers_shell(line.bytes, &unused) != 0)
        exit(EXIT_FAILURE);
    nb_text_release(&line);
}

static void peers_compare(struct peers_bench *bench,
                          const struct peers_case *one)
{
    struct peers_times ours = { 0 }, other = { 0 };
    bool has_peer = one->find != NULL;
    if (one->network != NULL)
        peers_prepare(bench, one);
    for (size_t i = 0; i < (one->find != NULL ? bench->runs : 1); i++) {
        peers_run_ours(bench, one, &ours);
        has_peer = has_peer && peers_run_other(bench, one, &other);
    }
    peers_add(bench, one, &ours, &other);
}

static void peers_write(struct peers_bench *bench)
{
    struct nb_error err = { 0 };
    struct nb_text text = { 0 };
    struct nb_point *point = bench->report.points;
    char path[PATH_MAX + 16];
    nb_point_add_exact(point, "cases_compared",
                       (struct nb_ratio){ (int64_t)bench->compared, 1 }, "",
                       "counting", "");
    static const struct {
        const char *name, *how;
    } counts[] = {
        [PEERS_SECOND] = { "slower_than_peer",
                           "second answer: median of peer below ours" },
        [PEERS_FIRST] = { "slower_at_first", "the same of the first answer" },
        [PEERS_WHOLE] = { "slower_as_process", "the same of the process" },
    };
    for (int way = 0; way < PEERS_WAYS; way++)
        nb_point_add_exact(point, counts[way].name,
                           (struct nb_ratio){ (int64_t)bench->slower[way], 1 },
                           "", counts[way].how, "");
    nb_point_add_note(point, "columns",
                      "milliseconds from the question to the answer: median, "
                      "least and most of second answers in one process (of "
                      "ours after a quarter of a second of others), median of "
                      "first ones (of ours in a new process each time) and of "
                      "the process with its start; measured alternately; "
                      "ratio: peer over ours; network: contents of "
                      "file:net.csv");
    nb_point_add_note(point, "scope",
                      "all answers read the file of their network; ours uses "
                      "all cores, peers one; ours are exact or have brackets, "
                      "peers are in doubles; topology also finds a bisection, "
                      "audit worst permutations, matchings and the best "
                      "routing, which their peers do not");
    nb_point_add_note(point, "commands",
                      "run, verify, export and ledger ask and show what the "
                      "other commands answer; no other program reads their "
                      "files");
    if (bench->skipped.length > 0)
        nb_point_add_note(point, "skipped", bench->skipped.bytes);
    peers_must(
        nb_report_write(&bench->report, NB_FORMAT_XML, NULL, &text, &err),
        &err);
    snprintf(path, sizeof path, "%s/build/bench.xml", bench->root);
    peers_must(nb_file_write(path, text.bytes, text.length, &err), &err);
    printf("%zu compared, %zu slower, %zu differ: build/bench.xml\n",
           bench->compared, bench->slower[PEERS_SECOND], bench->different);
    nb_text_release(&text);
}

int main(int count, char **arguments)
{
    static struct peers_bench bench;
    struct nb_error err = { 0 };
    double unused;
    gsl_set_error_handler_off();
    bench.runs = count > 1 && strcmp(arguments[1], "quick") == 0 ? PEERS_QUICK
                                                                 : PEERS_RUNS;
    strcpy(bench.folder, "/tmp/bench_peers.XXXXXX");
    if (getcwd(bench.root, sizeof bench.root) == NULL ||
        mkdtemp(bench.folder) == NULL || chdir(bench.folder) != 0) {
        perror("bench_peers");
        return EXIT_FAILURE;
    }
    peers_must(nb_model_begin(&bench.report.model, "bench", &err), &err);
    peers_must(nb_new_copy(&bench.report.model.title,
                           "Every command next to its best peer", "title",
                           &err),
               &err);
    peers_must(
        nb_model_set_show(&bench.report.model,
                          "cases_compared,slower_than_peer,slower_at_first,"
                          "slower_as_process,cases.question,cases.ours,"
                          "cases.peers,cases.ratio,cases.ratio_first,"
                          "cases.ratio_whole,cases.answer,cases.peer",
                          &err),
        &err);
    peers_must(nb_new_copy(&bench.report.program, NB_PROGRAM, "program", &err),
               &err);
    bench.table = nb_point_add_table(
        nb_report_add_point(&bench.report), "cases", false,
        "question:text,network:text,peer:text,"
        "ours:number [ms],ours_least:number [ms],ours_most:number [ms],"
        "ours_first:number [ms],ours_whole:number [ms],"
        "peers:number [ms],peers_least:number [ms],peers_most:number [ms],"
        "peers_first:number [ms],peers_whole:number [ms],"
        "ratio:number,ratio_first:number,ratio_whole:number,answer:text");
    puts("       ours        peer  ratio  first  whole answer  question");
    for (size_t i = 0; i < PEERS_CASES; i++)
        peers_compare(&bench, &peers_cases[i]);
    peers_write(&bench);
    peers_shell("rm -f net.* peer.* ours.xml said", &unused);
    rmdir(bench.folder);
    nb_text_release(&bench.skipped);
    nb_report_release(&bench.report);
    return bench.different == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
