/* Every parameter that can be swept is in the schema of models. */
#include "ask/question.h"
#include "ask/registry.h"

#include "core/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static void is_in_schema(const char *schema, const char *option,
                         const char *part)
{
    char element[200];
    snprintf(element, sizeof element, "<xs:element name=\"%s.%s\"", option,
             part);
    if (strstr(schema, element) == NULL)
        fail_msg("models/ask.xsd has no %s", element);
}

static const struct nb_registry *find_registry(const char *option)
{
    const struct nb_registry *at = nb_registries;
    while (at->option != NULL && strcmp(at->option, option) != 0)
        at++;
    return at->option != NULL ? at : NULL;
}

/* Options with words that are not name=value, or with repeated names. */
static bool is_plain(const char *option)
{
    static const char plain[] =
        "check claim classes find hosts id inputs loads of pair paths pending "
        "refused routers rule shared simulate source step";
    return nb_word_is_in(plain, ' ', option, strlen(option));
}

static void every_part_may_be_swept(void **state)
{
    struct nb_text file = { 0 };
    (void)state;
    assert_int_equal(nb_text_read_file("models/ask.xsd", 1 << 22, &file, NULL),
                     NB_OK);
    for (size_t q = 0; nb_questions[q] != NULL; q++)
        for (const struct nb_parameter *row = nb_questions[q]->form.options;
             row->name != NULL; row++) {
            const struct nb_registry *of = find_registry(row->name);
            const struct nb_parameter *part = row->parts;
            const struct nb_kind *kind;
            for (; part != NULL && part->name != NULL; part++)
                is_in_schema(file.bytes, row->name, part->name);
            for (size_t i = 0; of != NULL && (kind = of->kinds(i)) != NULL; i++)
                for (part = nb_kind_next(of, kind, NULL);
                     part != NULL && part->name != NULL;
                     part = nb_kind_next(of, kind, part))
                    is_in_schema(file.bytes, row->name, part->name);
            if (row->type == NB_WORD && row->choices == NULL && of == NULL &&
                row->parts == NULL && !is_plain(row->name))
                fail_msg("is %s of %s a specification?", row->name,
                         nb_questions[q]->form.name);
        }
    nb_text_release(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_may_be_swept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
