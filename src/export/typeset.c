#include "export/typeset.h"

#include "core/locale.h"

#include <string.h>

/* A formula being read. */
struct setting {
    const char *at, *end;
    bool is_after_word; /* the last item was a word outside a formula */
};

/* Where a factor is expected: where one may begin, or after an operator. */
enum setting_place { SETTING_FREE, SETTING_BEHIND };

static void setting_run(struct setting *setting, bool is_inside,
                        xmlNodePtr parent);
static void setting_product(struct setting *setting, xmlNodePtr parent);
static void setting_factor(struct setting *setting, xmlNodePtr parent);

static const char *setting_skip(const struct setting *setting, const char *at)
{
    while (at < setting->end && *at == ' ')
        at++;
    return at;
}

static bool setting_is_letter(char c)
{
    return nb_is_letter_or_digit(c) || c == '_';
}

/* Whether a word continues with a part after "." or "-": "channels.load",
 * "flit-time", but not "hops-d". */
static bool setting_goes_on(const char *word, size_t length, size_t most)
{
    const char *behind = word + length + 1;
    return length + 1 < most && nb_is_letter(*behind) &&
           (word[length] == '.' ||
            (word[length] == '-' && length > 1 && length + 2 < most &&
             nb_is_letter(behind[1])));
}

/* Letters, digits and "_", primes, and further parts; not a number. */
static size_t setting_word(const struct setting *setting, const char *at)
{
    size_t length = 0;
    const size_t most = (size_t)(setting->end - at);
    if (most == 0 || !nb_is_letter(*at))
        return 0;
    while (length < most &&
           (setting_is_letter(at[length]) || at[length] == '\'' ||
            setting_goes_on(at, length, most)))
        length++;
    return length;
}

static bool setting_is(const char *word, size_t length, const char *text)
{
    return strlen(text) == length && memcmp(word, text, length) == 0;
}

/* The character for the name of a Greek letter or symbol; NULL: it is
 * neither. */
static const char *setting_sign(const char *word, size_t length)
{
    static const char *const signs[][2] = {
        { "alpha", "\u03B1" },  { "beta", "\u03B2" },  { "gamma", "\u03B3" },
        { "delta", "\u03B4" },  { "rho", "\u03C1" },   { "lambda", "\u03BB" },
        { "Lambda", "\u039B" }, { "pi", "\u03C0" },    { "mu", "\u03BC" },
        { "sigma", "\u03C3" },  { "theta", "\u03B8" }, { "Theta", "\u0398" },
        { "phi", "\u03C6" },    { "inf", "\u221E" },
    };
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (setting_is(word, length, signs[i][0]))
            return signs[i][1];
    return NULL;
}

/* The sign of "sum", "prod", "min" or "max"; NULL for other words. */
static const char *setting_operator(const char *word, size_t length)
{
    static const char *const operators[][2] = {
        { "sum", "\u2211" },
        { "prod", "\u220F" },
        { "min", "min" },
        { "max", "max" },
    };
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (setting_is(word, length, operators[i][0]))
            return operators[i][1];
    return NULL;
}

/* The place of the bracket that closes the one at a place; NULL if there is
 * none. */
static const char *setting_close(const struct setting *setting, const char *at)
{
    int depth = 0;
    for (; at < setting->end; at++) {
        depth += strchr("([{", *at) != NULL;
        depth -= strchr(")]}", *at) != NULL;
        if (depth == 0)
            return at;
    }
    return NULL;
}

/* Whether a word looks like the name of a number, whatever its neighbours. */
static bool setting_looks_like_name(const struct setting *setting,
                                    const char *at, size_t length)
{
    const char *behind = at + length;
    if (length == 1)
        return *at != 'a';
    for (size_t i = 0; i < length; i++)
        if (nb_is_digit(at[i]) || strchr("_.'", at[i]) != NULL)
            return true;
    if (behind < setting->end && strchr("([", *behind) != NULL &&
        setting_close(setting, behind) != NULL)
        return true;
    const bool is_set = behind + 1 < setting->end &&
                        memcmp(behind, " {", 2) == 0 &&
                        setting_operator(at, length) != NULL;
    return is_set ||
           (setting_sign(at, length) != NULL && !setting_is(at, length, "inf"));
}

