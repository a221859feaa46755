/* The closed forms of Dragonflies (declared in limits.h). */
#include "bounds/limits/limits.h"

#include <stdio.h>
#include <string.h>

static const char dragonfly_thesis[] = "Benito2020, section 3.2.2.1";
static const char dragonfly_policies[] = "Benito2020, section 6.1.2.2";
static const char dragonfly_counting[] = "counting";

static struct nb_ratio dragonfly_least(struct nb_ratio a, struct nb_ratio b)
{
    return nb_ratio_compare(a, b) < 0 ? a : b;
}

static void dragonfly_name_offset(int64_t offset, char traffic[NB_LIMIT_TEXT])
{
    snprintf(traffic, NB_LIMIT_TEXT, "adversarial:offset=%lld",
             (long long)offset);
}

/* Shortest paths: the one channel between two groups, the h channels of one
 * router, the one channel between two routers; uniform traffic crosses each
 * local channel p (2G-1) / (aG) times and each global one pa/G times. */
static void dragonfly_add_min(struct nb_limits_work *work,
                              const struct nb_dragonfly *fly)
{
    const int64_t p = fly->p, a = fly->a, h = fly->h, g = fly->groups;
    char offset[NB_LIMIT_TEXT];
    dragonfly_name_offset(work->first_offset, offset);
    nb_limits_add(work, nb_limit_row("min", offset, nb_ratio_make(1, a * p),
                                     "1/(a p)", dragonfly_thesis));
    if (a < 2)
        return;
    /* The channels of the last router; the local one from the first to it has
     * p for that way and p that came in at the first. */
    if (fly->is_palmtree)
        nb_limits_add(work,
                      nb_limit_row("min", "adversarial-consecutive",
                                   dragonfly_least(nb_ratio_make(h, a * p),
                                                   nb_ratio_make(1, 2 * p)),
                                   "min(h/(a p), 1/(2p))", dragonfly_thesis));
    nb_limits_add(work,
                  nb_limit_row("min", "adversarial-local", nb_ratio_make(1, p),
                               "1/p", dragonfly_thesis));
    nb_limits_add(
        work,
        nb_limit_row(
            "min", "uniform",
            dragonfly_least(nb_ratio_make((nb_int128)a * g, p * (2 * g - 1)),
                            nb_ratio_make(g, p * a)),
            "min(1, a G/(p (2G-1)), G/(a p))", dragonfly_counting));
}

/* Any router as way-point: twice the uniform loads, whatever the traffic. */
static void dragonfly_add_valiant(struct nb_limits_work *work,
                                  const struct nb_dragonfly *fly)
{
    static const char formula[] = "min(a G/(2p (2G-1)), G/(2a p))";
    char offset[NB_LIMIT_TEXT];
    const char *const traffics[] = { "uniform", offset,
                                     "adversarial-consecutive",
                                     "adversarial-local", "" };
    const int64_t p = fly->p, a = fly->a, g = fly->groups;
    const struct nb_ratio value =
        dragonfly_least(nb_ratio_make((nb_int128)a * g, 2 * p * (2 * g - 1)),
                        nb_ratio_make(g, 2 * p * a));
    dragonfly_name_offset(work->first_offset, offset);
    for (size_t t = 0; t < sizeof traffics / sizeof *traffics && a > 1; t++)
        if (*traffics[t] != '\0' || work->with_worst)
            nb_limits_add(work,
                          nb_limit_row("vlb:policy=lgl", traffics[t], value,
                                       formula, dragonfly_counting));
    if (a > 1)
        nb_limits_add(work, nb_limit_row("rvlb", "adversarial-local",
                                         nb_ratio_make(a, 2 * p), "a/(2p)",
                                         dragonfly_counting));
}

/* The part of a bound that two global hops give: 1/2. */
static struct nb_ratio dragonfly_half(struct nb_ratio value)
{
    return dragonfly_least(nb_ratio_make(1, 2), value);
}

