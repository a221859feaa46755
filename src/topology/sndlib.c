#include "topology/sndlib.h"

#include "core/lines.h"
#include "core/locale.h"
#include "core/ratio.h"

#include <stdarg.h>
#include <string.h>

static const char sndlib_start[] = "?SNDlib native format";

static bool sndlib_is_native(const char *text)
{
    text += strspn(text, " \t\r\n");
    return strncmp(text, sndlib_start, sizeof sndlib_start - 1) == 0;
}

/* XML whose first element is <network>, after comments and the like. */
static bool sndlib_is_xml(const char *text)
{
    static const char root[] = "<network";
    text += strspn(text, " \t\r\n");
    while (strncmp(text, "<?", 2) == 0 || strncmp(text, "<!--", 4) == 0) {
        const char *end = strstr(text, text[1] == '?' ? "?>" : "-->");
        if (end == NULL)
            return false;
        text = end + strcspn(end, ">") + 1;
        text += strspn(text, " \t\r\n");
    }
    return strncmp(text, root, sizeof root - 1) == 0 &&
           strchr(" \t\r\n>/", text[sizeof root - 1]) != NULL;
}

bool nb_sndlib_is(const char *text)
{
    return sndlib_is_native(text) || sndlib_is_xml(text);
}

enum nb_status nb_sndlib_fail(const struct nb_sndlib *sndlib, size_t line,
                              struct nb_error *err, const char *format, ...)
{
    char message[400];
    va_list values;
    va_start(values, format);
    nb_vsnprintf(message, sizeof message, format, values);
    va_end(values);
    return nb_fail(err, NB_INVALID, "%.200s:%zu: %s", sndlib->path, line,
                   message);
}

enum nb_status nb_sndlib_keep(struct nb_sndlib *sndlib, const char *text,
                              size_t length, const char **out,
                              struct nb_error *err)
{
    static const char blanks[] = " \t\r\n";
    enum nb_status status;
    for (; length > 0 && strchr(blanks, *text) != NULL; length--)
        text++;
    while (length > 0 && strchr(blanks, text[length - 1]) != NULL)
        length--;
    char *kept = nb_pool_array(&sndlib->texts, length + 1, 1);
    NB_TRY(nb_pool_check(&sndlib->texts, "names", err));
    memcpy(kept, text, length);
    *out = kept;
done:
    return status;
}

enum nb_status nb_sndlib_add(struct nb_sndlib_list *list,
                             const struct nb_sndlib_item *item,
                             struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(nb_reserve(&list->item, &list->capacity, list->count + 1,
                      sizeof *list->item, "a network of SNDlib", err));
    list->item[list->count++] = *item;
done:
    return status;
}

enum nb_status nb_sndlib_set_capacity(const struct nb_sndlib *sndlib,
                                      struct nb_sndlib_item *link,
                                      const char *capacity, bool is_module,
                                      size_t line, struct nb_error *err)
{
    struct nb_ratio own, before;
    if (strcmp(capacity, "UNLIMITED") == 0)
        return NB_OK;
    if (nb_ratio_read(capacity, &own, NULL) != NB_OK || own.numerator < 0)
        return nb_sndlib_fail(sndlib, line, err,
                              "capacity \"%.60s\" is not permitted (permitted: "
                              "a number >= 0, UNLIMITED)",
                              capacity);
    if (own.numerator == 0)
        return NB_OK;
    const bool is_better =
        link->value == NULL ||
        (link->is_module &&
         (!is_module || (nb_ratio_read(link->value, &before, NULL) == NB_OK &&
                         nb_ratio_compare(own, before) < 0)));
    if (is_better) {
        link->value = capacity;
        link->is_module = is_module;
    }
    return NB_OK;
}

enum nb_status nb_sndlib_read(const char *path, const char *text, size_t length,
                              struct nb_sndlib *out, struct nb_error *err)
{
    const size_t mark = nb_lines_mark(text);
    *out = (struct nb_sndlib){ .path = path };
    if (strlen(text) != length)
        return nb_fail(err, NB_INVALID,
                       "%.200s: it has a byte 0 (permitted: text)", path);
    const char *start = text + mark + strspn(text + mark, " \t\r\n");
    if (*start != '<' && !sndlib_is_native(start))
        return nb_fail(err, NB_INVALID,
                       "%.200s: it is not SNDlib (permitted: XML, or \"%s\" in "
                       "its first line)",
                       path, sndlib_start);
    return sndlib_is_native(text + mark)
               ? nb_sndlib_read_native(out, text + mark, err)
               : nb_sndlib_read_xml(out, text, length, err);
}

void nb_sndlib_release(struct nb_sndlib *sndlib)
{
    nb_delete(sndlib->nodes.item);
    nb_delete(sndlib->links.item);
    nb_delete(sndlib->demands.item);
    nb_pool_release(&sndlib->texts);
    *sndlib = (struct nb_sndlib){ 0 };
}
