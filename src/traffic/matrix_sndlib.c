/* Demands of SNDlib as traffic between routers. */
#include "core/memory.h"
#include "topology/sndlib.h"
#include "traffic/matrix_draft.h"

#include <string.h>

static enum nb_status sndlib_find(const struct matrix *matrix,
                                  const struct nb_sndlib *sndlib,
                                  const struct nb_sndlib_item *demand,
                                  const char *name, uint32_t *out,
                                  struct nb_error *err)
{
    *out = nb_router_find(matrix->topology, name, strlen(name));
    if (*out != NB_NONE)
        return NB_OK;
    return nb_sndlib_fail(sndlib, demand->line, err,
                          "node \"%.60s\" is not permitted (permitted: the "
                          "name of a router)",
                          name);
}

/* The value of a demand times its unit. */
static enum nb_status sndlib_rate(const struct nb_sndlib *sndlib,
                                  const struct nb_sndlib_item *demand,
                                  struct nb_ratio *rate, struct nb_error *err)
{
    struct nb_ratio unit = nb_ratio_one;
    const bool is_number = nb_ratio_read(demand->value, rate, NULL) == NB_OK &&
                           (demand->unit == NULL ||
                            nb_ratio_read(demand->unit, &unit, NULL) == NB_OK);
    if (is_number)
        *rate = nb_ratio_multiply(*rate, unit);
    if (!is_number || rate->numerator < 0 || !nb_ratio_is_known(*rate))
        return nb_sndlib_fail(sndlib, demand->line, err,
                              "demand \"%.60s\" of unit \"%.60s\" is not "
                              "permitted (permitted: decimals of at most 18 "
                              "digits, >= 0)",
                              demand->value,
                              demand->unit != NULL ? demand->unit : "1");
    return NB_OK;
}

enum nb_status nb_matrix_read_sndlib(struct matrix *matrix,
                                     struct nb_error *err)
{
    const char *text = matrix->lines.next;
    struct nb_sndlib sndlib = { 0 };
    enum nb_status status;
    nb_matrix_set_level(matrix, false);
    matrix->has_own_unit = true;
    NB_TRY(
        nb_sndlib_read(matrix->lines.path, text, strlen(text), &sndlib, err));
    if (sndlib.demands.count == 0)
        status = nb_fail(err, NB_INVALID,
                         "%.200s: it has no demands (permitted: a network with "
                         "demands)",
                         matrix->lines.path);
    for (size_t i = 0; status == NB_OK && i < sndlib.demands.count; i++) {
        const struct nb_sndlib_item *demand = &sndlib.demands.item[i];
        struct nb_ratio rate;
        uint32_t source, target;
        NB_TRY(
            sndlib_find(matrix, &sndlib, demand, demand->source, &source, err));
        NB_TRY(
            sndlib_find(matrix, &sndlib, demand, demand->target, &target, err));
        NB_TRY(sndlib_rate(&sndlib, demand, &rate, err));
        NB_TRY(nb_matrix_add(matrix, source, target, rate, err));
    }
done:
    nb_sndlib_release(&sndlib);
    return status;
}
