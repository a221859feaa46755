#include "explain/citation.h"

#include "core/embedded.h"

#include <string.h>

/* The accented letters in authors' names; a test of all entries reports missing
 * ones. */
static const struct tex_accent {
    char accent, letter;
    const char *character;
} tex_accents[] = {
    { '\'', 'a', "\u00e1" }, { '\'', 'e', "\u00e9" }, { '\'', 'i', "\u00ed" },
    { '\'', 'o', "\u00f3" }, { '\'', 'u', "\u00fa" }, { '\'', 'A', "\u00c1" },
    { '\'', 'E', "\u00c9" }, { '`', 'a', "\u00e0" },  { '`', 'e', "\u00e8" },
    { '"', 'a', "\u00e4" },  { '"', 'o', "\u00f6" },  { '"', 'u', "\u00fc" },
    { '"', 'A', "\u00c4" },  { '"', 'O', "\u00d6" },  { '"', 'U', "\u00dc" },
    { 'u', 'g', "\u011f" },  { 'v', 's', "\u0161" },  { 'v', 'n', "\u0148" },
    { 'v', 'c', "\u010d" },  { 'v', 'S', "\u0160" },  { 'v', 'C', "\u010c" },
    { 'H', 'o', "\u0151" },  { 'H', 'u', "\u0171" },  { '~', 'n', "\u00f1" },
    { 'c', 'c', "\u00e7" },
};

/* The accented letter of "\'e" or "\v{s}"; returns the place after it. Unknown
 * ones are kept as they are. */
static const char *tex_add_accent(const char *at, const char *end,
                                  struct nb_text *text)
{
    const char *letter = at + 2;
    letter += letter < end && *letter == '{';
    for (size_t i = 0; i < sizeof tex_accents / sizeof *tex_accents; i++)
        if (letter < end && tex_accents[i].accent == at[1] &&
            tex_accents[i].letter == *letter) {
            nb_text_print(text, "%s", tex_accents[i].character);
            return letter + 1;
        }
    nb_text_print(text, "\\");
    return at + 1;
}

/* One character, as it is printed; returns the place after it. */
static const char *tex_add(const char *at, const char *end, bool *is_exponent,
                           struct nb_text *text)
{
    if (*at == '\\' && at + 1 < end)
        return tex_add_accent(at, end, text);
    if (*at == '-' && at + 1 < end && at[1] == '-') {
        nb_text_print(text, "\u2013");
        return at + 2;
    }
    if (*at == '^' && at + 1 < end && at[1] == '{') {
        *is_exponent = true;
        nb_text_print(text, "^(");
        return at + 2;
    }
    if (*at == '}' && *is_exponent) {
        *is_exponent = false;
        nb_text_print(text, ")");
    } else if (*at == '\n') {
        nb_text_print(text, " ");
        while (at + 1 < end && at[1] == ' ')
            at++;
    } else if (strchr("{}$", *at) == NULL) {
        nb_text_add(text, at, 1);
    }
    return at + 1;
}

/* TeX: the small subset used in data/references.bib, as plain text. */
/* Appends the text from at to end in UTF-8: accents combined, braces removed
 * (round ones for an exponent), a line break as a blank. */
static void tex_print(const char *at, const char *end, struct nb_text *text)
{
    bool is_exponent = false;
    while (at < end)
        at = tex_add(at, end, &is_exponent, text);
}

/* The same for the initials of given names: "William J." gives "W. J.",
 * "Won-Taek" "W.-T.". */
static void tex_print_initials(const char *at, const char *end,
                               struct nb_text *text)
{
    bool is_exponent = false, is_first = true, is_apart = false;
    const size_t start = text->length;
    while (at < end) {
        if (*at == '{' || (!is_first && strchr(" \n-", *at) == NULL)) {
            at++;
        } else if (*at == '-') {
            at = tex_add(at, end, &is_exponent, text);
            is_first = true;
        } else if (*at == ' ' || *at == '\n') {
            is_first = is_apart = true;
            at++;
        } else {
            if (is_apart && text->length > start)
                nb_text_print(text, " ");
            at = tex_add(at, end, &is_exponent, text);
            nb_text_print(text, ".");
            is_first = is_apart = false;
        }
    }
}

/* One row: data/references.bib. */
extern const struct nb_embedded nb_citation_files[];

/* Where an entry's fields begin; NULL if there is no such key. Every entry
 * starts a line, "@book{KEY,". */
static const char *citation_entry(struct nb_citation_key key)
{
    const char *at = nb_citation_files[0].bytes;
    for (; at != NULL; at = strstr(at, "\n@")) {
        at = strchr(at, '{');
        if (at == NULL)
            return NULL;
        at++;
        if (strncmp(at, key.at, key.length) == 0 && at[key.length] == ',')
            return at + key.length + 1;
    }
    return NULL;
}

/* After the brace that closes the one at `at`. */
static const char *citation_close(const char *at)
{
    size_t depth = 0;
    for (; *at != '\0'; at++) {
        depth += *at == '{';
        depth -= *at == '}';
        if (depth == 0)
            return at + 1;
    }
    return at;
}

/* A field's text between its braces, "" if the entry has none; a stretch that
 * ends before *end. */
