/* Claims: bounds of the user's own (declared in validate.h). */
#include "questions/validate/validate.h"

#include "questions/simulate/simulate_tables.h"
#include "core/try.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CLAIMS_NAME = 60 };

/* Short names of quantities. */
static const char *const claims_aliases[][2] = {
    { "throughput", "accepted_throughput" },
    { "throughput_min", "accepted_throughput_min" },
};

static enum nb_status claims_fail(const struct nb_point *simulated,
                                  const char *claim, size_t length,
                                  struct nb_error *err)
{
    struct nb_text names = { 0 };
    for (size_t i = 0; i < simulated->quantity_count; i++)
        nb_text_print(&names, "%s%s", i > 0 ? ", " : "",
                      simulated->quantities[i].name);
    const enum nb_status status =
        nb_fail(err, NB_INVALID,
                "claim \"%.*s\" is not permitted (permitted: NAME=VALUE, "
                "joined by +, of %.300s...)",
                (int)(length < CLAIMS_NAME ? length : CLAIMS_NAME), claim,
                names.bytes != NULL ? names.bytes : "");
    nb_text_release(&names);
    return status;
}

/* One "NAME=VALUE" of length characters. */
static enum nb_status claims_add(struct nb_validation *validation,
                                 const struct nb_point *simulated,
                                 const char *claim, size_t length,
                                 struct nb_error *err)
{
    const char *equals = memchr(claim, '=', length);
    const struct nb_quantity *quantity = NULL;
    char name[CLAIMS_NAME] = "", value[CLAIMS_NAME] = "", item[100];
    struct nb_ratio most = { 0, 0 };
    if (equals != NULL && length < CLAIMS_NAME) {
        memcpy(name, claim, (size_t)(equals - claim));
        memcpy(value, equals + 1, length - (size_t)(equals + 1 - claim));
        for (size_t i = 0; i < sizeof claims_aliases / sizeof *claims_aliases;
             i++)
            if (strcmp(name, claims_aliases[i][0]) == 0)
                snprintf(name, sizeof name, "%s", claims_aliases[i][1]);
        quantity = nb_point_quantity(simulated, name);
    }
    if (quantity == NULL || nb_ratio_read(value, &most, NULL) != NB_OK)
        return claims_fail(simulated, claim, length, err);
    snprintf(item, sizeof item, "claim, %s", name);
    const struct nb_validation_item judged = {
        .name = item,
        .kind = NB_VALIDATE_BOUND,
        .prediction = nb_ratio_value(most),
        .lower = -INFINITY,
        .upper = nb_ratio_value(most),
        .simulated = quantity->value,
        .simulated_lower = quantity->lower,
        .simulated_upper = quantity->upper,
    };
    nb_validation_add(validation, &judged);
    return NB_OK;
}

enum nb_status nb_validate_claims(struct nb_validation *validation,
                                  struct nb_error *err)
{
    const char *claim = nb_model_get(validation->question->model, "claim");
    struct nb_point simulated = { 0 };
    enum nb_status status = NB_OK;
    if (claim == NULL)
        return NB_OK;
    NB_TRY(nb_validation_simulate(validation, err));
    nb_simulate_add(&validation->asked, &validation->result, &simulated);
    NB_TRY(nb_point_check(&simulated, err));
    while (*claim != '\0') {
        const size_t length = strcspn(claim, "+");
        NB_TRY(claims_add(validation, &simulated, claim, length, err));
        claim += length + (claim[length] == '+');
    }
done:
    nb_point_release(&simulated);
    return status;
}
