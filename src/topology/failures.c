#include "topology/failures.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/sets.h"
#include "topology/fabric.h"
#include "topology/index.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The links of a network, which are cables, and which of them have failed. */
struct failing {
    struct nb_topology *topology;
    const char *given;           /* the parameter, for messages */
    struct nb_failed_link *link; /* [count] sorted; all, failed or not */
    size_t count;
    bool *is_router; /* [router] failed */
};

static int failing_compare(const void *left, const void *right)
{
    const struct nb_failed_link *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return (a->cable > b->cable) - (a->cable < b->cable);
}

static bool failing_joins_same(const struct nb_failed_link *a,
                               const struct nb_failed_link *b)
{
    return a->low == b->low && a->high == b->high;
}

/* The link of a channel. */
static struct nb_failed_link failing_link_of(const struct nb_topology *topology,
                                             uint32_t channel)
{
    const uint32_t a = topology->channels[channel].source;
    const uint32_t b = topology->channels[channel].target;
    const struct nb_fabric_port *port = nb_fabric_port_of(topology, channel);
    return (struct nb_failed_link){
        .low = a < b ? a : b,
        .high = a < b ? b : a,
        .cable = port == NULL ? nb_channel_rank(topology, channel) + 1
                 : a < b      ? port->port
                              : port->target_port,
    };
}

/* Counts the links that join the same routers. */
static void failing_count_bundles(const struct failing *work)
{
    for (size_t first = 0, l = 1; l <= work->count; l++) {
        if (l < work->count &&
            failing_joins_same(&work->link[first], &work->link[l]))
            continue;
        for (size_t i = first; i < l; i++)
            work->link[i].cables = (uint32_t)(l - first);
        first = l;
    }
}

/* Lists every link once. */
static enum nb_status failing_find_links(struct failing *work,
                                         struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    const size_t channels = topology->channel_count;
    enum nb_status status;
    size_t kept = 0;
    NB_TRY(nb_new(&work->link, channels, sizeof *work->link, "links", err));
    for (size_t c = 0; c < channels; c++)
        work->link[c] = failing_link_of(topology, (uint32_t)c);
    if (channels > 0)
        qsort(work->link, channels, sizeof *work->link, failing_compare);
    for (size_t c = 0; c < channels; c++)
        if (c == 0 || failing_compare(&work->link[c], &work->link[kept - 1]))
            work->link[kept++] = work->link[c];
    work->count = kept;
    failing_count_bundles(work);
done:
    return status;
}

static struct nb_failed_link *failing_find(const struct failing *work,
                                           const struct nb_failed_link *key)
{
    return work->count > 0 ? bsearch(key, work->link, work->count, sizeof *key,
                                     failing_compare)
                           : NULL;
}

/* Makes all links between two routers fail; returns whether there is one. */
static bool failing_cut(const struct failing *work, uint32_t a, uint32_t b)
{
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    bool is_any = false;
    for (size_t l = 0; l < work->count; l++)
        if (work->link[l].low == low && work->link[l].high == high) {
            work->link[l].cause = NB_FAILED_NAMED;
            is_any = true;
        }
    return is_any;
}

#define FAILING_PERMITTED                                                      \
    "(permitted: terms joined by +, or none; A-B, all links between two "      \
    "routers; A-B[2], the second of them; A[1]-B[2], the ports of a fabric's " \
    "cable; router:A; random:N or random:P%%; global: or local: instead of "   \
    "random:, for links between or within groups; connected:, for links that " \
    "leave the network connected)"
static const char failing_no_link[] = "expected two routers joined by -";
static const char failing_no_word[] = "unknown word before the :";
static const char failing_no_number[] =
    "expected a number of links or a share of them";

static enum nb_status failing_refuse(const struct failing *work,
                                     const char *term, size_t length,
                                     const char *why, struct nb_error *err)
{
    return nb_fail(
        err, NB_INVALID,
        "topology %s: fail \"%.*s\" is not permitted: %s " FAILING_PERMITTED,
        work->topology->kind->kind.name, (int)(length < 60 ? length : 60), term,
        why);
}

