/* Every public function answers any argument by a status or a value, never by
 * the end of the program. The functions and what their structs contain come
 * from the headers (calls.py), so a new function is covered at once. Each call
 * runs in a process of its own: the usual arguments, each argument replaced by
 * every value of its type in turn, and combinations drawn by CASES_SEED. A call
 * may take long, as some simulations should. CONTRACT_ONLY=latency tries only
 * functions with this in their names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/random.h"
#include "netbound.h"
#include "support/cases.h"
#include "support/contract.h"
#include "support/scratch.h"

#include <fcntl.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CONTRACT_DRAWN = 20, /* combinations of a function's arguments */
    CONTRACT_SHARE = 18, /* of calls, see nb_cases_have */
#ifdef NB_DEBUG
    CONTRACT_BUSY = 4, /* [s] processor time of a call */
#else
    CONTRACT_BUSY = 1,
#endif
    CONTRACT_WAIT = 60, /* [s] */
    CONTRACT_BYTES = 1 << 30,
};

/* Exit codes of a call's process; sanitizers use 1. */
enum { CONTRACT_KEPT = 0, CONTRACT_NO_MESSAGE = 3, CONTRACT_NO_SUCH = 4 };

static const char *const questions[] = {
    "buffer radix=4 load=1/2 overflow=1e-3",
    "deadlock topology=ring:4 routing=dor",
    "delay hops=2 load=1/2 at=5 overflow=1e-3",
    "delay topology=fattree:k=2,n=2 routing=rcar rate=1/2 overflow=1e-3",
    "latency topology=ring:4 load=1/4",
    "limits topology=dragonfly:h=1",
    "load topology=ring:4 traffic=tornado load=1/2 pair=0,2 hops=2",
    "optimum topology=ring:4 traffic=tornado",
    "optimum topology=ring:4 worst-case=yes unbalanced=yes",
    "permutations topology=ring:4 count=9 bins=3",
    "power topology=ring:4",
    "qcn topology=dragonfly:h=1",
    "reorder hops=2 depth=9 load=1/2 overflow=1e-3",
    "simulate topology=ring:4 load=1/2 cycles=64 warm-up=0 replications=1",
    "split topology=ring:8 load=1/2",
    "topology topology=ring:4",
    "validate topology=ring:4 check=loads cycles=64 warm-up=0 replications=1",
    "worst-case topology=ring:4 routing=dor unbalanced=yes",
};

enum { QUESTIONS = sizeof questions / sizeof *questions };

static struct {
    struct nb_topology topology, other, butterfly, dragonfly;
    struct nb_routing routing, adaptive, any_minimal, chaos, destination_tag;
    struct nb_routing elsewhere;
    struct nb_traffic traffic, odd, levelled;
    struct nb_path_class any_path;
    struct nb_model model, models[QUESTIONS];
    struct nb_report report;
    struct nb_exhibit exhibit;
    struct nb_simulation ideal, credit, deflecting, shared;
    union {
        char bytes[1000];
        max_align_t aligned;
    } request[QUESTIONS];
} usual;

static struct nb_run one_thread = { .threads = 1 };
static struct nb_error error;
static struct nb_arrivals arrivals = { .radix = 4 };
static struct nb_queue_load half;
static struct nb_mean_delay delay = { 1, 0 };
static struct nb_enclosure rate = { { 1, 4 }, 0.25, 0.25 };
static struct nb_look look;
static struct nb_average_question average;
static struct nb_best_flow_question flow;
static struct nb_oblivious_question oblivious;
static struct nb_qcn loop;
static struct nb_reorder_source source;
static struct nb_fit_question fit = { .demand = { 16, 8 } };
static struct nb_text text;

/* Binds a question to its kind's struct, nb_NAME_question. */
static void open_question(size_t index)
{
    char words[300], name[60];
    struct nb_model *model = &usual.models[index];
    snprintf(words, sizeof words, "%s", questions[index]);
    const struct nb_question_kind *kind = nb_question_find(strtok(words, " "));
    for (char *word; (word = strtok(NULL, " ")) != NULL;) {
        char *value = strchr(word, '=');
        *value = '\0';
        assert_int_equal(nb_model_set(model, word, value + 1, NULL), NB_OK);
    }
    snprintf(name, sizeof name, "nb_%s_question", kind->form.name);
    for (char *at = name; *at != '\0'; at++)
        *at = *at == '-' ? '_' : *at;
    const struct contract_struct *of = contract_struct_find(name);
    assert_true(of != NULL && of->size == kind->size &&
                of->size <= sizeof usual.request[index].bytes);
    assert_int_equal(nb_model_complete(&kind->form, model, NULL), NB_OK);
    assert_int_equal(
        nb_request_read(&kind->form, model, usual.request[index].bytes, NULL),
        NB_OK);
    contract_add_object(of->name, questions[index], usual.request[index].bytes);
}

