/* SNDlib's native text: sections such as "LINKS ( ... )" with records such as
 * "L1 ( A B ) 0.00 0.00 0.00 0.00 ( 40.00 1.00 )". */
#include "topology/sndlib.h"

#include "core/try.h"

#include <string.h>

/* A piece of the text: "(", ")" or a word; length 0: the end. */
struct native_token {
    const char *text;
    size_t length, line;
};

/* A text being read. */
struct native {
    struct nb_sndlib *sndlib;
    const char *at;
    size_t line;
    struct native_token token; /* the next one */
};

static void native_next(struct native *reader)
{
    for (;; reader->at++) {
        if (*reader->at == '#')
            reader->at += strcspn(reader->at, "\n");
        if (*reader->at == '\0' || strchr(" \t\r\n", *reader->at) == NULL)
            break;
        reader->line += *reader->at == '\n';
    }
    const size_t word = strcspn(reader->at, " \t\r\n()#");
    const bool is_mark = *reader->at == '(' || *reader->at == ')';
    reader->token =
        (struct native_token){ reader->at, is_mark ? 1 : word, reader->line };
    reader->at += reader->token.length;
}

static bool native_is(const struct native *reader, const char *text)
{
    return reader->token.length == strlen(text) &&
           strncmp(reader->token.text, text, reader->token.length) == 0;
}

static enum nb_status native_refuse(const struct native *reader,
                                    const char *permitted, struct nb_error *err)
{
    const struct native_token *token = &reader->token;
    if (token->length == 0)
        return nb_sndlib_fail(reader->sndlib, token->line, err,
                              "the file ends here (permitted: %s)", permitted);
    return nb_sndlib_fail(reader->sndlib, token->line, err,
                          "\"%.*s\" is not permitted here (permitted: %s)",
                          (int)(token->length < 60 ? token->length : 60),
                          token->text, permitted);
}

static enum nb_status native_take(struct native *reader, const char *text,
                                  struct nb_error *err)
{
    if (!native_is(reader, text))
        return native_refuse(reader, text, err);
    native_next(reader);
    return NB_OK;
}

/* Takes a word. out: a copy; NULL: not wanted */
static enum nb_status native_take_word(struct native *reader, const char *what,
                                       const char **out, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (reader->token.length == 0 || native_is(reader, "(") ||
        native_is(reader, ")"))
        return native_refuse(reader, what, err);
    if (out != NULL)
        NB_TRY(nb_sndlib_keep(reader->sndlib, reader->token.text,
                              reader->token.length, out, err));
    native_next(reader);
done:
    return status;
}

/* Skips what follows a ( up to its ). */
static enum nb_status native_skip(struct native *reader, struct nb_error *err)
{
    size_t depth = 1;
    for (; depth > 0; native_next(reader)) {
        if (reader->token.length == 0)
            return native_refuse(reader, ")", err);
        depth += native_is(reader, "(");
        depth -= native_is(reader, ")");
    }
    return NB_OK;
}

/* NAME ( X Y ) */
static enum nb_status native_read_node(struct native *reader,
                                       struct nb_error *err)
{
    struct nb_sndlib_item node = { .line = reader->token.line };
    enum nb_status status;
    NB_TRY(native_take_word(reader, "a node or )", &node.name, err));
    if (native_is(reader, "(")) {
        native_next(reader);
        NB_TRY(native_skip(reader, err));
    }
    NB_TRY(nb_sndlib_add(&reader->sndlib->nodes, &node, err));
done:
    return status;
}

/* NAME ( SOURCE TARGET ) */
static enum nb_status native_read_ends(struct native *reader,
                                       struct nb_sndlib_item *item,
                                       struct nb_error *err)
{
    enum nb_status status;
    item->line = reader->token.line;
    NB_TRY(native_take_word(reader, "a name or )", NULL, err));
    NB_TRY(native_take(reader, "(", err));
    NB_TRY(native_take_word(reader, "a source", &item->source, err));
    NB_TRY(native_take_word(reader, "a target", &item->target, err));
    NB_TRY(native_take(reader, ")", err));
done:
    return status;
}

