#include "sim/measure.h"

#include "core/memory.h"
#include "routing/two_phase.h"
#include "sim/network.h"
#include "sim/overtaking.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

enum { MEASURE_LATENCIES = 1 << 14, MEASURE_DEPTHS = 1 << 12 };

static enum nb_status measure_init_depths(struct nb_measure *measure,
                                          const struct nb_topology *topology,
                                          struct nb_error *err)
{
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&measure->class_of, measure->queue_count, 1, "queue depths",
                  err));
    for (size_t q = 0; q < measure->queue_count; q++)
        measure->class_of[q] = (uint8_t)nb_queue_class(topology, q);
    const size_t count = nb_queue_class_count(topology);
    NB_TRY(nb_new(&measure->depths, count, sizeof *measure->depths,
                  "queue depths", err));
    measure->class_count = count;
    for (size_t c = 0; c < count; c++)
        NB_TRY(nb_histogram_init(&measure->depths[c], MEASURE_DEPTHS, err));
done:
    return status;
}

/* Pairs of terminals that send to each other. */
static size_t measure_pairs(const struct nb_simulation *plan)
{
    const struct nb_topology *topology = plan->topology;
    const size_t terminals = topology->terminal_count;
    size_t pairs = 0;
    if (plan->injection.kind == NB_INJECT_TRACE)
        return plan->injection.trace->count;
    if (plan->traffic->background > 0 || plan->step_count > 0)
        return terminals * terminals;
    for (size_t d = 0; d < plan->traffic->demand_count; d++)
        pairs += topology->terminals[plan->traffic->demands[d].source];
    return pairs;
}

/* Arrays of the pool, by what they have an element of. */
enum measure_kind {
    MEASURE_ONE,
    MEASURE_QUEUES,
    MEASURE_ROUTERS,
    MEASURE_FLOWS,
    MEASURE_NETWORKS,
    MEASURE_QUEUES_ALIKE,
    MEASURE_ROUTERS_ALIKE,
    MEASURE_FLOWS_ALIKE,
    MEASURE_SWITCHES,
    MEASURE_KINDS
};

struct measure_array {
    size_t offset, size; /* of the pointer; of an element */
    enum measure_kind kind;
};

#define MEASURE_ARRAY(member, kind)                                            \
    {                                                                          \
        offsetof(struct nb_measure, member),                                   \
            sizeof *((struct nb_measure *)0)->member, kind                     \
    }

static const struct measure_array measure_arrays[] = {
    MEASURE_ARRAY(sent, MEASURE_QUEUES),
    MEASURE_ARRAY(sent_before, MEASURE_QUEUES),
    MEASURE_ARRAY(use, MEASURE_QUEUES),
    MEASURE_ARRAY(come, MEASURE_QUEUES),
    MEASURE_ARRAY(depth, MEASURE_QUEUES),
    MEASURE_ARRAY(live, MEASURE_ROUTERS),
    MEASURE_ARRAY(waiting, MEASURE_ROUTERS),
    MEASURE_ARRAY(wait, MEASURE_ROUTERS),
    MEASURE_ARRAY(presence, MEASURE_ROUTERS),
    MEASURE_ARRAY(load, MEASURE_ROUTERS),
    MEASURE_ARRAY(from, MEASURE_ROUTERS),
    MEASURE_ARRAY(asked, MEASURE_ONE),
    MEASURE_ARRAY(flow, MEASURE_FLOWS),
    MEASURE_ARRAY(of_network, MEASURE_NETWORKS),
    MEASURE_ARRAY(use_alike, MEASURE_QUEUES_ALIKE),
    MEASURE_ARRAY(from_alike, MEASURE_ROUTERS_ALIKE),
    MEASURE_ARRAY(flow_alike, MEASURE_FLOWS_ALIKE),
    MEASURE_ARRAY(congestion.through, MEASURE_SWITCHES),
    MEASURE_ARRAY(congestion.small, MEASURE_SWITCHES),
};

enum { MEASURE_ARRAYS = sizeof measure_arrays / sizeof *measure_arrays };

