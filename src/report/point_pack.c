#include "report/point_pack.h"

#include "core/memory.h"

static void pack_quantity(const struct nb_quantity *quantity,
                          struct nb_text *out)
{
    const double numbers[] = { quantity->value, quantity->lower,
                               quantity->upper };
    nb_pack(out, numbers, sizeof numbers);
    nb_pack(out, &quantity->exact, sizeof quantity->exact);
    nb_pack_string(out, quantity->name);
    nb_pack_string(out, quantity->unit);
    nb_pack_string(out, quantity->method);
    nb_pack_string(out, quantity->source);
}

static void unpack_quantity(struct nb_packed *in, struct nb_quantity *out)
{
    double numbers[3];
    nb_unpack(in, numbers, sizeof numbers);
    nb_unpack(in, &out->exact, sizeof out->exact);
    out->value = numbers[0];
    out->lower = numbers[1];
    out->upper = numbers[2];
    out->name = nb_unpack_string(in);
    out->unit = nb_unpack_string(in);
    out->method = nb_unpack_string(in);
    out->source = nb_unpack_string(in);
}

static void pack_table(const struct nb_table *table, struct nb_text *out)
{
    nb_pack_string(out, table->name);
    nb_pack_whole(out, table->is_certificate);
    nb_pack_whole(out, table->row_count);
    nb_pack_whole(out, table->column_count);
    for (size_t c = 0; c < table->column_count; c++) {
        nb_pack_string(out, table->columns[c].name);
        nb_pack_string(out, table->columns[c].unit);
        nb_pack_whole(out, table->columns[c].type);
    }
    nb_pack_whole(out, table->cell_count);
    for (size_t i = 0; i < table->cell_count; i++)
        if (table->columns[i % table->column_count].type == NB_CELL_TEXT)
            nb_pack_string(out, table->cells[i].text);
        else
            nb_pack(out, &table->cells[i], sizeof *table->cells);
}

/* Reads the number of elements that follow, of at least one byte each, and
 * makes room for them as nb_grow_one would have done one by one. */
static size_t unpack_array(struct nb_packed *in, void *array, size_t size)
{
    const size_t count = nb_unpack_count(in, 1);
    size_t room = 1;
    while (room < count)
        room *= 2;
    if (!in->has_failed && count > 0 &&
        nb_new(array, room, size, "a report", NULL) != NB_OK)
        in->has_failed = in->lacks_memory = true;
    return in->has_failed ? 0 : count;
}

static void unpack_table(struct nb_packed *in, struct nb_table *out)
{
    out->name = nb_unpack_string(in);
    out->is_certificate = nb_unpack_whole(in) != 0;
    out->row_count = (size_t)nb_unpack_whole(in);
    out->column_count = unpack_array(in, &out->columns, sizeof *out->columns);
    for (size_t c = 0; c < out->column_count; c++) {
        out->columns[c].name = nb_unpack_string(in);
        out->columns[c].unit = nb_unpack_string(in);
        out->columns[c].type = (enum nb_cell_type)nb_unpack_whole(in);
    }
    const size_t count = unpack_array(in, &out->cells, sizeof *out->cells);
    in->has_failed |= count > 0 && out->column_count == 0;
    for (; out->cell_count < count && !in->has_failed; out->cell_count++) {
        union nb_cell *cell = &out->cells[out->cell_count];
        const size_t c = out->cell_count % out->column_count;
        if (out->columns[c].type == NB_CELL_TEXT)
            cell->text = nb_unpack_string(in);
        else
            nb_unpack(in, cell, sizeof *cell);
    }
}

void nb_point_pack(const struct nb_point *point, struct nb_text *out)
{
    nb_pack_whole(out, point->setting_count);
    for (size_t i = 0; i < point->setting_count; i++) {
        nb_pack_string(out, point->settings[i].name);
        nb_pack_string(out, point->settings[i].value);
    }
    nb_pack_whole(out, point->quantity_count);
    for (size_t i = 0; i < point->quantity_count; i++)
        pack_quantity(&point->quantities[i], out);
    nb_pack_whole(out, point->note_count);
    for (size_t i = 0; i < point->note_count; i++) {
        nb_pack_string(out, point->notes[i].name);
        nb_pack_string(out, point->notes[i].text);
    }
    nb_pack_whole(out, point->table_count);
    for (size_t i = 0; i < point->table_count; i++)
        pack_table(&point->tables[i], out);
}

enum nb_status nb_point_unpack(struct nb_packed *in, struct nb_point *out,
                               struct nb_error *err)
{
    *out = (struct nb_point){ 0 };
    out->setting_count =
        unpack_array(in, &out->settings, sizeof *out->settings);
    for (size_t i = 0; i < out->setting_count; i++) {
        out->settings[i].name = nb_unpack_string(in);
        out->settings[i].value = nb_unpack_string(in);
    }
    out->quantity_count =
        unpack_array(in, &out->quantities, sizeof *out->quantities);
    for (size_t i = 0; i < out->quantity_count; i++)
        unpack_quantity(in, &out->quantities[i]);
    out->note_count = unpack_array(in, &out->notes, sizeof *out->notes);
    for (size_t i = 0; i < out->note_count; i++) {
        out->notes[i].name = nb_unpack_string(in);
        out->notes[i].text = nb_unpack_string(in);
    }
    out->table_count = unpack_array(in, &out->tables, sizeof *out->tables);
    for (size_t i = 0; i < out->table_count; i++)
        unpack_table(in, &out->tables[i]);
    if (in->lacks_memory)
        return nb_fail(err, NB_NO_MEMORY, "no memory for a report");
    return in->has_failed ? nb_fail(err, NB_INVALID, "a point is incomplete")
                          : NB_OK;
}
