/* Writing a model as XML (declared in model/model.h). */
#include "core/utf8.h"
#include "model/model.h"

#include <string.h>

enum { MODEL_INDENT = 100 }; /* at most */

/*
 * The length in bytes of the character at text if XML 1.0 permits it, else
 * 0: bytes that are not UTF-8, control characters, and the non-characters FFFE
 * and FFFF.
 * Source: Extensible Markup Language (XML) 1.0, 5th ed., production 2.
 */
static size_t write_character(const char *text)
{
    uint32_t code;
    const size_t length = nb_utf8_decode(text, &code);
    const bool is_permitted = code >= 0x20
                                  ? code != 0xFFFE && code != 0xFFFF
                                  : strchr("\t\n\r", (int)code) != NULL;
    return is_permitted ? length : 0;
}

/* White space other than a blank would not survive in an attribute. */
static const struct nb_instead write_entities[] = {
    { '<', "&lt;" },   { '>', "&gt;" },    { '&', "&amp;" },
    { '"', "&quot;" }, { '\'', "&apos;" }, { '\t', "&#9;" },
    { '\n', "&#10;" }, { '\r', "&#13;" },  { 0 },
};

/* Adds the characters, replacing those with a meaning in XML unless entities is
 * NULL. */
static void write_characters(const char *plain,
                             const struct nb_instead *entities,
                             struct nb_text *text)
{
    const char *start = plain; /* not added yet */
    while (*plain != '\0') {
        const size_t length = write_character(plain);
        const char *instead = length == 0 ? "\xEF\xBF\xBD"
                              : entities != NULL
                                  ? nb_instead_of(entities, *plain)
                                  : NULL;
        if (instead != NULL) {
            nb_text_add(text, start, (size_t)(plain - start));
            nb_text_add(text, instead, strlen(instead));
            start = plain + 1;
        }
        plain += length > 0 ? length : 1;
    }
    nb_text_add(text, start, (size_t)(plain - start));
}

void nb_xml_escape(const char *plain, struct nb_text *text)
{
    write_characters(plain, write_entities, text);
}

void nb_xml_clean(const char *plain, struct nb_text *text)
{
    write_characters(plain, NULL, text);
}

/* <element name="...">value</element>, the attribute if name is not NULL. */
static void write_value(const char *element, const char *name,
                        const char *value, int indent, struct nb_text *text)
{
    nb_text_print(text, "%*s<%s", indent, "", element);
    if (name != NULL) {
        nb_text_print(text, " name=\"");
        nb_xml_escape(name, text);
        nb_text_print(text, "\"");
    }
    nb_text_print(text, ">");
    nb_xml_escape(value, text);
    nb_text_print(text, "</%s>\n", element);
}

static void write_show(const struct nb_model *model, int indent,
                       struct nb_text *text)
{
    if (model->show_count == 0)
        return;
    nb_text_print(text, "%*s<show>", indent, "");
    for (size_t i = 0; i < model->show_count; i++)
        nb_text_print(text, "%s%s", i > 0 ? "," : "", model->show[i]);
    nb_text_print(text, "</show>\n");
}

static void write_input(const struct nb_model_input *input, int indent,
                        struct nb_text *text)
{
    nb_text_print(text, "%*s<input path=\"", indent, "");
    nb_xml_escape(input->path, text);
    if (input->sha256[0] != '\0')
        nb_text_print(text, "\" sha256=\"%s", input->sha256);
    nb_text_print(text, "\"/>\n");
}

/* Within a report: <option> elements. */
static void write_named(const struct nb_model *model, int indent,
                        struct nb_text *text)
{
    for (size_t part = 0; nb_model_elements[part] != NULL; part++) {
        const char *value = nb_model_get(model, nb_model_elements[part]);
        if (value != NULL)
            write_value(nb_model_elements[part], NULL, value, indent, text);
    }
    for (size_t i = 0; i < model->option_count; i++)
        if (!nb_model_has_element(model->options[i].name))
            write_value("option", model->options[i].name,
                        model->options[i].value, indent, text);
    for (size_t i = 0; i < model->sweep_count; i++)
        write_value("sweep", model->sweeps[i].name, model->sweeps[i].value,
                    indent, text);
}

/* As a file: elements named like the options, which a schema can check. */
static void write_ask(const struct nb_model *model, int indent,
                      struct nb_text *text)
{
    nb_text_print(text, "%*s<ask>\n%*s<%s>\n", indent, "", indent + 2, "",
                  model->command);
    for (size_t i = 0; i < model->option_count; i++)
        write_value(model->options[i].name, NULL, model->options[i].value,
                    indent + 4, text);
    if (model->sweep_count > 0)
        nb_text_print(text, "%*s<sweep>\n", indent + 4, "");
    for (size_t i = 0; i < model->sweep_count; i++)
        write_value(model->sweeps[i].name, NULL, model->sweeps[i].value,
                    indent + 6, text);
    if (model->sweep_count > 0)
        nb_text_print(text, "%*s</sweep>\n", indent + 4, "");
    nb_text_print(text, "%*s</%s>\n%*s</ask>\n", indent + 2, "", model->command,
                  indent, "");
}

void nb_model_write(const struct nb_model *model, bool is_root, int indent,
                    struct nb_text *text)
{
    const bool asks = is_root && model->command != NULL;
    indent = indent < 0 ? 0 : indent > MODEL_INDENT ? MODEL_INDENT : indent;
    const int inner = indent + 2;
    if (is_root)
        nb_text_print(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    nb_text_print(text, "%*s<model", indent, "");
    if (is_root)
        nb_text_print(text, " xmlns=\"%s\" version=\"1\"", NB_XML_NAMESPACE);
    if (!asks) {
        nb_text_print(text, " command=\"");
        nb_xml_escape(model->command != NULL ? model->command : "", text);
        nb_text_print(text, "\"");
    }
    nb_text_print(text, ">\n");
    if (model->title != NULL)
        write_value("title", NULL, model->title, inner, text);
    write_show(model, inner, text);
    if (asks)
        write_ask(model, inner, text);
    else
        write_named(model, inner, text);
    for (size_t i = 0; i < model->input_count; i++)
        write_input(&model->inputs[i], inner, text);
    nb_text_print(text, "%*s</model>\n", indent, "");
}