static void measure_count(const struct nb_measure *measure,
                          size_t count[MEASURE_KINDS])
{
    const struct nb_alike *alike = &measure->flows->alike;
    count[MEASURE_ONE] = 1;
    count[MEASURE_QUEUES] = measure->queue_count;
    count[MEASURE_ROUTERS] = measure->router_count;
    count[MEASURE_FLOWS] = measure->flows->count;
    count[MEASURE_NETWORKS] = measure->network_count;
    count[MEASURE_QUEUES_ALIKE] = alike->queue.count;
    count[MEASURE_ROUTERS_ALIKE] = alike->router.count;
    count[MEASURE_FLOWS_ALIKE] = alike->flow.count;
    count[MEASURE_SWITCHES] =
        measure->network_count > 0 && measure->plan->virtual_router.small > 0
            ? measure->router_count
            : 0;
}

static enum nb_status measure_init_arrays(struct nb_measure *out,
                                          struct nb_error *err)
{
    size_t count[MEASURE_KINDS];
    measure_count(out, count);
    for (size_t a = 0; a < MEASURE_ARRAYS; a++) {
        const struct measure_array *array = &measure_arrays[a];
        void *block =
            nb_pool_array(&out->pool, count[array->kind], array->size);
        memcpy((char *)out + array->offset, &block, sizeof block);
    }
    return nb_pool_check(&out->pool, "measurements", err);
}

enum nb_status nb_measure_init(const struct nb_simulation *plan,
                               const struct nb_flows *flows,
                               struct nb_measure *out, struct nb_error *err)
{
    const struct nb_topology *topology = plan->topology;
    enum nb_status status = NB_OK;
    *out = (struct nb_measure){
        .plan = plan,
        .flows = flows,
        .start = UINT64_MAX,
        .end = UINT64_MAX,
        .batch_end = UINT64_MAX,
        .queue_count = nb_queue_count(topology),
        .router_count = topology->router_count,
        .network_count = plan->router.model == NB_ROUTER_VIRTUAL
                             ? plan->virtual_router.networks
                             : 0,
        .counts.window = UINT64_MAX,
    };
    NB_TRY(measure_init_arrays(out, err));
    NB_TRY(nb_histogram_init(&out->latencies, MEASURE_LATENCIES, err));
    if (plan->has_depths)
        NB_TRY(measure_init_depths(out, topology, err));
    if (plan->has_reorder) {
        NB_TRY(nb_new(&out->overtaking, 1, sizeof *out->overtaking,
                      "reorder buffers", err));
        NB_TRY(nb_overtaking_init(measure_pairs(plan), out->overtaking, err));
    }
    if (plan->window > 0) {
        out->window_count = (size_t)(plan->cycles / plan->window);
        NB_TRY(nb_new(&out->window, out->window_count, sizeof *out->window,
                      "series", err));
    }
done:
    if (status != NB_OK)
        nb_measure_release(out);
    return status;
}

void nb_measure_release(struct nb_measure *measure)
{
    for (size_t c = 0; c < measure->class_count; c++)
        nb_histogram_release(&measure->depths[c]);
    nb_delete(measure->depths);
    nb_delete(measure->class_of);
    nb_histogram_release(&measure->latencies);
    if (measure->overtaking != NULL)
        nb_overtaking_release(measure->overtaking);
    nb_delete(measure->overtaking);
    nb_delete(measure->batch);
    nb_delete(measure->congestion.most);
    nb_pool_release(&measure->pool);
    nb_delete(measure->window);
    *measure = (struct nb_measure){ 0 };
}

static enum nb_status measure_pass_histogram(const struct nb_packing *bytes,
                                             struct nb_histogram *histogram,
                                             struct nb_error *err)
{
    size_t used = histogram->size + 1;
    while (bytes->out != NULL && used > 0 && histogram->count[used - 1] == 0)
        used--;
    nb_pass(bytes, &histogram->total, sizeof histogram->total);
    nb_pass(bytes, &used, sizeof used);
    if (used > histogram->size + 1)
        return nb_packed_refuse(err);
    nb_pass(bytes, histogram->count, used * sizeof *histogram->count);
    memset(histogram->count + used, 0,
           (histogram->size + 1 - used) * sizeof *histogram->count);
    return NB_OK;
}

