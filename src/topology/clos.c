#include "topology/clos.h"

#include <inttypes.h>
#include <stdio.h>

double nb_clos_subtrees(const struct nb_clos *clos, uint32_t height)
{
    double count = 1;
    for (uint32_t l = height; l < clos->levels; l++)
        count *= clos->down[l];
    return count;
}

double nb_clos_tops(const struct nb_clos *clos, uint32_t height)
{
    double count = 1;
    for (uint32_t l = 1; l < height; l++)
        count *= clos->up[l - 1];
    return count;
}

double nb_clos_switches(const struct nb_clos *clos, uint32_t level)
{
    return nb_clos_subtrees(clos, level) * nb_clos_tops(clos, level);
}

double nb_clos_terminals(const struct nb_clos *clos)
{
    return nb_clos_subtrees(clos, 0);
}

double nb_clos_links(const struct nb_clos *clos, uint32_t level)
{
    return nb_clos_switches(clos, level) * clos->up[level - 1];
}

struct nb_ratio nb_clos_capacity(const struct nb_clos *clos)
{
    struct nb_ratio least = nb_ratio_infinity;
    nb_int128 inside = 1, ways = 1;
    for (uint32_t l = 1; l < clos->levels; l++) {
        const nb_int128 subtrees = (nb_int128)nb_clos_subtrees(clos, l);
        inside *= clos->down[l - 1];
        ways *= clos->up[l - 1];
        const struct nb_ratio here =
            nb_ratio_make(ways * subtrees, inside * (subtrees - 1));
        if (nb_ratio_compare(here, least) < 0)
            least = here;
    }
    return least;
}

/* The numbers of a list joined by x. */
static size_t clos_print(const uint32_t *list, uint32_t count, char *text,
                         size_t used)
{
    for (uint32_t i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, NB_FIT_TEXT - used, "%s%" PRIu32,
                                 i > 0 ? "x" : "", list[i]);
    return used;
}

/* False if the shape has more switches or channels than nb_topology_reserve
 * numbers, or numbers that the kind does not take. */
static bool clos_count(const struct nb_clos *clos, struct nb_fit *out)
{
    const uint32_t levels = clos->levels;
    double switches = 0, links = 0;
    uint32_t radix = 0;
    for (uint32_t l = 1; l <= levels; l++) {
        const uint32_t up = l < levels ? clos->up[l - 1] : 0;
        const uint32_t ports = clos->down[l - 1] + up;
        if (clos->down[l - 1] > NB_CLOS_MOST || up > NB_CLOS_MOST)
            return false;
        radix = ports > radix ? ports : radix;
        switches += nb_clos_switches(clos, l);
        links += l < levels ? nb_clos_links(clos, l) : 0;
    }
    if (switches >= NB_NONE || 2 * links >= NB_NONE)
        return false;
    const struct nb_ratio capacity = nb_clos_capacity(clos);
    const uint64_t leaves = (uint64_t)nb_clos_switches(clos, 1);
    const double global = levels > 2 ? nb_clos_links(clos, levels - 1) : 0;
    *out = (struct nb_fit){
        .terminals = (uint64_t)nb_clos_terminals(clos),
        .routers = (uint64_t)switches,
        .switches = leaves,
        .group_switches = levels > 2 ? leaves / clos->down[levels - 1] : 0,
        .local_links = (uint64_t)(links - global),
        .global_links = (uint64_t)global,
        .radix = radix,
        .diameter = 2 * (levels - 1),
        .capacity = nb_ratio_compare(capacity, nb_ratio_one) < 0 ? capacity
                                                                 : nb_ratio_one,
    };
    char *text = out->specification;
    size_t used = (size_t)snprintf(text, NB_FIT_TEXT, "clos:");
    used = clos_print(clos->down, levels, text, used);
    used += (size_t)snprintf(text + used, NB_FIT_TEXT - used, ",up=");
    clos_print(clos->up, levels - 1, text, used);
    return true;
}

static bool clos_find(const struct nb_fit_demand *demand, uint32_t levels,
                      bool is_slim, struct nb_fit *out)
{
    const uint32_t half = demand->radix / 2, third = demand->radix / 3;
    const uint64_t terminals = demand->terminals;
    struct nb_clos clos = { .levels = levels };
    for (uint32_t l = 0; l + 1 < levels; l++)
        clos.down[l] = clos.up[l] = half;
    if (is_slim) {
        clos.down[0] = 2 * third;
        clos.up[0] = third;
    }
    clos.down[levels - 1] = 1;
    const double subtree = nb_clos_terminals(&clos);
    /* From one way up and, where there are levels between, two ways down. */
    if (clos.up[0] < 1 || (levels > 2 && half < 2) || subtree >= 0x1p53)
        return false;
    uint64_t ways = 2 * (uint64_t)half;
    if (terminals > 0) {
        const uint64_t needed = (terminals - 1) / (uint64_t)subtree + 1;
        if (needed > ways || (needed < 2 && levels > 2))
            return false;
        ways = needed < 2 ? 2 : needed;
    } else if (is_slim) {
        return false;
    }
    clos.down[levels - 1] = (uint32_t)ways;
    return clos_count(&clos, out);
}

enum nb_status nb_clos_fit(const struct nb_fit_demand *demand, size_t index,
                           struct nb_fit *out, struct nb_error *err)
{
    (void)err;
    for (uint32_t levels = 2; levels <= 4; levels++)
        for (int is_slim = 0; is_slim < 2; is_slim++)
            if (clos_find(demand, levels, is_slim != 0, out) && index-- == 0)
                return NB_OK;
    return nb_fit_end(out);
}