/* The word before the colon of a term. */
enum failing_what {
    FAILING_LINK, /* no word: A-B */
    FAILING_ROUTER,
    FAILING_ANY,     /* drawn from all links .. */
    FAILING_SAFE,    /* .. except those that would separate their ends .. */
    FAILING_BETWEEN, /* .. from those between groups .. */
    FAILING_WITHIN   /* .. or from those within them */
};

static const char *const failing_words[] = { [FAILING_ROUTER] = "router",
                                             [FAILING_ANY] = "random",
                                             [FAILING_SAFE] = "connected",
                                             [FAILING_BETWEEN] = "global",
                                             [FAILING_WITHIN] = "local" };

static enum failing_what failing_what(const char *term, size_t length)
{
    for (int what = FAILING_ROUTER; what <= FAILING_WITHIN; what++) {
        const size_t head = strlen(failing_words[what]);
        if (length > head && term[head] == ':' &&
            strncmp(term, failing_words[what], head) == 0)
            return (enum failing_what)what;
    }
    return FAILING_LINK;
}

/* Whether a link is among those drawn from: in a fabric, cables between
 * switches, since a host has only one cable. */
static bool failing_is_of(const struct failing *work, enum failing_what what,
                          const struct nb_failed_link *link)
{
    const uint32_t *of = work->topology->groups.of;
    const struct nb_fabric *fabric = work->topology->fabric;
    const bool is_any = what == FAILING_ANY || what == FAILING_SAFE;
    if (fabric != NULL && is_any)
        return fabric->node[link->low].is_switch &&
               fabric->node[link->high].is_switch;
    return is_any ||
           (of[link->low] != of[link->high]) == (what == FAILING_BETWEEN);
}

/* Why a term without a known word cannot be a link; NULL: it can. Names may
 * contain a colon, too. */
static const char *failing_why_no_link(const char *term, size_t length)
{
    return memchr(term, '-', length) != NULL   ? NULL
           : memchr(term, ':', length) != NULL ? failing_no_word
                                               : failing_no_link;
}

/* Reads "A[2]"; false unless A is a router and 2 a number. */
static bool failing_read_numbered(const struct nb_topology *topology,
                                  const char *text, size_t length,
                                  uint32_t *router, uint32_t *number)
{
    size_t open = length;
    char digits[12] = "";
    int64_t value;
    while (open > 0 && text[open - 1] != '[')
        open--;
    if (open < 2 || text[length - 1] != ']' ||
        length - open - 1 >= sizeof digits)
        return false;
    memcpy(digits, text + open, length - open - 1);
    if (nb_integer_read(digits, "number", 1, NB_NONE - 1, &value, NULL) !=
        NB_OK)
        return false;
    *router = nb_router_find(topology, text, open - 1);
    *number = (uint32_t)value;
    return *router != NB_NONE;
}

/* The port of a fabric that "A[1]" names; NULL: none. */
static const struct nb_fabric_port *
failing_read_port(const struct nb_topology *topology, const char *text,
                  size_t length)
{
    uint32_t router, port;
    return topology->fabric != NULL &&
                   failing_read_numbered(topology, text, length, &router, &port)
               ? nb_fabric_find(topology->fabric, router, port)
               : NULL;
}

/* One of several links between two routers, "A-B[2]"; NULL: none. In a fabric
 * numbers name ports. */
static struct nb_failed_link *failing_find_one(const struct failing *work,
                                               const char *term, size_t length,
                                               size_t at)
{
    const struct nb_topology *topology = work->topology;
    const uint32_t a = nb_router_find(topology, term, at);
    uint32_t b, number;
    if (topology->fabric != NULL || a == NB_NONE ||
        !failing_read_numbered(topology, term + at + 1, length - at - 1, &b,
                               &number))
        return NULL;
    const struct nb_failed_link key = { .low = a < b ? a : b,
                                        .high = a < b ? b : a,
                                        .cable = number };
    return failing_find(work, &key);
}