/*
 * Adversarial traffic i = k h + m, 0 <= m < h: of the h channels into a router
 * of the group of way-points, h - m go on over the local channel k back and m
 * over the one k + 1 back (k = 0: the former need none): x = max(h - m, m),
 * k = 0: x = m. Source and destination group add 1/2 on -g- paths, on lg- ones
 * another 1/2. Where the group of way-points lies between those of source and
 * destination, one channel changes sides: x = h - m + 1 there.
 */
static void dragonfly_add_offset(struct nb_limits_work *work, int64_t h,
                                 int64_t offset, bool leaves_group)
{
    const int64_t around = offset < 0 ? -offset : offset;
    const int64_t near = around > h * h ? 2 * h * h + 1 - around : around;
    const char *routing = leaves_group ? "vlb:policy=lg-" : "vlb:policy=-g-";
    const int64_t k = near / h, m = near % h;
    const int64_t bulk = k == 0 || m > h - m ? m : h - m;
    const int64_t worst = k == 0          ? m
                          : m == 0        ? h
                          : m > h - m + 1 ? m
                                          : h - m + 1;
    const int64_t more = leaves_group ? 2 : 1; /* halves */
    char traffic[NB_LIMIT_TEXT];
    dragonfly_name_offset(offset, traffic);
    struct nb_limit row =
        nb_limit_row(routing, traffic, dragonfly_half(nb_ratio_make(1, bulk)),
                     k == 0 ? "min(1/2, 1/m)" : "min(1/2, 1/max(h-m, m))",
                     dragonfly_policies);
    row.is_bound = true;
    nb_limits_add(work, row);
    row = nb_limit_row(
        routing, traffic, dragonfly_half(nb_ratio_make(2, 2 * bulk + more)),
        leaves_group ? "min(1/2, 1/(x+1))" : "min(1/2, 1/(x+1/2))",
        dragonfly_counting);
    row.link = NB_LIMIT_BULK;
    nb_limits_add(work, row);
    row.link = NB_LIMIT_WORST;
    row.value = dragonfly_half(nb_ratio_make(2, 2 * worst + more));
    row.formula = leaves_group ? "min(1/2, 1/(x'+1))" : "min(1/2, 1/(x'+1/2))";
    nb_limits_add(work, row);
}