static void add_network(const char *specification, struct nb_topology *out)
{
    assert_int_equal(nb_topology_build(specification, out, NULL), NB_OK);
    contract_add_object("nb_topology", specification, out);
}

static void add_routing(const char *name, const struct nb_topology *topology,
                        struct nb_routing *out)
{
    assert_int_equal(nb_routing_build(name, topology, out, NULL), NB_OK);
    contract_add_object("nb_routing", name, out);
}

static void add_traffic(const char *name, const struct nb_topology *topology,
                        struct nb_traffic *out)
{
    assert_int_equal(nb_traffic_build(name, topology, false, out, NULL), NB_OK);
    contract_add_object("nb_traffic", name, out);
}

static void open_networks(void)
{
    add_network("torus:4x4", &usual.topology);
    add_network("mesh:3x5", &usual.other);
    add_network("butterfly:k=2,n=3", &usual.butterfly);
    add_network("dragonfly:h=1", &usual.dragonfly);
    add_routing("dor", &usual.topology, &usual.routing);
    add_routing("goal", &usual.topology, &usual.adaptive);
    add_routing("any-minimal", &usual.topology, &usual.any_minimal);
    add_routing("chaos", &usual.topology, &usual.chaos);
    add_routing("min", &usual.other, &usual.elsewhere);
    add_routing("min", &usual.butterfly, &usual.destination_tag);
    add_traffic("transpose", &usual.topology, &usual.traffic);
    add_traffic("uniform", &usual.other, &usual.odd);
    add_traffic("uniform", &usual.butterfly, &usual.levelled);
    assert_int_equal(nb_path_class_init(&usual.topology, NB_PATHS_ANY,
                                        nb_ratio_one, &usual.any_path, NULL),
                     NB_OK);
    contract_add_object("nb_path_class", "any", &usual.any_path);
}

static void add_plan(const char *label, const struct nb_simulation *plan)
{
    struct nb_error err = { 0 };
    if (nb_simulation_check(plan, &err) != NB_OK)
        fail_msg("%s: %s", label, err.message);
    contract_add_object("nb_simulation", label, (void *)(uintptr_t)plan);
}

static void open_plans(void)
{
    usual.ideal = (struct nb_simulation){
        .topology = &usual.topology,
        .routing = &usual.routing,
        .traffic = &usual.traffic,
        .router = { .buffer = 8,
                    .output_buffer = 1,
                    .speedup = 1,
                    .channel_latency = 1 },
        .injection = { .rate = 0.2, .burst = 1, .batch = 1, .flits = 1 },
        .seed = 1,
        .replications = 1,
        .cycles = 64,
        .packet_limit = 1000,
        .pair_source = NB_NONE,
        .pair_target = NB_NONE,
    };
    usual.credit = usual.ideal;
    usual.credit.router.model = NB_ROUTER_CREDIT;
    usual.credit.injection.kind = NB_INJECT_MMP;
    usual.credit.injection.alpha = usual.credit.injection.beta = 0.5;
    usual.deflecting = usual.ideal;
    usual.deflecting.router.model = NB_ROUTER_CHAOS;
    usual.deflecting.router.shared_queue = 5;
    usual.deflecting.routing = &usual.chaos;
    usual.deflecting.injection.kind = NB_INJECT_BATCH;
    usual.shared = usual.ideal;
    usual.shared.topology = &usual.butterfly;
    usual.shared.routing = &usual.destination_tag;
    usual.shared.traffic = &usual.levelled;
    usual.shared.router.model = NB_ROUTER_VIRTUAL;
    usual.shared.router.arbitration = NB_IN_TURN;
    usual.shared.injection.kind = NB_INJECT_ONOFF;
    usual.shared.virtual_router =
        (struct nb_virtual){ .networks = 4, .round = { 8, 1 }, .small = 1 };
    add_plan("ideal", &usual.ideal);
    add_plan("credit", &usual.credit);
    add_plan("chaos", &usual.deflecting);
    add_plan("virtual", &usual.shared);
    average = (struct nb_average_question){ &usual.topology, &usual.any_path, 2,
                                            1, INFINITY };
    flow = (struct nb_best_flow_question){ .topology = &usual.topology,
                                           .traffic = &usual.traffic,
                                           .path_class = &usual.any_path,
                                           .seconds = INFINITY };
    oblivious = (struct nb_oblivious_question){ .topology = &usual.topology,
                                                .path_class = &usual.any_path,
                                                .rate = { 1, 1 },
                                                .seconds = INFINITY };
    contract_add_object("nb_average_question", "torus:4x4", &average);
    contract_add_object("nb_best_flow_question", "transpose", &flow);
    contract_add_object("nb_oblivious_question", "torus:4x4", &oblivious);
}