/* A growing array, of *count elements by then. */
static enum nb_status measure_pass_grown(const struct nb_packing *bytes,
                                         void *in_out_pointer, size_t count,
                                         size_t size, struct nb_error *err)
{
    void *block;
    enum nb_status status = NB_OK;
    if (bytes->out == NULL && count > (size_t)(bytes->in->end - bytes->in->at))
        return nb_packed_refuse(err);
    if (bytes->out == NULL && count > 0)
        NB_TRY(nb_grow(in_out_pointer, count, size, "measurements", err));
    memcpy(&block, in_out_pointer, sizeof block);
    nb_pass(bytes, block, count * size);
done:
    return status;
}

static void measure_pass_values(const struct nb_packing *bytes,
                                struct nb_measure *measure)
{
    nb_pass(bytes, &measure->start, sizeof measure->start);
    nb_pass(bytes, &measure->end, sizeof measure->end);
    nb_pass(bytes, &measure->batch_length, sizeof measure->batch_length);
    nb_pass(bytes, &measure->batch_end, sizeof measure->batch_end);
    nb_pass(bytes, &measure->batch_count, sizeof measure->batch_count);
    nb_pass(bytes, &measure->batch_capacity, sizeof measure->batch_capacity);
    nb_pass(bytes, &measure->alive, sizeof measure->alive);
    nb_pass(bytes, &measure->packets, sizeof measure->packets);
    nb_pass(bytes, &measure->last, sizeof measure->last);
    nb_pass(bytes, &measure->total, sizeof measure->total);
    nb_pass(bytes, &measure->counts, sizeof measure->counts);
}

static enum nb_status measure_pass_all(const struct nb_packing *bytes,
                                       struct nb_measure *measure,
                                       struct nb_error *err)
{
    struct nb_rounds_count *congestion = &measure->congestion;
    size_t count[MEASURE_KINDS];
    enum nb_status status = NB_OK;
    measure_count(measure, count);
    measure_pass_values(bytes, measure);
    nb_pass(bytes, &congestion->count, sizeof congestion->count);
    nb_pass(bytes, &congestion->left, sizeof congestion->left);
    nb_pass(bytes, &congestion->is_of_many_paths,
            sizeof congestion->is_of_many_paths);
    for (size_t a = 0; a < MEASURE_ARRAYS; a++) {
        const struct measure_array *array = &measure_arrays[a];
        void *block;
        memcpy(&block, (char *)measure + array->offset, sizeof block);
        nb_pass(bytes, block, count[array->kind] * array->size);
    }
    nb_pass(bytes, measure->window,
            measure->window_count * sizeof *measure->window);
    NB_TRY(measure_pass_grown(bytes, &congestion->most, congestion->count,
                              sizeof *congestion->most, err));
    NB_TRY(measure_pass_grown(bytes, &measure->batch, measure->batch_capacity,
                              sizeof *measure->batch, err));
    NB_TRY(measure_pass_histogram(bytes, &measure->latencies, err));
    for (size_t c = 0; c < measure->class_count; c++)
        NB_TRY(measure_pass_histogram(bytes, &measure->depths[c], err));
    if (measure->overtaking != NULL)
        NB_TRY(measure_pass_histogram(bytes, &measure->overtaking->overtaken,
                                      err));
    if (bytes->out == NULL &&
        (bytes->in->has_failed ||
         measure->batch_count > measure->batch_capacity ||
         (measure->batch_count > 0 && measure->batch_length == 0)))
        NB_TRY(nb_packed_refuse(err));
done:
    return status;
}

void nb_measure_pack(const struct nb_measure *measure, struct nb_text *out)
{
    struct nb_measure own = *measure; /* never changed */
    measure_pass_all(&(struct nb_packing){ .out = out }, &own, NULL);
}

enum nb_status nb_measure_unpack(struct nb_packed *in, struct nb_measure *out,
                                 struct nb_error *err)
{
    return measure_pass_all(&(struct nb_packing){ .in = in }, out, err);
}