/* The " of " of "sum over I of a"; NULL if there is none, or if the start of a
 * is unclear. */
static const char *setting_of(const struct setting *setting, const char *at,
                              size_t length)
{
    static const char over[] = " over ";
    const char *behind = at + length;
    if (setting_operator(at, length) == NULL ||
        (size_t)(setting->end - behind) < sizeof over ||
        memcmp(behind, over, sizeof over - 1) != 0)
        return NULL;
    for (const char *of = behind; of + 4 < setting->end; of++) {
        if (strchr("()[]{}<>=", *of) != NULL)
            return NULL;
        if (memcmp(of, " of ", 4) != 0)
            continue;
        const char *next = of + 4;
        const size_t word = setting_word(setting, next);
        const bool is_operator = setting_operator(next, word) != NULL;
        const bool is_name = word == 0
                                 ? nb_is_digit(*next) || *next == '('
                                 : setting_looks_like_name(setting, next, word);
        /* "of finite throughput of min over", but not "of the distance of
         * i". */
        if (is_operator || is_name)
            return is_operator || of == strstr(behind, " of ") ? of : NULL;
    }
    return NULL;
}

/* The operator at a place and its length; NULL: there is none. "/" needs
 * blanks, since units contain it as well, and "-" has blanks at both sides or
 * none. */
static const char *setting_binary(const struct setting *setting, const char *at,
                                  size_t *length)
{
    static const char *const signs[][2] = {
        { "<=", "\u2264" }, { ">=", "\u2265" }, { "<", "<" },      { ">", ">" },
        { "=", "=" },       { "+", "+" },       { "-", "\u2212" },
    };
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        *length = strlen(signs[i][0]);
        if ((size_t)(setting->end - at) > *length &&
            memcmp(at, signs[i][0], *length) == 0)
            return signs[i][1];
    }
    return NULL;
}

/* Whether there is an operator at a place that joins two numbers. */
static bool setting_has_operator(const struct setting *setting, const char *at)
{
    size_t length;
    if (at + 1 < setting->end && strchr("*^", *at) != NULL)
        return true;
    if (at + 1 < setting->end && *at == '/')
        return at[1] == ' ';
    return setting_binary(setting, at, &length) != NULL &&
           (at[length] == ' ' || at[-1] != ' ');
}

/* Whether other words follow the one before a place. */
static bool setting_is_phrase(const struct setting *setting, const char *behind)
{
    const char *next = setting_skip(setting, behind);
    const size_t word = setting_word(setting, next);
    return next > behind && word > 0 &&
           !setting_looks_like_name(setting, next, word) &&
           setting_of(setting, next, word) == NULL;
}

/* Whether a factor begins at a place. */
static bool setting_begins(const struct setting *setting, const char *at,
                           enum setting_place place)
{
    if (at >= setting->end)
        return false;
    if (nb_is_digit(*at))
        return true;
    if (*at == '(') {
        const char *close = setting_close(setting, at);
        if (close == NULL)
            return false;
        if (place == SETTING_BEHIND ||
            setting_has_operator(setting, setting_skip(setting, close + 1)))
            return true;
        const struct setting inside = { at + 1, close, false };
        return setting_begins(&inside, at + 1, SETTING_FREE);
    }
    const size_t length = setting_word(setting, at);
    if (length == 0)
        return strchr("+-", *at) != NULL && place == SETTING_BEHIND &&
               at + 1 < setting->end &&
               setting_begins(setting, at + 1, SETTING_BEHIND);
    if (setting_looks_like_name(setting, at, length) ||
        setting_of(setting, at, length) != NULL)
        return true;
    if (place == SETTING_BEHIND)
        return !setting_is_phrase(setting, at + length);
    return !setting->is_after_word &&
           setting_has_operator(setting, setting_skip(setting, at + length));
}

