#include "export/escape.h"

#include "core/locale.h"
#include "core/utf8.h"

#include <string.h>

enum { ESCAPE_UNKNOWN = 0xFFFD };

/* A character of the text and its bytes. Invalid UTF-8 is read as one byte with
 * character U+FFFD. */
struct escape_character {
    int code;
    const char *bytes;
    size_t length;
};

static struct escape_character escape_next(const char *text)
{
    const struct escape_character unknown = { ESCAPE_UNKNOWN, "\xEF\xBF\xBD",
                                              3 };
    uint32_t code;
    const size_t length = nb_utf8_decode(text, &code);
    const bool is_permitted = length > 0 && code != 0xFFFE && code != 0xFFFF;
    return is_permitted ? (struct escape_character){ (int)code, text, length }
                        : unknown;
}

/* The bytes of the text for this character. */
static size_t escape_size(const char *text, struct escape_character character)
{
    return character.bytes == text ? character.length : 1;
}

static void escape_add(struct nb_text *text, const char *added)
{
    nb_text_add(text, added, strlen(added));
}

static bool escape_is_control(int code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0);
}

/* Characters that pdfTeX can set with its first encodings, OT1 and TS1: found
 * by trying every character below U+2300 with the LaTeX of TeX Live 2022. */
static bool escape_has_glyph(int code)
{
    static const int ranges[][2] = {
        { 0xA0, 0xAA },     { 0xAC, 0xBA },     { 0xBC, 0xCF },
        { 0xD1, 0xDD },     { 0xDF, 0xEF },     { 0xF1, 0xFD },
        { 0xFF, 0x103 },    { 0x106, 0x10F },   { 0x112, 0x117 },
        { 0x11A, 0x125 },   { 0x128, 0x12D },   { 0x130, 0x137 },
        { 0x139, 0x13E },   { 0x141, 0x148 },   { 0x14C, 0x165 },
        { 0x168, 0x171 },   { 0x174, 0x17E },   { 0x2010, 0x2016 },
        { 0x2018, 0x2019 }, { 0x201C, 0x201D }, { 0x2020, 0x2022 },
        { 0x2026, 0x2026 }, { 0x20AC, 0x20AC }, { 0x2190, 0x2193 },
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1])
            return true;
    return code < 0x80;
}

/* The TeX code for a character; NULL: the character itself. A row must not
 * begin with a bracket or an asterisk: \\ would take it as an argument. */
static const struct nb_instead escape_latex[] = {
    { '#', "\\#" },
    { '$', "\\$" },
    { '%', "\\%" },
    { '&', "\\&" },
    { '_', "\\_" },
    { '{', "\\{" },
    { '}', "\\}" },
    { '~', "\\textasciitilde{}" },
    { '^', "\\textasciicircum{}" },
    { '\\', "\\textbackslash{}" },
    { '<', "\\textless{}" },
    { '>', "\\textgreater{}" },
    { '|', "\\textbar{}" },
    { '"', "\\char34{}" },
    { '`', "\\`{}" },
    { '[', "{[}" },
    { ']', "{]}" },
    { '*', "{*}" },
    { 0 },
};

/* Whether TeX may break a line after a mark, or after this many characters of a
 * word that may be too long for a line. */
static bool escape_breaks(int mark, size_t word, size_t unbroken, size_t rest)
{
    enum { WORD = 25, BEFORE = 8, AFTER = 4, LONG = 30 };
    const bool is_mark = mark < 0x80 && strchr(",:;=/_+)", mark) != NULL;
    return word >= WORD && rest >= AFTER &&
           unbroken >= (is_mark ? BEFORE : LONG);
}

/* The length of a power at the end of a word, as in the unit cycles^2; 0:
 * none. */
static size_t escape_power(const char *start, const char *at)
{
    const bool is_power =
        *at == '^' && at > start && nb_is_letter(at[-1]) && nb_is_digit(at[1]);
    return is_power && strchr(" )", at[2]) != NULL ? 2 : 0;
}

