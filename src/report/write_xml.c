/* Reports as XML, valid against models/report.xsd. */
#include "report/format.h"

#include "report/tree.h"

#include <string.h>

static void xml_add(struct nb_text *text, const char *bytes)
{
    nb_text_add(text, bytes, strlen(bytes));
}

/* name="value", after a blank. */
static void xml_attribute(struct nb_text *text, const char *name,
                          const char *value)
{
    nb_text_print(text, " %s=\"", name);
    nb_xml_escape(value, text);
    xml_add(text, "\"");
}

/* nb_number_print, or nb_number_print_long to reproduce older versions. */
typedef void xml_spell(double value, char text[NB_NUMBER_TEXT]);

static void xml_number(struct nb_text *text, const char *name, double value,
                       xml_spell *spell)
{
    char digits[NB_NUMBER_TEXT];
    spell(value, digits);
    xml_attribute(text, name, digits);
}

/* <element name="...">text</element> */
static void xml_named(struct nb_text *text, const char *element,
                      const char *name, const char *content)
{
    nb_text_print(text, "    <%s", element);
    xml_attribute(text, "name", name);
    xml_add(text, ">");
    nb_xml_escape(content, text);
    nb_text_print(text, "</%s>\n", element);
}

static void xml_quantity(struct nb_text *text,
                         const struct nb_quantity *quantity, xml_spell *spell)
{
    xml_add(text, "    <quantity");
    xml_attribute(text, "name", quantity->name);
    xml_number(text, "value", quantity->value, spell);
    xml_number(text, "lower", quantity->lower, spell);
    xml_number(text, "upper", quantity->upper, spell);
    xml_attribute(text, "unit", quantity->unit);
    if (nb_ratio_is_known(quantity->exact)) {
        char exact[NB_RATIO_TEXT];
        nb_ratio_print(quantity->exact, exact);
        xml_attribute(text, "exact", exact);
    }
    xml_attribute(text, "method", quantity->method);
    xml_attribute(text, "source", quantity->source);
    xml_add(text, "/>\n");
}

/* Without texts, a row is its cells separated by blanks, which keeps big tables
 * small; a record has an element for each cell. */
static void xml_row(struct nb_text *text, const struct nb_table *table,
                    const union nb_cell *cells, bool is_record,
                    xml_spell *spell)
{
    char characters[NB_CELL_CHARACTERS];
    xml_add(text, is_record ? "      <record>" : "      <row>");
    for (size_t i = 0; i < table->column_count; i++) {
        const enum nb_cell_type type = table->columns[i].type;
        if (is_record)
            xml_add(text, "<cell>");
        else if (i > 0)
            xml_add(text, " ");
        if (type == NB_CELL_TEXT) {
            nb_xml_escape(cells[i].text, text);
        } else {
            if (type == NB_CELL_NUMBER)
                spell(cells[i].number, characters);
            else
                nb_cell_print(&cells[i], type, characters);
            xml_add(text, characters);
        }
        if (is_record)
            xml_add(text, "</cell>");
    }
    xml_add(text, is_record ? "</record>\n" : "</row>\n");
}

static void xml_table(struct nb_text *text, const struct nb_table *table,
                      xml_spell *spell)
{
    xml_add(text, "    <table");
    xml_attribute(text, "name", table->name);
    if (table->is_certificate)
        xml_attribute(text, "certificate", "yes");
    xml_add(text, ">\n");
    for (size_t i = 0; i < table->column_count; i++) {
        const struct nb_column *column = &table->columns[i];
        xml_add(text, "      <column");
        xml_attribute(text, "name", column->name);
        xml_attribute(text, "unit", column->unit);
        xml_attribute(text, "type", nb_cell_type_names[column->type]);
        xml_add(text, "/>\n");
    }
    const bool is_record = nb_table_has_text(table);
    for (size_t row = 0; row < table->row_count; row++)
        xml_row(text, table, &table->cells[row * table->column_count],
                is_record, spell);
    xml_add(text, "    </table>\n");
}

static enum nb_status xml_point(const struct nb_point *point, xml_spell *spell,
                                struct nb_text *text, struct nb_error *err)
{
    xml_add(text, "  <point>\n");
    for (size_t i = 0; i < point->setting_count; i++)
        xml_named(text, "setting", point->settings[i].name,
                  point->settings[i].value);
    for (size_t i = 0; i < point->quantity_count; i++)
        xml_quantity(text, &point->quantities[i], spell);
    for (size_t i = 0; i < point->note_count; i++)
        xml_named(text, "note", point->notes[i].name, point->notes[i].text);
    for (size_t i = 0; i < point->table_count; i++)
        xml_table(text, &point->tables[i], spell);
    xml_add(text, "  </point>\n");
    return nb_text_check(text, err);
}

enum nb_status nb_point_write_xml(const struct nb_point *point,
                                  struct nb_text *text, struct nb_error *err)
{
    return xml_point(point, nb_number_print, text, err);
}

enum nb_status nb_point_write_long_xml(const struct nb_point *point,
                                       struct nb_text *text,
                                       struct nb_error *err)
{
    return xml_point(point, nb_number_print_long, text, err);
}

void nb_xml_write_head(const struct nb_model *model, const char *program,
                       struct nb_text *text)
{
    xml_add(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    nb_text_print(text, "<report xmlns=\"%s\" version=\"1\"", NB_XML_NAMESPACE);
    xml_attribute(text, "program", program);
    xml_add(text, ">\n");
    nb_model_write(model, false, 2, text);
}

void nb_xml_write_made(const struct nb_made *made, struct nb_text *text)
{
    if (made->threads > 0)
        nb_text_print(text, "  <made threads=\"%d\" seconds=\"%.3g\"/>\n",
                      made->threads, made->seconds);
}