enum nb_status nb_measure_begin(struct nb_network *network, uint64_t cycles,
                                size_t batches, struct nb_error *err)
{
    struct nb_measure *measure = &network->measure;
    const bool is_first = measure->start == UINT64_MAX;
    enum nb_status status = NB_OK;
    assert(cycles % batches == 0);
    NB_TRY(nb_grow(&measure->batch, measure->batch_capacity + batches,
                   sizeof *measure->batch, "batches", err));
    for (size_t b = 0; b < batches; b++)
        measure->batch[measure->batch_capacity++] = (struct nb_batch){ 0 };
    if (!is_first) {
        measure->end += cycles;
        measure->batch_end = measure->end - cycles + measure->batch_length;
        goto done;
    }
    measure->start = network->cycle;
    measure->end = network->cycle + cycles;
    measure->batch_length = cycles / batches;
    measure->batch_end = measure->start + measure->batch_length;
    for (uint32_t q = 0; q < measure->queue_count; q++) {
        measure->sent_before[q] = measure->sent[q];
        measure->depth[q].now = network->engine->queue(network, q);
    }
    for (size_t r = 0; r < measure->router_count; r++) {
        measure->presence[r].was_empty = measure->waiting[r] == 0;
        measure->load[r].now = measure->live[r];
        measure->wait[r].now = measure->waiting[r];
    }
    measure->total.now = network->packets.count;
done:
    return status;
}

static inline bool measure_is_on(const struct nb_measure *measure,
                                 uint64_t cycle)
{
    return cycle >= measure->start && cycle < measure->end;
}

/* Whether latencies of this pair of routers are wanted. */
static inline bool measure_wants(const struct nb_simulation *plan,
                                 uint32_t source, uint32_t target)
{
    return plan->pair_source == NB_NONE ||
           (plan->pair_source == source && plan->pair_target == target);
}

void nb_measure_birth(struct nb_network *network, uint32_t packet)
{
    struct nb_measure *measure = &network->measure;
    struct nb_packets *packets = &network->packets;
    const uint32_t source = packets->source[packet];
    measure->live[network->terminal_router[source]]++;
    if (packets->message[packet] == NB_MESSAGE_REPLY) {
        measure->alive += measure_is_on(measure, packets->asked[packet]);
        return;
    }
    if (measure->overtaking != NULL)
        packets->number[packet] = nb_overtaking_send(
            measure->overtaking, source, packets->target[packet]);
    if (!measure_is_on(measure, network->cycle))
        return;
    measure->alive++;
    measure->batch[measure->batch_count].offered += packets->flits[packet];
    measure->batch[measure->batch_count].births++;
}

void nb_measure_wait(struct nb_network *network, uint32_t packet)
{
    const uint32_t source = network->packets.source[packet];
    if (network->packets.message[packet] == NB_MESSAGE_REQUEST)
        network->measure.waiting[network->terminal_router[source]]++;
}

void nb_measure_leave(struct nb_network *network, uint32_t packet)
{
    struct nb_measure *measure = &network->measure;
    const uint32_t source = network->packets.source[packet];
    const uint32_t router = network->terminal_router[source];
    if (network->packets.message[packet] == NB_MESSAGE_REPLY)
        return;
    if (--measure->waiting[router] == 0)
        measure->presence[router].was_empty = true;
}

void nb_measure_queue(struct nb_network *network, uint32_t packets)
{
    struct nb_measure *measure = &network->measure;
    if (packets > measure->counts.queue)
        measure->counts.queue = packets;
}

void nb_measure_activation(struct nb_network *network, uint32_t rounds)
{
    struct nb_measure *measure = &network->measure;
    if (measure_is_on(measure, network->cycle) && rounds > measure->counts.wait)
        measure->counts.wait = rounds;
}