/* <mi>, <mn>, <mo> or <mtext> with a text. */
static void setting_add(const char *element, const char *text, size_t length,
                        xmlNodePtr parent)
{
    struct nb_text copy = { 0 };
    nb_text_add(&copy, text, length);
    if (!copy.has_failed)
        nb_view_text(nb_view_add(parent, element), copy.bytes);
    nb_text_release(&copy);
}

static void setting_add_sign(const char *element, const char *text,
                             xmlNodePtr parent)
{
    setting_add(element, text, strlen(text), parent);
}

/* A name without its subscript: a Greek letter, or unchanged. */
static void setting_add_name(const char *name, size_t length, xmlNodePtr parent)
{
    const char *sign = setting_sign(name, length);
    const char *big = setting_operator(name, length);
    if (sign == NULL)
        sign = big;
    setting_add("mi", sign != NULL ? sign : name,
                sign != NULL ? strlen(sign) : length, parent);
}

/* "b_c", "gamma_q", "sum_ij": with the subscript; in longer names "_" is a
 * normal character. */
static void setting_name(const char *name, size_t length, xmlNodePtr parent)
{
    const char *line = memchr(name, '_', length);
    const size_t head = line != NULL ? (size_t)(line - name) : length;
    const char *big = setting_operator(name, head);
    if (line == NULL || head + 1 == length ||
        (head > 2 && setting_sign(name, head) == NULL && big == NULL)) {
        setting_add_name(name, length, parent);
        return;
    }
    xmlNodePtr pair = nb_view_add(parent, big != NULL ? "munder" : "msub");
    if (big != NULL)
        setting_add_sign("mo", big, pair);
    else
        setting_add_name(name, head, pair);
    setting_add_name(line + 1, length - head - 1, pair);
}

/* Sets the contents of the brackets at the place, and moves behind them. */
static void setting_inside(struct setting *setting, xmlNodePtr parent)
{
    const char *close = setting_close(setting, setting->at);
    struct setting inside = { setting->at + 1, close, false };
    setting_run(&inside, true, parent);
    setting->at = close + 1;
}

static void setting_bracket(struct setting *setting, const char *open,
                            const char *close, xmlNodePtr parent)
{
    xmlNodePtr row = nb_view_add(parent, "mrow");
    setting_add_sign("mo", open, row);
    setting_inside(setting, row);
    setting_add_sign("mo", close, row);
}

/* A bracket with its own signs. */
static void setting_fence(struct setting *setting, xmlNodePtr parent)
{
    static const char *const pairs[] = { "()", "[]", "{}" };
    size_t i = 0;
    while (pairs[i][0] != *setting->at)
        i++;
    const char open[] = { pairs[i][0], '\0' }, close[] = { pairs[i][1], '\0' };
    setting_bracket(setting, open, close, parent);
}

/* "sqrt(a)" and others with a notation of their own. */
static bool setting_function(struct setting *setting, const char *name,
                             size_t length, xmlNodePtr parent)
{
    if (setting_is(name, length, "sqrt"))
        setting_inside(setting, nb_view_add(parent, "msqrt"));
    else if (setting_is(name, length, "ceil"))
        setting_bracket(setting, "\u2308", "\u2309", parent);
    else if (setting_is(name, length, "floor"))
        setting_bracket(setting, "\u230A", "\u230B", parent);
    else
        return false;
    return true;
}

/* "sum over I of": the operator with I beneath it. */
static void setting_over(struct setting *setting, size_t length, const char *of,
                         xmlNodePtr parent)
{
    static const char over[] = " over ";
    xmlNodePtr pair = nb_view_add(parent, "munder");
    setting_add_sign("mo", setting_operator(setting->at, length), pair);
    struct setting beneath = { setting->at + length + sizeof over - 1, of,
                               false };
    setting_run(&beneath, true, nb_view_add(pair, "mrow"));
    setting->at = of + 4;
}