static void open_queues(void)
{
    half = nb_load_of_ratio((struct nb_ratio){ 1, 2 });
    source = (struct nb_reorder_source){ .load = half };
    loop = (struct nb_qcn){
        .sources = 2,
        .demand = { 3, 4 },
        .transit = { 0, 1 },
        .queue = { 100, 1 },
        .reference = { 20, 1 },
        .weight = { 2, 1 },
        .interval = { 50, 1 },
        .limit = { 1, 128 },
        .packets = { 50, 1 },
        .increase = { 1, 64 },
        .below = { 1, 1 },
        .above = { 1, 1 },
    };
    contract_add_object("nb_arrivals", "bernoulli", &arrivals);
    contract_add_object("nb_queue_load", "1/2", &half);
    contract_add_object("nb_mean_delay", "queue", &delay);
    contract_add_object("nb_enclosure", "1/4", &rate);
    contract_add_object("nb_qcn", "loop", &loop);
    contract_add_object("nb_reorder_source", "1/2", &source);
    contract_add_object("nb_fit_question", "radix 8", &fit);
}

static void write_file(const char *name, struct nb_text *bytes)
{
    assert_int_equal(nb_text_check(bytes, NULL), NB_OK);
    nb_scratch_write(name, bytes->bytes, bytes->length);
    nb_text_release(bytes);
}

static void begin_model(void)
{
    nb_model_begin(&usual.model, "load", NULL);
    nb_model_set(&usual.model, "topology", "torus:4x4", NULL);
    nb_model_set(&usual.model, "routing", "dor", NULL);
}

/* A model, its report, and the files of both. */
static void open_reports(void)
{
    struct nb_text model = { 0 }, report = { 0 }, trace = { 0 };
    look = nb_look_plain;
    begin_model();
    nb_model_write(&usual.model, true, 0, &model);
    write_file("model.xml", &model);
    assert_int_equal(nb_ask(&usual.model, &one_thread, &usual.report, NULL),
                     NB_OK);
    begin_model(); /* the report has taken the first one */
    nb_report_write(&usual.report, NB_FORMAT_XML, NULL, &report, NULL);
    write_file("report.xml", &report);
    nb_text_print(&trace, "cycle,source,destination,flits\n1,0,1,1\n");
    write_file("trace.csv", &trace);
    usual.exhibit =
        (struct nb_exhibit){ .report = &usual.report, .is_digest_right = true };
    contract_add_object("nb_model", "load", &usual.model);
    contract_add_object("nb_report", "load", &usual.report);
    contract_add_object("nb_point", "load", &usual.report.points[0]);
    contract_add_object("nb_table", "load", &usual.report.points[0].tables[0]);
    contract_add_object("nb_exhibit", "load", &usual.exhibit);
    contract_add_object("nb_look", "plain", &look);
    contract_add_object("nb_text", "text", &text);
}

/* Declares as an object what a function finds from the usual arguments, if
 * there is no other object of that type. */
static void open_result(const struct contract_function *function)
{
    union contract_value value[CONTRACT_PARAMETERS];
    const struct contract_parameter *out = NULL;
    char label[CONTRACT_LABEL];
    for (size_t i = 0; i < function->count; i++) {
        const struct contract_parameter *at = &function->parameters[i];
        contract_choose(function, at, 0, &value[i], label);
        if (strcmp(at->name, "out") == 0 && strstr(label, "empty") != NULL)
            out = at;
    }
    if (out == NULL || out->kind != CONTRACT_OBJECT ||
        strcmp(out->type, "nb_point") == 0 || contract_has_objects(out->type))
        return;
    if (function->call(value) == NB_OK)
        contract_add_object(out->type, function->name,
                            value[out - function->parameters].object);
    error = (struct nb_error){ 0 };
}