void nb_measure_round(struct nb_network *network, uint64_t cycles)
{
    struct nb_virtual_counts *counts = &network->measure.counts;
    counts->cycles = cycles;
    if (measure_is_on(&network->measure, network->cycle)) {
        counts->rounds++;
        counts->sent += counts->round.sent;
        counts->acknowledged += counts->round.acknowledged;
        counts->dropped += counts->round.dropped;
    }
    counts->round.sent = counts->round.acknowledged = counts->round.dropped = 0;
}

void nb_measure_window(struct nb_network *network, uint64_t begin,
                       uint64_t packets)
{
    struct nb_measure *measure = &network->measure;
    if (measure_is_on(measure, network->cycle) && begin >= measure->start &&
        packets < measure->counts.window)
        measure->counts.window = packets;
}

void nb_measure_sent(struct nb_network *network)
{
    network->measure.counts.round.sent++;
}

void nb_measure_acknowledged(struct nb_network *network, bool is_delivered)
{
    struct nb_virtual_counts *counts = &network->measure.counts;
    counts->round.acknowledged++;
    counts->round.dropped += !is_delivered;
}

/* Whether a packet that arrived took one of the shortest paths. */
static inline bool measure_is_minimal(const struct nb_network *network,
                                      uint32_t packet, uint32_t source,
                                      uint32_t target)
{
    const struct nb_measure *measure = &network->measure;
    const uint16_t *distance = measure->flows->distance;
    const uint32_t terminal_hop = network->has_terminal_queues ? 1 : 0;
    return distance != NULL &&
           network->packets.hops[packet] <=
               distance[target * measure->router_count + source] + terminal_hop;
}

/* [cycle] The time of a request in its last router without waiting: as it may
 * have to wait there, it passes the pipeline. */
static uint32_t measure_last_router(const struct nb_network *network,
                                    uint32_t packet)
{
    const struct nb_router *router = &network->plan->router;
    const bool is_direct =
        router->model == NB_ROUTER_IDEAL || network->has_terminal_queues;
    return is_direct || !nb_replies_owe(network, packet)
               ? 0
               : router->pipeline + (network->packets.hops[packet] == 0);
}

/* Records the latency of a measured packet. */
static void measure_latency(struct nb_network *network, uint32_t packet,
                            uint64_t cycle, uint32_t source, uint32_t target)
{
    struct nb_measure *measure = &network->measure;
    const struct nb_simulation *plan = measure->plan;
    const struct nb_packets *packets = &network->packets;
    const uint64_t birth = nb_packets_birth(packets, packet);
    const uint32_t hops = packets->hops[packet];
    const double latency = (double)(cycle - birth);
    const uint32_t per_hop =
        plan->router.pipeline + plan->router.channel_latency;
    const uint32_t own =
        hops * per_hop + (hops > 0 ? packets->flits[packet] - 1u : 0) +
        packets->far[packet] *
            (plan->router.global_latency - plan->router.channel_latency) +
        measure_last_router(network, packet);
    const uint32_t terminal_hop = network->has_terminal_queues ? 1 : 0;
    struct nb_batch *batch =
        &measure->batch[(birth - measure->start) / measure->batch_length];
    batch->packets++;
    batch->latency += latency;
    batch->queueing += latency - own;
    batch->hops += hops - terminal_hop;
    batch->minimal += measure_is_minimal(network, packet, source, target);
    batch->misrouted +=
        nb_two_phase_level(plan->routing, packets->start[packet]) > 0;
    nb_histogram_count(&measure->latencies, cycle - birth);
}

/* Adds a packet to the window of its arrival. */
static void measure_window(struct nb_network *network, uint32_t packet,
                           uint64_t cycle, uint32_t source, uint32_t target)
{
    struct nb_measure *measure = &network->measure;
    const struct nb_packets *packets = &network->packets;
    if (measure->window_count == 0 || cycle < measure->start ||
        (cycle - measure->start) / measure->plan->window >=
            measure->window_count)
        return;
    struct nb_window_sum *window =
        &measure->window[(cycle - measure->start) / measure->plan->window];
    window->flits += packets->flits[packet];
    if (!measure_wants(measure->plan, source, target))
        return;
    window->packets++;
    window->latency += (double)(cycle - nb_packets_birth(packets, packet));
    window->minimal += measure_is_minimal(network, packet, source, target);
    window->level +=
        nb_two_phase_level(measure->plan->routing, packets->start[packet]);
}

