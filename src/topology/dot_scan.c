#include "topology/dot_scan.h"

#include "core/locale.h"

#include <string.h>

enum nb_status nb_dot_refuse(const struct nb_dot_scanner *scanner,
                             const char *permitted, struct nb_error *err)
{
    const struct nb_dot_token *token = &scanner->token;
    const bool is_mark =
        token->kind == NB_DOT_MARK || token->kind == NB_DOT_EDGE;
    const size_t length = (size_t)(token->end - token->text);
    if (token->kind == NB_DOT_END)
        return nb_graph_fail(scanner->graph, token->line, NB_INVALID, err,
                             "the file ends here (permitted: %s)", permitted);
    return nb_graph_fail(scanner->graph, token->line, NB_INVALID, err,
                         "\"%.*s\" is not permitted here (permitted: %s)",
                         (int)(length < 60 ? length : 60),
                         is_mark ? token->mark : token->text, permitted);
}

const char *nb_dot_after_blanks(const char *start, const char *text)
{
    for (;;) {
        const char *at = text + strspn(text, " \t\r\n\f\v");
        if (strncmp(at, "//", 2) == 0 ||
            (*at == '#' && (at == start || at[-1] == '\n')))
            at += strcspn(at, "\n");
        else if (strncmp(at, "/*", 2) == 0)
            at = strstr(at, "*/") != NULL ? strstr(at, "*/") + 2
                                          : at + strlen(at);
        if (at == text)
            return text;
        text = at;
    }
}

static void dot_skip_blanks(struct nb_dot_scanner *scanner)
{
    const char *end = nb_dot_after_blanks(scanner->text, scanner->at);
    for (; scanner->at < end; scanner->at++)
        scanner->line += *scanner->at == '\n';
}

/* Reads a string from behind its first quote, and those joined to it by +. Only
 * \" is replaced, and a line may end in \; labels replace more. */
static enum nb_status dot_scan_string(struct nb_dot_scanner *scanner,
                                      struct nb_error *err)
{
    struct nb_dot_token *token = &scanner->token;
    char *out = scanner->at;
    token->kind = NB_DOT_STRING;
    token->text = out;
    do {
        for (; *scanner->at != '"'; scanner->at++) {
            const char *at = scanner->at;
            if (*at == '\0')
                return nb_graph_fail(scanner->graph, token->line, NB_INVALID,
                                     err,
                                     "a string begins here and has no end "
                                     "(permitted: \"...\")");
            scanner->line += *at == '\n';
            if (*at == '\\' && at[1] == '\n')
                scanner->line++;
            if (*at == '\\' && (at[1] == '"' || at[1] == '\n' || at[1] == '\\'))
                scanner->at++;
            if (*at == '\\' && at[1] == '\\')
                *out++ = '\\';
            if (*at != '\\' || at[1] != '\n')
                *out++ = *scanner->at;
        }
        scanner->at++;
        dot_skip_blanks(scanner);
        if (*scanner->at != '+')
            break;
        scanner->at++;
        dot_skip_blanks(scanner);
        if (*scanner->at++ != '"')
            return nb_graph_fail(scanner->graph, scanner->line, NB_INVALID, err,
                                 "+ stands behind a string without another one "
                                 "(permitted: \"...\" + \"...\")");
    } while (true);
    token->end = out;
    *out = '\0';
    return NB_OK;
}

static enum nb_status dot_scan_html(struct nb_dot_scanner *scanner,
                                    struct nb_error *err)
{
    struct nb_dot_token *token = &scanner->token;
    size_t depth = 1;
    token->kind = NB_DOT_HTML;
    token->text = scanner->at;
    for (; depth > 0; scanner->at++) {
        if (*scanner->at == '\0')
            return nb_graph_fail(scanner->graph, token->line, NB_INVALID, err,
                                 "HTML begins here and has no end (permitted: "
                                 "as many > as <)");
        depth += *scanner->at == '<';
        depth -= *scanner->at == '>';
        scanner->line += *scanner->at == '\n';
    }
    token->end = scanner->at - 1;
    *token->end = '\0';
    return NB_OK;
}

enum nb_status nb_dot_scan(struct nb_dot_scanner *scanner, struct nb_error *err)
{
    struct nb_dot_token *token = &scanner->token;
    dot_skip_blanks(scanner);
    char *at = scanner->at;
    *token = (struct nb_dot_token){ NB_DOT_END, at, at, scanner->line, "" };
    if (*at == '\0')
        return NB_OK;
    scanner->at++;
    if (*at == '"')
        return dot_scan_string(scanner, err);
    if (*at == '<')
        return dot_scan_html(scanner, err);
    token->mark[0] = *at;
    if (strncmp(at, "--", 2) == 0 || strncmp(at, "->", 2) == 0) {
        token->kind = NB_DOT_EDGE;
        token->mark[1] = at[1];
        scanner->at++;
    } else if (nb_is_letter_or_digit(*at) || (unsigned char)*at >= 0x80 ||
               strchr("_.-", *at) != NULL) {
        token->kind = NB_DOT_WORD;
        while (nb_is_letter_or_digit(*scanner->at) ||
               (unsigned char)*scanner->at >= 0x80 || *scanner->at == '_' ||
               *scanner->at == '.')
            scanner->at++;
    } else {
        token->kind = NB_DOT_MARK;
    }
    token->end = scanner->at;
    return NB_OK;
}

enum nb_status nb_dot_take(struct nb_dot_scanner *scanner, char **text,
                           struct nb_error *err)
{
    const struct nb_dot_token before = scanner->token;
    const enum nb_status status = nb_dot_scan(scanner, err);
    if (before.kind == NB_DOT_WORD)
        *before.end = '\0';
    if (text != NULL)
        *text = before.text;
    return status;
}

bool nb_dot_is_mark(const struct nb_dot_scanner *scanner, char mark)
{
    return scanner->token.kind == NB_DOT_MARK && *scanner->token.mark == mark;
}

bool nb_dot_is_id(const struct nb_dot_scanner *scanner)
{
    return scanner->token.kind == NB_DOT_WORD ||
           scanner->token.kind == NB_DOT_STRING ||
           scanner->token.kind == NB_DOT_HTML;
}

bool nb_dot_is_keyword(const struct nb_dot_scanner *scanner, const char *word)
{
    const struct nb_dot_token *token = &scanner->token;
    const size_t length = strlen(word);
    return token->kind == NB_DOT_WORD &&
           (size_t)(token->end - token->text) == length &&
           nb_is_same_start(token->text, word, length);
}

enum nb_status nb_dot_take_mark(struct nb_dot_scanner *scanner, char mark,
                                struct nb_error *err)
{
    const char permitted[] = { mark, '\0' };
    if (!nb_dot_is_mark(scanner, mark))
        return nb_dot_refuse(scanner, permitted, err);
    return nb_dot_take(scanner, NULL, err);
}

enum nb_status nb_dot_take_id(struct nb_dot_scanner *scanner, char **text,
                              bool *is_html, struct nb_error *err)
{
    if (!nb_dot_is_id(scanner))
        return nb_dot_refuse(scanner, "a name, a number or a \"string\"", err);
    if (is_html != NULL)
        *is_html = scanner->token.kind == NB_DOT_HTML;
    return nb_dot_take(scanner, text, err);
}
