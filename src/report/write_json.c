/* Reports as JSON, valid against models/report.schema.json: the tree of the XML
 * except its digest, with the numbers of ratios. Source: RFC 8259. */
#include "report/format.h"

#include "report/tree.h"

#include <math.h>
#include <string.h>

/* Characters that XML cannot hold are replaced as there, so that both are the
 * same tree. */
static void json_string(struct nb_text *text, const char *value)
{
    struct nb_text clean = { 0 };
    nb_text_add(&clean, "", 0);
    nb_xml_clean(value, &clean);
    text->has_failed |= clean.has_failed;
    nb_text_add(text, "\"", 1);
    for (const char *rest = clean.has_failed ? "" : clean.bytes;
         *rest != '\0';) {
        const size_t length = strcspn(rest, "\"\\\n\r\t");
        nb_text_add(text, rest, length);
        rest += length;
        if (*rest == '\0')
            break;
        if (*rest == '"' || *rest == '\\')
            nb_text_print(text, "\\%c", *rest);
        else
            nb_text_print(text, "\\u%04x", (unsigned)*rest);
        rest++;
    }
    nb_text_add(text, "\"", 1);
    nb_text_release(&clean);
}

/* Separates from what is before, unless an object or a list begins there. */
static void json_next(struct nb_text *text)
{
    if (text->length > 0 && strchr("{[", text->bytes[text->length - 1]) == NULL)
        nb_text_print(text, ", ");
}

static void json_name(struct nb_text *text, const char *name)
{
    json_next(text);
    json_string(text, name);
    nb_text_print(text, ": ");
}

static void json_member(struct nb_text *text, const char *name,
                        const char *value)
{
    json_name(text, name);
    json_string(text, value);
}

/* Infinities are strings, as JSON has no numbers for them; unknown is null. */
static void json_number(struct nb_text *text, double value)
{
    char digits[NB_NUMBER_TEXT];
    nb_number_print(value, digits);
    nb_text_print(text, isinf(value) ? "\"%s\"" : "%s",
                  isnan(value) ? "null" : digits);
}

static void json_ratio(struct nb_text *text, struct nb_ratio ratio)
{
    char exact[NB_RATIO_TEXT];
    nb_ratio_print(ratio, exact);
    nb_text_print(text, nb_ratio_is_known(ratio) ? "\"%s\"" : "null", exact);
}

/* Names and values as an object. */
static void json_options(struct nb_text *text, const char *name,
                         const struct nb_model_option *options, size_t count)
{
    json_name(text, name);
    nb_text_print(text, "{");
    for (size_t i = 0; i < count; i++)
        json_member(text, options[i].name, options[i].value);
    nb_text_print(text, "}");
}

static void json_model(const struct nb_model *model, struct nb_text *text)
{
    json_member(text, "command", model->command != NULL ? model->command : "");
    if (model->title != NULL)
        json_member(text, "title", model->title);
    if (model->show_count > 0) {
        json_name(text, "show");
        nb_text_print(text, "[");
        for (size_t i = 0; i < model->show_count; i++) {
            json_next(text);
            json_string(text, model->show[i]);
        }
        nb_text_print(text, "]");
    }
    json_options(text, "options", model->options, model->option_count);
    json_options(text, "sweeps", model->sweeps, model->sweep_count);
    json_name(text, "inputs");
    nb_text_print(text, "[");
    for (size_t i = 0; i < model->input_count; i++) {
        json_next(text);
        nb_text_print(text, "{");
        json_member(text, "path", model->inputs[i].path);
        if (model->inputs[i].sha256[0] != '\0')
            json_member(text, "sha256", model->inputs[i].sha256);
        nb_text_print(text, "}");
    }
    nb_text_print(text, "]");
}

static void json_quantity(const struct nb_quantity *quantity,
                          struct nb_text *text)
{
    json_member(text, "name", quantity->name);
    json_name(text, "value");
    json_number(text, quantity->value);
    json_name(text, "lower");
    json_number(text, quantity->lower);
    json_name(text, "upper");
    json_number(text, quantity->upper);
    json_member(text, "unit", quantity->unit);
    json_name(text, "exact");
    json_ratio(text, quantity->exact);
    json_member(text, "method", quantity->method);
    json_member(text, "source", quantity->source);
}