/* ... CAPACITY COST ROUTING-COST SETUP-COST ( CAPACITY COST ... ) */
static enum nb_status native_read_link(struct native *reader,
                                       struct nb_error *err)
{
    struct nb_sndlib *sndlib = reader->sndlib;
    struct nb_sndlib_item link = { 0 };
    const char *capacity;
    enum nb_status status;
    NB_TRY(native_read_ends(reader, &link, err));
    NB_TRY(native_take_word(reader, "a capacity", &capacity, err));
    NB_TRY(
        nb_sndlib_set_capacity(sndlib, &link, capacity, false, link.line, err));
    for (int cost = 0; cost < 3; cost++)
        NB_TRY(native_take_word(reader, "a cost", NULL, err));
    NB_TRY(native_take(reader, "(", err));
    while (!native_is(reader, ")")) {
        NB_TRY(native_take_word(reader, "a capacity or )", &capacity, err));
        NB_TRY(nb_sndlib_set_capacity(sndlib, &link, capacity, true, link.line,
                                      err));
        NB_TRY(native_take_word(reader, "a cost", NULL, err));
    }
    native_next(reader);
    NB_TRY(nb_sndlib_add(&sndlib->links, &link, err));
done:
    return status;
}

/* ... ROUTING-UNIT VALUE MAX-LENGTH */
static enum nb_status native_read_demand(struct native *reader,
                                         struct nb_error *err)
{
    struct nb_sndlib_item demand = { 0 };
    enum nb_status status;
    NB_TRY(native_read_ends(reader, &demand, err));
    NB_TRY(native_take_word(reader, "a routing unit", &demand.unit, err));
    NB_TRY(native_take_word(reader, "a value", &demand.value, err));
    NB_TRY(native_take_word(reader, "a path length", NULL, err));
    NB_TRY(nb_sndlib_add(&reader->sndlib->demands, &demand, err));
done:
    return status;
}

static const struct native_section {
    const char *name;
    enum nb_status (*read)(struct native *reader, struct nb_error *err);
} native_sections[] = {
    { "NODES", native_read_node },
    { "LINKS", native_read_link },
    { "DEMANDS", native_read_demand },
};

/* NAME ( records ); others, such as META, are skipped. */
static enum nb_status native_read_section(struct native *reader,
                                          struct nb_error *err)
{
    const struct native_section *own = NULL;
    enum nb_status status;
    for (size_t i = 0; i < sizeof native_sections / sizeof *native_sections;
         i++)
        if (native_is(reader, native_sections[i].name))
            own = &native_sections[i];
    NB_TRY(native_take_word(reader, "a section", NULL, err));
    NB_TRY(native_take(reader, "(", err));
    if (own == NULL)
        return native_skip(reader, err);
    while (!native_is(reader, ")"))
        NB_TRY(own->read(reader, err));
    native_next(reader);
done:
    return status;
}

enum nb_status nb_sndlib_read_native(struct nb_sndlib *sndlib, const char *text,
                                     struct nb_error *err)
{
    struct native reader = { .sndlib = sndlib, .at = text, .line = 1 };
    enum nb_status status = NB_OK;
    for (; *reader.at != '?'; reader.at++)
        reader.line += *reader.at == '\n';
    if (strncmp(reader.at + strcspn(reader.at, ";\n"), "; type: network", 15) !=
        0)
        return nb_sndlib_fail(sndlib, reader.line, err,
                              "\"%.*s\" is not permitted (permitted: "
                              "type: network)",
                              (int)strcspn(reader.at, "\r\n"), reader.at);
    reader.at += strcspn(reader.at, "\n");
    native_next(&reader);
    while (reader.token.length > 0)
        NB_TRY(native_read_section(&reader, err));
done:
    return status;
}
