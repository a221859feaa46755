/* Parameters of kinds, for completion in bash and zsh (declared in
 * reference.h). */
#include "cli/reference.h"

/* "    topology:torus:key|topology:alias:key) ". */
static void kinds_add_case(const char *option, const struct nb_kind *kind,
                           const char *key, struct nb_text *text)
{
    const char *name;
    int length;
    for (size_t n = 0; (name = nb_kind_name(kind, n, &length)) != NULL; n++)
        nb_text_print(text, "%s%s:%.*s:%s", n == 0 ? "    " : "|", option,
                      length, name, key);
    nb_text_print(text, ") ");
}

/* What may stand for a parameter, after its name or, if it is leading, right
 * after the kind. */
static void kinds_add_values(const char *option, const struct nb_kind *kind,
                             const struct nb_parameter *row,
                             struct nb_text *text)
{
    struct nb_text words = { 0 };
    const enum nb_offer offer = nb_option_offer(NULL, row, &words);
    for (int i = row->is_leading ? 0 : 1; i < 2; i++) {
        if (offer == NB_OFFER_NOTHING)
            continue;
        kinds_add_case(option, kind, i == 0 ? "-" : row->name, text);
        if (offer == NB_OFFER_FILES)
            nb_text_print(text, "files=any ;;\n");
        else
            nb_text_print(text, "choices+=' %s' ;;\n",
                          words.bytes != NULL ? words.bytes : "");
    }
    text->has_failed |= words.has_failed;
    nb_text_release(&words);
}

/* The names, then the values of each. */
static void kinds_add_kind(const struct nb_registry *registry,
                           const struct nb_kind *kind, struct nb_text *text)
{
    const struct nb_parameter *row = nb_kind_next(registry, kind, NULL);
    if (row == NULL)
        return;
    kinds_add_case(registry->option, kind, "", text);
    nb_text_print(text, "choices+='");
    for (; row != NULL; row = nb_kind_next(registry, kind, row))
        nb_text_print(text, " %s=", row->name);
    nb_text_print(text, "' ;;\n");
    while ((row = nb_kind_next(registry, kind, row)) != NULL)
        kinds_add_values(registry->option, kind, row, text);
}

void nb_completion_kinds(struct nb_text *text)
{
    nb_text_print(
        text, "# What may stand in a specification: $1 is OPTION:KIND:KEY for\n"
              "# values, OPTION:KIND: for keys, OPTION:KIND:- for values that\n"
              "# need no key.\n"
              "_netbound_parameters() {\n"
              "    case $1 in\n");
    for (const struct nb_registry *at = nb_registries; at->option != NULL;
         at++) {
        const struct nb_kind *kind;
        for (size_t k = 0; (kind = at->kinds(k)) != NULL; k++)
            kinds_add_kind(at, kind, text);
    }
    nb_text_print(text, "    esac\n}\n\n");
}