#ifdef NB_DEBUG /* too large a block is no memory, as without sanitizers */
const char *__asan_default_options(void);
__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
    /* Values for arguments are kept until the end. */
    return "allocator_may_return_null=1:max_allocation_size_mb=1024:"
           "detect_leaks=0";
}
#endif

static int nothing, said; /* /dev/null, and a file for what calls print */

static int open_all(void **state)
{
    if (nb_scratch_setup(state) != 0 || chdir(nb_scratch_folder()) != 0)
        return -1;
    nothing = open("/dev/null", O_RDWR);
    said = open("said", O_RDWR | O_CREAT | O_APPEND, 0600);
    gsl_set_error_handler_off();
    contract_add_object("nb_run", "1 thread", &one_thread);
    contract_add_object("nb_error", "err", &error);
    open_networks();
    open_plans();
    open_queues();
    open_reports();
    for (size_t i = 0; i < QUESTIONS; i++)
        open_question(i);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; contract_functions[i].name != NULL; i++)
            open_result(&contract_functions[i]);
    return 0;
}

static int close_all(void **state)
{
    return chdir("/") != 0 || nb_scratch_teardown(state) != 0;
}

/* A call of a function: the number of each argument's value. */
struct contract_case {
    const struct contract_function *function;
    size_t choice[CONTRACT_PARAMETERS];
};

static void describe(const struct contract_case *of, char *out, size_t size)
{
    size_t length = (size_t)snprintf(out, size, "%s(", of->function->name);
    for (size_t i = 0; i < of->function->count && length < size; i++) {
        char label[CONTRACT_LABEL];
        union contract_value value;
        const struct contract_parameter *at = &of->function->parameters[i];
        contract_choose(of->function, at, of->choice[i], &value, label);
        length += (size_t)snprintf(out + length, size - length, "%s%s: %s",
                                   i > 0 ? ", " : "", at->name, label);
    }
    if (length < size)
        snprintf(out + length, size - length, ")");
}

/* In the child: limits, and no output except the sanitizers'. */
static void confine(void)
{
    static const int fatal[] = { SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL };
    const struct itimerval busy = { .it_value = { .tv_sec = CONTRACT_BUSY } };
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(said, STDERR_FILENO);
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        signal(fatal[i], SIG_DFL);
    setitimer(ITIMER_PROF, &busy, NULL);
#ifndef NB_DEBUG /* sanitizers map more than that */
    const struct rlimit bytes = { CONTRACT_BYTES, CONTRACT_BYTES };
    setrlimit(RLIMIT_AS, &bytes);
#endif
    alarm(CONTRACT_WAIT);
}

/* Calls the function and releases what it filled in. */
static int call(const struct contract_case *of)
{
    union contract_value value[CONTRACT_PARAMETERS] = { 0 };
    const struct contract_function *function = of->function;
    const struct nb_error *err = NULL;
    for (size_t i = 0; i < function->count; i++) {
        const struct contract_parameter *at = &function->parameters[i];
        contract_choose(function, at, of->choice[i], &value[i], NULL);
        if (at->type != NULL && strcmp(at->type, "nb_error") == 0)
            err = value[i].object;
    }
    const int status = function->call(value);
    for (size_t i = 0; i < function->count; i++) {
        const struct contract_parameter *at = &function->parameters[i];
        const struct contract_struct *is =
            at->type != NULL ? contract_struct_find(at->type) : NULL;
        if (at->is_written && is != NULL && is->release != NULL)
            is->release(value[i].object);
    }
    if (status > (int)NB_STOPPED || status < CONTRACT_NO_STATUS)
        return CONTRACT_NO_SUCH;
    if (status > (int)NB_OK && err != NULL &&
        ((int)err->status != status || err->message[0] == '\0'))
        return CONTRACT_NO_MESSAGE;
    return CONTRACT_KEPT;
}

/* The status, as for waitpid, with which a call's process ends. */
static int run_apart(const struct contract_case *of)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        confine();
        _exit(call(of));
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    return status;
}

static size_t slow; /* calls that reached the time limit */