/* A reply has arrived: its request counts in the batch of the request's
 * birth. */
static void measure_reply(struct nb_network *network, uint32_t packet,
                          uint64_t cycle)
{
    struct nb_measure *measure = &network->measure;
    const struct nb_packets *packets = &network->packets;
    const uint64_t asked = packets->asked[packet];
    measure->live[network->terminal_router[packets->source[packet]]]--;
    if (cycle > measure->last)
        measure->last = cycle;
    if (!measure_is_on(measure, asked))
        return;
    struct nb_batch *batch =
        &measure->batch[(asked - measure->start) / measure->batch_length];
    measure->alive--;
    batch->replies++;
    batch->round_trip += (double)(cycle - asked);
    batch->reply_latency += (double)(cycle - nb_packets_birth(packets, packet));
}

void nb_measure_arrival(struct nb_network *network, uint32_t packet,
                        uint64_t cycle)
{
    struct nb_measure *measure = &network->measure;
    const struct nb_packets *packets = &network->packets;
    const uint32_t source = network->terminal_router[packets->source[packet]];
    const uint32_t target = network->terminal_router[packets->target[packet]];
    const uint16_t flits = packets->flits[packet];
    const bool is_measured =
        measure_is_on(measure, nb_packets_birth(packets, packet));
    if (packets->message[packet] == NB_MESSAGE_REPLY) {
        measure_reply(network, packet, cycle);
        return;
    }
    measure->live[source]--;
    if (cycle > measure->last)
        measure->last = cycle;
    if (measure->overtaking != NULL)
        nb_overtaking_arrive(measure->overtaking, packets->source[packet],
                             packets->target[packet], packets->number[packet],
                             is_measured);
    measure_window(network, packet, cycle, source, target);
    if (measure_is_on(measure, network->cycle)) {
        struct nb_batch *batch = &measure->batch[measure->batch_count];
        batch->accepted += flits;
        /* It no longer counts at the end of this cycle. */
        batch->in_flight += (double)(cycle - network->cycle);
        measure->from[source].now += flits;
        if (measure->network_count > 0)
            measure->of_network[packets->memory[packet]].now += flits;
        if (measure->flows->count > 0)
            measure->flow[nb_flows_find(measure->flows, source, target)].now +=
                flits;
    }
    if (!is_measured)
        return;
    measure->alive--;
    measure->packets++;
    if (measure_wants(measure->plan, source, target))
        measure_latency(network, packet, cycle, source, target);
}

/* Adds a batch's count, or its change of a level, to the sums. batch: its
 * number */
static inline void measure_end(struct nb_tally *tally, size_t batch,
                               double change, double now)
{
    tally->sum += change;
    tally->square += change * change;
    tally->now = now;
    for (size_t i = 0; i < NB_MERGES; i++) {
        tally->part[i] += change;
        if ((batch + 1) % ((size_t)2 << i) != 0)
            return;
        change = tally->part[i];
        tally->merged[i] += change * change;
        tally->part[i] = 0;
    }
}

/* Adds what one member of a class did in a batch. */
static inline void measure_add_alike(const struct nb_orbits *orbits,
                                     struct nb_tally *alike, size_t index,
                                     double change)
{
    if (orbits->count > 0)
        alike[orbits->of[index]].now += change;
}

static void measure_end_alike(struct nb_tally *alike, size_t count,
                              size_t batch)
{
    for (size_t c = 0; c < count; c++)
        measure_end(&alike[c], batch, alike[c].now, 0);
}

static void measure_end_presence(struct nb_presence *presence, bool is_seen,
                                 bool is_empty)
{
    presence->now = presence->was_empty ? 0 : presence->now + 1;
    if (presence->now > presence->longest)
        presence->longest = presence->now;
    presence->seen += is_seen;
    presence->was_empty = is_empty;
}

