#include "ask/ask_kept.h"

#include "core/memory.h"
#include "core/version.h"
#include "report/point_pack.h"

#include <stdlib.h>
#include <string.h>

static int kept_compare(const void *left, const void *right)
{
    const struct nb_model_option *a = left, *b = right;
    return strcmp(a->name, b->name);
}

/* The question as checkpoints know it: everything except its presentation,
 * including the digests of its files, with the options in alphabetical
 * order. */
static enum nb_status kept_print_key(const struct nb_model *model,
                                     struct nb_text *out, struct nb_error *err)
{
    struct nb_model key = *model;
    enum nb_status status;
    key.title = NULL;
    key.show_count = 0;
    NB_TRY(nb_new(&key.options, key.option_count, sizeof *key.options,
                  "options", err));
    for (size_t i = 0; i < key.option_count; i++)
        key.options[i] = model->options[i];
    if (key.option_count > 0)
        qsort(key.options, key.option_count, sizeof *key.options, kept_compare);
    nb_model_write(&key, true, 0, out);
    status = nb_text_check(out, err);
done:
    nb_delete(key.options);
    return status;
}

enum nb_status nb_ask_keep(const struct nb_model *model, const char *path,
                           struct nb_deal *deal, struct nb_error *err)
{
    struct nb_text key = { 0 };
    enum nb_status status;
    NB_TRY(kept_print_key(model, &key, err));
    status = nb_deal_open(deal, path, NB_PROGRAM, &key, err);
done:
    nb_text_release(&key);
    return status;
}

enum nb_status nb_ask_pack_point(const struct nb_ask *ask, size_t index,
                                 struct nb_text *result, struct nb_error *err)
{
    struct nb_point point = { 0 };
    const enum nb_status status = nb_ask_point(ask, index, &point, err);
    if (status == NB_OK)
        nb_point_pack(&point, result);
    nb_point_release(&point);
    return status;
}