/* A name followed by arguments in brackets. */
static void setting_call(struct setting *setting, size_t length,
                         xmlNodePtr parent)
{
    const char *name = setting->at;
    setting->at += length;
    const char *next = setting_skip(setting, setting->at);
    const bool has_set = next > setting->at && next < setting->end &&
                         *next == '{' && setting_close(setting, next) != NULL;
    if (has_set)
        setting->at = next;
    const bool has_bracket = setting->at < setting->end &&
                             strchr("([{", *setting->at) != NULL &&
                             setting_close(setting, setting->at) != NULL;
    if (has_bracket && setting_function(setting, name, length, parent))
        return;
    setting_name(name, length, parent);
    if (has_bracket)
        setting_fence(setting, parent);
}

static void setting_number(struct setting *setting, xmlNodePtr parent)
{
    const char *at = setting->at;
    while (at < setting->end &&
           (nb_is_digit(*at) ||
            (*at == '.' && at + 1 < setting->end && nb_is_digit(at[1])) ||
            (*at == 'e' && at + 1 < setting->end &&
             strchr("-+0123456789", at[1]) != NULL) ||
            (strchr("-+", *at) != NULL && at[-1] == 'e')))
        at++;
    setting_add("mn", setting->at, (size_t)(at - setting->at), parent);
    setting->at = at;
    if (at + 1 < setting->end && *at == '/' && nb_is_digit(at[1])) {
        setting_add_sign("mo", "/", parent);
        setting->at++;
        setting_number(setting, parent);
    } else if (at < setting->end && *at == '{' &&
               setting_close(setting, at) != NULL) {
        setting_fence(setting, parent); /* 1{Q>0} */
    }
}

/* Moves a node to the end of another one. */
static void setting_move(xmlNodePtr node, xmlNodePtr parent)
{
    if (node == NULL || parent == NULL)
        return;
    xmlUnlinkNode(node);
    xmlAddChild(parent, node);
}

/* In a denominator or as a superscript: a single bracket loses its signs, and a
 * sum includes its summand. */
static void setting_operand(struct setting *setting, xmlNodePtr parent)
{
    const char *line =
        memchr(setting->at, '_', setting_word(setting, setting->at));
    if (line != NULL &&
        setting_operator(setting->at, (size_t)(line - setting->at)) != NULL) {
        setting_product(setting, parent);
        return;
    }
    const char *close = setting->at < setting->end && *setting->at == '('
                            ? setting_close(setting, setting->at)
                            : NULL;
    const bool is_alone =
        close != NULL && (close + 1 == setting->end || close[1] != '^');
    if (is_alone)
        setting_inside(setting, parent);
    else
        setting_factor(setting, parent);
}

static void setting_factor(struct setting *setting, xmlNodePtr parent)
{
    xmlNodePtr base = nb_view_add(parent, "mrow");
    const size_t length = setting_word(setting, setting->at);
    if (strchr("+-", *setting->at) != NULL) {
        setting_add_sign("mo", *setting->at == '-' ? "\u2212" : "+", base);
        setting->at++;
        setting_factor(setting, base);
        return;
    }
    if (*setting->at == '(')
        setting_fence(setting, base);
    else if (length > 0)
        setting_call(setting, length, base);
    else
        setting_number(setting, base);
    const char *next = setting_skip(setting, setting->at);
    if (next + 1 >= setting->end || *next != '^' ||
        !setting_begins(setting, setting_skip(setting, next + 1),
                        SETTING_BEHIND))
        return;
    setting->at = setting_skip(setting, next + 1);
    xmlNodePtr power = nb_view_add(parent, "msup");
    setting_move(base, power);
    setting_operand(setting, nb_view_add(power, "mrow"));
}

