#include "equilibrium/parts.h"

#include "core/digest.h"
#include "core/parallel.h"
#include "core/text.h"

#include <math.h>
#include <string.h>

/* NET_DECISIONS: starts compared per round, at least. NET_FORCED: first rounds,
 * whose starts follow the outset. The rounds settle first, until the means of
 * two windows of NET_WINDOW rounds differ by less than NET_SETTLED, relative;
 * then NET_AVERAGED rounds are averaged, NET_MEANS with NB_COMPARED_MEANS.
 * NET_MOST, NET_ROUGH: maximum number of rounds, and if is_rough. */
enum { NET_DECISIONS = 1 << 14, NET_FORCED = 4, NET_WINDOW = 10 };
enum { NET_AVERAGED = 100, NET_MEANS = 300, NET_MOST = 1000, NET_ROUGH = 300 };
/* NET_LOOK: rounds before full channels are looked for. NET_STUCK: successive
 * rounds with a full channel after which the rounds end. */
enum { NET_LOOK = 40, NET_STUCK = 20 };
#define NET_SETTLED  5e-3
#define NET_JOIN     0.5  /* weight of new joining rates */
#define NET_STEP     0.25 /* weight of new draws, until rounds are averaged */
#define NET_EXACT    1e-9 /* residual at which the state is a fixed point */
#define NET_OVERFULL 1e-3 /* P(longer than all lengths) of a full channel */
/* A utilisation above this is not sampling error. A channel that others relieve
 * may be busy all the time. */
#define NET_MUCH 1.5
/* Pressures. NET_SWELL: maximum number of rounds in which queues grow. Every
 * NET_PRESSES rounds the pressure is compared with the one before; once it
 * changes by less than NET_STAYS, relative, the next NET_PRESSED rounds are
 * averaged. NET_PRESSED_DEPTH: lengths distinguished. NET_SHORT: queues shorter
 * than the longest by this factor do not count. NET_TRIALS: maximum number of
 * rates tried, each the factor NET_ABOVE above the estimated saturation.
 * NET_TOO_MUCH: pressures from here on are certainly too high; NET_NEAR: those
 * below are near enough to 1. A line is drawn through a second rate, between
 * NET_ABOVE and NET_FAR times the first; if there is none, NET_BESIDE times. */
enum { NET_SWELL = 200, NET_PRESSES = 20, NET_PRESSED = 40 };
enum { NET_PRESSED_DEPTH = 128 };
#define NET_STAYS 1e-3
enum { NET_SHORT = 16, NET_TRIALS = 8 };
#define NET_ABOVE    1.05
#define NET_IDLE     0.97 /* load of a queue that does not grow */
#define NET_TOO_MUCH 1.02
#define NET_NEAR     1.07
#define NET_FAR      1.2
#define NET_BESIDE   1.1

static enum nb_status net_check(const struct nb_routing *routing,
                                struct nb_error *err)
{
    const struct nb_routing_kind *kind = routing->kind;
    const struct nb_topology *topology = routing->topology;
    const char *why = NULL;
    if (kind->stands_for_any)
        why = "does not choose a path";
    else if (kind->is_deflecting)
        why = "deflects packets that are blocked";
    else if (kind->heeds_buffers)
        why = "chooses by what is blocked or paused, or by notifications of "
              "congestion";
    else if (kind->left != NULL && !kind->has_injection_queues)
        why = "counts packets that left";
    else if (routing->is_progressive)
        why = "chooses again along the path, by later queues";
    else if (kind->has_injection_queues &&
             nb_specification_is(&routing->specification, "stable", "yes"))
        why = "varies its thresholds with packets that left";
    else if (nb_specification_is(&routing->specification, "queue", "virtual") ||
             nb_specification_is(&routing->specification, "queue", "hybrid"))
        why = "compares the queues of virtual channels";
    if (why != NULL)
        return nb_fail(err, NB_INVALID,
                       "routing %s cannot be predicted, as it %s (permitted: "
                       "schemes that compare channel queues once, at the "
                       "source, or queues of next hops along the path)",
                       kind->kind.name, why);
    for (size_t c = 0; c < topology->channel_count; c++)
        if (nb_ratio_compare(topology->channels[c].bandwidth, nb_ratio_one) !=
            0)
            return nb_fail(err, NB_INVALID,
                           "routing %s cannot be predicted over channels of "
                           "bandwidths other than 1 (permitted: 1, a packet of "
                           "one flit takes one cycle)",
                           kind->kind.name);
    return NB_OK;
}

