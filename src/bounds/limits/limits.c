#include "bounds/limits/limits.h"

#include "core/memory.h"

#include <stdio.h>
#include <string.h>

/* Closed forms, by sort of network, that nb_limits_find collects. */
struct limits_work {
    const struct nb_topology *topology;
    int64_t first_offset, last_offset;
    bool with_worst;
    struct nb_limits *out;
    enum nb_status status; /* first failure, if any */
    struct nb_error *err;
};

/* A row for a value that holds for any channel. */
static struct nb_limit limit_row(const char *routing, const char *traffic,
                                 struct nb_ratio value, const char *formula,
                                 const char *source)
{
    struct nb_limit row = { .value = value,
                            .formula = formula,
                            .source = source };
    snprintf(row.routing, sizeof row.routing, "%s", routing);
    snprintf(row.traffic, sizeof row.traffic, "%s", traffic);
    return row;
}

/* Adds a row given at bandwidth 1: its value times the network's bandwidth,
 * capped by the terminals' channels. Unknown values add no row. */
static void limits_add(struct limits_work *work, struct nb_limit row)
{
    struct nb_limits *out = work->out;
    const struct nb_ratio most =
        nb_terminal_limit(work->topology, nb_ratio_one);
    if (work->status != NB_OK || !nb_ratio_is_known(row.value))
        return;
    if (out->count == out->capacity) {
        out->capacity = 2 * out->capacity + 32;
        work->status = nb_grow(&out->rows, out->capacity, sizeof *out->rows,
                               "limits", work->err);
        if (work->status != NB_OK)
            return;
    }
    row.value =
        nb_ratio_multiply(row.value, work->topology->channels[0].bandwidth);
    if (!nb_ratio_is_known(row.value))
        return;
    if (nb_ratio_compare(row.value, most) > 0)
        row.value = most;
    out->rows[out->count++] = row;
}

/* The closed forms of Dragonflies. */

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
static void dragonfly_add_min(struct limits_work *work,
                              const struct nb_dragonfly *fly)
{
    const int64_t p = fly->p, a = fly->a, h = fly->h, g = fly->groups;
    char offset[NB_LIMIT_TEXT];
    dragonfly_name_offset(work->first_offset, offset);
    limits_add(work, limit_row("min", offset, nb_ratio_make(1, a * p),
                               "1/(a p)", dragonfly_thesis));
    if (a < 2)
        return;
    /* The channels of the last router. The local channel from the first router
     * to it carries p on the way out and p that came in at the first. */
    if (fly->is_palmtree)
        limits_add(work, limit_row("min", "adversarial-consecutive",
                                   dragonfly_least(nb_ratio_make(h, a * p),
                                                   nb_ratio_make(1, 2 * p)),
                                   "min(h/(a p), 1/(2p))", dragonfly_thesis));
    limits_add(work, limit_row("min", "adversarial-local", nb_ratio_make(1, p),
                               "1/p", dragonfly_thesis));
    limits_add(work, limit_row("min", "uniform",
                               dragonfly_least(nb_ratio_make((nb_int128)a * g,
                                                             p * (2 * g - 1)),
                                               nb_ratio_make(g, p * a)),
                               "min(1, a G/(p (2G-1)), G/(a p))",
                               dragonfly_counting));
}

/* Any router as intermediate router: twice the uniform loads, whatever the
 * traffic. */
static void dragonfly_add_valiant(struct limits_work *work,
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
            limits_add(work, limit_row("vlb:policy=lgl", traffics[t], value,
                                       formula, dragonfly_counting));
    if (a > 1)
        limits_add(work, limit_row("rvlb", "adversarial-local",
                                   nb_ratio_make(a, 2 * p), "a/(2p)",
                                   dragonfly_counting));
}

/* The bound from two global hops: 1/2. */
static struct nb_ratio dragonfly_half(struct nb_ratio value)
{
    return dragonfly_least(nb_ratio_make(1, 2), value);
}

/*
 * Adversarial traffic i = k h + m, 0 <= m < h: of the h channels into a router
 * of the intermediate group, h - m continue over the local channel k back and m
 * over the one k + 1 back (for k = 0 the first h - m need no local channel): x
 * = max(h - m, m); for k = 0, x = m. Source and destination group add 1/2 on
 * -g- paths, and another 1/2 on lg- paths. Where the intermediate group lies
 * between the groups of source and destination, one channel changes sides: x =
 * h - m + 1 there.
 */