/* The cable of a fabric between two ports, "A[1]-B[2]" as in reports of
 * loads. */
static struct nb_failed_link *failing_find_cable(const struct failing *work,
                                                 const char *term,
                                                 size_t length, size_t at)
{
    const struct nb_fabric_port *from =
        failing_read_port(work->topology, term, at);
    const struct nb_fabric_port *to =
        failing_read_port(work->topology, term + at + 1, length - at - 1);
    if (from == NULL || to == NULL || from->target != to->router ||
        from->target_port != to->port)
        return NULL;
    const struct nb_failed_link key = {
        .low = from->router < to->router ? from->router : to->router,
        .high = from->router < to->router ? to->router : from->router,
        .cable = from->router < to->router ? from->port : to->port,
    };
    return failing_find(work, &key);
}

/* A-B, A-B[2] or A[1]-B[2]; names may contain a - and end in [2]. */
static enum nb_status failing_read_link(const struct failing *work,
                                        const char *term, size_t length,
                                        struct nb_error *err)
{
    const struct nb_topology *topology = work->topology;
    const char *why = failing_why_no_link(term, length);
    for (size_t at = 1; at + 1 < length; at++) {
        if (term[at] != '-')
            continue;
        struct nb_failed_link *cable =
            failing_find_cable(work, term, length, at);
        if (cable != NULL) {
            cable->cause = NB_FAILED_NAMED;
            return NB_OK;
        }
        const uint32_t a = nb_router_find(topology, term, at);
        const uint32_t b =
            nb_router_find(topology, term + at + 1, length - at - 1);
        if (a != NB_NONE && b != NB_NONE) {
            if (failing_cut(work, a, b))
                return NB_OK;
            why = "there is no link between these routers";
        }
        cable = failing_find_one(work, term, length, at);
        if (cable != NULL) {
            cable->cause = NB_FAILED_NAMED;
            return NB_OK;
        }
    }
    if (length > 0 && term[length - 1] == ']')
        why = "there is no such cable";
    return failing_refuse(work, term, length,
                          why != NULL ? why : failing_no_link, err);
}

/* Makes a router fail with its links. */
static void failing_lose(const struct failing *work, uint32_t router)
{
    work->is_router[router] = true;
    for (size_t l = 0; l < work->count; l++)
        if (work->link[l].low == router || work->link[l].high == router)
            work->link[l].cause = NB_FAILED_ROUTER;
}

/* A switch of a fabric takes its hosts with it: each has only one switch. */
static enum nb_status failing_read_router(const struct failing *work,
                                          const char *term, size_t length,
                                          struct nb_error *err)
{
    const size_t head = strlen("router:");
    const uint32_t router =
        nb_router_find(work->topology, term + head, length - head);
    if (router == NB_NONE)
        return failing_refuse(work, term, length, "there is no such router",
                              err);
    failing_lose(work, router);
    const struct nb_fabric *fabric = work->topology->fabric;
    if (fabric == NULL || !fabric->node[router].is_switch)
        return NB_OK;
    for (uint32_t p = fabric->start[router]; p < fabric->start[router + 1];
         p++) {
        const uint32_t host = fabric->port[p].target;
        if (!fabric->node[host].is_switch && !work->is_router[host]) {
            failing_lose(work, host);
            work->topology->failures.host_count++;
        }
    }
    return NB_OK;
}

/* Reads the number of random:N or random:P%. */
static bool failing_read_number(const char *term, size_t length,
                                struct nb_ratio *out, bool *is_share)
{
    const size_t head = strcspn(term, ":") + 1;
    char number[32] = "";
    *is_share = length > head && term[length - 1] == '%';
    if (length - head - *is_share < sizeof number)
        memcpy(number, term + head, length - head - *is_share);
    return nb_ratio_read(number, out, NULL) == NB_OK && out->numerator >= 0 &&
           (*is_share || out->denominator == 1);
}