/* --- rounds --------------------------------------------------------------- */

static void net_reset(struct nb_equilibrium_net *net)
{
    const size_t flows = net->node_count * net->width * sizeof(double);
    for (size_t p = 0; p < 2; p++)
        memset(net->flow[p], 0, flows);
    memset(net->sent, 0,
           net->pair_count * net->routing->most_starts * sizeof *net->sent);
    memset(net->injected, 0,
           net->topology->channel_count * sizeof *net->injected);
    memset(net->second, 0, net->n * net->n * sizeof *net->second);
    for (size_t k = 0; k < net->orbit_count; k++) {
        struct nb_net_orbit *orbit = &net->orbit[k];
        double *array[] = { orbit->transit, orbit->injected, orbit->visits,
                            orbit->joins };
        for (size_t i = 0; i < sizeof array / sizeof *array; i++)
            memset(array[i], 0, NB_NET_DEPTH * sizeof(double));
        orbit->load = 0;
    }
    for (size_t i = 0; i < net->choice_count; i++) {
        struct nb_net_choice *choice = &net->choice[i];
        choice->transit = choice->injected = 0;
        for (size_t m = 0; m < choice->count; m++)
            choice->split[m] = choice->split_injected[m] =
                1 / (double)choice->count;
    }
    nb_random_init(&net->random, net->asked.seed, 0);
    net->minimal = 0;
    net->cycle = 0;
    memset(net->drawn_at, 0,
           net->topology->channel_count * sizeof *net->drawn_at);
}

/* Injection rate of each terminal, by orbit. */
static void net_send(struct nb_equilibrium_net *net, double rate)
{
    const struct nb_topology *topology = net->topology;
    double *sent = net->arrived; /* free before the first round */
    memset(sent, 0, net->n * sizeof *sent);
    for (size_t p = 0; p < net->pair_count; p++)
        sent[net->pair[p].source] += net->pair[p].rate * rate;
    for (size_t c = 0; c < topology->channel_count; c++) {
        struct nb_net_orbit *orbit = &net->orbit[net->orbit_of[c]];
        const uint32_t router = topology->channels[c].source;
        if (topology->terminals[router] > 0)
            orbit->source_rate =
                sent[router] / (double)topology->terminals[router];
    }
}

/* Results of the current state of the rounds. */
static void net_sum_up(const struct nb_equilibrium_net *net, double rate,
                       struct nb_equilibrium *out)
{
    const double sent = net->total * rate;
    const bool is_means = net->asked.compared == NB_COMPARED_MEANS;
    out->hops = out->wait = out->busiest = 0;
    out->is_saturated = false;
    for (size_t k = 0; k < net->orbit_count; k++) {
        const struct nb_net_orbit *orbit = &net->orbit[k];
        const double load = orbit->load;
        const double waits =
            is_means ? load * nb_mean_delay_at(net->asked.delay, load)
                     : orbit->law.mean;
        out->hops += orbit->size * load / sent;
        out->wait += orbit->size * waits / sent;
        out->busiest = fmax(out->busiest, load);
        out->is_saturated =
            out->is_saturated ||
            (is_means ? load > NB_NET_FULL
                      : load > (net->draws ? NET_MUCH : 1 + NET_EXACT) ||
                            orbit->law.overflow > NET_OVERFULL);
    }
    out->minimal = net->minimal / sent;
}

static void net_list_channels(const struct nb_equilibrium_net *net,
                              struct nb_equilibrium *out)
{
    const bool is_means = net->asked.compared == NB_COMPARED_MEANS;
    for (size_t c = 0; c < net->topology->channel_count; c++) {
        const struct nb_net_orbit *orbit = &net->orbit[net->orbit_of[c]];
        const double load = orbit->load;
        out->channel[c] = (struct nb_equilibrium_channel){
            .load = load,
            .wait = is_means   ? nb_mean_delay_at(net->asked.delay, load)
                    : load > 0 ? orbit->law.mean / load
                               : 0,
        };
    }
}

