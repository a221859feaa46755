/* netbound schema: models/ask.xsd, the commands, options and values permitted
 * in models, generated from the option tables in XML Schema 1.0. There an
 * element's name determines its type, but an attribute cannot: hence an element
 * for each command and, within it, for each option. */
#include "cli/options.h"

#include "cli/reference.h"
#include "model/search.h"
#include "core/locale.h"

#include <assert.h>
#include <string.h>

static const char schema_head[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<!-- What models may ask: made by \"make schema\" from the tables of "
    "options.\n     Included by model.xsd. -->\n"
    "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\"\n"
    "           xmlns=\"urn:netbound:1\" targetNamespace=\"urn:netbound:1\"\n"
    "           elementFormDefault=\"qualified\">\n";

/* A type of texts: its beginning, and its end after the facets. */
#define SCHEMA_TYPE(name)                                                      \
    "<xs:simpleType" name "><xs:restriction base=\"xs:string\">"
#define SCHEMA_STRING SCHEMA_TYPE("")
#define SCHEMA_END    "</xs:restriction></xs:simpleType>\n"

static void schema_document(const char *text, const struct nb_parameter *row,
                            int indent, struct nb_text *out)
{
    struct nb_text plain = { 0 };
    if (row != NULL)
        nb_option_print(row, &plain);
    nb_text_print(out, "%*s<xs:annotation><xs:documentation>", indent, "");
    nb_xml_escape(plain.length > 0 ? plain.bytes
                  : text != NULL   ? text
                                   : "",
                  out);
    nb_text_print(out, "</xs:documentation></xs:annotation>\n");
    out->has_failed |= plain.has_failed;
    nb_text_release(&plain);
}

static void schema_pattern(const char *pattern, struct nb_text *out)
{
    nb_text_print(out, SCHEMA_STRING "<xs:pattern value=\"%s\"/>" SCHEMA_END,
                  pattern);
}

/* A type of the words separated by "|". */
static void schema_words(const char *words, struct nb_text *out)
{
    nb_text_print(out, SCHEMA_STRING);
    while (words != NULL) {
        const int length = (int)strcspn(words, "|");
        nb_text_print(out, "<xs:enumeration value=\"%.*s\"/>", length, words);
        words = words[length] == '|' ? words + length + 1 : NULL;
    }
    nb_text_print(out, SCHEMA_END);
}

/* Numbers in the row's range. The pattern excludes what XML Schema accepts as a
 * number, but the program does not. */
static void schema_range(const struct nb_parameter *row, const char *base,
                         const char *pattern, struct nb_text *out)
{
    nb_text_print(out,
                  "<xs:simpleType><xs:restriction base=\"%s\">"
                  "<xs:pattern value=\"%s\"/><xs:minInclusive value=\"%.17g\"/>"
                  "<xs:maxInclusive value=\"%.17g\"/>" SCHEMA_END,
                  base, pattern, row->least, row->most);
}

/* The whole numbers from low to high, both with the same number of digits, as a
 * pattern. */
static void schema_digits(const char *low, const char *high,
                          struct nb_text *out)
{
    static const char zeros[] = "0000000000000000000",
                      nines[] = "9999999999999999999";
    if (*low == '\0')
        return;
    const size_t rest = strlen(low) - 1;
    const char *none = zeros + sizeof zeros - 1 - rest;
    const char *all = nines + sizeof nines - 1 - rest;
    if (*low == *high) {
        nb_text_print(out, "%c", *low);
        schema_digits(low + 1, high + 1, out);
        return;
    }
    const int first = *low + (strcmp(low + 1, none) != 0);
    const int last = *high - (strcmp(high + 1, all) != 0);
    nb_text_print(out, "(");
    if (first > *low) {
        nb_text_print(out, "%c", *low);
        schema_digits(low + 1, all, out);
        nb_text_print(out, "|");
    }
    if (first <= last)
        nb_text_print(out, "[%c-%c]", first, last);
    if (first <= last && rest > 0)
        nb_text_print(out, "[0-9]{%zu}", rest);
    if (first <= last && last < *high)
        nb_text_print(out, "|");
    if (last < *high) {
        nb_text_print(out, "%c", *high);
        schema_digits(none, high + 1, out);
    }
    nb_text_print(out, ")");
}

/* Whole numbers in the row's range as a pattern. */
static void schema_whole(const struct nb_parameter *row, struct nb_text *out)
{
    char low[32], high[32];
    if (row->least < 0 || row->most >= 1e18) {
        nb_text_print(out, "[+\\-]?[0-9]+");
        return;
    }
    nb_text_print(out, "\\+?0*(%s", row->least < 1 ? "0|" : "");
    double least = row->least < 1 ? 1 : row->least;
    for (double next = 10; least <= row->most; next *= 10) {
        const int digits = nb_snprintf(low, sizeof low, "%.0f", least);
        int most = digits;
        if (next <= least)
            continue;
        nb_snprintf(high, sizeof high, "%.0f",
                    next <= row->most ? next - 1 : row->most);
        if (least * 10 == next) /* also all numbers of more digits */
            for (; next * 10 - 1 <= row->most; most++)
                next *= 10;
        if (most > digits)
            nb_text_print(out, "[1-9][0-9]{%d,%d}", digits - 1, most - 1);
        else
            schema_digits(low, high, out);
        least = next;
        nb_text_print(out, least <= row->most ? "|" : "");
    }
    nb_text_print(out, ")");
}

static bool schema_is_number(const struct nb_parameter *row)
{
    return row->type == NB_WHOLE || row->type == NB_NUMBER ||
           row->type == NB_REAL;
}

/* One value of a parameter as a pattern. For numbers with units and for ratios
 * the pattern checks only the form. */
static void schema_parameter(const struct nb_parameter *row,
                             struct nb_text *out)
{
    static const char number[] = "[0-9.]+([eE][+\\-]?[0-9]+)?";
    static const char unit[] =
        "| ?[^0-9 ,:+=/\\-]+(/([0-9.]+ ?)?[^0-9 ,:+=/\\-]+)?";
    nb_text_print(out, "(");
    if (row->type == NB_WHOLE)
        schema_whole(row, out);
    if (schema_is_number(row) && (row->type != NB_WHOLE || row->unit != NULL))
        nb_text_print(out, "%s%s%s(/[0-9]+%s)?",
                      row->type == NB_WHOLE ? "|" : "",
                      row->least < 0 ? "[+\\-]?" : "\\+?", number,
                      row->unit != NULL ? unit : "");
    if (row->is_list)
        nb_text_print(out, "|[^,:]+\\+[^,:]+");
    if (schema_is_number(row) && row->choices != NULL)
        nb_text_print(out, "|%s", row->choices);
    if (row->type == NB_CHOICE || row->type == NB_FLAG)
        nb_text_print(out, "%s",
                      row->type == NB_FLAG ? "no|yes" : row->choices);
    if (row->type == NB_RADICES || row->type == NB_LIST) {
        schema_whole(row, out);
        nb_text_print(out, row->type == NB_LIST ? "(\\+" : "(x");
        schema_whole(row, out);
        nb_text_print(out, ")*");
    }
    if (row->type == NB_PATH || row->type == NB_WORD)
        nb_text_print(out, "[^,]+");
    nb_text_print(out, ")");
}

/* The name of the type of values with a unit. */
static void schema_unit(const char *unit, struct nb_text *out)
{
    nb_text_print(out, "unit_%.*s%s", (int)strcspn(unit, "/"), unit,
                  strchr(unit, '/') != NULL ? "_per_cycle" : "");
}

/* The values that a sweep of the row may have: a list, or A:B:STEP of
 * numbers. */
static void schema_swept(const struct nb_parameter *row, struct nb_text *out)
{
    nb_text_print(out, SCHEMA_STRING "<xs:pattern value=\"");
    for (const char *c = schema_is_number(row) ? "@(,@)*|@:@:[^,:]+" : "@(,@)*";
         *c != '\0'; c++)
        if (*c == '@')
            schema_parameter(row, out);
        else
            nb_text_add(out, c, 1);
    nb_text_print(out, "\"/>" SCHEMA_END);
}

/* The type of an option's value. */
static void schema_value(const struct nb_parameter *row, struct nb_text *out)
{
    const char *words = row->type == NB_FLAG ? "no|yes" : row->choices;
    if (!schema_is_number(row) && words != NULL) {
        schema_words(words, out);
        return;
    }
    if (!schema_is_number(row)) {
        schema_pattern(row->type == NB_RADICES ? "[0-9]+(x[0-9]+)*"
                       : row->type == NB_LIST  ? "[0-9]+(\\+[0-9]+)*"
                                               : ".+",
                       out);
        return;
    }
    nb_text_print(out, "<xs:simpleType><xs:union");
    if (row->unit != NULL) {
        nb_text_print(out, " memberTypes=\"");
        schema_unit(row->unit, out);
        nb_text_print(out, "\"");
    }
    nb_text_print(out, ">\n");
    if (row->type == NB_WHOLE)
        schema_range(row, "xs:integer", "[0-9+\\-]+", out);
    else
        schema_range(row, "xs:double", "[0-9.eE+\\-]+", out);
    if (row->type == NB_NUMBER)
        schema_pattern("[0-9]+/[0-9]+", out);
    if (words != NULL)
        schema_words(words, out);
    nb_text_print(out, "</xs:union></xs:simpleType>\n");
}

static void schema_option(const struct nb_parameter *row, struct nb_text *out)
{
    const struct nb_registry *registry = nb_option_registry(row);
    nb_text_print(out, "      <xs:element name=\"%s\" minOccurs=\"0\"",
                  row->name);
    if (registry != NULL)
        nb_text_print(out, " type=\"kind_%s\"", registry->option);
    nb_text_print(out, ">\n");
    schema_document(NULL, row, 8, out);
    if (registry == NULL)
        schema_value(row, out);
    nb_text_print(out, "      </xs:element>\n");
}

/* Rows of several tables, each name once. */
struct schema_rows {
    size_t count;
    const struct nb_parameter *at[1000];
};

static void schema_add(struct schema_rows *rows, const struct nb_parameter *row)
{
    size_t i = 0;
    while (i < rows->count && strcmp(rows->at[i]->name, row->name) != 0)
        i++;
    assert(i < sizeof rows->at / sizeof *rows->at);
    if (i == rows->count)
        rows->at[rows->count++] = row;
}

static void schema_add_table(struct schema_rows *rows,
                             const struct nb_parameter *table)
{
    for (; table != NULL && table->name != NULL; table++)
        schema_add(rows, table);
}

/* The parameters that any kind of a registry has. */
static struct schema_rows schema_parts(const struct nb_registry *registry)
{
    struct schema_rows out = { 0 };
    const struct nb_kind *kind;
    for (size_t i = 0; (kind = registry->kinds(i)) != NULL; i++)
        schema_add_table(&out, kind->parameters);
    schema_add_table(&out, registry->common);
    return out;
}

/* The values that a parameter of specifications may have in a sweep,
 * topology.k: those that any kind permits. */
static void schema_part(const struct nb_registry *registry, const char *name,
                        struct nb_text *out)
{
    const size_t length = strlen(name);
    const struct nb_parameter *row =
        nb_option_find(registry->common, name, length);
    const struct nb_kind *kind;
    nb_text_print(out, "  <xs:simpleType name=\"part_%s.%s\"><xs:union>\n",
                  registry->option, name);
    for (size_t i = 0; (kind = registry->kinds(i)) != NULL; i++) {
        const struct nb_parameter *own =
            nb_option_find(kind->parameters, name, length);
        if (own != NULL)
            schema_swept(own, out);
    }
    if (row != NULL)
        schema_swept(row, out);
    nb_text_print(out, "  </xs:union></xs:simpleType>\n");
}

static void schema_part_elements(const struct nb_registry *registry,
                                 struct nb_text *out)
{
    const struct schema_rows parts = schema_parts(registry);
    for (size_t i = 0; i < parts.count; i++)
        nb_text_print(out, "<xs:element name=\"%s.%s\" type=\"part_%s.%s\"/>",
                      registry->option, parts.at[i]->name, registry->option,
                      parts.at[i]->name);
    nb_text_print(out, "\n");
}

/* The parts of a specification that names no kind. */
static void schema_sweep_own_parts(const struct nb_parameter *option,
                                   struct nb_text *out)
{
    for (const struct nb_parameter *row = option->parts; row->name != NULL;
         row++) {
        nb_text_print(out, "<xs:element name=\"%s.%s\">", option->name,
                      row->name);
        schema_swept(row, out);
        nb_text_print(out, "</xs:element>\n");
    }
}

/* Specifications and paths in a list may contain commas. */
static void schema_sweep_option(const struct nb_parameter *row,
                                struct nb_text *out)
{
    nb_text_print(out, "<xs:element name=\"%s\"", row->name);
    if (row->type == NB_WORD || row->type == NB_PATH) {
        nb_text_print(out, " type=\"list\"/>\n");
        return;
    }
    nb_text_print(out, ">");
    schema_swept(row, out);
    nb_text_print(out, "</xs:element>\n");
}

static void schema_command(const struct nb_question_kind *kind,
                           struct nb_text *out)
{
    const struct nb_form *form = &kind->form;
    nb_text_print(out, "  <xs:complexType name=\"ask_%s\">\n", form->name);
    schema_document(form->summary, NULL, 4, out);
    nb_text_print(out, "    <xs:all>\n");
    for (const struct nb_parameter *row = form->options; row->name != NULL;
         row++)
        schema_option(row, out);
    for (const struct nb_parameter *row = nb_common_options; row->name != NULL;
         row++) /* questions with a verdict cannot be searched */
        if (nb_find_is_part(row->name) && kind->judge == NULL &&
            nb_option_find(form->options, row->name, strlen(row->name)) == NULL)
            schema_option(row, out);
    nb_text_print(out, "      <xs:element name=\"sweep\" minOccurs=\"0\">"
                       "<xs:complexType><xs:choice maxOccurs=\"1000\">\n");
    for (const struct nb_parameter *row = form->options; row->name != NULL;
         row++) {
        const struct nb_registry *registry = nb_option_registry(row);
        schema_sweep_option(row, out);
        if (registry != NULL)
            schema_part_elements(registry, out);
        if (row->parts != NULL)
            schema_sweep_own_parts(row, out);
    }
    nb_text_print(out, "      </xs:choice></xs:complexType></xs:element>\n"
                       "    </xs:all>\n  </xs:complexType>\n");
}

/* KEY=VALUE of any parameter of a kind, as a pattern. */
static void schema_items(const struct nb_registry *registry,
                         const struct nb_kind *kind, struct nb_text *out)
{
    const char *mark = "";
    for (const struct nb_parameter *row = NULL;
         (row = nb_kind_next(registry, kind, row)) != NULL; mark = "|") {
        nb_text_print(out, "%s(%s%s%s)=", mark, row->name,
                      row->also != NULL ? "|" : "",
                      row->also != NULL ? row->also : "");
        schema_parameter(row, out);
    }
}

/* KIND or KIND:FIRST,KEY=VALUE,... as a pattern. */
static void schema_kind(const struct nb_registry *registry,
                        const struct nb_kind *kind, struct nb_text *out)
{
    const struct nb_parameter *first = nb_kind_next(registry, kind, NULL);
    const char *name;
    int length;
    nb_text_print(out, "(");
    for (size_t i = 0; (name = nb_kind_name(kind, i, &length)) != NULL; i++)
        nb_text_print(out, "%s%.*s", i > 0 ? "|" : "", length, name);
    nb_text_print(out, ")");
    if (first == NULL)
        return;
    nb_text_print(out, "(:(");
    schema_items(registry, kind, out);
    if (first->is_leading) {
        nb_text_print(out, "|");
        schema_parameter(first, out);
    }
    nb_text_print(out, ")(,(");
    schema_items(registry, kind, out);
    nb_text_print(out, "))*)?");
}

static void schema_registry(const struct nb_registry *registry,
                            struct nb_text *out)
{
    const struct nb_kind *kind;
    nb_text_print(out, "  <xs:simpleType name=\"kind_%s\"><xs:union>\n",
                  registry->option);
    for (size_t i = 0; (kind = registry->kinds(i)) != NULL; i++) {
        nb_text_print(out, SCHEMA_STRING "\n");
        schema_document(kind->summary, NULL, 2, out);
        nb_text_print(out, "<xs:pattern value=\"");
        schema_kind(registry, kind, out);
        nb_text_print(out, "\"/>" SCHEMA_END);
    }
    nb_text_print(out, "  </xs:union></xs:simpleType>\n");
}

static void schema_units(struct nb_text *out)
{
    const struct nb_unit_base *base;
    for (size_t i = 0; (base = nb_unit_base_at(i)) != NULL; i++) {
        nb_text_print(out, "  <xs:simpleType name=\"");
        schema_unit(base->name, out);
        nb_text_print(out, "\"><xs:restriction base=\"xs:string\">"
                           "<xs:pattern value=\"");
        nb_unit_print_pattern(base->name, out);
        nb_text_print(out, "\"/>" SCHEMA_END);
    }
}

/* The constraints that can be expressed for the older form of models. */
static void schema_names(struct nb_text *out)
{
    static const char element[] = "<xs:enumeration value=\"%s\"/>\n";
    static const char type[] = "  <xs:simpleType name=\"%s\">"
                               "<xs:restriction base=\"%s\">";
    struct schema_rows rows = { 0 };
    nb_text_print(out, type, "command_name", "identifier");
    for (size_t i = 0; nb_questions[i] != NULL; i++) {
        nb_text_print(out, element, nb_questions[i]->form.name);
        schema_add_table(&rows, nb_questions[i]->form.options);
    }
    nb_text_print(out, SCHEMA_END);
    nb_text_print(out, type, "option_name", "identifier");
    const size_t swept = rows.count;
    for (const struct nb_parameter *row = nb_common_options; row->name != NULL;
         row++)
        if (nb_find_is_part(row->name))
            schema_add(&rows, row);
    for (size_t i = 0; i < rows.count; i++)
        if (!nb_model_has_element(rows.at[i]->name))
            nb_text_print(out, element, rows.at[i]->name);
    nb_text_print(out, SCHEMA_END);
    nb_text_print(out, type, "sweep_name", "swept");
    nb_text_print(out, "<xs:pattern value=\"(");
    for (size_t i = 0; i < swept; i++)
        nb_text_print(out, "%s%s", i > 0 ? "|" : "", rows.at[i]->name);
    nb_text_print(out, ")(\\.[a-z0-9_\\-]+)?\"/>" SCHEMA_END);
}

static enum nb_status schema_print(const struct nb_invocation *invocation,
                                   struct nb_text *out, struct nb_error *err)
{
    (void)invocation;
    (void)err;
    nb_text_print(out, "%s  <xs:complexType name=\"ask\"><xs:choice>\n",
                  schema_head);
    for (size_t i = 0; nb_questions[i] != NULL; i++)
        nb_text_print(out, "<xs:element name=\"%s\" type=\"ask_%s\"/>\n",
                      nb_questions[i]->form.name, nb_questions[i]->form.name);
    nb_text_print(out, "  </xs:choice></xs:complexType>\n");
    for (size_t i = 0; nb_questions[i] != NULL; i++)
        schema_command(nb_questions[i], out);
    for (const struct nb_registry *at = nb_registries; at->option != NULL; at++)
        schema_registry(at, out);
    for (const struct nb_registry *at = nb_registries; at->option != NULL;
         at++) {
        const struct schema_rows parts = schema_parts(at);
        for (size_t i = 0; i < parts.count; i++)
            schema_part(at, parts.at[i]->name, out);
        nb_text_print(out, "\n");
    }
    schema_units(out);
    nb_text_print(
        out, "  " SCHEMA_TYPE(
                 " name=\"list\"") "<xs:minLength value=\"1\"/>" SCHEMA_END);
    schema_names(out);
    nb_text_print(out, "</xs:schema>\n");
    return NB_OK;
}

static const struct nb_form schema_form = {
    .name = "schema",
    .summary = "XML schema of models, for editors",
    .details = "models/model.xsd includes models/ask.xsd. With both, an "
               "editor, or xmllint --schema models/model.xsd MODEL.xml, knows "
               "every command, its options, their choices, ranges and units.",
    .example = "netbound schema --output ask.xsd",
    .common = "output",
};

const struct nb_command nb_command_schema = {
    .form = &schema_form,
    .print = schema_print,
};