/* Traffic by way-points, whatever the offset. */
static void dragonfly_add_policies(struct nb_limits_work *work, int64_t h)
{
    static const char advc[] = "adversarial-consecutive";
    static const char advl[] = "adversarial-local";
    static const char first[] = "vlb:policy=-g-", second[] = "vlb:policy=lg-";
    static const char third[] = "vlb:policy=-gl";
    const struct {
        const char *routing, *traffic;
        struct nb_ratio value;
        const char *formula;
    } rows[] = {
        { first, advc, dragonfly_half(nb_ratio_make(2, h + 2)),
          "min(1/2, 2/(h+2))" },
        { second, advc, dragonfly_half(nb_ratio_make(2, h + 3)),
          "min(1/2, 2/(h+3))" },
        { third, advc, nb_ratio_make(1, 2), "1/2" },
        { first, advl, nb_ratio_make(1, h), "1/h" },
        { second, advl, nb_ratio_make(1, 2), "1/2" },
        { third, advl, nb_ratio_make(1, h + 1), "1/(h+1)" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        nb_limits_add(work, nb_limit_row(rows[i].routing, rows[i].traffic,
                                         rows[i].value, rows[i].formula,
                                         dragonfly_counting));
}

/* Worst cases by policy and by how many of the two groups are excluded. */
enum { DRAGONFLY_LGL, DRAGONFLY_LG, DRAGONFLY_GL, DRAGONFLY_G };

static struct nb_ratio dragonfly_worst(int policy, int excluded, int64_t h,
                                       const char **formula)
{
    const int64_t g = 2 * h * h + 1;
    const struct {
        struct nb_ratio value;
        const char *formula;
    } forms[3][3] = {
        { { nb_ratio_make(g, 2 * g - 1), "G/(2G-1)" },
          { nb_ratio_make(4 * h * h, 8 * h * h + 1), "4h^2/(8h^2+1)" },
          { nb_ratio_make(2 * h * h - 1, 4 * h * h), "(2h^2-1)/(4h^2)" } },
        { { nb_ratio_make(g, (h + 1) * g - 1), "G/((h+1)G-1)" },
          { nb_ratio_make(1, h + 1), "1/(h+1)" },
          { nb_ratio_make(2 * h * h - 1, 2 * h * h * (h + 1)),
            "(2h^2-1)/(2h^2 (h+1))" } },
        { { nb_ratio_make(h + 1, h * (2 * h + 1)), "(h+1)/(h (2h+1))" },
          { nb_ratio_make(1, 2 * h + 1), "1/(2h+1)" },
          { nb_ratio_make(h - 1, h * (2 * h + 1)), "(h-1)/(h (2h+1))" } },
    };
    const int row = policy < DRAGONFLY_GL ? policy : DRAGONFLY_GL;
    *formula = forms[row][excluded].formula;
    return forms[row][excluded].value;
}

/* Every choice of the groups where way-points may lie, under the worst of all
 * traffic. */
static void dragonfly_add_worst(struct nb_limits_work *work, int64_t h)
{
    static const char *const names[] = { "lgl", "lg-", "-gl", "-g-" };
    nb_limits_add(work, nb_limit_row("min", "", nb_ratio_make(1, 2 * h * h),
                                     "1/(2h^2)", dragonfly_counting));
    for (int policy = DRAGONFLY_LGL; policy <= DRAGONFLY_G; policy++)
        for (int choice = 0; choice < 4; choice++) {
            const bool is_usual = choice % 2 == 0; /* the source's group */
            const bool has_source = is_usual == (policy == DRAGONFLY_LGL);
            const bool has_destination = choice < 2;
            const char *formula;
            char routing[NB_LIMIT_TEXT];
            const struct nb_ratio value = dragonfly_worst(
                policy, !has_source + !has_destination, h, &formula);
            snprintf(routing, sizeof routing, "vlb:policy=%s%s%s",
                     names[policy],
                     is_usual     ? ""
                     : has_source ? ",source-group=yes"
                                  : ",source-group=no",
                     has_destination ? "" : ",destination-group=no");
            if (policy != DRAGONFLY_LGL || choice > 0)
                nb_limits_add(work, nb_limit_row(routing, "", value, formula,
                                                 dragonfly_counting));
        }
}

/* Balanced, of the greatest size, in the palmtree. */
static void dragonfly_add_balanced(struct nb_limits_work *work, int64_t h)
{
    for (int64_t i = work->first_offset;
         i <= work->last_offset && i <= 2 * h * h; i++)
        for (int leaves = 0; leaves < 2; leaves++)
            dragonfly_add_offset(work, h, i, leaves != 0);
    dragonfly_add_policies(work, h);
    if (work->with_worst)
        dragonfly_add_worst(work, h);
}

void nb_limits_of_dragonfly(struct nb_limits_work *work)
{
    struct nb_dragonfly fly;
    if (!nb_dragonfly_find(work->topology, &fly))
        return;
    if (fly.trunking > 1) {
        struct nb_limit row =
            nb_limit_row("min", "adversarial:offset=1",
                         nb_ratio_make(fly.trunking, fly.a * fly.p),
                         "trunking/(a p)", dragonfly_thesis);
        row.is_bound = true;
        nb_limits_add(work, row);
        return;
    }
    dragonfly_add_min(work, &fly);
    dragonfly_add_valiant(work, &fly);
    if (fly.is_palmtree && fly.p == fly.h && fly.a == 2 * fly.h && fly.h > 1)
        dragonfly_add_balanced(work, fly.h);
}