static double net_moved(const struct nb_equilibrium *one,
                        const struct nb_equilibrium *other)
{
    const double latency = other->hops + other->wait;
    return fmax(fabs(one->hops + one->wait - latency) / fmax(latency, 1e-300),
                fabs(one->minimal - other->minimal));
}

static void net_round(struct nb_equilibrium_net *net, double rate, double step,
                      int outset)
{
    nb_net_split(net, step);
    if (net->draws)
        nb_net_ask(net, rate, step, outset);
    nb_net_carry(net);
    nb_net_gather(net);
    if (net->asked.compared == NB_COMPARED_MEANS)
        return;
    nb_net_join(net, step == 1 ? 1 : NET_JOIN);
    nb_net_solve(net);
}

/* Whether the mean of the last rounds equals the one before; window: sums over
 * the last rounds and over those before. */
static bool rounds_have_settled(double window[2], size_t round, double latency)
{
    window[0] += latency;
    if ((round + 1) % NET_WINDOW != 0)
        return false;
    const bool is_settled =
        round + 1 >= 2 * NET_WINDOW &&
        fabs(window[0] - window[1]) < NET_SETTLED * window[0];
    window[1] = window[0];
    window[0] = 0;
    return is_settled;
}

/* The state before the first round. */
static void net_begin_rounds(struct nb_equilibrium_net *net, double rate)
{
    net_reset(net);
    net_send(net, rate);
    if (!net->draws)
        nb_net_inject(net, rate);
    if (net->asked.compared != NB_COMPARED_MEANS)
        nb_net_solve(net);
}

static void net_find(struct nb_equilibrium_net *net, double rate,
                     enum nb_outset outset, bool is_rough,
                     struct nb_equilibrium *out)
{
    const bool is_means = net->asked.compared == NB_COMPARED_MEANS;
    const bool is_drawn = net->draws || is_means;
    const size_t most = is_rough ? NET_ROUGH : NET_MOST;
    const size_t averages = is_means   ? NET_MEANS
                            : is_rough ? NET_AVERAGED / 3
                                       : NET_AVERAGED;
    struct nb_equilibrium last = { 0 };
    double window[2] = { 0 };
    size_t averaged = 0;
    size_t full = 0;
    net->depth = NB_NET_DEPTH;
    net->decisions = is_rough ? NET_DECISIONS / 2 : NET_DECISIONS;
    net_begin_rounds(net, rate);
    for (size_t round = 0; round < most && averaged < averages &&
                           full < NET_STUCK && !nb_run_is_stopped();
         round++) {
        const double step = round == 0 ? 1
                            : averaged == 0
                                ? NET_STEP
                                : 1 / (1 / NET_STEP + (double)averaged);
        net_round(net, rate, step, round < NET_FORCED ? (int)outset : -1);
        out->rounds = round + 1;
        net_sum_up(net, rate, out);
        out->residual = net_moved(out, &last);
        full =
            out->is_saturated && !is_means && round >= NET_LOOK ? full + 1 : 0;
        if (!is_drawn && round >= NET_FORCED &&
            out->residual < (is_rough ? NET_SETTLED / 10 : NET_EXACT))
            break;
        if (is_drawn &&
            (averaged > 0 || is_means ||
             rounds_have_settled(window, round, out->hops + out->wait)))
            averaged++;
        if (!is_drawn || averaged <= averages / 2)
            last = *out;
    }
}

enum nb_status nb_equilibrium_find(struct nb_equilibrium_net *net, double rate,
                                   enum nb_outset outset, bool is_rough,
                                   struct nb_equilibrium *out,
                                   struct nb_error *err)
{
    *out = (struct nb_equilibrium){ 0 };
    const enum nb_status status =
        nb_new(&out->channel, net->topology->channel_count,
               sizeof *out->channel, "channels", err);
    if (status != NB_OK)
        return status;
    out->minimal = 1;
    if (net->pair_count == 0) /* no traffic between routers */
        return NB_OK;
    net_find(net, rate, outset, is_rough, out);
    net_list_channels(net, out);
    return nb_run_check_stop(err);
}