static void dragonfly_add_offset(struct limits_work *work, int64_t h,
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
        limit_row(routing, traffic, dragonfly_half(nb_ratio_make(1, bulk)),
                  k == 0 ? "min(1/2, 1/m)" : "min(1/2, 1/max(h-m, m))",
                  dragonfly_policies);
    row.is_bound = true;
    limits_add(work, row);
    row = limit_row(routing, traffic,
                    dragonfly_half(nb_ratio_make(2, 2 * bulk + more)),
                    leaves_group ? "min(1/2, 1/(x+1))" : "min(1/2, 1/(x+1/2))",
                    dragonfly_counting);
    row.link = NB_LIMIT_BULK;
    limits_add(work, row);
    row.link = NB_LIMIT_WORST;
    row.value = dragonfly_half(nb_ratio_make(2, 2 * worst + more));
    row.formula = leaves_group ? "min(1/2, 1/(x'+1))" : "min(1/2, 1/(x'+1/2))";
    limits_add(work, row);
}

/* Other traffic by policy of the intermediate routers, at any offset. */
static void dragonfly_add_policies(struct limits_work *work, int64_t h)
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
        limits_add(work,
                   limit_row(rows[i].routing, rows[i].traffic, rows[i].value,
                             rows[i].formula, dragonfly_counting));
}

/* Worst cases by policy and by the number of excluded groups (of source and
 * destination). */
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

/* Every choice of the groups in which intermediate routers may lie, under the
 * worst of all traffic. */
static void dragonfly_add_worst(struct limits_work *work, int64_t h)
{
    static const char *const names[] = { "lgl", "lg-", "-gl", "-g-" };
    limits_add(work, limit_row("min", "", nb_ratio_make(1, 2 * h * h),
                               "1/(2h^2)", dragonfly_counting));
    for (int policy = DRAGONFLY_LGL; policy <= DRAGONFLY_G; policy++)
        for (int choice = 0; choice < 4; choice++) {
            const bool is_usual = choice % 2 == 0; /* the source's group, as by
                                                    * default */
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
                limits_add(work, limit_row(routing, "", value, formula,
                                           dragonfly_counting));
        }
}

/* Balanced Dragonflies of maximum size with the palmtree arrangement. */
static void dragonfly_add_balanced(struct limits_work *work, int64_t h)
{
    for (int64_t i = work->first_offset;
         i <= work->last_offset && i <= 2 * h * h; i++)
        for (int leaves = 0; leaves < 2; leaves++)
            dragonfly_add_offset(work, h, i, leaves != 0);
    dragonfly_add_policies(work, h);
    if (work->with_worst)
        dragonfly_add_worst(work, h);
}

static void limits_of_dragonfly(struct limits_work *work)
{
    struct nb_dragonfly fly;
    if (!nb_dragonfly_find(work->topology, &fly))
        return;
    if (fly.trunking > 1) {
        struct nb_limit row =
            limit_row("min", "adversarial:offset=1",
                      nb_ratio_make(fly.trunking, fly.a * fly.p),
                      "trunking/(a p)", dragonfly_thesis);
        row.is_bound = true;
        limits_add(work, row);
        return;
    }
    dragonfly_add_min(work, &fly);
    dragonfly_add_valiant(work, &fly);
    if (fly.is_palmtree && fly.p == fly.h && fly.a == 2 * fly.h && fly.h > 1)
        dragonfly_add_balanced(work, fly.h);
}

/* The closed forms of other networks. */

/* Uniform traffic crosses every channel of dimension d p/k_d times; with any
 * router as intermediate router, any traffic becomes two such phases. */
static void others_add_hyperx(struct limits_work *work)
{
    const struct nb_grid *hyperx = &work->topology->hyperx;
    const int64_t p = work->topology->terminals[0];
    uint32_t least = hyperx->radix[0];
    for (size_t d = 1; d < hyperx->dimensions; d++)
        least = hyperx->radix[d] < least ? hyperx->radix[d] : least;
    limits_add(work, limit_row("min", "uniform", nb_ratio_make(least, p),
                               "min(1, k/p), k the least radix", "counting"));
    const struct nb_ratio half = nb_ratio_make(least, 2 * p);
    limits_add(work, limit_row("vlb", "uniform", half, "k/(2p)",
                               "ValiantBrebner1981"));
    if (work->with_worst)
        limits_add(work,
                   limit_row("vlb", "", half, "k/(2p)", "ValiantBrebner1981"));
    if (hyperx->dimensions != 2)
        return;
    limits_add(work, limit_row("min", "adversarial:offset=1",
                               nb_ratio_make(1, p), "1/p", "counting"));
    limits_add(work, limit_row("min", "adversarial-local", nb_ratio_make(1, p),
                               "1/p", "counting"));
    limits_add(work, limit_row("rvlb", "adversarial-local",
                               nb_ratio_make(hyperx->radix[0], 2 * p),
                               "k_0/(2p)", "counting"));
}

