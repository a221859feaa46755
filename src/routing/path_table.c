#include "routing/path_table.h"

#include "core/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_LEAST = 64 }; /* elements of the first block */

/* Room for so many elements more. */
static enum nb_status table_reserve(void *in_out_pointer, size_t count,
                                    size_t more, size_t *capacity, size_t size,
                                    struct nb_error *err)
{
    const size_t needed = count + more;
    if (needed <= *capacity)
        return NB_OK;
    size_t wanted = 2 * *capacity > TABLE_LEAST ? 2 * *capacity : TABLE_LEAST;
    wanted = needed > wanted ? needed : wanted;
    const enum nb_status status =
        nb_grow(in_out_pointer, wanted, size, "paths of a routing", err);
    if (status == NB_OK)
        *capacity = wanted;
    return status;
}

enum nb_status nb_path_table_add(struct nb_path_table *table, uint32_t source,
                                 uint32_t destination, uint64_t weight,
                                 const uint32_t *channel, size_t length,
                                 struct nb_error *err)
{
    enum nb_status status;
    if (weight == 0 || length >= NB_NONE)
        return nb_fail(err, NB_INVALID,
                       "a path of weight %llu and %zu channels (permitted: a "
                       "weight of 1 and more, fewer than 2^32 - 1 channels)",
                       (unsigned long long)weight, length);
    NB_TRY(table_reserve(&table->path, table->path_count, 1,
                         &table->path_capacity, sizeof *table->path, err));
    NB_TRY(table_reserve(&table->channel, table->channel_count, length,
                         &table->channel_capacity, sizeof *table->channel,
                         err));
    table->path[table->path_count++] =
        (struct nb_table_path){ .source = source,
                                .destination = destination,
                                .weight = weight,
                                .first = table->channel_count,
                                .length = (uint32_t)length };
    if (length > 0)
        memcpy(table->channel + table->channel_count, channel,
               length * sizeof *channel);
    table->channel_count += length;
done:
    return status;
}

void nb_path_table_release(struct nb_path_table *table)
{
    nb_delete(table->path);
    nb_delete(table->channel);
    *table = (struct nb_path_table){ 0 };
}

/* Equal ones in the order in which they were added. */
static int table_compare(const void *left, const void *right, void *context)
{
    const struct nb_table_path *a = left, *b = right;
    const uint32_t *channel = context;
    if (a->destination != b->destination)
        return a->destination < b->destination ? -1 : 1;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    for (uint32_t i = 0; i < a->length && i < b->length; i++) {
        const uint32_t one = channel[a->first + i];
        const uint32_t other = channel[b->first + i];
        if (one != other)
            return one < other ? -1 : 1;
    }
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

void nb_path_table_sort(struct nb_path_table *table)
{
    if (table->path_count > 1)
        qsort_r(table->path, table->path_count, sizeof *table->path,
                table_compare, table->channel);
}

size_t nb_path_table_end(const struct nb_path_table *table, size_t first)
{
    const struct nb_table_path *pair = &table->path[first];
    size_t end = first + 1;
    while (end < table->path_count && table->path[end].source == pair->source &&
           table->path[end].destination == pair->destination)
        end++;
    return end;
}

void nb_path_table_index(const struct nb_path_table *table, size_t router_count,
                         size_t *pair)
{
    size_t k = 0;
    for (size_t p = 0; p < table->path_count; p++) {
        const struct nb_table_path *path = &table->path[p];
        const size_t own = path->destination * router_count + path->source;
        while (k <= own)
            pair[k++] = p;
    }
    while (k <= router_count * router_count)
        pair[k++] = table->path_count;
}

enum nb_status nb_path_table_write(const struct nb_path_table *table,
                                   const struct nb_topology *topology,
                                   const char *file, struct nb_error *err)
{
    struct nb_text text = { 0 };
    enum nb_status status;
    nb_text_print(&text, "source,destination,weight,path\n");
    for (size_t p = 0; p < table->path_count; p++) {
        const struct nb_table_path *path = &table->path[p];
        nb_text_print(&text, "%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",",
                      path->source, path->destination, path->weight);
        nb_path_print(topology, path->source, table->channel + path->first,
                      path->length, &text);
        nb_text_add(&text, "\n", 1);
    }
    NB_TRY(nb_text_check(&text, err));
    NB_TRY(nb_file_write(file, text.bytes, text.length, err));
done:
    nb_text_release(&text);
    return status;
}