void nb_escape_latex(const char *plain, struct nb_text *text)
{
    const char *start = plain;
    size_t word = strcspn(plain, " "); /* bytes of this character */
    size_t unbroken = 0; /* characters since the last possible break */
    while (*plain != '\0') {
        const struct escape_character next = escape_next(plain);
        const char *instead = nb_instead_of(escape_latex, next.code);
        const size_t power = escape_power(start, plain);
        if (power > 0) {
            nb_text_print(text, "\\textsuperscript{%c}", plain[1]);
            plain += power;
            unbroken += power;
            continue;
        }
        const bool is_blank = next.code == ' ' || escape_is_control(next.code);
        if (is_blank)
            escape_add(text, " ");
        else if (!escape_has_glyph(next.code))
            nb_text_print(text, "\\texttt{U+%04X}", (unsigned)next.code);
        else if (instead != NULL)
            escape_add(text, instead);
        else
            nb_text_add(text, next.bytes, next.length);
        plain += escape_size(plain, next);
        const size_t rest = strcspn(plain, " ");
        word = is_blank ? rest : word;
        unbroken = is_blank ? 0 : unbroken + 1;
        if (escape_breaks(next.code, word, unbroken, rest)) {
            escape_add(text, "\\allowbreak{}");
            unbroken = 0;
        } else if (next.code < 0x80 && *plain == next.code &&
                   strchr("-',", next.code) != NULL) {
            escape_add(text, "{}"); /* otherwise TeX joins two dashes or
                                     * quotation marks */
        }
    }
}

/* Whether a character would begin or end markup. An underscore between letters
 * does not; dashes and similar characters do only at the start of a line,
 * number signs at its end as well. */
static bool escape_is_markup(int code, bool is_first, bool is_inner)
{
    if (code >= 0x80)
        return false;
    return strchr("*`[]|#", code) != NULL || (code == '_' && !is_inner) ||
           (is_first && strchr("+-=", code) != NULL);
}

/* Text that GitHub would read as an address: "://", "www.", "@". */
static const char *escape_link_instead(const char *plain, const char *at)
{
    if (strncmp(at, "://", 3) == 0)
        return "&#58;";
    if (*at == '.' && at - plain >= 3 && nb_is_same_start(at - 3, "www", 3))
        return "&#46;";
    return *at == '@' ? "&#64;" : NULL;
}

/* Characters without a backslash form in every reader of Markdown. */
static const struct nb_instead escape_markdown[] = {
    { '<', "&lt;" },
    { '>', "&gt;" },
    { '&', "&amp;" },
    { '$', "&#36;" },
    { '~', "&#126;" },
    { '\\', "&#92;" },
    { 0 },
};

void nb_escape_markdown(const char *plain, struct nb_text *text)
{
    const char *start = plain + strspn(plain, " \t\r\n");
    /* "1. " and "1) " would begin a list. */
    const char *list = start + strspn(start, "0123456789");
    for (const char *at = plain; *at != '\0';) {
        const struct escape_character next = escape_next(at);
        const char *link = escape_link_instead(plain, at);
        const char *instead =
            link != NULL ? link : nb_instead_of(escape_markdown, next.code);
        const size_t size = escape_size(at, next);
        const bool is_inner = at > plain && nb_is_letter_or_digit(at[-1]) &&
                              nb_is_letter_or_digit(at[1]);
        if (escape_is_control(next.code))
            escape_add(text, " ");
        else if (instead != NULL)
            escape_add(text, instead);
        else {
            if (escape_is_markup(next.code, at == start, is_inner) ||
                (at == list && list > start &&
                 (next.code == '.' || next.code == ')') &&
                 strchr(" \t\r\n", at[1]) != NULL))
                escape_add(text, "\\");
            nb_text_add(text, next.bytes, next.length);
        }
        at += size;
    }
}

void nb_escape_json(const char *plain, struct nb_text *text)
{
    while (*plain != '\0') {
        const struct escape_character next = escape_next(plain);
        plain += escape_size(plain, next);
        /* "</script" and "<!--" would end or change a script. */
        const bool is_tag =
            next.code == '<' && (*plain == '/' || *plain == '!');
        if (next.code == '\n')
            escape_add(text, "\\n");
        else if (next.code == '\t')
            escape_add(text, "\\t");
        else if (next.code < 0x20 || next.code == 0x7F || is_tag)
            nb_text_print(text, "\\u%04x", (unsigned)next.code);
        else {
            if (next.code == '"' || next.code == '\\')
                escape_add(text, "\\");
            nb_text_add(text, next.bytes, next.length);
        }
    }
}

void nb_escape_python(const char *plain, struct nb_text *text)
{
    escape_add(text, "\"");
    while (*plain != '\0') {
        const struct escape_character next = escape_next(plain);
        plain += escape_size(plain, next);
        if (next.code == '\n')
            escape_add(text, *plain != '\0' ? "\\n\"\n\"" : "\\n");
        else if (escape_is_control(next.code))
            nb_text_print(text, "\\x%02x", (unsigned)next.code);
        else if (next.code == '"' || next.code == '\\')
            nb_text_print(text, "\\%c", next.code);
        else
            nb_text_add(text, next.bytes, next.length);
    }
    escape_add(text, "\"");
}
