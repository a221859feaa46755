/*
 * How often the intervals of randomly sampled answers contain the exact value,
 * and how wide they are, on cases with known exact answers.
 *
 *     bench_coverage_drawn [quick]    200 seeds each; with "quick", 20
 *
 * For each interval, "covers" is the share of seeds for which it contains the
 * exact value, "below" and "above" are the shares for which that lies beyond
 * either end, and "width" is its mean width over 2 * 1.96 standard deviations
 * of the estimate over the seeds: the width if these were known and the
 * distribution normal. For the greatest of several loads it is the deviation of
 * one channel that has it. If all draws agree the deviation is zero; then the
 * width over the value is given in units of -ln(0.025) / n, the probability
 * that n equal draws leave open on one side; it is 2 if a draw might be zero or
 * twice as large.
 */
#include "bounds/worst_case/sampled_case.h"
#include "bounds/worst_case/worst_case.h"
#include "questions/ledger/ledger.h"
#include "core/memory.h"
#include "load/channel_loads.h"
#include "load/permutation_sample.h"
#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ALL_SEEDS = 200, QUICK_SEEDS = 20 };

static void coverage_must(enum nb_status status, const struct nb_error *err)
{
    if (status == NB_OK)
        return;
    fprintf(stderr, "bench_coverage_drawn: %s\n", err->message);
    exit(EXIT_FAILURE);
}

/* Results of one kind of interval over the seeds. */
struct coverage {
    double count, below, above; /* intervals, and misses */
    double widths, sum, squares;
};

static void coverage_add(struct coverage *seen, double exact,
                         struct nb_interval found)
{
    seen->count++;
    seen->below += exact < found.lower * (1 - 1e-12);
    seen->above += exact > found.upper * (1 + 1e-12);
    seen->widths += found.upper - found.lower;
    seen->sum += found.value;
    seen->squares += found.value * found.value;
}

static double coverage_deviation(const struct coverage *seen)
{
    const double mean = seen->sum / seen->count;
    return sqrt(fmax(seen->squares / seen->count - mean * mean, 0));
}

/* deviation  of the estimate
 * draws      number of draws for it */
static void coverage_print(const char *kind, const char *name,
                           const struct coverage *seen, double deviation,
                           double draws)
{
    const double ideal = 2 * 1.959963984540054 * deviation;
    const double misses = seen->below + seen->above;
    printf("%-22s %-58s %6.1f %6.1f %6.1f", kind, name,
           100 * (1 - misses / seen->count), 100 * seen->below / seen->count,
           100 * seen->above / seen->count);
    if (deviation > 1e-7 * seen->sum / seen->count)
        printf(" %7.2f\n", seen->widths / seen->count / ideal);
    else
        printf("  (%.3g / n)\n",
               seen->widths / seen->sum * draws / -log(0.025));
    fflush(stdout);
}

struct coverage_case {
    struct nb_topology topology;
    struct nb_routing routing;
};

/* For a routing that begins with "uneven ", routers have 1, 0, 3, 2, 0, 0, 1,
 * 1, 0, 4 and 2 terminals in turn; with "shared ", 8, 1, 8 and 0, and all
 * channels except the first have bandwidth 2. */
static void coverage_set(struct nb_topology *topology,
                         const uint32_t *terminals, size_t count)
{
    topology->terminal_count = 0;
    for (size_t r = 0; r < topology->router_count; r++) {
        topology->terminals[r] = terminals[r % count];
        topology->terminal_count += terminals[r % count];
    }
}

static void coverage_open(const char *topology, const char *routing,
                          struct coverage_case *at)
{
    static const uint32_t uneven[] = { 1, 0, 3, 2, 0, 0, 1, 1, 0, 4, 2 };
    static const uint32_t shared[] = { 8, 1, 8, 0 };
    struct nb_error err = { 0 };
    *at = (struct coverage_case){ 0 };
    coverage_must(nb_topology_build(topology, &at->topology, &err), &err);
    if (strncmp(routing, "uneven ", 7) == 0) {
        routing += 7;
        coverage_set(&at->topology, uneven, 11);
    } else if (strncmp(routing, "shared ", 7) == 0) {
        routing += 7;
        coverage_set(&at->topology, shared, 4);
        for (size_t c = 1; c < at->topology.channel_count; c++)
            at->topology.channels[c].bandwidth = (struct nb_ratio){ 2, 1 };
    }
    coverage_must(nb_routing_build(routing, &at->topology, &at->routing, &err),
                  &err);
}

