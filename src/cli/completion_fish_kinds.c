/* Kinds and their parameters, for completion in fish (declared in
 * reference.h). */
#include "cli/reference.h"

#include <string.h>

/* Prints a word and what it is for. */
static void kinds_add_line(const char *word, int length, const char *mark,
                           const char *help, struct nb_text *text)
{
    nb_text_print(text, "        printf '%%s\\t%%s\\n' '%.*s%s' ", length, word,
                  mark);
    nb_shell_quote(NB_SHELL_FISH, help, text);
    nb_text_print(text, "\n");
}

/* Every kind under all of its names. */
static void kinds_add_kinds(const struct nb_registry *registry,
                            struct nb_text *text)
{
    const struct nb_kind *kind;
    const char *name;
    int length;
    nb_text_print(text, "    case %s\n", registry->option);
    for (size_t k = 0; (kind = registry->kinds(k)) != NULL; k++)
        for (size_t n = 0; (name = nb_kind_name(kind, n, &length)) != NULL; n++)
            kinds_add_line(name, length, nb_kind_mark(kind), kind->summary,
                           text);
}

static void kinds_add_case(const char *option, const struct nb_kind *kind,
                           const char *key, struct nb_text *text)
{
    const char *name;
    int length;
    nb_text_print(text, "    case");
    for (size_t n = 0; (name = nb_kind_name(kind, n, &length)) != NULL; n++)
        nb_text_print(text, " %s:%.*s:%s", option, length, name, key);
    nb_text_print(text, "\n");
}

/* Words between blanks; NULL: none. */
static void kinds_add_words(const char *words, const char *help,
                            struct nb_text *text)
{
    for (const char *word = words; word != NULL && *word != '\0';) {
        const size_t length = strcspn(word, " ");
        kinds_add_line(word, (int)length, "", help, text);
        word += length + (word[length] == ' ');
    }
}

/* What may stand for a parameter; $argv[2] is what does so far. */
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
            nb_text_print(text, "        __fish_complete_path $argv[2]\n");
        else
            kinds_add_words(words.bytes, row->help, text);
    }
    text->has_failed |= words.has_failed;
    nb_text_release(&words);
}

static void kinds_add_kind(const struct nb_registry *registry,
                           const struct nb_kind *kind, struct nb_text *text)
{
    const struct nb_parameter *row = nb_kind_next(registry, kind, NULL);
    if (row == NULL)
        return;
    kinds_add_case(registry->option, kind, "", text);
    for (; row != NULL; row = nb_kind_next(registry, kind, row))
        kinds_add_line(row->name, (int)strlen(row->name), "=", row->help, text);
    while ((row = nb_kind_next(registry, kind, row)) != NULL)
        kinds_add_values(registry->option, kind, row, text);
}

void nb_completion_fish_kinds(struct nb_text *text)
{
    const struct nb_registry *at;
    const struct nb_kind *kind;
    nb_text_print(text, "function __netbound_kinds\n    switch $argv[1]\n");
    for (at = nb_registries; at->option != NULL; at++)
        kinds_add_kinds(at, text);
    nb_text_print(text, "    end\nend\n"
                        "# OPTION:KIND:KEY gives values, OPTION:KIND: keys,\n"
                        "# OPTION:KIND:- values that need no key.\n"
                        "function __netbound_parameters\n"
                        "    switch $argv[1]\n");
    for (at = nb_registries; at->option != NULL; at++)
        for (size_t k = 0; (kind = at->kinds(k)) != NULL; k++)
            kinds_add_kind(at, kind, text);
    nb_text_print(text, "    end\nend\n");
}