/* The number of links that random:N or random:P% asks for. */
static enum nb_status failing_count(const struct failing *work,
                                    const char *term, size_t length,
                                    size_t links, size_t left, size_t *count,
                                    struct nb_error *err)
{
    struct nb_ratio value = { 0, 0 };
    bool is_share;
    if (!failing_read_number(term, length, &value, &is_share))
        return failing_refuse(work, term, length, failing_no_number, err);
    const nb_int128 part = is_share ? (nb_int128)100 * value.denominator
                                    : (nb_int128)value.denominator;
    const nb_int128 all = is_share ? (nb_int128)links : 1;
    const nb_int128 asked = (2 * all * value.numerator + part) / (2 * part);
    if (asked > (nb_int128)left)
        return failing_refuse(work, term, length, "fewer links are left", err);
    *count = (size_t)asked;
    return NB_OK;
}

/*
 * Of links in the order in which they are drawn, keeps those that may fail one
 * after another while the routers that are joined now stay joined. A link may
 * fail unless only it joins its ends, given all later ones and those that are
 * not drawn from: going backwards, unless it joins two sets.
 * count: in and out
 */
static enum nb_status failing_keep_safe(const struct failing *work,
                                        uint32_t *drawn, size_t *count,
                                        struct nb_error *err)
{
    const size_t n = work->topology->router_count, all = *count;
    uint32_t *parent = NULL;
    bool *is_drawn = NULL;
    size_t first = all;
    enum nb_status status;
    NB_TRY(nb_new(&parent, n, sizeof *parent, "routers", err));
    NB_TRY(nb_new(&is_drawn, work->count, sizeof *is_drawn, "links", err));
    nb_sets_init(parent, n);
    for (size_t i = 0; i < all; i++)
        is_drawn[drawn[i]] = true;
    for (size_t l = 0; l < work->count; l++)
        if (!is_drawn[l] && work->link[l].cause == NB_NOT_FAILED)
            nb_sets_join(parent, work->link[l].low, work->link[l].high);
    for (size_t i = all; i-- > 0;) {
        const struct nb_failed_link *link = &work->link[drawn[i]];
        if (nb_sets_find(parent, link->low) == nb_sets_find(parent, link->high))
            drawn[--first] = drawn[i];
        nb_sets_join(parent, link->low, link->high);
    }
    *count = all - first;
    memmove(drawn, drawn + first, *count * sizeof *drawn);
done:
    nb_delete(parent);
    nb_delete(is_drawn);
    return status;
}

/* Draws the first picks of a list. */
static void failing_shuffle(uint32_t *list, size_t count, size_t picks,
                            struct nb_random *random)
{
    for (size_t i = 0; i < picks; i++) {
        const size_t at = i + nb_random_below(random, count - i);
        const uint32_t drawn = list[at];
        list[at] = list[i];
        list[i] = drawn;
    }
}

/* Draws from the links that are left: the first of a shuffled list. */
static enum nb_status failing_draw(const struct failing *work, const char *term,
                                   size_t length, struct nb_random *random,
                                   struct nb_error *err)
{
    uint32_t *left = NULL;
    size_t count = 0, links = 0, asked = 0;
    const enum failing_what what = failing_what(term, length);
    enum nb_status status;
    if (what > FAILING_SAFE && work->topology->groups.of == NULL)
        return failing_refuse(work, term, length, "the network has no groups",
                              err);
    NB_TRY(nb_new(&left, work->count, sizeof *left, "links", err));
    for (size_t l = 0; l < work->count; l++) {
        const bool is_of = failing_is_of(work, what, &work->link[l]);
        links += is_of;
        if (is_of && work->link[l].cause == NB_NOT_FAILED)
            left[count++] = (uint32_t)l;
    }
    NB_TRY(failing_count(work, term, length, links, count, &asked, err));
    failing_shuffle(left, count, what == FAILING_SAFE ? count : asked, random);
    if (what == FAILING_SAFE)
        NB_TRY(failing_keep_safe(work, left, &count, err));
    if (asked > count)
        NB_TRY(failing_refuse(work, term, length,
                              "fewer links can fail before a router is cut off",
                              err));
    for (size_t i = 0; i < asked; i++)
        work->link[left[i]].cause = NB_FAILED_RANDOM;
done:
    nb_delete(left);
    return status;
}