/* Whether a call printed what it should not: the library prints nothing, the
 * sanitizers also that there is no memory. */
static bool is_said_wrong(const char *message)
{
#ifdef NB_DEBUG
    return strstr(message, "runtime error:") != NULL ||
           strstr(message, "ERROR:") != NULL;
#else
    return message[0] != '\0';
#endif
}

/* Whether a call keeps the contract; describes it if not. */
static bool is_kept(const struct contract_case *of)
{
    const int status = run_apart(of);
    const int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    const bool is_slow = number == SIGPROF || number == SIGALRM;
    char line[2000], why[60], message[600] = { 0 };
    slow += is_slow;
    if (pread(said, message, sizeof message - 1, 0) < 0 ||
        ftruncate(said, 0) != 0)
        fail_msg("the file of messages cannot be read");
    if ((is_slow || (number == 0 && WEXITSTATUS(status) == CONTRACT_KEPT)) &&
        !is_said_wrong(message))
        return true;
    describe(of, line, sizeof line);
    snprintf(why, sizeof why, number != 0 ? "signal %d" : "exit %d",
             number != 0 ? number : WEXITSTATUS(status));
    print_error("%s: %s\n%s\n", line, why, message);
    return false;
}

/* A combination of values drawn for a function. */
static void draw(struct contract_case *of, struct nb_random *random)
{
    for (size_t i = 0; i < of->function->count; i++)
        of->choice[i] = (size_t)nb_random_below(
            random,
            contract_choices(of->function, &of->function->parameters[i]));
}

/* Tries one case, or none if it is not drawn. */
struct contract_tally {
    size_t index, calls, failed;
};

static void attempt(const struct contract_case *of,
                    struct contract_tally *tally)
{
    if (!nb_cases_have_most(tally->index++, CONTRACT_SHARE, 3))
        return;
    tally->calls++;
    tally->failed += !is_kept(of);
}

static void attempt_all(size_t index, struct contract_tally *tally)
{
    const struct contract_function *function = &contract_functions[index];
    struct contract_case of = { .function = function };
    struct nb_random random;
    const char *seed = getenv("CASES_SEED");
    size_t varied = 0;
    attempt(&of, tally);
    for (size_t i = 0; i < function->count; i++) {
        const size_t count =
            contract_choices(function, &function->parameters[i]);
        varied += count > 1;
        for (of.choice[i] = 1; of.choice[i] < count; of.choice[i]++)
            attempt(&of, tally);
        of.choice[i] = 0;
    }
    nb_random_init(&random, seed != NULL ? strtoul(seed, NULL, 10) : 1, index);
    for (int i = 0; varied > 1 && i < CONTRACT_DRAWN; i++) {
        draw(&of, &random);
        attempt(&of, tally);
    }
}

static void any_arguments_are_answered(void **state)
{
    (void)state;
    struct contract_tally tally = { 0 };
    size_t functions = 0, broken = 0;
    const char *only = getenv("CONTRACT_ONLY");
    for (size_t i = 0; contract_functions[i].name != NULL; i++) {
        const size_t before = tally.failed;
        if (only != NULL && strstr(contract_functions[i].name, only) == NULL)
            continue;
        functions++;
        attempt_all(i, &tally);
        broken += tally.failed > before;
    }
    print_message("%zu functions, %zu calls, %zu at the time limit\n",
                  functions, tally.calls, slow);
    if (tally.failed > 0)
        fail_msg("%zu calls of %zu functions", tally.failed, broken);
}

static int die(const union contract_value *value)
{
    (void)value;
    abort();
}

static int say_nothing(const union contract_value *value)
{
    (void)value;
    return NB_INVALID;
}

static void deaths_are_noticed(void **state)
{
    (void)state;
    static const struct contract_parameter parameters[] = {
        { "err", CONTRACT_OBJECT, "nb_error", true }
    };
    const struct contract_function dies = { "die", 1, parameters, die };
    const struct contract_function silent = { "say_nothing", 1, parameters,
                                              say_nothing };
    int status = run_apart(&(struct contract_case){ .function = &dies });
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    status = run_apart(&(struct contract_case){ .function = &silent });
    assert_true(WIFEXITED(status) &&
                WEXITSTATUS(status) == CONTRACT_NO_MESSAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deaths_are_noticed),
        cmocka_unit_test(any_arguments_are_answered),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