static void coverage_close(struct coverage_case *at)
{
    nb_routing_release(&at->routing);
    nb_topology_release(&at->topology);
}

/* For the loads of all channels, the widths are compared channel by channel. */
static void coverage_loads(int seeds, const char *topology, const char *routing,
                           const char *pattern, uint32_t paths)
{
    struct coverage_case at;
    struct nb_traffic traffic = { 0 };
    struct nb_channel_loads exact = { 0 };
    struct nb_error err = { 0 };
    struct coverage share = { 0 }, hops = { 0 }, all = { 0 };
    double draws = 0;
    char name[100];
    coverage_open(topology, routing, &at);
    const size_t channels = at.topology.channel_count;
    struct coverage *load = nb_new_array(channels, sizeof *load);
    coverage_must(nb_traffic_build(pattern, &at.topology, true, &traffic, &err),
                  &err);
    coverage_must(
        nb_channel_loads_find(&at.routing, &traffic, NULL, &exact, &err), &err);
    const double most = 1 / nb_ratio_value(exact.throughput.exact);
    double deviations[2] = { 0, 0 };
    for (int seed = 1; seed <= seeds && load != NULL; seed++) {
        const struct nb_path_sample sample = { paths, (uint64_t)seed };
        struct nb_sampled_loads found = { 0 };
        coverage_must(nb_sampled_loads_find(&at.routing, &traffic, &sample,
                                            NULL, &found, &err),
                      &err);
        coverage_add(&share, most, found.share);
        coverage_add(&hops, nb_ratio_value(exact.mean_hops.exact),
                     found.mean_hops);
        for (size_t c = 0; c < channels; c++)
            coverage_add(&load[c], nb_ratio_value(exact.load[c].exact),
                         found.load[c]);
        draws = found.paths;
        nb_sampled_loads_release(&found);
    }
    double ideal = 0;
    for (size_t c = 0; c < channels && load != NULL; c++) {
        all.count += load[c].count;
        all.below += load[c].below;
        all.above += load[c].above;
        all.widths += load[c].widths;
        all.sum += load[c].sum;
        ideal += coverage_deviation(&load[c]);
        const double band = nb_ratio_value(at.topology.channels[c].bandwidth);
        if (nb_ratio_value(exact.load[c].exact) / band >= most * (1 - 1e-12)) {
            deviations[0]++;
            deviations[1] += coverage_deviation(&load[c]) / band;
        }
    }
    snprintf(name, sizeof name, "%s %s %s, %u paths", topology, routing,
             pattern, paths);
    /* The deviation of a channel that has the greatest load. */
    coverage_print("greatest load", name, &share, deviations[1] / deviations[0],
                   draws);
    coverage_print("load of a channel", name, &all, ideal / (double)channels,
                   draws);
    coverage_print("mean hops", name, &hops, coverage_deviation(&hops), draws);
    nb_delete(load);
    nb_channel_loads_release(&exact);
    nb_traffic_release(&traffic);
    coverage_close(&at);
}

static void coverage_worst(int seeds, const char *topology, const char *routing,
                           uint32_t paths)
{
    struct coverage_case at;
    struct nb_worst_case exact = { 0 };
    struct nb_error err = { 0 };
    struct coverage seen = { 0 };
    char name[100];
    double draws = 0, deviation = 0;
    coverage_open(topology, routing, &at);
    coverage_must(nb_worst_case_find(&at.routing, NULL, &exact, &err), &err);
    const double most = 1 / nb_ratio_value(exact.throughput.exact);
    const size_t channels = at.topology.channel_count;
    struct coverage *load = nb_new_array(channels, sizeof *load);
    for (int seed = 1; seed <= seeds && load != NULL; seed++) {
        const struct nb_path_sample sample = { paths, (uint64_t)seed };
        struct nb_sampled_case found = { 0 };
        coverage_must(
            nb_sampled_case_find(&at.routing, &sample, NULL, &found, &err),
            &err);
        coverage_add(&seen, most, found.share);
        for (size_t c = 0; c < channels && found.check_paths == 0; c++)
            coverage_add(&load[c], 0, found.load[c]);
        draws = (double)found.check_paths * (double)found.sides.count;
        nb_sampled_case_release(&found);
    }
    /* Without a check it is the greatest of several: the deviation of those
     * whose mean is close to the worst case. */
    deviation = coverage_deviation(&seen);
    for (size_t c = 0; c < channels && load != NULL && load[c].count > 0; c++) {
        const double band = nb_ratio_value(at.topology.channels[c].bandwidth);
        if (load[c].sum / load[c].count / band > 0.97 * most)
            deviation = fmax(deviation, coverage_deviation(&load[c]) / band);
    }
    snprintf(name, sizeof name, "%s %s, %u paths", topology, routing, paths);
    coverage_print("worst case", name, &seen, deviation, draws);
    nb_delete(load);
    nb_worst_case_release(&exact);
    coverage_close(&at);
}

