#include "queueing/joining.h"

#include <math.h>
#include <string.h>

enum { JOINING_MOST = 64 };   /* most packets that join in a slot */
#define JOINING_LEAST   1e-14 /* a mass that is negligible */
#define JOINING_RESCALE 1e100

/* A slot that starts at a given length. All arrays are indexed by the number of
 * packets that have joined. */
struct slot {
    const struct nb_joining *queue;
    size_t length; /* at the start */
    size_t most;   /* maximum number that have joined so far */
    double joined[JOINING_MOST + 1];
    /* At each number, the share of the packets that come in transit, and from
     * terminals. */
    double transit[JOINING_MOST + 1], injected[JOINING_MOST + 1];
};

static size_t slot_place(const struct slot *slot, size_t joined)
{
    const size_t length = slot->length + joined;
    return length < slot->queue->depth ? length : slot->queue->depth - 1;
}

/* One input or source brings its packet or not. */
static void slot_step(struct slot *slot, const double *rate, double share,
                      double *seen)
{
    if (share <= 0)
        return;
    for (size_t a = slot->most + 1; a-- > 0;) {
        const double p = fmin(rate[slot_place(slot, a)] * share, 1);
        const double moves = a < JOINING_MOST ? slot->joined[a] * p : 0;
        seen[a] += share * slot->joined[a];
        slot->joined[a] -= moves;
        if (a < JOINING_MOST)
            slot->joined[a + 1] += moves;
    }
    if (slot->most < JOINING_MOST)
        slot->most++;
}

static void slot_inputs(struct slot *slot)
{
    const struct nb_joining *queue = slot->queue;
    for (size_t i = 0; i < queue->input_count; i++)
        slot_step(slot, queue->transit, queue->share[i], slot->transit);
    const double sent = (double)queue->source_count * queue->source_rate;
    for (size_t s = 0; s < queue->source_count && sent > 0; s++)
        for (double left = queue->source_rate; left > 0; left -= 1)
            slot_step(slot, queue->injected, fmin(left, 1) / sent,
                      slot->injected);
}

/* Births at the rate of each length, by uniformisation: a Poisson number of
 * trials at the largest rate. */
static void slot_births(struct slot *slot)
{
    const struct nb_joining *queue = slot->queue;
    double rate[JOINING_MOST + 1], chain[JOINING_MOST + 1] = { 1 };
    double most = JOINING_LEAST, left = 1;
    for (size_t a = 0; a <= JOINING_MOST; a++) {
        const size_t place = slot_place(slot, a);
        rate[a] = queue->transit[place] + queue->injected[place];
        most = fmax(most, rate[a]);
    }
    slot->joined[0] = 0;
    double term = exp(-most);
    for (size_t j = 0; left > JOINING_LEAST && j < 4 * JOINING_MOST; j++) {
        left = fmax(left - term, 0);
        slot->most = j < JOINING_MOST ? j : JOINING_MOST;
        for (size_t a = slot->most + 1; a-- > 0;) {
            slot->joined[a] += term * chain[a];
            slot->transit[a] += left / most * chain[a];
            const double moves =
                a < JOINING_MOST ? chain[a] * rate[a] / most : 0;
            chain[a] -= moves;
            if (a < JOINING_MOST)
                chain[a + 1] += moves;
        }
        term *= most / (double)(j + 1);
    }
    memcpy(slot->injected, slot->transit, sizeof slot->injected);
}

static void slot_find(struct slot *slot, size_t length)
{
    *slot = (struct slot){ .queue = slot->queue, .length = length };
    slot->joined[0] = 1;
    if (slot->queue->share != NULL)
        slot_inputs(slot);
    else
        slot_births(slot);
}

/* Adds a slot of some mass to the distribution; up[i]: the mass that crosses
 * length + i. */
static void slot_add(const struct slot *slot, double mass, double *up,
                     struct nb_joining_law *out)
{
    double tail = 0;
    for (size_t a = slot->most + 1; a-- > 0;) {
        const size_t place = slot_place(slot, a);
        out->transit[place] += mass * slot->transit[a];
        out->injected[place] += mass * slot->injected[a];
        tail += slot->joined[a];
        if (a > 0)
            out->rate += mass * tail;
        if (a >= 2)
            up[a - 2] += mass * tail;
    }
    out->mean += mass * (double)slot->length;
}

static void law_scale(struct nb_joining_law *out, size_t depth, double factor)
{
    for (size_t n = 0; n < depth; n++) {
        out->transit[n] *= factor;
        out->injected[n] *= factor;
    }
    out->mean *= factor;
    out->rate *= factor;
}

static void law_normalise(double *law, size_t depth)
{
    double sum = 0;
    for (size_t n = 0; n < depth; n++)
        sum += law[n];
    if (sum == 0) /* no packet joins */
        law[0] = sum = 1;
    for (size_t n = 0; n < depth; n++)
        law[n] /= sum;
}

void nb_joining_find(const struct nb_joining *queue, struct nb_joining_law *out)
{
    const size_t depth = queue->depth;
    double up[JOINING_MOST + 1] = { 0 };
    double mass = 1, sum = 0;
    struct slot slot = { .queue = queue };
    memset(out->transit, 0, depth * sizeof *out->transit);
    memset(out->injected, 0, depth * sizeof *out->injected);
    out->mean = out->rate = out->overflow = 0;
    for (size_t n = 0; n < depth; n++) {
        slot_find(&slot, n);
        if (n > 0) {
            const double crosses = up[0];
            memmove(up, up + 1, sizeof up - sizeof *up);
            up[JOINING_MOST] = 0;
            mass = crosses / fmax(slot.joined[0], JOINING_LEAST);
        }
        slot_add(&slot, mass, up, out);
        sum += mass;
        if (sum > JOINING_RESCALE) {
            law_scale(out, depth, 1 / sum);
            for (size_t i = 0; i <= JOINING_MOST; i++)
                up[i] /= sum;
            mass /= sum;
            sum = 1;
        }
        if (mass < JOINING_LEAST * sum)
            break;
    }
    out->overflow = mass < JOINING_LEAST * sum ? 0 : mass / sum;
    out->mean /= sum;
    out->rate /= sum;
    law_normalise(out->transit, depth);
    law_normalise(out->injected, depth);
}