/* Reads every term; random ones last, wherever they are. */
static enum nb_status failing_read(const struct failing *work,
                                   struct nb_error *err)
{
    struct nb_random random;
    enum nb_status status = NB_OK;
    nb_random_init(&random,
                   (uint64_t)nb_specification_whole(
                       &work->topology->specification, "fail-seed"),
                   0);
    for (int drawn = 0; drawn < 2; drawn++)
        for (const char *term = work->given; term != NULL;) {
            const size_t length = strcspn(term, "+");
            const enum failing_what what = failing_what(term, length);
            if (what >= FAILING_ANY && drawn == 1)
                NB_TRY(failing_draw(work, term, length, &random, err));
            else if (what < FAILING_ANY && drawn == 0)
                NB_TRY(what == FAILING_ROUTER
                           ? failing_read_router(work, term, length, err)
                           : failing_read_link(work, term, length, err));
            term = term[length] == '+' ? term + length + 1 : NULL;
        }
done:
    return status;
}

/* Records what failed; is_any: out, whether anything did. */
static enum nb_status failing_keep(struct failing *work, bool *is_any,
                                   struct nb_error *err)
{
    struct nb_topology *topology = work->topology;
    struct nb_failures *failures = &topology->failures;
    const size_t n = topology->router_count;
    enum nb_status status = NB_OK;
    for (size_t l = 0; l < work->count; l++)
        if (work->link[l].cause != NB_NOT_FAILED)
            work->link[failures->link_count++] = work->link[l];
    for (size_t r = 0; r < n; r++)
        failures->router_count += work->is_router[r];
    *is_any = failures->link_count + failures->router_count > 0;
    if (!*is_any)
        return NB_OK;
    NB_TRY(nb_new(&failures->terminals, n, sizeof *failures->terminals,
                  "failed routers", err));
    memcpy(failures->terminals, topology->terminals,
           n * sizeof *failures->terminals);
    failures->link = work->link;
    failures->is_router = work->is_router;
    work->link = NULL;
    work->is_router = NULL;
done:
    return status;
}

/* Marks the ports at both ends of failed cables. */
static void failures_remove_ports(const struct failing *all)
{
    struct nb_fabric *fabric = all->topology->fabric;
    for (size_t l = 0; fabric != NULL && l < all->count; l++) {
        const struct nb_failed_link *link = &all->link[l];
        struct nb_fabric_port *low = &fabric->port[fabric->start[link->low]];
        while (low->port != link->cable)
            low++;
        struct nb_fabric_port *high = &fabric->port[fabric->start[link->high]];
        while (high->port != low->target_port)
            high++;
        low->has_failed = high->has_failed = true;
    }
    if (fabric != NULL)
        nb_fabric_rank(fabric);
}

/* Removes the channels of failed links and renumbers a grid's slots. */
static enum nb_status failures_remove(struct nb_topology *topology,
                                      struct nb_error *err)
{
    const struct nb_failures *failures = &topology->failures;
    const struct failing all = { .topology = topology,
                                 .link = failures->link,
                                 .count = failures->link_count };
    uint32_t *place = NULL;
    size_t kept = 0;
    enum nb_status status;
    NB_TRY(nb_new(&place, topology->channel_count, sizeof *place, "channels",
                  err));
    for (size_t c = 0; c < topology->channel_count; c++) {
        const struct nb_failed_link link =
            failing_link_of(topology, (uint32_t)c);
        place[c] = failing_find(&all, &link) != NULL ? NB_NONE : 0;
    }
    for (size_t c = 0; c < topology->channel_count; c++)
        if (place[c] != NB_NONE) {
            place[c] = (uint32_t)kept;
            topology->channels[kept++] = topology->channels[c];
        }
    topology->channel_count = kept;
    failures_remove_ports(&all);
    nb_index_renumber_grid(topology, place);
    for (size_t r = 0; r < topology->router_count; r++)
        if (failures->is_router[r]) {
            topology->terminal_count -= topology->terminals[r];
            topology->terminals[r] = 0;
        }
    nb_index_drop(topology);
    NB_TRY(nb_topology_index(topology, err));
done:
    nb_delete(place);
    return status;
}

