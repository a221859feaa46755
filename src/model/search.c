#include "model/search.h"

#include "core/locale.h"
#include "core/try.h"

#include <stdio.h>
#include <string.h>

bool nb_find_is_part(const char *option)
{
    return strcmp(option, NB_FIND_NAME) == 0 ||
           strcmp(option, NB_FIND_WHERE) == 0 ||
           strcmp(option, NB_FIND_WITHIN) == 0;
}

bool nb_model_is_search(const struct nb_model *model)
{
    return nb_model_get(model, NB_FIND_WHERE) != NULL;
}

bool nb_find_is_of(const struct nb_model *model, const char *name,
                   size_t length)
{
    const char *found = nb_model_get(model, NB_FIND_NAME);
    return found != NULL && nb_model_is_search(model) &&
           strcspn(found, "=") == length && strncmp(found, name, length) == 0;
}

void nb_find_name(const char *name, bool is_taken, char out[NB_FIND_FOUND])
{
    snprintf(out, NB_FIND_FOUND, "%s%.*s", is_taken ? "found_" : "",
             (int)strcspn(name, "="), name);
    for (char *c = out; *c != '\0'; c++)
        *c = *c == '-' || *c == '.' ? '_' : *c;
}

bool nb_find_is_found(const struct nb_model *model, const char *quantity)
{
    const char *found = nb_model_get(model, NB_FIND_NAME);
    char name[NB_FIND_FOUND], taken[NB_FIND_FOUND];
    if (found == NULL || !nb_model_is_search(model))
        return false;
    nb_find_name(found, false, name);
    nb_find_name(found, true, taken);
    return strcmp(quantity, name) == 0 || strcmp(quantity, taken) == 0;
}

enum nb_status nb_find_put(struct nb_model *model, double value,
                           struct nb_error *err)
{
    const char *found = nb_model_get(model, NB_FIND_NAME);
    const size_t length = strcspn(found, "=");
    char name[NB_FIND_WORD], number[32];
    struct nb_text text = { 0 };
    enum nb_status status;
    snprintf(name, sizeof name, "%.*s", (int)length, found);
    nb_snprintf(number, sizeof number, "%.15g", value);
    nb_text_print(&text, "%s", number);
    for (const char *c = found + length; *c != '\0' && *c != ':'; c++)
        if (*c == 'x') /* radices that are all equal */
            nb_text_print(&text, "x%s", number);
    NB_TRY(nb_text_check(&text, err));
    NB_TRY(nb_model_put(model, name, text.bytes, err));
done:
    nb_text_release(&text);
    return status;
}