static void measure_end_batch(struct nb_network *network)
{
    struct nb_measure *measure = &network->measure;
    const struct nb_alike *alike = &measure->flows->alike;
    const bool *asked = measure->plan->asked;
    const size_t batch = measure->batch_count;
    for (uint32_t q = 0; q < measure->queue_count; q++) {
        struct nb_tally *depth = &measure->depth[q];
        const double length = network->engine->queue(network, q);
        const double sent =
            (double)(measure->sent[q] - measure->sent_before[q]);
        measure_end(&measure->use[q], batch, sent, 0);
        measure_add_alike(&alike->queue, measure->use_alike, q, sent);
        measure_end(&measure->come[q], batch, sent + length - depth->now, 0);
        measure_end(depth, batch, length - depth->now, length);
        measure->sent_before[q] = measure->sent[q];
    }
    for (size_t r = 0; r < measure->router_count; r++) {
        struct nb_tally *load = &measure->load[r], *from = &measure->from[r];
        struct nb_tally *wait = &measure->wait[r];
        const double more = measure->waiting[r] - wait->now;
        measure->batch[batch].waiting += more;
        measure_end(wait, batch, more, measure->waiting[r]);
        measure_end_presence(&measure->presence[r], from->now > 0,
                             measure->waiting[r] == 0);
        measure_end(load, batch, measure->live[r] - load->now,
                    measure->live[r]);
        measure_add_alike(&alike->router, measure->from_alike, r, from->now);
        if (asked != NULL && asked[r])
            measure->asked->now += from->now;
        measure_end(from, batch, from->now, 0);
    }
    measure_end(measure->asked, batch, measure->asked->now, 0);
    measure->batch[batch].growth = network->packets.count - measure->total.now;
    measure_end(&measure->total, batch, measure->batch[batch].growth,
                network->packets.count);
    for (size_t f = 0; f < measure->flows->count; f++) {
        measure_add_alike(&alike->flow, measure->flow_alike, f,
                          measure->flow[f].now);
        measure_end(&measure->flow[f], batch, measure->flow[f].now, 0);
    }
    for (size_t v = 0; v < measure->network_count; v++)
        measure_end(&measure->of_network[v], batch, measure->of_network[v].now,
                    0);
    measure_end_alike(measure->use_alike, alike->queue.count, batch);
    measure_end_alike(measure->from_alike, alike->router.count, batch);
    measure_end_alike(measure->flow_alike, alike->flow.count, batch);
    measure->batch_count++;
    measure->batch_end = measure->batch_count == measure->batch_capacity
                             ? UINT64_MAX
                             : measure->batch_end + measure->batch_length;
}

void nb_measure_cycle(struct nb_network *network)
{
    struct nb_measure *measure = &network->measure;
    if (!measure_is_on(measure, network->cycle))
        return;
    measure->batch[measure->batch_count].in_flight += network->packets.count;
    measure->batch[measure->batch_count].empty += network->packets.count == 0;
    if (network->cycle + 1 == measure->batch_end)
        measure_end_batch(network);
}

void nb_measure_idle(struct nb_network *network, uint64_t cycles)
{
    struct nb_measure *measure = &network->measure;
    if (!measure_is_on(measure, network->cycle))
        return;
    measure->batch[measure->batch_count].empty += (double)cycles;
    for (size_t q = 0; measure->class_count > 0 && q < measure->queue_count;
         q++)
        nb_histogram_count_all(&measure->depths[measure->class_of[q]], 0,
                               cycles);
}

void nb_measure_close(struct nb_network *network)
{
    struct nb_measure *measure = &network->measure;
    const uint64_t end =
        measure->last > network->cycle ? measure->last : network->cycle;
    measure->end = end; /* the last flit may arrive after the last head */
    measure->batch_length = end - measure->start;
    measure_end_batch(network);
}

void nb_measure_depths(struct nb_network *network, const uint32_t *length)
{
    struct nb_measure *measure = &network->measure;
    if (!measure_is_on(measure, network->cycle))
        return;
    for (size_t q = 0; q < measure->queue_count; q++)
        nb_histogram_count(&measure->depths[measure->class_of[q]], length[q]);
}
