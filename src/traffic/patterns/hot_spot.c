/* Hot spot: a share of all traffic goes to a few terminals in equal parts, the
 * rest follows another pattern. The column sums of these terminals may exceed
 * 1, as is the nature of this pattern. */
#include "traffic/traffic.h"

#include "core/try.h"

#include <inttypes.h>

enum { HOT_SPOT_MOST = 1024 };

/* The listed terminals, each listed once. */
static enum nb_status hot_spot_nodes(const struct nb_traffic_request *request,
                                     uint32_t node[HOT_SPOT_MOST],
                                     size_t *count, struct nb_error *err)
{
    const enum nb_status status = nb_whole_list_read(
        nb_specification_text(request->specification, "nodes"),
        "traffic hot-spot: nodes", '+', 0,
        (int64_t)request->topology->terminal_count - 1, HOT_SPOT_MOST, node,
        count, err);
    for (size_t i = 0; status == NB_OK && i < *count; i++)
        for (size_t j = 0; j < i; j++)
            if (node[j] == node[i])
                return nb_fail(err, NB_INVALID,
                               "traffic hot-spot: terminal %" PRIu32
                               " is listed twice (permitted: once)",
                               node[i]);
    return status;
}

/* Adds a weight from every terminal to every node. */
static enum nb_status hot_spot_add(const struct nb_traffic_request *request,
                                   const uint32_t *node, size_t node_count,
                                   uint64_t weight, struct nb_traffic *out,
                                   struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (uint32_t t = 0; t < request->topology->terminal_count; t++)
        for (size_t h = 0; h < node_count; h++)
            NB_TRY(nb_traffic_add_single(out, t, node[h], weight, err));
done:
    return status;
}

/*
 * With share = p/q, H nodes and a background over the denominator B, all over q
 * lcm(B, H): background rates have the weight (q - p) lcm(B, H) / B, a
 * terminal's rate to a node has p lcm(B, H) / H.
 */
static enum nb_status hot_spot_build(const struct nb_traffic_request *request,
                                     struct nb_traffic *out,
                                     struct nb_error *err)
{
    const struct nb_ratio share =
        nb_specification_ratio(request->specification, "share");
    struct nb_traffic rest = { 0 };
    uint32_t node[HOT_SPOT_MOST];
    size_t count;
    enum nb_status status;
    NB_TRY(hot_spot_nodes(request, node, &count, err));
    NB_TRY(nb_traffic_build(
        nb_specification_text(request->specification, "background"),
        request->topology, request->allow_inadmissible, &rest, err));

    const uint64_t common = nb_gcd(rest.denominator, count);
    uint64_t scale = count / common; /* lcm(B, H) / B */
    uint64_t hot = rest.denominator / common;
    NB_TRY(nb_traffic_scale(
        out, &scale, (uint64_t)(share.denominator - share.numerator), err));
    NB_TRY(nb_traffic_scale(out, &hot, (uint64_t)share.numerator, err));
    out->denominator = rest.denominator;
    NB_TRY(nb_traffic_scale(out, &out->denominator, count / common, err));
    NB_TRY(nb_traffic_scale(out, &out->denominator, (uint64_t)share.denominator,
                            err));
    NB_TRY(nb_traffic_add_matrix(request, &rest, scale, out, err));
    NB_TRY(hot_spot_add(request, node, count, hot, out, err));
done:
    nb_traffic_release(&rest);
    return status;
}

static const struct nb_parameter hot_spot_parameters[] = {
    NB_PARAMETER("nodes", LIST, NULL,
                 "the hot terminals, joined by +, such as 0+5", .least = 0,
                 .most = (double)(NB_NONE - 1)),
    NB_PARAMETER("share", NUMBER, "1/2",
                 "fraction of all traffic that goes to the hot terminals",
                 .least = 0, .most = 1),
    NB_PARAMETER("background", WORD, "uniform", "pattern of the other traffic"),
    { 0 },
};

const struct nb_traffic_kind nb_traffic_hot_spot = {
    .kind = { .name = "hot-spot",
              .summary = "a share of the traffic to a few hot terminals",
              .detail =
                  "The rest follows another pattern. The hot terminals may "
                  "receive more than 1.",
              .parameters = hot_spot_parameters },
    .examples = "hot-spot:nodes=0+5,share=1/2@torus:8x8 "
                "hot-spot:nodes=3,share=0.1,background=tornado@torus:4x3 "
                "hot-spot:nodes=0,share=1/3@ring:4 "
                "hot-spot:nodes=0+1+2,share=1@complete:5 "
                "hot-spot:nodes=0+5,self=no@torus:4x3",
    .build = hot_spot_build,
};