/* Adds up the throughputs of all permutations that begin with the first few
 * elements of one. */
static void coverage_each(const struct nb_permutation_loads *loads,
                          uint32_t *permutation, size_t fixed,
                          union nb_load_cell *sum, double total[2])
{
    const size_t n = loads->terminal_count;
    if (fixed == n) {
        uint32_t spent[16];
        union nb_load_cell peak;
        memcpy(spent, permutation, n * sizeof *spent);
        nb_permutation_peaks(loads, 1, spent, sum, &peak);
        const struct nb_enclosure found =
            nb_permutation_throughput(loads, peak);
        if (isinf(found.lower))
            return;
        total[0]++;
        total[1] += (found.lower + found.upper) / 2;
        return;
    }
    for (size_t t = fixed; t < n; t++) {
        const uint32_t kept = permutation[fixed];
        permutation[fixed] = permutation[t];
        permutation[t] = kept;
        coverage_each(loads, permutation, fixed + 1, sum, total);
        permutation[t] = permutation[fixed];
        permutation[fixed] = kept;
    }
}

static void coverage_permutations(int seeds, const char *topology,
                                  const char *routing, size_t count)
{
    struct coverage_case at;
    struct nb_permutation_loads loads = { 0 };
    struct nb_error err = { 0 };
    struct coverage seen = { 0 };
    uint32_t permutation[16];
    double total[2] = { 0, 0 };
    char name[100];
    coverage_open(topology, routing, &at);
    coverage_must(nb_permutation_loads_find(&at.routing, NB_KERNEL_BEST, NULL,
                                            &loads, &err),
                  &err);
    union nb_load_cell *sum = nb_new_array(loads.channel_count, sizeof *sum);
    for (uint32_t t = 0; t < loads.terminal_count; t++)
        permutation[t] = t;
    if (sum != NULL)
        coverage_each(&loads, permutation, 0, sum, total);
    for (int seed = 1; seed <= seeds; seed++) {
        struct nb_permutation_sample sample = { 0 };
        coverage_must(nb_permutation_sample_draw(&loads, (uint64_t)seed, count,
                                                 NULL, &sample, &err),
                      &err);
        coverage_add(&seen, total[1] / total[0], sample.mean);
        nb_permutation_sample_release(&sample);
    }
    snprintf(name, sizeof name, "%s %s, %zu drawn", topology, routing, count);
    coverage_print("mean throughput", name, &seen, coverage_deviation(&seen),
                   (double)count);
    nb_delete(sum);
    nb_permutation_loads_release(&loads);
    coverage_close(&at);
}

/* question  command name value ... */
static void coverage_ask(const char *question, struct nb_point *out)
{
    char text[300], *save = NULL;
    snprintf(text, sizeof text, "%s", question);
    const char *name = strtok_r(text, " ", &save);
    const struct nb_question_kind *command = nb_question_find(name);
    struct nb_model model = { .command = nb_new_string(name) };
    static const char *const no_outputs[NB_OUTPUTS] = { NULL };
    const struct nb_question asked = { .model = &model,
                                       .run = { .threads = 1 },
                                       .outputs = no_outputs };
    struct nb_error err = { 0 };
    for (char *option = strtok_r(NULL, " ", &save); option != NULL;
         option = strtok_r(NULL, " ", &save))
        coverage_must(
            nb_model_set(&model, option, strtok_r(NULL, " ", &save), &err),
            &err);
    *out = (struct nb_point){ 0 };
    coverage_must(nb_model_complete(&command->form, &model, &err), &err);
    coverage_must(nb_question_answer(command, &asked, out, &err), &err);
    nb_model_release(&model);
}