/* Factors side by side; "/" makes a fraction of those before it. */
static void setting_product(struct setting *setting, xmlNodePtr parent)
{
    xmlNodePtr row = nb_view_add(parent, "mrow");
    const char *of =
        setting_of(setting, setting->at, setting_word(setting, setting->at));
    if (of != NULL) { /* a following fraction is separate */
        setting_over(setting, setting_word(setting, setting->at), of, row);
        setting_product(setting, row);
        return;
    }
    setting_factor(setting, row);
    for (;;) {
        const char *next = setting_skip(setting, setting->at);
        const char *behind = setting_skip(setting, next + 1);
        const bool joins = next + 1 < setting->end &&
                           setting_has_operator(setting, next) &&
                           setting_begins(setting, behind, SETTING_BEHIND);
        if (joins && *next == '/') {
            xmlNodePtr fraction = nb_view_add(parent, "mfrac");
            setting_move(row, fraction);
            setting->at = behind;
            setting_operand(setting, nb_view_add(fraction, "mrow"));
            row = nb_view_add(parent, "mrow");
            setting_move(fraction, row);
            continue;
        }
        if (joins && *next == '*') {
            setting_add_sign("mo", "\u22C5", row);
            setting->at = behind;
        } else if (next > setting->at &&
                   setting_begins(setting, next, SETTING_FREE)) {
            setting_add_sign("mo", "\u2062", row); /* invisible times */
            setting->at = next;
            if (setting_of(setting, next, setting_word(setting, next))) {
                setting_product(setting, row);
                return;
            }
        } else {
            return;
        }
        setting_factor(setting, row);
    }
}

/* Products with operators between them. */
static void setting_sum(struct setting *setting, xmlNodePtr parent)
{
    for (;;) {
        size_t length;
        setting_product(setting, parent);
        const char *next = setting_skip(setting, setting->at);
        const char *sign = setting_binary(setting, next, &length);
        if (sign == NULL || !setting_has_operator(setting, next))
            return;
        const char *behind = setting_skip(setting, next + length);
        if (!setting_begins(setting, behind, SETTING_BEHIND))
            return;
        setting_add_sign("mo", sign, parent);
        setting->at = behind;
    }
}

/* The next word or sign outside a formula. */
static void setting_take_word(struct setting *setting, bool is_inside,
                              xmlNodePtr parent)
{
    const char *start = setting->at;
    const char *at = setting_skip(setting, start);
    const size_t word = setting_word(setting, at);
    at += word > 0 ? word : at < setting->end;
    while (word == 0 && at < setting->end &&
           ((unsigned char)*at & 0xC0) == 0x80)
        at++;
    setting->is_after_word = word > 0;
    setting->at = at;
    struct nb_text text = { 0 };
    start = is_inside ? setting_skip(setting, start) : start;
    nb_text_add(&text, start, (size_t)(at - start));
    if (is_inside && word > 0) /* trailing blanks of <mtext> would be lost */
        nb_text_print(&text, "\u00A0");
    if (!text.has_failed)
        nb_view_text(is_inside ? nb_view_add(parent, word > 0 ? "mtext" : "mo")
                               : parent,
                     text.bytes);
    nb_text_release(&text);
}

static void setting_run(struct setting *setting, bool is_inside,
                        xmlNodePtr parent)
{
    while (setting->at < setting->end) {
        const char *next = setting_skip(setting, setting->at);
        const bool is_signed =
            next + 1 < setting->end && strchr("+-", *next) != NULL &&
            next[1] != ' ' && !setting->is_after_word &&
            setting_begins(setting, next + 1, SETTING_BEHIND);
        if (!is_signed && !setting_begins(setting, next, SETTING_FREE)) {
            setting_take_word(setting, is_inside, parent);
            continue;
        }
        if (!is_inside && next > setting->at)
            nb_view_text(parent, " ");
        setting->at = next;
        xmlNodePtr math = is_inside ? parent : nb_view_add(parent, "math");
        if (!is_inside)
            nb_view_set(math, "displaystyle", "true");
        if (is_signed) {
            setting_add_sign("mo", *next == '-' ? "\u2212" : "+", math);
            setting->at++;
        }
        setting_sum(setting, math);
        setting->is_after_word = false;
        if (is_inside && setting->at < setting->end && *setting->at == ' ')
            setting_add_sign("mtext", "\u00A0", parent);
    }
}

void nb_typeset(const char *formula, xmlNodePtr parent)
{
    struct setting setting = { formula, formula + strlen(formula), false };
    setting_run(&setting, false, parent);
}