/* A rate, and its pressure: the load on the channels with long queues; 1 is
 * their capacity. */
struct net_pressure {
    double rate, value;
    double largest; /* load of a channel */
};

static double net_queue_of(const struct nb_equilibrium_net *net,
                           const struct nb_net_orbit *orbit)
{
    return net->asked.compared == NB_COMPARED_MEANS
               ? nb_net_mean_delay(net, orbit->load)
               : orbit->law.mean;
}

/*
 * The mean load of long queues, weighted by their lengths. With queues Q and
 * rates of growth load - 1, the derivative of 1/2 sum Q^2 is sum Q (load - 1):
 * long queues grow without bound if it is above 0. Channels that relieve each
 * other have lengths for which the mean does not depend on how they share. If
 * nothing is drawn, loads have no noise, and the pressure is the largest load.
 */
static struct net_pressure
net_pressure_now(const struct nb_equilibrium_net *net, double rate)
{
    double most = 0, queues = 0, sent = 0, largest = 0;
    for (size_t k = 0; k < net->orbit_count; k++) {
        most = fmax(most, net_queue_of(net, &net->orbit[k]));
        largest = fmax(largest, net->orbit[k].load);
    }
    if (!net->draws)
        return (struct net_pressure){ rate, largest, largest };
    for (size_t k = 0; k < net->orbit_count; k++) {
        const struct nb_net_orbit *orbit = &net->orbit[k];
        const double queue = net_queue_of(net, orbit);
        if (queue < most / NET_SHORT || orbit->load < NET_IDLE)
            continue;
        queues += orbit->size * queue;
        sent += orbit->size * queue * orbit->load;
    }
    return (struct net_pressure){ rate, queues > 0 ? sent / queues : largest,
                                  largest };
}

/* Queues grow until the pressure settles; then loads are averaged. */
static struct net_pressure net_press(struct nb_equilibrium_net *net,
                                     double rate)
{
    double before = 0;
    size_t averaged = 0;
    net->decisions = NET_DECISIONS / 2;
    net->depth = NET_PRESSED_DEPTH;
    net_begin_rounds(net, rate);
    for (size_t round = 0; averaged < NET_PRESSED; round++) {
        net_round(net, rate,
                  round == 0 ? 1 : 1 / (1 / NET_STEP + (double)averaged),
                  round < NET_FORCED ? NB_OUTSET_FIRST : -1);
        if (averaged > 0) {
            averaged++;
        } else if ((round + 1) % NET_PRESSES == 0) {
            const double now = net_pressure_now(net, rate).value;
            averaged =
                round + 1 >= NET_SWELL || fabs(now - before) < NET_STAYS * now;
            before = now;
        }
    }
    return net_pressure_now(net, rate);
}

/* The next rate between one that is not too much and one that is: the midpoint,
 * or a rate nearer to where the pressure would be 1 if it were proportional to
 * the rate. */
static double net_next_rate(double low, struct net_pressure high)
{
    return fmax(NET_ABOVE * high.rate / high.value, (low + high.rate) / 2);
}

/* Where the line through two points reaches 1; if it does not rise, the line
 * through the origin. */
static double net_reach_one(double near, double at_near, double far,
                            double at_far)
{
    return at_far > at_near
               ? near - (at_near - 1) * (far - near) / (at_far - at_near)
               : near / at_near;
}