enum nb_status nb_failures_apply(struct nb_topology *topology,
                                 struct nb_error *err)
{
    struct failing work = { .topology = topology };
    bool is_any = false;
    enum nb_status status = NB_OK;
    work.given = nb_specification_text(&topology->specification, "fail");
    if (strcmp(work.given, "none") == 0)
        return NB_OK;
    NB_TRY(nb_new(&work.is_router, topology->router_count,
                  sizeof *work.is_router, "routers", err));
    NB_TRY(failing_find_links(&work, err));
    NB_TRY(failing_read(&work, err));
    NB_TRY(failing_keep(&work, &is_any, err));
    if (is_any)
        NB_TRY(failures_remove(topology, err));
    if (topology->terminal_count == 0)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "topology %s: fail \"%.60s\" leaves 0 terminals "
                       "(permitted: at least 1)",
                       topology->kind->kind.name, work.given));
    if (topology->channel_count == 0)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "topology %s: fail \"%.60s\" leaves 0 links "
                       "(permitted: at least 1)",
                       topology->kind->kind.name, work.given));
done:
    nb_delete(work.link);
    nb_delete(work.is_router);
    return status;
}

void nb_failures_release(struct nb_failures *failures)
{
    nb_delete(failures->link);
    nb_delete(failures->terminals);
    nb_delete(failures->is_router);
    *failures = (struct nb_failures){ 0 };
}

void nb_failures_print(const struct nb_topology *topology, size_t most,
                       struct nb_text *text)
{
    const struct nb_failures *failures = &topology->failures;
    for (size_t l = 0; l < failures->link_count && l < most; l++) {
        const struct nb_failed_link *link = &failures->link[l];
        const struct nb_fabric_port *port =
            topology->fabric != NULL
                ? nb_fabric_find(topology->fabric, link->low, link->cable)
                : NULL;
        nb_text_print(text, "%s", l > 0 ? ", " : "");
        nb_router_print(topology, link->low, text);
        if (port != NULL)
            nb_text_print(text, "[%" PRIu32 "]", port->port);
        nb_text_print(text, "-");
        nb_router_print(topology, link->high, text);
        if (port != NULL)
            nb_text_print(text, "[%" PRIu32 "]", port->target_port);
        else if (link->cables > 1)
            nb_text_print(text, "[%" PRIu32 "]", link->cable);
    }
    if (failures->link_count > most)
        nb_text_print(text, " and %zu more", failures->link_count - most);
}

enum nb_status nb_failures_accepts(const char *fail, struct nb_error *err)
{
    if (strcmp(fail, "none") == 0)
        return NB_OK;
    for (const char *term = fail; term != NULL;) {
        const size_t length = strcspn(term, "+");
        const char *why = NULL;
        struct nb_ratio number;
        bool is_share;
        const enum failing_what what = failing_what(term, length);
        if (what >= FAILING_ANY)
            why = failing_read_number(term, length, &number, &is_share)
                      ? NULL
                      : failing_no_number;
        else if (what == FAILING_LINK)
            why = failing_why_no_link(term, length);
        if (why != NULL)
            return nb_fail(err, NB_INVALID,
                           "fail \"%.*s\" is not permitted: "
                           "%s " FAILING_PERMITTED,
                           (int)(length < 60 ? length : 60), term, why);
        term = term[length] == '+' ? term + length + 1 : NULL;
    }
    return NB_OK;
}