static void json_cell(const struct nb_table *table, size_t cell_index,
                      struct nb_text *text)
{
    const union nb_cell *cell = &table->cells[cell_index];
    const size_t column = cell_index % table->column_count;
    char digits[NB_CELL_CHARACTERS];
    switch (table->columns[column].type) {
    case NB_CELL_WHOLE:
        nb_cell_print(cell, NB_CELL_WHOLE, digits);
        nb_text_print(text, "%s", digits);
        break;
    case NB_CELL_NUMBER:
        json_number(text, cell->number);
        break;
    case NB_CELL_RATIO:
        if (nb_column_is_split(table, column)) {
            json_number(text, nb_ratio_value(cell->ratio));
            nb_text_print(text, ", ");
        }
        json_ratio(text, cell->ratio);
        break;
    case NB_CELL_TEXT:
        json_string(text, cell->text);
        break;
    }
}

static void json_column(const struct nb_column *column, const char *ending,
                        enum nb_cell_type type, struct nb_text *text)
{
    struct nb_text name = { 0 };
    nb_text_print(&name, "%s%s", column->name, ending);
    text->has_failed |= name.has_failed;
    json_next(text);
    nb_text_print(text, "{");
    json_member(text, "name", name.bytes != NULL ? name.bytes : "");
    json_member(text, "unit", column->unit);
    json_member(text, "type", nb_cell_type_names[type]);
    nb_text_print(text, "}");
    nb_text_release(&name);
}

static void json_table(const struct nb_table *table, struct nb_text *text)
{
    json_member(text, "name", table->name);
    nb_text_print(text, ", \"certificate\": %s,\n      \"columns\": [",
                  table->is_certificate ? "true" : "false");
    for (size_t i = 0; i < table->column_count; i++) {
        const struct nb_column *column = &table->columns[i];
        const bool is_split = nb_column_is_split(table, i);
        json_column(column, "", is_split ? NB_CELL_NUMBER : column->type, text);
        if (is_split)
            json_column(column, "_exact", NB_CELL_RATIO, text);
    }
    nb_text_print(text, "],\n      \"rows\": [");
    for (size_t i = 0; i < table->cell_count; i++) {
        nb_text_print(text, "%s%s", i > 0 ? "," : "",
                      i % table->column_count == 0 ? "\n        [" : " ");
        json_cell(table, i, text);
        if ((i + 1) % table->column_count == 0)
            nb_text_add(text, "]", 1);
    }
    nb_text_print(text, "]");
}

void nb_json_write_head(const struct nb_model *model, const char *program,
                        struct nb_text *text)
{
    nb_text_print(text, "{\"version\": 1,\n \"program\": ");
    json_string(text, program);
    nb_text_print(text, ",\n \"model\": {");
    json_model(model, text);
    nb_text_print(text, "},\n \"points\": [");
}

/* Begins an object of a list of a point, on a line of its own. */
static void json_begin(struct nb_text *text, size_t index)
{
    nb_text_print(text, index > 0 ? "},\n      {" : "\n      {");
}

/* Ends such a list. */
static void json_end(struct nb_text *text, size_t count)
{
    nb_text_print(text, count > 0 ? "}]" : "]");
}

void nb_json_write_point(const struct nb_point *point, size_t index,
                         struct nb_text *text)
{
    nb_text_print(text, "%s\n   {", index > 0 ? "," : "");
    json_options(text, "settings", point->settings, point->setting_count);
    nb_text_print(text, ",\n    \"quantities\": [");
    for (size_t i = 0; i < point->quantity_count; i++) {
        json_begin(text, i);
        json_quantity(&point->quantities[i], text);
    }
    json_end(text, point->quantity_count);
    nb_text_print(text, ",\n    \"notes\": [");
    for (size_t i = 0; i < point->note_count; i++) {
        json_begin(text, i);
        json_member(text, "name", point->notes[i].name);
        json_member(text, "text", point->notes[i].text);
    }
    json_end(text, point->note_count);
    nb_text_print(text, ",\n    \"tables\": [");
    for (size_t i = 0; i < point->table_count; i++) {
        json_begin(text, i);
        json_table(&point->tables[i], text);
    }
    json_end(text, point->table_count);
    nb_text_print(text, "}");
}

void nb_json_write_made(const struct nb_made *made, struct nb_text *text)
{
    nb_text_print(text, "]");
    if (made->threads > 0)
        nb_text_print(text,
                      ",\n \"made\": {\"threads\": %d, \"seconds\": %.3g}",
                      made->threads, made->seconds);
    nb_text_print(text, "}\n");
}
