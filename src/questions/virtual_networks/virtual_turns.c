#include "questions/virtual_networks/virtual_turns.h"

#include "core/memory.h"
#include "core/text.h"
#include "core/try.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

/* Reads names, each below a limit, from a list "3,5,9"; cuts it in place. */
static enum nb_status turns_read(char *list, int64_t names,
                                 struct nb_virtual_turns *out,
                                 struct nb_error *err)
{
    size_t capacity = 0;
    enum nb_status status = NB_OK;
    while (list != NULL) {
        char *comma = strchr(list, ',');
        int64_t name;
        if (comma != NULL)
            *comma = '\0';
        NB_TRY(
            nb_integer_read(list, "virtual network", 0, names - 1, &name, err));
        NB_TRY(nb_reserve(&out->name, &capacity, out->count + 1,
                          sizeof *out->name, "virtual networks", err));
        out->name[out->count++] = (uint64_t)name;
        list = comma != NULL ? comma + 1 : NULL;
    }
done:
    return status;
}

/* Sorts the names into the order in which they win the token, each as the next
 * after the one before. */
static enum nb_status turns_sort(struct nb_virtual_turns *turns, uint64_t after,
                                 uint64_t names, struct nb_error *err)
{
    for (size_t i = 0; i < turns->count; i++) {
        size_t first = i;
        for (size_t j = i + 1; j < turns->count; j++)
            if (nb_token_rank(turns->name[j], after, names) <
                nb_token_rank(turns->name[first], after, names))
                first = j;
        const uint64_t winner = turns->name[first];
        if (i > 0 && winner == turns->name[i - 1])
            return nb_fail(err, NB_INVALID,
                           "virtual network %llu is pending twice (permitted: "
                           "each once)",
                           (unsigned long long)winner);
        turns->name[first] = turns->name[i];
        turns->name[i] = winner;
    }
    return NB_OK;
}

enum nb_status
nb_virtual_turns_find(const struct nb_virtual_networks_question *request,
                      struct nb_virtual_turns *out, struct nb_error *err)
{
    enum { BITS = 32 };
    const int64_t names =
        request->names > 0 ? request->names : INT64_C(1) << BITS;
    const int64_t active = request->active > 0 ? request->active : 0;
    struct nb_text list = { 0 };
    enum nb_status status = NB_OK;
    if (request->pending == NULL)
        return NB_OK;
    if (active >= names)
        return nb_fail(err, NB_INVALID,
                       "virtual network %lld cannot be active: there are %lld "
                       "names (permitted: 0 to %lld)",
                       (long long)active, (long long)names,
                       (long long)names - 1);
    nb_text_print(&list, "%s", request->pending);
    NB_TRY(nb_text_check(&list, err));
    NB_TRY(turns_read(list.bytes, names, out, err));
    NB_TRY(turns_sort(out, (uint64_t)active, (uint64_t)names, err));
done:
    nb_text_release(&list);
    return status;
}

void nb_virtual_turns_report(const struct nb_virtual_turns *turns,
                             struct nb_point *out)
{
    const char *source = "Randall1994, section 2.4";
    if (turns->count == 0)
        return;
    nb_point_add_exact(out, "next_active",
                       nb_ratio_make((int64_t)turns->name[0], 1), "1",
                       "counting", source);
    const size_t table =
        nb_point_add_table(out, "activations", false, "round,network");
    for (size_t i = 0; i <= turns->count; i++) {
        nb_table_add_whole(out, table, (int64_t)i + 1);
        nb_table_add_whole(out, table, (int64_t)turns->name[i % turns->count]);
    }
}
