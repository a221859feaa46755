/* Options under a name that several rows share (declared in command.h). */
#include "cli/command.h"

#include "core/try.h"

#include <assert.h>
#include <string.h>

const struct nb_parameter *nb_also_find(const struct nb_form *form,
                                        const char *name, size_t length,
                                        bool *is_shared)
{
    const struct nb_parameter *found = NULL;
    for (const struct nb_parameter *row = form->options;
         row != NULL && row->name != NULL; row++) {
        if (row->also == NULL || strlen(row->also) != length ||
            strncmp(row->also, name, length) != 0)
            continue;
        if (found != NULL && is_shared != NULL)
            *is_shared = true;
        if (found == NULL)
            found = row;
    }
    return found;
}

enum nb_status nb_also_add(struct nb_invocation *invocation, const char *name,
                           const char *value, struct nb_error *err)
{
    for (size_t i = 0; i < invocation->also_count; i++)
        if (strcmp(invocation->also[i].name, name) == 0)
            return nb_fail(err, NB_USAGE,
                           "--%s is given twice (permitted: once)", name);
    assert(invocation->also_count < NB_ALSO);
    invocation->also[invocation->also_count++] =
        (struct nb_also){ name, value };
    return NB_OK;
}

/* Sets the rows that share a name, but for those set by their own. */
static enum nb_status also_spread(struct nb_invocation *invocation,
                                  const struct nb_also *also,
                                  struct nb_error *err)
{
    struct nb_model *model = &invocation->model;
    struct nb_text names = { 0 };
    bool is_any = false;
    enum nb_status status = NB_OK;
    for (const struct nb_parameter *row = invocation->command->form->options;
         row->name != NULL; row++) {
        if (row->also == NULL || strcmp(row->also, also->name) != 0)
            continue;
        nb_text_print(&names, "%s--%s", names.length > 0 ? " and " : "",
                      row->name);
        if (nb_model_get(model, row->name) != NULL ||
            nb_model_sweeps(model, row->name))
            continue;
        is_any = true;
        NB_TRY(nb_model_set(model, row->name, also->value, err));
    }
    NB_TRY(nb_text_check(&names, err));
    if (!is_any)
        status = nb_fail(err, NB_USAGE,
                         "--%s is given beside %s, which is what it sets "
                         "(permitted: one of them)",
                         also->name, names.bytes);
done:
    nb_text_release(&names);
    return status;
}

enum nb_status nb_also_spread(struct nb_invocation *invocation,
                              struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < invocation->also_count && status == NB_OK; i++)
        status = also_spread(invocation, &invocation->also[i], err);
    return status;
}