struct nb_bracket nb_equilibrium_saturation(struct nb_equilibrium_net *net,
                                            double most)
{
    double hops = 0, low = 0;
    for (size_t p = 0; p < net->pair_count; p++)
        hops += net->pair[p].rate * net->pair[p].least;
    most = fmin(most, (double)net->topology->channel_count / hops);
    if (isinf(most)) /* no traffic between routers */
        return (struct nb_bracket){ most, most };
    struct net_pressure near = net_press(net, NET_ABOVE * most), far = near;
    if (near.value < NET_TOO_MUCH)
        return (struct nb_bracket){ most, most };
    for (size_t i = 0; i < NET_TRIALS && near.value > NET_NEAR; i++) {
        const struct net_pressure next =
            net_press(net, net_next_rate(low, near));
        if (next.value < NET_TOO_MUCH) {
            low = next.rate;
            continue;
        }
        far = near;
        near = next;
    }
    if (far.rate < NET_ABOVE * near.rate || far.rate > NET_FAR * near.rate)
        far = net_press(net, NET_BESIDE * near.rate);
    const double found =
        (net_reach_one(near.rate, near.value, far.rate, far.value) +
         near.rate / near.value) /
        2;
    const double largest =
        net_reach_one(near.rate, near.largest, far.rate, far.largest);
    return (struct nb_bracket){ fmin(fmin(found, largest), most),
                                fmin(found, most) };
}

static void digest_number(struct nb_digest *digest, double number)
{
    nb_digest_add(digest, (const char *)&number, sizeof number);
}

enum nb_status nb_equilibrium_digest(const struct nb_equilibrium_net *net,
                                     char *text, struct nb_error *err)
{
    _Static_assert((int)NB_EQUILIBRIUM_DIGEST == (int)NB_DIGEST_TEXT,
                   "digest lengths are equal");
    struct nb_digest digest;
    struct nb_text scheme = { 0 };
    enum nb_status status = NB_OK;
    nb_specification_print(&net->routing->specification, &scheme);
    NB_TRY(nb_text_check(&scheme, err));
    nb_digest_begin(&digest);
    nb_digest_add(&digest, scheme.bytes, scheme.length);
    digest_number(&digest, net->asked.compared);
    digest_number(&digest, nb_mean_delay_at(net->asked.delay, 0.5));
    digest_number(&digest, net->asked.flits);
    for (size_t p = 0; p < net->pair_count; p++) {
        digest_number(&digest, net->pair[p].source);
        digest_number(&digest, net->pair[p].target);
        digest_number(&digest, net->pair[p].rate);
    }
    for (size_t h = 0; h < net->hop_count; h++) {
        digest_number(&digest, net->hop[h].channel);
        digest_number(&digest, net->hop[h].node);
    }
    nb_digest_end(&digest, text);
done:
    nb_text_release(&scheme);
    return status;
}

void nb_equilibrium_release(struct nb_equilibrium *equilibrium)
{
    nb_delete(equilibrium->channel);
    *equilibrium = (struct nb_equilibrium){ 0 };
}

/* --- opening and closing -------------------------------------------------- */

enum nb_status nb_equilibrium_open(const struct nb_equilibrium_question *asked,
                                   struct nb_equilibrium_net **out,
                                   struct nb_error *err)
{
    const struct nb_routing *routing = asked->routing;
    const struct nb_topology *topology = routing->topology;
    struct nb_equilibrium_net *net;
    enum nb_status status = NB_OK;
    *out = NULL;
    NB_TRY(net_check(routing, err));
    NB_TRY(nb_new(out, 1, sizeof **out, "prediction", err));
    net = *out;
    *net = (struct nb_equilibrium_net){
        .asked = *asked,
        .routing = routing,
        .phase = routing->phase != NULL ? routing->phase : routing,
        .topology = topology,
        .draws = routing->kind->cost != NULL,
        .n = topology->router_count,
    };
    NB_TRY(nb_net_build(net, err));
    NB_TRY(nb_net_init_view(net, err));
done:
    if (status != NB_OK) {
        nb_equilibrium_close(*out);
        *out = NULL;
    }
    return status;
}

void nb_equilibrium_close(struct nb_equilibrium_net *net)
{
    if (net == NULL)
        return;
    nb_routes_release(&net->routes);
    nb_delete(net->view.memory);
    nb_delete(net->starts);
    nb_delete(net->pair);
    nb_delete(net->node);
    nb_delete(net->hop);
    nb_delete(net->order);
    nb_delete(net->choice);
    nb_delete(net->splits);
    nb_pool_release(&net->pool);
    nb_delete(net);
}
