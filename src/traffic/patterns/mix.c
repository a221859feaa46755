/* Mix: shares of all traffic that follow the uniform and the adversarial
 * patterns. */
#include "traffic/traffic.h"

#include "core/try.h"

#include <inttypes.h>

/* A share of the traffic and the pattern that it follows. */
struct mix_part {
    const char *share; /* the parameter */
    const char *pattern;
    const char *parameter; /* passed on to it by the mix; NULL: none */
};

static const struct mix_part mix_parts[] = {
    { "uniform", "uniform", NULL },
    { "adversarial", "adversarial", "offset" },
    { "local", "adversarial-local", NULL },
    { "consecutive", "adversarial-consecutive", "count" },
};
enum { MIX_PARTS = sizeof mix_parts / sizeof *mix_parts };

static enum nb_status mix_check(const struct nb_specification *specification,
                                struct nb_error *err)
{
    struct nb_ratio sum = nb_ratio_zero;
    for (size_t p = 0; p < MIX_PARTS; p++)
        sum = nb_ratio_add(
            sum, nb_specification_ratio(specification, mix_parts[p].share));
    if (!nb_ratio_is_known(sum))
        return nb_fail(
            err, NB_OVERFLOW,
            "traffic mix: the sum of the shares does not fit in 64 bits; "
            "take shares with smaller denominators");
    if (nb_ratio_compare(sum, nb_ratio_one) == 0)
        return NB_OK;
    char text[NB_RATIO_TEXT];
    nb_ratio_print(sum, text);
    return nb_fail(err, NB_INVALID,
                   "traffic mix: the shares uniform, adversarial, local and "
                   "consecutive sum to %s (permitted: 1)",
                   text);
}

static enum nb_status mix_build_part(const struct nb_traffic_request *request,
                                     const struct mix_part *part,
                                     struct nb_traffic *out,
                                     struct nb_error *err)
{
    struct nb_text text = { 0 };
    enum nb_status status;
    nb_text_print(&text, "%s", part->pattern);
    if (part->parameter != NULL)
        nb_text_print(
            &text, ":%s=%s", part->parameter,
            nb_specification_text(request->specification, part->parameter));
    NB_TRY(nb_text_check(&text, err));
    NB_TRY(nb_traffic_build(text.bytes, request->topology,
                            request->allow_inadmissible, out, err));
done:
    nb_text_release(&text);
    return status;
}

/* The least common multiple of q B over all parts, with share p/q and matrix
 * denominator B. */
static enum nb_status mix_find_denominator(const struct nb_ratio *share,
                                           const struct nb_traffic *part,
                                           struct nb_traffic *out,
                                           struct nb_error *err)
{
    uint64_t *denominator = &out->denominator;
    enum nb_status status = NB_OK;
    *denominator = 1;
    for (size_t p = 0; p < MIX_PARTS; p++) {
        if (share[p].numerator == 0)
            continue;
        uint64_t own = part[p].denominator;
        NB_TRY(
            nb_traffic_scale(out, &own, (uint64_t)share[p].denominator, err));
        NB_TRY(nb_traffic_scale(out, denominator,
                                own / nb_gcd(own, *denominator), err));
    }
done:
    return status;
}

/*
 * With a share p/q for each part and its matrix over the denominator B, all
 * over D = lcm of q B: the part's weights are multiplied by p D / (q B).
 *
 *     rate(i, j) = sum over parts of share rate_part(i, j)
 *
 * Source: [Benito2020, section 3.2.2.1], MIX; there, the uniform part leaves
 * out the source itself; here it does not.
 */
static enum nb_status mix_build(const struct nb_traffic_request *request,
                                struct nb_traffic *out, struct nb_error *err)
{
    struct nb_traffic part[MIX_PARTS] = { 0 };
    struct nb_ratio share[MIX_PARTS];
    enum nb_status status;
    NB_TRY(mix_check(request->specification, err));
    for (size_t p = 0; p < MIX_PARTS; p++) {
        share[p] =
            nb_specification_ratio(request->specification, mix_parts[p].share);
        if (share[p].numerator > 0)
            NB_TRY(mix_build_part(request, &mix_parts[p], &part[p], err));
    }
    NB_TRY(mix_find_denominator(share, part, out, err));
    for (size_t p = 0; p < MIX_PARTS; p++) {
        if (share[p].numerator == 0)
            continue;
        uint64_t scale = out->denominator / part[p].denominator /
                         (uint64_t)share[p].denominator;
        NB_TRY(
            nb_traffic_scale(out, &scale, (uint64_t)share[p].numerator, err));
        NB_TRY(nb_traffic_add_matrix(request, &part[p], scale, out, err));
    }
done:
    for (size_t p = 0; p < MIX_PARTS; p++)
        nb_traffic_release(&part[p]);
    return status;
}

static const struct nb_parameter mix_parameters[] = {
    NB_PARAMETER("uniform", NUMBER, "0",
                 "share of uniform traffic; the four shares sum to 1",
                 .least = 0, .most = 1),
    NB_PARAMETER("adversarial", NUMBER, "0", "share of adversarial traffic",
                 .least = 0, .most = 1),
    NB_PARAMETER("local", NUMBER, "0", "share of adversarial-local traffic",
                 .least = 0, .most = 1),
    NB_PARAMETER("consecutive", NUMBER, "0",
                 "share of adversarial-consecutive traffic", .least = 0,
                 .most = 1),
    NB_PARAMETER("offset", WORD, "1",
                 "offset, in groups, of the adversarial traffic"),
    NB_PARAMETER("count", WHOLE, "0",
                 "number of groups of the adversarial-consecutive traffic; 0: "
                 "a router's global channels",
                 .least = 0, .most = (double)(NB_NONE - 1)),
    { 0 },
};

const struct nb_traffic_kind nb_traffic_mix = {
    .kind = { .name = "mix",
              .summary = "shares of uniform and of adversarial traffic",
              .parameters = mix_parameters },
    .examples = "mix:uniform=0.5,adversarial=0.5@dragonfly:h=1 "
                "mix:uniform=1/3,adversarial=1/6,local=0.2,consecutive=0.3,"
                "offset=3+-5@dragonfly:h=2 "
                "mix:local=1@dragonfly:h=2 "
                "mix:uniform=1@ring:4",
    .build = mix_build,
};
