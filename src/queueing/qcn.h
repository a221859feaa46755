/* QCN loop: a deterministic fluid model of switches that send packets straight
 * with a probability, which notifications of congestion lower. */
#ifndef NB_QUEUEING_QCN_H
#define NB_QUEUEING_QCN_H

#include "core/public.h"
#include "core/enclosure.h"
#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

NB_PUBLIC_BEGIN

enum { NB_QCN_MOST = 63 /* the greatest feedback, of 6 bits */ };

/*
 * S switches send what they have for one group over one channel, each the share
 * P_i that it sends straight. Time is in packet times, in which a channel
 * carries one packet; a packet is divisible.
 *
 *     F = sum_i min(P_i d, 1 - tau),    dQ/dt = F - 1 within [0, B]
 *
 * What does not fit at Q = B is held back by flow control, from all in
 * proportion, and chooses again later. While Fb < 0 the queue sends a
 * notification for every N packets that enter it, to the switch whose packets
 * have had fewest for their number:
 *
 *     Fb = -(Q - Q_eq + w (Q - Q_old)),    |Fb| = min(63, floor(63 (-Fb)/Q_eq))
 *     P <- P R,    R = 1 - L_f |Fb|   or, compared with the mean of all ports,
 *     R = 1 - L_f (|Fb| - Fb_avg) if |Fb| > Fb_avg + Th_2,    Fb_avg =
 * |Fb|/ports
 *
 * P <- P + PI, at most 1, whenever PC_l packets have left the port since the
 * last notification or increase; the port carries the switch's own packets
 * that go straight and tau of others. An increase that falls together with a
 * notification comes first. Notifications take no time.
 *
 * Source: [Benito2020, equations 2-3 and 4-3 to 4-5]; how the queue grows, who
 * is notified and that notifications take no time is this model's.
 */
struct nb_qcn {
    uint32_t sources;                 /* S, 1 .. 10000 */
    struct nb_ratio demand;           /* d [packets/packet time] of a switch */
    struct nb_ratio transit;          /* tau [packets/packet time], < 1 */
    struct nb_ratio queue, reference; /* B > Q_eq > 0 [packets] */
    struct nb_ratio weight;           /* w >= 0 */
    struct nb_ratio interval;         /* N > 0 [packets] */
    struct nb_ratio limit;            /* L_f in [0, 1/63] */
    struct nb_ratio packets;          /* PC_l > 0 [packets] */
    struct nb_ratio increase;         /* PI in (0, 1] */
    uint32_t ports;                   /* of a switch; 0: Fb is not compared */
    struct nb_ratio below, above;     /* Th_1, Th_2 */
};

/* |Fb| of a queue that was of old_length at the last notification, 0 where it
 * is not congested. */
uint32_t nb_qcn_feedback(const struct nb_qcn *loop, struct nb_ratio length,
                         struct nb_ratio old_length);

/* What a notification does to P: multiplied by R, or 1 and raised by PI where
 * it is below the mean by Th_1. */
struct nb_ratio nb_qcn_factor(const struct nb_qcn *loop, uint32_t feedback,
                              bool *is_raised);

/*
 * P after the n-th of notifications that all say the same, k increases before
 * each, without the cap at 1:
 *
 *     P_n = P* + R^n (P_0 - P*),    P* = R k PI / (1 - R)
 *
 * factor    R in [0, 1)
 * increases k >= 0
 * Returns P*, the low end of the saw-tooth; P* + k PI is its high end.
 */
struct nb_ratio nb_qcn_low(const struct nb_qcn *loop, struct nb_ratio factor,
                           uint64_t increases);

enum nb_qcn_event {
    NB_QCN_START,
    NB_QCN_FULL,      /* the queue reaches B */
    NB_QCN_NOTIFIED,  /* a switch is told */
    NB_QCN_REFERENCE, /* the queue passes where Fb = 0 */
    NB_QCN_EMPTY,
    NB_QCN_INCREASED, /* a port's P grows; no moment is kept */
    NB_QCN_REST       /* nothing more happens */
};

struct nb_qcn_moment {
    enum nb_qcn_event event;
    struct nb_enclosure time;        /* [packet times] */
    struct nb_enclosure least, mean; /* of P over the switches */
    struct nb_enclosure inflow;      /* F */
    struct nb_enclosure queue;       /* Q [packets] */
};

/* From all packets straight and an empty queue: exact as long as ratios fit,
 * after that computed in doubles. Owns the moments. */
struct nb_qcn_response {
    /* [packet times]; inf where it does not come in NB_QCN_TRIES */
    struct nb_enclosure first;  /* the first notification */
    struct nb_enclosure told;   /* every switch has been notified */
    struct nb_enclosure within; /* F is down to what the channel carries */
    struct nb_enclosure share;  /* the mean P when every switch was */
    uint64_t notifications;     /* until then, or those that were tried */
    size_t moment_count;        /* at most NB_QCN_MOMENTS */
    struct nb_qcn_moment *moments;
};
enum { NB_QCN_TRIES = 20 /* notifications to each switch */ };
enum { NB_QCN_MOMENTS = 64 };

/* What the loop comes to where all switches are notified together. */
struct nb_qcn_cycle {
    bool is_none; /* nothing that lasts lowers P */
    /* The state comes back exactly after so many notifications; else only the
     * round after the first ones is told. */
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
 * The loop after the traffic has turned to the one group.
 *
 * Errors: NB_INVALID naming what is out of range; NB_NO_CONVERGENCE if events
 * never end; NB_NO_MEMORY.
 */
enum nb_status nb_qcn_respond(const struct nb_qcn *loop,
                              struct nb_qcn_response *out,
                              struct nb_error *err);
void nb_qcn_response_release(struct nb_qcn_response *response);

/*
 * The limit cycle: where the feedbacks and numbers of increases repeat, P
 * after the last notification is the fixed point of an affine map, from which
 * the recursion is run once round and found to close.
 *
 * Errors: as nb_qcn_respond.
 */
enum nb_status nb_qcn_cycle_find(const struct nb_qcn *loop,
                                 struct nb_qcn_cycle *out,
                                 struct nb_error *err);

/*
 * How long P takes from a value to 1 when there is no congestion and PC_l
 * packets of the port come at rate tau + own P:
 *
 *     sum over j of PC_l / (tau + own min(1, P + j PI)),   P + j PI < 1
 *
 * own   [packets/packet time] of the port if all goes straight, >= 0
 * time  [packet times] out; inf where nothing passes the port
 *
 * Errors: as nb_qcn_respond; NB_INVALID for more than a million increases.
 */
enum nb_status nb_qcn_return(const struct nb_qcn *loop, struct nb_ratio own,
                             struct nb_enclosure from,
                             struct nb_enclosure *time, struct nb_error *err);

NB_PUBLIC_END

#endif