/* The printed results of a question with and without paths. */
static void coverage_printed(int seeds, const char *question, uint32_t paths)
{
    const bool is_load = *question == 'l';
    const char *quantity =
        is_load ? "max_channel_load" : "worst_case_channel_load";
    struct coverage seen = { 0 };
    struct nb_point point;
    char name[300];
    coverage_ask(question, &point);
    const double exact = nb_point_quantity(&point, quantity)->value;
    nb_point_release(&point);
    for (int seed = 1; seed <= seeds; seed++) {
        snprintf(name, sizeof name, "%s sample-paths %u seed %d", question,
                 paths, seed);
        coverage_ask(name, &point);
        const struct nb_quantity *found = nb_point_quantity(&point, quantity);
        coverage_add(
            &seen, exact,
            (struct nb_interval){ found->value, found->lower, found->upper });
        nb_point_release(&point);
    }
    snprintf(name, sizeof name, "%s, %u paths", strstr(question, "file"),
             paths);
    coverage_print(is_load ? "load as printed" : "worst load as printed", name,
                   &seen, coverage_deviation(&seen), paths);
}

/* One row of 16 permutations for each seed. */
static void coverage_write_rows(int seeds, const char *topology,
                                const char *routing, const char *command,
                                bool has_one_seed, const char *file)
{
    char own[30];
    FILE *rows = fopen(file, "w");
    if (rows == NULL)
        exit(EXIT_FAILURE);
    const bool is_drawn = command[strlen(command) - 1] == '=';
    fprintf(rows, "id,source,table,cell,topology,routing,traffic,quantity,"
                  "printed,exact,unit,verdict,note,check\n");
    for (int i = 0; i < seeds; i++) {
        const int first = 16 * i + 1, last = has_one_seed ? first : 16 * i + 16;
        snprintf(own, sizeof own, has_one_seed ? "%d" : "%d..%d", first, last);
        fprintf(rows,
                "r%d,S,T,a / %d,%s,%s,\"%s%s,traffic=random-permutation:"
                "seed=%d..%d\",mean_hops,0,,hops,disagrees,none,\n",
                i, i, topology, routing, command, is_drawn ? own : "", first,
                16 * i + 16);
    }
    fclose(rows);
}

/* The ledger's mean over 16 questions, of the hops of permutations: if these
 * are drawn from all permutations, it is that of uniform traffic.
 *
 * command       and its options; ends in "seed=" if it draws
 * has_one_seed  all questions of a row */
static void coverage_mean(int seeds, const char *topology, const char *routing,
                          const char *command, bool has_one_seed)
{
    char folder[] = "/tmp/bench-coverage-XXXXXX", file[60], name[300];
    struct coverage seen = { 0 };
    struct nb_point point;
    snprintf(name, sizeof name, "load topology %s routing %s", topology,
             routing);
    coverage_ask(name, &point);
    const double exact = nb_point_quantity(&point, "mean_hops")->value;
    nb_point_release(&point);
    if (mkdtemp(folder) == NULL)
        exit(EXIT_FAILURE);
    snprintf(file, sizeof file, "%s/rows.csv", folder);
    coverage_write_rows(seeds, topology, routing, command, has_one_seed, file);
    snprintf(name, sizeof name, "ledger data %s", folder);
    coverage_ask(name, &point);
    const struct nb_table *table = nb_point_table(&point, "ledger");
    for (size_t i = 0; i < table->row_count; i++)
        coverage_add(
            &seen, exact,
            (struct nb_interval){ nb_table_number(table, i, NB_LEDGER_COMPUTED),
                                  nb_table_number(table, i, NB_LEDGER_LOWER),
                                  nb_table_number(table, i, NB_LEDGER_UPPER) });
    nb_point_release(&point);
    remove(file);
    rmdir(folder);
    snprintf(name, sizeof name, "%s %s %s%s", topology, routing, command,
             has_one_seed ? "one" : "");
    coverage_print("ledger's mean of 16", name, &seen,
                   coverage_deviation(&seen), 16);
}

