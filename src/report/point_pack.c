#include "report/point_pack.h"

#include "core/memory.h"

static void pass_quantity(const struct nb_packing *packing,
                          struct nb_quantity *quantity)
{
    nb_pass(packing, &quantity->value, sizeof quantity->value);
    nb_pass(packing, &quantity->lower, sizeof quantity->lower);
    nb_pass(packing, &quantity->upper, sizeof quantity->upper);
    nb_pass(packing, &quantity->exact, sizeof quantity->exact);
    nb_pass_string(packing, &quantity->name);
    nb_pass_string(packing, &quantity->unit);
    nb_pass_string(packing, &quantity->method);
    nb_pass_string(packing, &quantity->source);
}

/* Passes the number of elements that follow, of at least one byte each. Where
 * they are unpacked, makes room for them as nb_grow_one would have done one by
 * one. */
static void pass_array(const struct nb_packing *packing, void *array,
                       size_t *count, size_t size)
{
    struct nb_packed *in = packing->in;
    size_t room = 1;
    *count = nb_pass_count(packing, *count, 1);
    if (in == NULL)
        return;
    while (room < *count)
        room *= 2;
    if (!in->has_failed && *count > 0 &&
        nb_new(array, room, size, "a report", NULL) != NB_OK)
        in->has_failed = in->lacks_memory = true;
    if (in->has_failed)
        *count = 0;
}

static void pass_table(const struct nb_packing *packing, struct nb_table *table)
{
    nb_pass_string(packing, &table->name);
    table->is_certificate = nb_pass_whole(packing, table->is_certificate) != 0;
    table->row_count = (size_t)nb_pass_whole(packing, table->row_count);
    pass_array(packing, &table->columns, &table->column_count,
               sizeof *table->columns);
    for (size_t c = 0; c < table->column_count; c++) {
        struct nb_column *column = &table->columns[c];
        nb_pass_string(packing, &column->name);
        nb_pass_string(packing, &column->unit);
        column->type = (enum nb_cell_type)nb_pass_whole(packing, column->type);
    }
    pass_array(packing, &table->cells, &table->cell_count,
               sizeof *table->cells);
    if (table->column_count == 0 && table->cell_count > 0) {
        packing->in->has_failed = true;
        table->cell_count = 0;
    }
    for (size_t i = 0; i < table->cell_count; i++)
        if (table->columns[i % table->column_count].type == NB_CELL_TEXT)
            nb_pass_string(packing, &table->cells[i].text);
        else
            nb_pass(packing, &table->cells[i], sizeof *table->cells);
}

static void pass_point(const struct nb_packing *packing, struct nb_point *point)
{
    pass_array(packing, &point->settings, &point->setting_count,
               sizeof *point->settings);
    for (size_t i = 0; i < point->setting_count; i++) {
        nb_pass_string(packing, &point->settings[i].name);
        nb_pass_string(packing, &point->settings[i].value);
    }
    pass_array(packing, &point->quantities, &point->quantity_count,
               sizeof *point->quantities);
    for (size_t i = 0; i < point->quantity_count; i++)
        pass_quantity(packing, &point->quantities[i]);
    pass_array(packing, &point->notes, &point->note_count,
               sizeof *point->notes);
    for (size_t i = 0; i < point->note_count; i++) {
        nb_pass_string(packing, &point->notes[i].name);
        nb_pass_string(packing, &point->notes[i].text);
    }
    pass_array(packing, &point->tables, &point->table_count,
               sizeof *point->tables);
    for (size_t i = 0; i < point->table_count; i++)
        pass_table(packing, &point->tables[i]);
}

void nb_point_pack(const struct nb_point *point, struct nb_text *out)
{
    struct nb_point same = *point; /* borrows */
    pass_point(&(struct nb_packing){ .out = out }, &same);
}

enum nb_status nb_point_unpack(struct nb_packed *in, struct nb_point *out,
                               struct nb_error *err)
{
    *out = (struct nb_point){ 0 };
    pass_point(&(struct nb_packing){ .in = in }, out);
    if (in->lacks_memory)
        return nb_fail(err, NB_NO_MEMORY, "no memory for a report");
    return in->has_failed ? nb_fail(err, NB_INVALID, "a point is incomplete")
                          : NB_OK;
}
