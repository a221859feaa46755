/* QCN loop: a deterministic fluid model of switches that send packets straight
 * with a probability, which congestion notifications lower. */
#ifndef NB_QUEUEING_QCN_H
#define NB_QUEUEING_QCN_H

#include "core/public.h"
#include "core/enclosure.h"
#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

NB_PUBLIC_BEGIN

enum { NB_QCN_MOST = 63 /* the largest feedback, with 6 bits */ };

/*
 * S switches send their traffic for one group over one channel; each sends the
 * share P_i of it straight. Time is in packet times, in which a channel carries
 * one packet; a packet is divisible.
 *
 *     F = sum_i min(P_i d, 1 - tau),    dQ/dt = F - 1 within [0, B]
 *
 * At Q = B, flow control holds the excess back from all in proportion; the
 * packets held back choose again later. While Fb < 0 the queue sends a
 * notification for every N packets that enter it, to the switch with the fewest
 * notifications for the number of its packets:
 *
 *     Fb = -(Q - Q_eq + w (Q - Q_old)),    |Fb| = min(63, floor(63 (-Fb)/Q_eq))
 *     P <- P R,    R = 1 - L_f |Fb|   or, compared with the mean of all ports,
 *     R = 1 - L_f (|Fb| - Fb_avg) if |Fb| > Fb_avg + Th_2,
 *     Fb_avg = |Fb|/ports
 *
 * P <- P + PI, at most 1, whenever PC_l packets have left the port since the
 * last notification or increase; the port carries the switch's own packets that
 * go straight and tau of others. An increase that coincides with a notification
 * comes first. Notifications take no time.
 *
 * Source: [Benito2020, equations 2-3 and 4-3 to 4-5]. This model adds how the
 * queue grows, who is notified, and that notifications take no time.
 */
struct nb_qcn {
    uint32_t sources;                 /* S, 1 .. 10000 */
    struct nb_ratio demand;           /* d [packets/packet time] of one
                                       * switch */
    struct nb_ratio transit;          /* tau [packets/packet time], < 1 */
    struct nb_ratio queue, reference; /* B > Q_eq > 0 [packets] */
    struct nb_ratio weight;           /* w >= 0 */
    struct nb_ratio interval;         /* N > 0 [packets] */
    struct nb_ratio limit;            /* L_f in [0, 1/63] */
    struct nb_ratio packets;          /* PC_l > 0 [packets] */
    struct nb_ratio increase;         /* PI in (0, 1] */
    uint32_t ports;                   /* of a switch; 0: Fb is not compared with
                                       * others */
    struct nb_ratio below, above;     /* Th_1, Th_2 */
};

enum nb_qcn_event {
    NB_QCN_START,
    NB_QCN_FULL,      /* the queue reaches B */
    NB_QCN_NOTIFIED,  /* a switch is notified */
    NB_QCN_REFERENCE, /* the queue passes where Fb = 0 */
    NB_QCN_EMPTY,
    NB_QCN_INCREASED, /* a port's P grows; no moment is stored */
    NB_QCN_REST       /* nothing more happens */
};

struct nb_qcn_moment {
    enum nb_qcn_event event;
    struct nb_enclosure time;        /* [packet times] */
    struct nb_enclosure least, mean; /* of P over the switches */
    struct nb_enclosure inflow;      /* F */
    struct nb_enclosure queue;       /* Q [packets] */
};

/* From all packets straight and an empty queue: exact while ratios fit, in
 * doubles after that. Owns the moments. */
struct nb_qcn_response {
    /* [packet times]; inf if not reached within NB_QCN_TRIES */
    struct nb_enclosure first;  /* the first notification */
    struct nb_enclosure told;   /* every switch has been notified */
    struct nb_enclosure within; /* F has fallen to what the channel carries */
    struct nb_enclosure share;  /* the mean P when every switch was notified */
    uint64_t notifications;     /* until then, or the number tried */
    size_t moment_count;        /* at most NB_QCN_MOMENTS */
    struct nb_qcn_moment *moments;
};
enum { NB_QCN_TRIES = 20 /* notifications to each switch */ };
enum { NB_QCN_MOMENTS = 64 };

/* The limit of the loop if all switches are notified together. */
struct nb_qcn_cycle {
    bool is_none; /* nothing lowers P permanently */
    /* The state recurs exactly after this many notifications; otherwise the
     * figures are only those of the round after the first ones. */
    bool is_proved;
    uint32_t notifications;
    uint64_t increases;
    struct nb_enclosure factor; /* the product of all R; 1 where PI was added */
    struct nb_enclosure period; /* [packet times] */
    struct nb_enclosure least, most, mean; /* of P, the mean over time */
    struct nb_enclosure accepted;          /* of the channel, 1: always busy */
    struct nb_enclosure shortest, longest; /* Q */
};

/*
 * The loop after the traffic has changed to the one group.
 *
 * Errors: NB_INVALID naming what is out of range; NB_NO_CONVERGENCE if events
 * never end; NB_NO_MEMORY.
 */
enum nb_status nb_qcn_respond(const struct nb_qcn *loop,
                              struct nb_qcn_response *out,
                              struct nb_error *err);
void nb_qcn_response_release(struct nb_qcn_response *response);

/*
 * The limit cycle. If the feedbacks and numbers of increases repeat, P after
 * the last notification is the fixed point of an affine map; the recursion then
 * runs one round from there to check that it closes.
 *
 * Errors: those of nb_qcn_respond.
 */
enum nb_status nb_qcn_cycle_find(const struct nb_qcn *loop,
                                 struct nb_qcn_cycle *out,
                                 struct nb_error *err);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/* |Fb| of a queue whose length was old_length at the last notification; 0 if it
 * is not congested. */
uint32_t nb_qcn_feedback(const struct nb_qcn *loop, struct nb_ratio length,
                         struct nb_ratio old_length);

/* The effect of a notification on P: multiplied by R; or R = 1, and P is raised
 * by PI if it is below the mean by Th_1. */
struct nb_ratio nb_qcn_factor(const struct nb_qcn *loop, uint32_t feedback,
                              bool *is_raised);

/*
 * P after the n-th of identical notifications, with k increases before each,
 * without the cap at 1:
 *
 *     P_n = P* + R^n (P_0 - P*),    P* = R k PI / (1 - R)
 *
 * factor    R in [0, 1)
 * increases k >= 0
 *
 * Returns P*, the low end of the saw-tooth; P* + k PI is its high end.
 */
struct nb_ratio nb_qcn_low(const struct nb_qcn *loop, struct nb_ratio factor,
                           uint64_t increases);

/*
 * The time that P takes from a value to 1 when there is no congestion and PC_l
 * packets of the port arrive at rate tau + own P:
 *
 *     sum over j of PC_l / (tau + own min(1, P + j PI)),   P + j PI < 1
 *
 * own   [packets/packet time] of the port if all goes straight, >= 0
 * time  [packet times] out; inf if nothing passes the port
 *
 * Errors: those of nb_qcn_respond; NB_INVALID for more than a million
 * increases.
 */
enum nb_status nb_qcn_return(const struct nb_qcn *loop, struct nb_ratio own,
                             struct nb_enclosure from,
                             struct nb_enclosure *time, struct nb_error *err);

NB_INTERNAL_END

#endif