int main(int argc, char **argv)
{
    const bool is_quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    const int seeds = is_quick ? QUICK_SEEDS : ALL_SEEDS;
    printf("Intervals of 95 %% over %d seeds, %% of them.\n%-22s %-58s %6s %6s "
           "%6s %7s\n",
           seeds, "interval", "case", "covers", "below", "above", "width");
    static const struct {
        const char *topology, *routing, *pattern;
        uint32_t paths;
    } loads[] = {
        { "torus:8x8", "rlb", "tornado", 100 },
        { "torus:8x8", "rlb", "random-permutation:seed=1", 100 },
        { "torus:8x8", "rlb", "random-permutation:seed=1", 1000 },
        { "torus:5x5", "romm", "uniform", 30 },
        { "mesh:6x6", "romm", "transpose", 100 },
        { "mesh:6x6", "romm", "transpose", 1000 },
        { "torus:4x4", "val", "random-permutation:seed=3", 30 },
        { "hypercube:4", "val", "bit-complement", 30 },
        { "file:data/topologies/abilene.txt", "val", "uniform", 30 },
        { "file:data/topologies/abilene.txt", "uneven val", "uniform", 30 },
    };
    static const struct {
        const char *topology, *routing;
        uint32_t paths;
    } worst[] = {
        { "torus:8x8", "rlb", 30 },
        { "torus:8x8", "rlb", 100 },
        { "torus:5x5", "romm", 30 },
        { "torus:5x5", "romm", 300 },
        { "mesh:4x4", "romm", 100 },
        { "mesh:4x4", "romm", 1000 },
        { "hypercube:4", "val", 30 },
        { "torus:4x4", "dor", 30 },
        { "file:data/topologies/abilene.txt", "val", 300 },
        { "file:data/topologies/abilene.txt", "uneven val", 30 },
        { "file:data/topologies/abilene.txt", "min", 30 },
        { "file:data/topologies/abilene.txt", "min", 300 },
        { "file:data/topologies/abilene.txt", "uneven min", 30 },
        { "file:data/topologies/oracle-random.txt,directed=yes", "min", 30 },
        { "ring:4", "shared min", 30 },
        { "ring:4", "shared min", 1000 },
    };
    static const struct {
        const char *topology, *routing;
        size_t count;
    } permutations[] = {
        { "ring:8", "dor", 100 },     { "ring:8", "dor", 1000 },
        { "mesh:2x4", "romm", 100 },  { "mesh:2x4", "romm", 1000 },
        { "torus:3x3", "dor", 300 },  { "hypercube:3", "min", 300 },
        { "complete:8", "min", 300 },
    };
    static const struct {
        const char *question;
        uint32_t paths;
    } printed[] = {
        { "load topology file:data/topologies/abilene.txt routing val", 30 },
        { "load topology file:data/topologies/abilene.txt routing min", 30 },
        { "load topology file:data/topologies/ring-directed.csv,directed=yes "
          "routing val",
          100 },
        { "worst-case topology file:data/topologies/abilene.txt routing min",
          30 },
        { "worst-case topology file:data/topologies/abilene.txt routing val",
          30 },
        { "worst-case topology "
          "file:data/topologies/ring-directed.csv,directed=yes routing val",
          100 },
    };
    static const struct {
        const char *topology, *routing, *command;
        bool has_one_seed;
    } means[] = {
        { "ring:8", "dor", "load:rate=1", false },
        { "torus:4x4", "min", "load:rate=1", false },
        { "torus:4x4", "min",
          "simulate:rate=0.1,cycles=512,replications=2,seed=", true },
        { "torus:4x4", "min",
          "simulate:rate=0.1,cycles=512,replications=2,seed=", false },
        { "ring:8", "rlb", "load:sample-paths=30,seed=", true },
        { "ring:8", "rlb", "load:sample-paths=30,seed=", false },
        { "ring:8", "dor",
          "simulate:rate=0.02,cycles=256,replications=2,seed=", false },
    };
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        coverage_loads(seeds, loads[i].topology, loads[i].routing,
                       loads[i].pattern, loads[i].paths);
    for (size_t i = 0; i < sizeof permutations / sizeof *permutations; i++)
        coverage_permutations(seeds, permutations[i].topology,
                              permutations[i].routing, permutations[i].count);
    for (size_t i = 0; i < sizeof worst / sizeof *worst; i++)
        coverage_worst(seeds, worst[i].topology, worst[i].routing,
                       worst[i].paths);
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++)
        coverage_printed(seeds, printed[i].question, printed[i].paths);
    for (size_t i = 0; i < sizeof means / sizeof *means; i++)
        coverage_mean(seeds, means[i].topology, means[i].routing,
                      means[i].command, means[i].has_one_seed);
    return EXIT_SUCCESS;
}
