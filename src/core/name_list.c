#include "core/name_list.h"

#include "core/try.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_LENGTH = 256, NAMES_DIGITS = 9 };

/* A list being read; owns nothing. */
struct names {
    struct nb_pool *pool;
    struct nb_name_list *out;
    char name[NAMES_LENGTH]; /* the current one */
};

void nb_name_list_release(struct nb_name_list *list)
{
    nb_delete(list->name);
    *list = (struct nb_name_list){ 0 };
}

static enum nb_status names_refuse(const char *item, struct nb_error *err)
{
    return nb_fail(err, NB_INVALID,
                   "list \"%.60s\" is not permitted (permitted: up to %d names "
                   "joined by commas, in quotes if they have commas, with "
                   "numbers of up to %d digits as in n[0-3,12], the lower "
                   "first)",
                   item, NB_NAME_LIST_MOST, NAMES_DIGITS);
}

/* Reads a number of at most NAMES_DIGITS digits. */
static bool names_read_number(const char **text, unsigned *out)
{
    const size_t length = strspn(*text, "0123456789");
    if (length == 0 || length > NAMES_DIGITS)
        return false;
    *out = (unsigned)strtoul(*text, NULL, 10);
    *text += length;
    return true;
}

static enum nb_status names_keep(struct names *names, struct nb_error *err)
{
    struct nb_name_list *out = names->out;
    const size_t length = strlen(names->name) + 1;
    enum nb_status status = NB_OK;
    if (out->count == NB_NAME_LIST_MOST)
        return nb_fail(err, NB_INVALID,
                       "a list of more than %d names is not permitted",
                       NB_NAME_LIST_MOST);
    NB_TRY(nb_reserve(&out->name, &out->capacity, out->count + 1,
                      sizeof *out->name, "names", err));
    char *kept = nb_pool_array(names->pool, length, 1);
    NB_TRY(nb_pool_check(names->pool, "names", err));
    memcpy(kept, names->name, length);
    out->name[out->count++] = kept;
done:
    return status;
}

/*
 * Keeps all names that an item stands for.
 *
 * length    bytes of the name so far
 * text      the rest of the item, up to end
 */
static enum nb_status names_expand(struct names *names, size_t length,
                                   const char *text, const char *end,
                                   struct nb_error *err)
{
    const char *open = memchr(text, '[', (size_t)(end - text));
    const char *plain_end = open != NULL ? open : end;
    const size_t plain = (size_t)(plain_end - text);
    enum nb_status status = NB_OK;
    if (length + plain + NAMES_DIGITS + 1 >= NAMES_LENGTH ||
        memchr(text, ']', plain) != NULL ||
        (length + plain == 0 && open == NULL))
        return names_refuse(text, err);
    memcpy(names->name + length, text, plain);
    length += plain;
    names->name[length] = '\0';
    if (open == NULL)
        return names_keep(names, err);
    const char *close = memchr(open, ']', (size_t)(end - open));
    for (const char *at = open; *at == '[' || *at == ',';) {
        unsigned low = 0, high;
        const char *first = ++at;
        if (close == NULL || !names_read_number(&at, &low))
            return names_refuse(text, err);
        const int width = (int)(at - first);
        high = low;
        if (*at == '-' && (at++, !names_read_number(&at, &high)))
            return names_refuse(text, err);
        if (high < low || high - low >= NB_NAME_LIST_MOST ||
            (*at != ',' && at != close))
            return names_refuse(text, err);
        for (unsigned n = low; n <= high; n++) {
            const int digits = snprintf(names->name + length, NAMES_DIGITS + 1,
                                        "%0*u", width, n);
            NB_TRY(names_expand(names, length + (size_t)digits, close + 1, end,
                                err));
        }
    }
done:
    return status;
}

/* The end of an item: a comma outside brackets and quotes, or the end of the
 * list. */
static const char *names_end(const char *item)
{
    const char *first = item + strspn(item, " ");
    const char *quote = *first == '"' ? strchr(first + 1, '"') : NULL;
    bool is_inside = false;
    for (item = quote != NULL ? quote : item;
         *item != '\0' && (*item != ',' || is_inside); item++)
        is_inside = *item == '[' || (is_inside && *item != ']');
    return item;
}

/* Keeps an item without the blanks around it. In quotes it is one name. */
static enum nb_status names_take(struct names *names, const char *item,
                                 const char *end, struct nb_error *err)
{
    item += strspn(item, " ");
    while (end > item && end[-1] == ' ')
        end--;
    if (*item != '"')
        return names_expand(names, 0, item, end, err);
    const size_t length = (size_t)(end - item);
    if (length < 3 || length - 2 >= NAMES_LENGTH || end[-1] != '"')
        return names_refuse(item, err);
    memcpy(names->name, item + 1, length - 2);
    names->name[length - 2] = '\0';
    return names_keep(names, err);
}

enum nb_status nb_name_list_read(const char *text, struct nb_pool *pool,
                                 struct nb_name_list *out, struct nb_error *err)
{
    struct names names = { .pool = pool, .out = out };
    enum nb_status status = NB_OK;
    for (const char *item = text;; item++) {
        const char *end = names_end(item);
        NB_TRY(names_take(&names, item, end, err));
        item = end;
        if (*item == '\0')
            break;
    }
done:
    return status;
}

/* Whether a name of that length fits a pattern. */
static bool names_fit(const char *pattern, const char *name, size_t length)
{
    const char *const end = name + length;
    const char *star = NULL, *resume = NULL;
    while (name < end) {
        if (*pattern == '*') {
            star = pattern++;
            resume = name;
        } else if (*pattern == '?' || *pattern == *name) {
            pattern++;
            name++;
        } else if (star != NULL) { /* let the last star take one more */
            pattern = star + 1;
            name = ++resume;
        } else {
            return false;
        }
    }
    return pattern[strspn(pattern, "*")] == '\0';
}

bool nb_name_fits(const char *pattern, const char *name)
{
    const size_t first = strcspn(name, " ");
    return names_fit(pattern, name, strlen(name)) ||
           names_fit(pattern, name, first) ||
           (first > 1 && name[first - 1] == ',' &&
            names_fit(pattern, name, first - 1));
}
