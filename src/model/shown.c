/* What to show of an answer (declared in model/model.h). */
#include "model/model.h"

#include "core/memory.h"

#include <string.h>

enum { SHOWN_MOST = 100 }; /* models/model.xsd has the same number */

/* The length of the name that a text begins with, or 0. */
static size_t shown_word(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_-";
    return strspn(text, letters + 52) > 0 ? 0 : strspn(text, letters);
}

/* The same for NAME or NAME.COLUMN. */
static size_t shown_item(const char *text)
{
    const size_t length = shown_word(text);
    if (length == 0 || text[length] != '.')
        return length;
    const size_t column = shown_word(text + length + 1);
    return column > 0 ? length + 1 + column : 0;
}

static void shown_release(char **show, size_t count)
{
    for (size_t i = 0; i < count; i++)
        nb_delete(show[i]);
    nb_delete(show);
}

static bool shown_has(char *const *show, size_t count, const char *name,
                      size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(show[i]) == length && strncmp(show[i], name, length) == 0)
            return true;
    return false;
}

enum nb_status nb_model_set_show(struct nb_model *model, const char *names,
                                 struct nb_error *err)
{
    char **show = NULL;
    size_t count = 0;
    enum nb_status status;
    NB_TRY(nb_new(&show, SHOWN_MOST, sizeof *show, "names", err));
    for (const char *at = names; at != NULL; at++) {
        const size_t length = shown_item(at);
        if (length == 0 || count == SHOWN_MOST ||
            strchr(",", at[length]) == NULL ||
            shown_has(show, count, at, length))
            NB_TRY(nb_fail(err, NB_INVALID,
                           "show \"%.60s\" is not permitted (permitted: up to "
                           "%d different names, NAME or TABLE.COLUMN, "
                           "separated by commas)",
                           names, SHOWN_MOST));
        struct nb_text name = { 0 };
        nb_text_add(&name, at, length);
        NB_TRY(nb_text_check(&name, err));
        show[count++] = name.bytes;
        at += length;
        if (*at == '\0')
            break;
    }
    shown_release(model->show, model->show_count);
    model->show = show;
    model->show_count = count;
    show = NULL;
    count = 0;
done:
    shown_release(show, count);
    return status;
}