static const char *citation_field(const char *entry, const char *name,
                                  const char **end)
{
    const size_t length = strlen(name);
    while (*entry != '}' && *entry != '\0') {
        entry += strspn(entry, " \n,");
        const char *equals = strchr(entry, '=');
        const char *open = equals != NULL ? strchr(equals, '{') : NULL;
        if (*entry == '}' || open == NULL)
            break;
        const char *close = citation_close(open);
        if (strncmp(entry, name, length) == 0 &&
            strchr(" =", entry[length]) != NULL) {
            *end = close - 1;
            return open + 1;
        }
        entry = close;
    }
    *end = "";
    return *end;
}

static bool citation_has(const char *entry, const char *name)
{
    const char *end;
    return citation_field(entry, name, &end) != end;
}

/* Whether the entry is of a kind, "@KIND{KEY,". */
static bool citation_is(const char *entry, const char *kind)
{
    while (*entry != '@')
        entry--;
    return strncmp(entry + 1, kind, strlen(kind)) == 0;
}

/* A field between two texts; nothing if the entry has none. */
static void citation_add(const char *entry, const char *before,
                         const char *name, const char *after,
                         struct nb_text *text)
{
    const char *end;
    const char *at = citation_field(entry, name, &end);
    if (at == end)
        return;
    nb_text_print(text, "%s", before);
    tex_print(at, end, text);
    nb_text_print(text, "%s", after);
}

/* The place of the next " and " or ", " outside braces, or end. Lines of a
 * field may break anywhere. */
static const char *citation_cut(const char *at, const char *end,
                                const char *separator)
{
    const size_t length = strlen(separator);
    for (; at < end; at = *at == '{' ? citation_close(at) : at + 1) {
        size_t i = 0;
        for (const char *c = at;
             i < length && c < end &&
             (*c == '\n' ? separator[i] == ' ' : separator[i] == *c);
             i++)
            c++;
        if (i == length)
            return at;
    }
    return end;
}

/* "Dally, William J." becomes "W. J. Dally", "Ford, Jr., L. R." "L. R. Ford,
 * Jr."; a name in braces is kept as it is. */
static void citation_add_author(const char *at, const char *end,
                                struct nb_text *text)
{
    while (end > at && strchr(" \n", end[-1]) != NULL)
        end--;
    const char *family = citation_cut(at, end, ", ");
    const char *given = family;
    for (const char *c = family; c < end; c = citation_cut(c + 1, end, ", "))
        given = c;
    if (given < end) {
        tex_print_initials(given + 2, end, text);
        nb_text_print(text, " ");
    }
    tex_print(at, given, text);
}

static void citation_add_authors(const char *entry, struct nb_text *text)
{
    static const char separator[] = " and ";
    const char *end;
    const char *at = citation_field(entry, "author", &end);
    for (size_t i = 0; at < end; i++) {
        const char *cut = citation_cut(at, end, separator);
        if (i > 0)
            nb_text_print(text, cut < end ? ", " : " and ");
        citation_add_author(at, cut, text);
        at = cut < end ? cut + strlen(separator) : end;
        at += strspn(at, " \n");
    }
    /* "Jr." has its own full stop. */
    const bool is_ended = !text->has_failed && text->length > 0 &&
                          text->bytes[text->length - 1] == '.';
    nb_text_print(text, is_ended ? " " : ". ");
}

/* Where it appeared: journal, proceedings, school, institution, publisher. */
static void citation_add_place(const char *entry, struct nb_text *text)
{
    citation_add(entry, "", "journal", "", text);
    citation_add(entry, "", "booktitle", "", text);
    if (citation_has(entry, "school") && !citation_has(entry, "type"))
        nb_text_print(text, citation_is(entry, "phdthesis")
                                ? "PhD thesis, "
                                : "Master's thesis, ");
    citation_add(entry, "", "type", ", ", text);
    citation_add(entry, "", "school", "", text);
    citation_add(entry, "", "edition", " edition, ", text);
    citation_add(entry, "", "publisher", "", text);
    citation_add(entry, "", "institution", "", text);
    citation_add(entry, " ", "volume", "", text);
    if (citation_has(entry, "volume"))
        citation_add(entry, "(", "number", ")", text);
    else
        citation_add(entry, ", ", "number", "", text);
    citation_add(entry, ", pages ", "pages", "", text);
    citation_add(entry, ", ", "year", ".", text);
    citation_add(entry, " ", "note", ".", text);
}

enum nb_status nb_citation_find(struct nb_citation_key key,
                                struct nb_text *text, struct nb_error *err)
{
    const char *entry = citation_entry(key);
    if (entry == NULL)
        return nb_fail(err, NB_INVALID,
                       "there is no source \"%.*s\" (permitted: those of "
                       "data/references.bib)",
                       (int)(key.length < 60 ? key.length : 60), key.at);
    citation_add_authors(entry, text);
    citation_add(entry, "", "title", ". ", text);
    citation_add_place(entry, text);
    return nb_text_check(text, err);
}

bool nb_citation_next(const char **at, struct nb_citation_key *key)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    for (;;) {
        const char *word = strpbrk(*at, letters);
        if (word == NULL)
            return false;
        *key = (struct nb_citation_key){ word, strspn(word, letters) };
        *at = word + key->length;
        if (citation_entry(*key) != NULL)
            return true;
    }
}