/* Grids and fat trees whose shortest paths carry uniform traffic at capacity:
 * two such phases carry any traffic at half the capacity. */
static void others_add_half(struct limits_work *work, const char *direct)
{
    const struct nb_topology *topology = work->topology;
    const struct nb_closed_form form = topology->kind->capacity(topology);
    const int64_t terminals =
        nb_has_own_terminals(topology) ? 1 : topology->terminals[0];
    const struct nb_ratio capacity =
        nb_ratio_divide(form.value, nb_ratio_make(terminals, 1));
    const struct nb_ratio half = nb_ratio_divide(capacity, nb_ratio_make(2, 1));
    limits_add(work, limit_row(direct, "uniform", capacity,
                               "the capacity of the channels between "
                               "routers",
                               form.source));
    limits_add(work, limit_row("val", "uniform", half,
                               "half the capacity of the "
                               "channels between routers",
                               "Singh2005, Theorem 2"));
    if (work->with_worst)
        limits_add(work, limit_row("val", "", half,
                                   "half the capacity of the "
                                   "channels between routers",
                                   "Singh2005, Theorem 2"));
}

static void limits_of_others(struct limits_work *work)
{
    const struct nb_topology *topology = work->topology;
    const char *kind = nb_topology_like(topology)->kind->kind.name;
    if (topology->hyperx.dimensions > 0)
        others_add_hyperx(work);
    else if (strcmp(kind, "ring") == 0 || strcmp(kind, "torus") == 0)
        others_add_half(work, "dor");
    else if (strcmp(kind, "fattree") == 0)
        others_add_half(work, "min");
}

void nb_limits_release(struct nb_limits *limits)
{
    nb_delete(limits->rows);
    *limits = (struct nb_limits){ 0 };
}

enum nb_status nb_limits_find(const struct nb_topology *topology,
                              int64_t first_offset, int64_t last_offset,
                              bool with_worst, struct nb_limits *out,
                              struct nb_error *err)
{
    struct limits_work work = { .topology = topology,
                                .first_offset = first_offset,
                                .last_offset = last_offset,
                                .with_worst = with_worst,
                                .out = out,
                                .status = NB_OK,
                                .err = err };
    *out = (struct nb_limits){ 0 };
    work.status = nb_topology_check(topology, err);
    if (work.status == NB_OK && nb_topology_is_regular(topology)) {
        limits_of_dragonfly(&work);
        limits_of_others(&work);
    }
    if (work.status != NB_OK)
        nb_limits_release(out);
    return work.status;
}

/* Global and local channels out of a router. */
static void limits_count(const struct nb_topology *topology, uint32_t router,
                         int64_t *local, int64_t *global)
{
    *local = *global = 0;
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++)
        ++*(nb_channel_is_global(topology, c) ? global : local);
}

bool nb_dragonfly_find(const struct nb_topology *topology,
                       struct nb_dragonfly *out)
{
    int64_t local, global;
    if (nb_topology_check(topology, NULL) != NB_OK || nb_has_failures(topology))
        return false;
    const struct nb_topology *like = nb_topology_like(topology);
    if (strcmp(like->kind->kind.name, "dragonfly") != 0)
        return false;
    limits_count(topology, 0, &local, &global);
    *out = (struct nb_dragonfly){
        .p = topology->terminals[0],
        .a = topology->nest.size[0],
        .h = global,
        .groups = topology->groups.count,
        .is_palmtree = nb_specification_is(&like->specification, "arrangement",
                                           "palmtree") ||
                       nb_specification_is(&like->specification, "arrangement",
                                           "relative"),
    };
    for (uint32_t r = 0; r < topology->router_count; r++) {
        limits_count(topology, r, &local, &global);
        if (local != out->a - 1 || global != out->h)
            return false;
    }
    out->trunking = out->a * out->h / (out->groups - 1);
    return out->trunking * (out->groups - 1) == out->a * out->h;
}
