#include "export/charts/fabric.h"

#include "core/locale.h"
#include "export/charts/plan.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    FABRIC_LEFT = 92,  /* room for the words about a row */
    FABRIC_WIDE = 960, /* if a row has more boxes than */
    FABRIC_FEW = 20,   /* that many, or */
    FABRIC_FEW_PODS = 6,
    FABRIC_GAP = 150, /* between rows */
    FABRIC_WIDE_GAP = 210,
    FABRIC_MOST_BOX = 96, /* width */
    FABRIC_NAME = 22,     /* characters of a name that runs upward */
    FABRIC_CAPTION = 20,  /* height of a line of words */
    FABRIC_TITLED = 600,  /* links, or they share a path per level */
    FABRIC_LINES = 3,     /* of words in a box */
};
static const double fabric_letter = 5.8; /* width in a box */
static const double fabric_height = 13;  /* height in a box */

/* A row of boxes. */
struct fabric_row {
    size_t first, count; /* boxes */
    double pitch, width; /* from box to box; of a box */
    double top, height;
    bool is_turned;        /* words run upward */
    bool is_short;         /* names without what they have in common */
    size_t prefix, suffix; /* bytes of that at their ends */
    size_t word;           /* bytes of prefix before its last word */
    size_t omitted;        /* bytes omitted at the beginning: one of these */
    size_t most;           /* characters of a name */
};

struct fabric {
    const struct nb_drawing *drawing;
    struct nb_plan plan;
    double width, height, foot; /* foot: where the captions begin */
    struct fabric_row row[NB_PLAN_LEVELS];
    xmlNodePtr chart;
};

static bool fabric_is_inner(char byte) /* within a UTF-8 character */
{
    return ((unsigned char)byte & 0xC0U) == 0x80U;
}

static size_t fabric_characters(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += !fabric_is_inner(text[i]);
    return count;
}

static bool fabric_is_single(const struct nb_plan_box *box)
{
    return box->count == 1;
}

static const char *fabric_name(const struct nb_plan *plan, size_t i)
{
    return plan->order[i]->name;
}

/* Finds what all names of a row have in common at their ends. Numbers and
 * characters are not divided, and something remains of each name. */
static void fabric_find_common(const struct nb_plan *plan,
                               struct fabric_row *row)
{
    const struct nb_plan_box *last = &plan->boxes[row->first + row->count - 1];
    const size_t begin = plan->boxes[row->first].first;
    const size_t end = last->first + last->count;
    const char *one = fabric_name(plan, begin);
    const size_t length = strlen(one);
    size_t prefix = length, suffix = length, shortest = length;
    for (size_t i = begin + 1; i < end; i++) {
        const char *other = fabric_name(plan, i);
        const size_t size = strlen(other);
        size_t head = 0, tail = 0;
        while (head < prefix && one[head] == other[head])
            head++;
        while (tail < suffix && tail < size &&
               one[length - 1 - tail] == other[size - 1 - tail])
            tail++;
        prefix = head;
        suffix = tail;
        shortest = size < shortest ? size : shortest;
    }
    while (prefix > 0 &&
           (fabric_is_inner(one[prefix]) || nb_is_digit(one[prefix - 1])))
        prefix--;
    while (suffix > 0 && (fabric_is_inner(one[length - suffix]) ||
                          nb_is_digit(one[length - suffix])))
        suffix--;
    if (begin + 1 == end || prefix + suffix >= shortest)
        prefix = suffix = 0;
    row->prefix = row->omitted = prefix;
    row->suffix = suffix;
    while (prefix > 0 && !nb_is_letter_or_digit(one[prefix - 1]))
        prefix--;
    while (prefix > 0 && nb_is_letter_or_digit(one[prefix - 1]))
        prefix--;
    row->word = prefix;
}

/* Appends a name; of one that is too long only its end. */
static void fabric_print_name(const struct fabric_row *row, const char *name,
                              struct nb_text *text)
{
    size_t length = strlen(name);
    if (row->is_short) {
        name += row->omitted;
        length -= row->omitted + row->suffix;
    }
    size_t characters = fabric_characters(name, length);
    if (characters > row->most) {
        for (; characters >= row->most && length > 0; name++, length--)
            characters -= !fabric_is_inner(*name);
        for (; length > 0 && fabric_is_inner(*name); name++)
            length--;
        nb_text_print(text, "\u2026");
    }
    nb_text_add(text, name, length);
}

static void fabric_print_switches(size_t count, struct nb_text *text)
{
    nb_text_print(text, "%zu switch%s", count, count == 1 ? "" : "es");
}

/* Appends "pod 3", "pods 3 to 5", "the 4 planes", or names. */
static void fabric_print_label(const struct fabric *fabric,
                               const struct nb_plan_box *box,
                               struct nb_text *text)
{
    const struct nb_plan *plan = &fabric->plan;
    const struct fabric_row *row = &fabric->row[box->row];
    const size_t last = box->first + box->count - 1;
    if (fabric_is_single(box) || !plan->has_pods) {
        fabric_print_name(row, fabric_name(plan, box->first), text);
        if (!fabric_is_single(box)) {
            nb_text_print(text, " to ");
            fabric_print_name(row, fabric_name(plan, last), text);
        }
        return;
    }
    const char *what = box->row == 0 ? "pod" : "plane";
    const int64_t first = plan->order[box->first]->part;
    if (plan->order[last]->part == first)
        nb_text_print(text, "%s %" PRId64, what, first);
    else
        nb_text_print(text, "%ss %" PRId64 " to %" PRId64, what, first,
                      plan->order[last]->part);
}

/* Appends a line of words in a box: its name, its switches, its hosts. */
static void fabric_print_line(const struct fabric *fabric,
                              const struct nb_plan_box *box, size_t line,
                              struct nb_text *text)
{
    if (line == 0)
        fabric_print_label(fabric, box, text);
    else if (line == 1 && !fabric_is_single(box))
        fabric_print_switches(box->count, text);
    else if (line == 2 && box->hosts > 0)
        nb_drawing_print_count((size_t)box->hosts, "host", text);
}

/* The greatest number of characters in a line of the row, or in all lines of a
 * box; NB_NO_MEMORY counts as no characters and is found later. */
static size_t fabric_longest(const struct fabric *fabric,
                             const struct fabric_row *row, bool is_joined)
{
    size_t longest = 0;
    for (size_t b = row->first; b < row->first + row->count; b++) {
        size_t sum = 0;
        for (size_t line = 0; line < FABRIC_LINES; line++) {
            struct nb_text text = { 0 };
            fabric_print_line(fabric, &fabric->plan.boxes[b], line, &text);
            const size_t own = text.length > 0 && !text.has_failed
                                   ? fabric_characters(text.bytes, text.length)
                                   : 0;
            sum = is_joined   ? sum + own + (line > 0 && own > 0 ? 2 : 0)
                  : own > sum ? own
                              : sum;
            nb_text_release(&text);
        }
        longest = sum > longest ? sum : longest;
    }
    return longest;
}

static size_t fabric_longest_name(const struct fabric *fabric,
                                  const struct fabric_row *row)
{
    const struct nb_plan *plan = &fabric->plan;
    const struct nb_plan_box *last = &plan->boxes[row->first + row->count - 1];
    size_t longest = 0;
    for (size_t i = plan->boxes[row->first].first;
         i < last->first + last->count; i++) {
        const char *name = fabric_name(plan, i);
        const size_t own = fabric_characters(name, strlen(name));
        longest = own > longest ? own : longest;
    }
    return longest;
}

/* Chooses how the words of a row are written, and the size of its boxes: names
 * are shortened before words are turned. */
static void fabric_fit_row(struct fabric *fabric, struct fabric_row *row)
{
    const double room = row->pitch - (row->pitch > 16 ? 6 : 2);
    const double most = fmin(room, FABRIC_MOST_BOX) - 6;
    const bool can_shorten = row->prefix + row->suffix > 0;
    row->width = fmin(room, FABRIC_MOST_BOX);
    row->height = FABRIC_LINES * fabric_height + 8;
    row->most = SIZE_MAX;
    for (int tries = can_shorten ? 3 : 1; tries > 0; tries--) {
        row->is_short = can_shorten && tries < 3;
        row->omitted = tries == 2 ? row->word : row->prefix;
        if (fabric_letter * (double)fabric_longest(fabric, row, false) <= most)
            return;
    }
    row->is_turned = true;
    const size_t longest = fabric_longest_name(fabric, row);
    row->is_short = can_shorten && longest > FABRIC_NAME;
    row->omitted = longest > FABRIC_NAME + row->word + row->suffix ? row->prefix
                                                                   : row->word;
    row->most = FABRIC_NAME;
    row->width = fmin(room, 20);
    row->height =
        fabric_letter * (double)fabric_longest(fabric, row, true) + 12;
}

/* Places the rows, the highest level on top. */
static void fabric_place(struct fabric *fabric)
{
    const struct nb_plan *plan = &fabric->plan;
    double y = 18;
    fabric->width = NB_DRAWING_WIDTH;
    for (size_t b = 0; b < plan->box_count; b++) {
        struct fabric_row *row = &fabric->row[plan->boxes[b].row];
        row->first = row->count == 0 ? b : row->first;
        if (++row->count > (plan->has_pods ? FABRIC_FEW_PODS : FABRIC_FEW))
            fabric->width = FABRIC_WIDE;
    }
    const double gap =
        fabric->width > NB_DRAWING_WIDTH ? FABRIC_WIDE_GAP : FABRIC_GAP;
    for (uint32_t r = plan->rows; r-- > 0;) {
        struct fabric_row *row = &fabric->row[r];
        if (row->count == 0)
            continue;
        row->pitch = (fabric->width - FABRIC_LEFT) / (double)row->count;
        fabric_find_common(plan, row);
        fabric_fit_row(fabric, row);
        row->top = y;
        y += row->height + (r > 0 ? gap : 26);
    }
    fabric->foot = y;
    fabric->height = y + FABRIC_CAPTION * ((plan->most > 0) + (plan->loop > 0));
    for (size_t b = 0; b < plan->box_count; b++)
        if (plan->boxes[b].odd > 0) {
            fabric->height += FABRIC_CAPTION;
            break;
        }
}

static double fabric_x(const struct fabric *fabric, size_t box)
{
    const struct fabric_row *row = &fabric->row[fabric->plan.boxes[box].row];
    return FABRIC_LEFT + row->pitch * ((double)(box - row->first) + 0.5);
}

/* Adds words at a place. */
static enum nb_status fabric_add_words(xmlNodePtr parent, const char *element,
                                       double x, double y, struct nb_text *text,
                                       struct nb_error *err)
{
    const enum nb_status status = nb_text_check(text, err);
    if (status == NB_OK && text->length > 0) {
        xmlNodePtr node = nb_view_add(parent, element);
        nb_view_place(node, "x", x);
        nb_view_place(node, "y", y);
        nb_view_text(node, text->bytes);
    }
    nb_text_release(text);
    return status;
}

/* Adds the words in a box; turned ones in one line, upward. */
static enum nb_status fabric_add_lines(const struct fabric *fabric,
                                       const struct nb_plan_box *box, double x,
                                       xmlNodePtr node, struct nb_error *err)
{
    const struct fabric_row *row = &fabric->row[box->row];
    struct nb_text text[FABRIC_LINES] = { 0 };
    enum nb_status status = NB_OK;
    size_t count = 0;
    for (size_t line = 0; line < FABRIC_LINES; line++) {
        struct nb_text *at = &text[row->is_turned ? 0 : count];
        struct nb_text one = { 0 };
        fabric_print_line(fabric, box, line, &one);
        if (row->is_turned && line > 0 && one.length > 0)
            nb_text_print(at, ", ");
        nb_text_add(at, one.bytes != NULL ? one.bytes : "", one.length);
        at->has_failed |= one.has_failed;
        count += one.length > 0;
        nb_text_release(&one);
    }
    if (row->is_turned) {
        nb_view_set(node, "turned", "yes");
        NB_TRY(fabric_add_words(node, "line", x, row->top + row->height - 6,
                                &text[0], err));
        goto done;
    }
    const double middle = row->top + row->height / 2;
    for (size_t i = 0; i < count; i++)
        NB_TRY(fabric_add_words(
            node, "line", x,
            middle + fabric_height * ((double)i - (double)(count - 1) / 2),
            &text[i], err));
done:
    for (size_t i = 0; i < FABRIC_LINES; i++)
        nb_text_release(&text[i]);
    return status;
}

/* Appends what is odd at the switches of a box. */
static void fabric_print_odd(const struct nb_plan *plan,
                             const struct nb_plan_box *box,
                             struct nb_text *text)
{
    const size_t most = 4;
    size_t told = 0;
    for (size_t i = box->first; i < box->first + box->count; i++) {
        if (plan->order[i]->odd[0] == '\0' || ++told > most)
            continue;
        if (!fabric_is_single(box))
            nb_text_print(text, "; %s", fabric_name(plan, i));
        nb_text_print(text, "; %s", plan->order[i]->odd);
    }
    if (told > most)
        nb_text_print(text, "; and %zu more switches", told - most);
}

/* The box in words: name, level, hosts, cables within, oddities. */
static enum nb_status fabric_entitle(const struct fabric *fabric,
                                     const struct nb_plan_box *box,
                                     xmlNodePtr node, struct nb_error *err)
{
    const struct nb_plan *plan = &fabric->plan;
    struct nb_text title = { 0 };
    if (fabric_is_single(box))
        nb_text_print(&title, "%s, level %u", fabric_name(plan, box->first),
                      plan->order[box->first]->level);
    else
        for (size_t line = 0; line < 2; line++) {
            nb_text_print(&title, "%s", line > 0 ? ", " : "");
            fabric_print_line(fabric, box, line, &title);
        }
    if (box->hosts > 0)
        nb_text_print(&title, ", ");
    fabric_print_line(fabric, box, 2, &title);
    if (box->inside > 0) {
        const struct nb_plan_link *link = &plan->links[box->inside - 1];
        nb_text_print(&title, "; on its own ");
        nb_drawing_print_count(link->cables[0], "channel", &title);
        nb_text_print(&title, ": at most");
        nb_drawing_print_value("", link->most, plan->unit, &title);
    }
    fabric_print_odd(plan, box, &title);
    return nb_drawing_set(node, "title", &title, err);
}

static enum nb_status fabric_add_box(const struct fabric *fabric, size_t b,
                                     struct nb_error *err)
{
    const struct nb_plan *plan = &fabric->plan;
    const struct nb_plan_box *box = &plan->boxes[b];
    const struct fabric_row *row = &fabric->row[box->row];
    const double x = fabric_x(fabric, b);
    xmlNodePtr node = nb_view_add(fabric->chart, "box");
    nb_view_place(node, "x", x - row->width / 2);
    nb_view_place(node, "y", row->top);
    nb_view_place(node, "width", row->width);
    nb_view_place(node, "height", row->height);
    if (box->inside > 0)
        nb_view_print(
            node, "level", "%d",
            nb_drawing_level(plan->links[box->inside - 1].most, plan->most));
    const enum nb_status status = fabric_entitle(fabric, box, node, err);
    return status == NB_OK ? fabric_add_lines(fabric, box, x, node, err)
                           : status;
}

/* A link's ends: the lower edge of the upper box and the upper edge of the
 * lower one; within a row, the edges towards the other rows. */
struct fabric_line {
    double x[2], y[2];
    double bend;
};

static struct fabric_line fabric_find_line(const struct fabric *fabric,
                                           const struct nb_plan_link *link)
{
    const size_t end[2] = { link->from, link->to };
    const uint32_t top = fabric->plan.rows - 1;
    uint32_t row[2];
    struct fabric_line line;
    for (int e = 0; e < 2; e++)
        row[e] = fabric->plan.boxes[end[e]].row;
    for (int e = 0; e < 2; e++) {
        const struct fabric_row *at = &fabric->row[row[e]];
        const bool is_upper =
            row[e] > row[1 - e] || (row[0] == row[1] && row[e] == top);
        line.x[e] = fabric_x(fabric, end[e]);
        line.y[e] = at->top + (is_upper ? at->height : 0);
    }
    line.bend = row[0] != row[1] ? 0 : row[0] == top ? -0.25 : 0.25;
    return line;
}

/* A point of a link, at a part of the way from its first end. */
static struct nb_place fabric_point(const struct fabric_line *line, double part)
{
    const double away = 2 * part * (1 - part) * line->bend;
    const double dx = line->x[1] - line->x[0], dy = line->y[1] - line->y[0];
    return (struct nb_place){ line->x[0] + part * dx + away * dy,
                              line->y[0] + part * dy - away * dx };
}

/* Appends a coordinate, to a tenth. */
static void fabric_print_number(double value, struct nb_text *text)
{
    const long tenths = lround(10 * value);
    nb_text_print(text, tenths % 10 != 0 ? "%ld.%ld" : "%ld", tenths / 10,
                  tenths % 10);
}

static void fabric_print_place(char letter, struct nb_place at,
                               struct nb_text *text)
{
    nb_text_print(text, "%c", letter);
    fabric_print_number(at.x, text);
    nb_text_print(text, " ");
    fabric_print_number(at.y, text);
}

/* Appends a link as a path; one that has a corner in its middle, where an arrow
 * may be. */
static void fabric_print_path(const struct fabric_line *line, bool is_back,
                              bool has_corner, struct nb_text *text)
{
    const int steps = line->bend != 0 ? 8 : has_corner ? 2 : 1;
    for (int i = 0; i <= steps; i++) {
        const double part = (double)i / steps;
        fabric_print_place(i == 0 ? 'M' : 'L',
                           fabric_point(line, is_back ? 1 - part : part), text);
    }
}

/* Appends a box's own name. */
static void fabric_print_box(const struct fabric *fabric, size_t b,
                             struct nb_text *text)
{
    const struct nb_plan_box *box = &fabric->plan.boxes[b];
    if (fabric_is_single(box))
        nb_text_add(text, fabric_name(&fabric->plan, box->first),
                    strlen(fabric_name(&fabric->plan, box->first)));
    else
        fabric_print_label(fabric, box, text);
}

/* "leaf 3 to spine 1: 4 cables, load at most 45 pairs" */
static enum nb_status fabric_entitle_link(const struct fabric *fabric,
                                          const struct nb_plan_link *link,
                                          xmlNodePtr node, struct nb_error *err)
{
    const size_t cables =
        link->cables[0] > link->cables[1] ? link->cables[0] : link->cables[1];
    struct nb_text title = { 0 };
    fabric_print_box(fabric, link->from, &title);
    nb_text_print(&title, " to ");
    fabric_print_box(fabric, link->to, &title);
    nb_text_print(&title, ": ");
    nb_drawing_print_count(cables, "cable", &title);
    nb_text_print(&title, ", at most ");
    nb_drawing_print_value(fabric->plan.value, link->most, fabric->plan.unit,
                           &title);
    return nb_drawing_set(node, "title", &title, err);
}

static bool fabric_is_line(const struct nb_plan_link *link)
{
    return link->from != link->to;
}

/* Adds the links of a level: each with its words, or all as one path. */
static enum nb_status fabric_add_level(const struct fabric *fabric, int level,
                                       size_t lines, struct nb_error *err)
{
    const struct nb_plan *plan = &fabric->plan;
    struct nb_text path = { 0 };
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < plan->link_count; i++) {
        const struct nb_plan_link *link = &plan->links[i];
        if (!fabric_is_line(link) ||
            nb_drawing_level(link->most, plan->most) != level)
            continue;
        const struct fabric_line line = fabric_find_line(fabric, link);
        fabric_print_path(&line, false, false, &path);
        if (lines > FABRIC_TITLED)
            continue;
        xmlNodePtr node = nb_view_add(fabric->chart, "link");
        nb_view_print(node, "level", "%d", level);
        NB_TRY(nb_drawing_set(node, "d", &path, err));
        NB_TRY(fabric_entitle_link(fabric, link, node, err));
    }
    if (path.length > 0) {
        xmlNodePtr node = nb_view_add(fabric->chart, "link");
        nb_view_print(node, "level", "%d", level);
        status = nb_drawing_set(node, "d", &path, err);
    }
done:
    nb_text_release(&path);
    return status;
}

/* Adds a link once more, on top of others, to mark it. */
static enum nb_status fabric_add_marked(const struct fabric *fabric,
                                        const struct nb_plan_link *link,
                                        bool is_back, const char *kind,
                                        struct nb_error *err)
{
    const struct fabric_line line = fabric_find_line(fabric, link);
    struct nb_text path = { 0 };
    xmlNodePtr node = nb_view_add(fabric->chart, "link");
    enum nb_status status;
    nb_view_print(node, "level", "%d",
                  nb_drawing_level(link->most, fabric->plan.most));
    nb_view_set(node, "marked", kind);
    fabric_print_path(&line, is_back, true, &path);
    NB_TRY(nb_drawing_set(node, "d", &path, err));
    NB_TRY(fabric_entitle_link(fabric, link, node, err));
done:
    return status;
}

static enum nb_status fabric_add_links(const struct fabric *fabric,
                                       struct nb_error *err)
{
    const struct nb_plan *plan = &fabric->plan;
    enum nb_status status = NB_OK;
    size_t lines = 0;
    for (size_t i = 0; i < plan->link_count; i++)
        lines += fabric_is_line(&plan->links[i]);
    for (int level = 0; level <= NB_DRAWING_LEVELS; level++)
        NB_TRY(fabric_add_level(fabric, level, lines, err));
    if (plan->most > 0 && fabric_is_line(&plan->links[plan->fullest_link]))
        NB_TRY(fabric_add_marked(fabric, &plan->links[plan->fullest_link],
                                 false, "full", err));
    for (size_t i = 0; i < plan->link_count; i++)
        for (int back = 0; back < 2; back++)
            if (plan->links[i].has_loop[back] &&
                fabric_is_line(&plan->links[i]))
                NB_TRY(fabric_add_marked(fabric, &plan->links[i], back > 0,
                                         "loop", err));
done:
    return status;
}

static void fabric_add_mark(const struct fabric *fabric, double x, double y,
                            const char *kind)
{
    xmlNodePtr node = nb_view_add(fabric->chart, "mark");
    nb_view_place(node, "x", x);
    nb_view_place(node, "y", y);
    nb_view_set(node, "kind", kind);
}

/* Marks a link in its middle, or the box that contains it at a corner. */
static void fabric_mark_link(const struct fabric *fabric,
                             const struct nb_plan_link *link, double part,
                             const char *kind)
{
    const struct fabric_row *row =
        &fabric->row[fabric->plan.boxes[link->from].row];
    if (!fabric_is_line(link)) {
        fabric_add_mark(
            fabric, fabric_x(fabric, link->from) + (2 * part - 1) * row->width,
            row->top + row->height, kind);
        return;
    }
    const struct fabric_line line = fabric_find_line(fabric, link);
    const struct nb_place at = fabric_point(&line, part);
    fabric_add_mark(fabric, at.x, at.y, kind);
}

static const double fabric_full_part = 0.62, fabric_loop_part = 0.3;

/* Adds the marks: at the fullest cable, at each link of the loop, and at
 * switches with oddities, on the side of their cables. */
static void fabric_add_marks(const struct fabric *fabric)
{
    const struct nb_plan *plan = &fabric->plan;
    for (size_t b = 0; b < plan->box_count; b++) {
        const struct fabric_row *row = &fabric->row[plan->boxes[b].row];
        const bool is_top = plan->boxes[b].row + 1 == plan->rows;
        if (plan->boxes[b].odd > 0)
            fabric_add_mark(fabric, fabric_x(fabric, b),
                            row->top + (is_top ? row->height : 0), "odd");
    }
    for (size_t i = 0; i < plan->link_count; i++)
        if (plan->links[i].has_loop[0] || plan->links[i].has_loop[1])
            fabric_mark_link(fabric, &plan->links[i], fabric_loop_part, "loop");
    if (plan->most > 0)
        fabric_mark_link(fabric, &plan->links[plan->fullest_link],
                         fabric_full_part, "full");
}

/* Appends the fullest channel by its ports, if table cables has it, else by its
 * switches. */
static void fabric_print_fullest(const struct fabric *fabric,
                                 struct nb_text *text)
{
    const struct nb_point *point = fabric->drawing->point;
    const struct nb_table *channels = fabric->drawing->table;
    const struct nb_table *cables = nb_point_table(point, "cables");
    const struct nb_plan *plan = &fabric->plan;
    const double channel = nb_table_value(channels, plan->fullest, "channel");
    for (size_t i = 0; cables != NULL && i < cables->row_count; i++)
        if (!(fabs(nb_table_value(cables, i, "channel") - channel) > 0)) {
            const char *name =
                nb_table_text(cables, i, nb_table_column(cables, "cable"));
            nb_text_add(text, name, strlen(name));
            return;
        }
    const struct nb_plan_link *link = &plan->links[plan->fullest_link];
    fabric_print_box(fabric, link->from, text);
    nb_text_print(text, " to ");
    fabric_print_box(fabric, link->to, text);
}

/* Appends where the fullest cable is: "between pod 3 and plane 1". */
static void fabric_print_where(const struct fabric *fabric,
                               const struct nb_plan_link *link,
                               struct nb_text *text)
{
    if (!fabric->plan.has_pods)
        return;
    nb_text_print(text, fabric_is_line(link) ? ", between " : ", within ");
    fabric_print_box(fabric, link->from, text);
    if (fabric_is_line(link)) {
        nb_text_print(text, " and ");
        fabric_print_box(fabric, link->to, text);
    }
}

static void fabric_say_fullest(const struct fabric *fabric,
                               struct nb_text *text)
{
    const struct nb_plan *plan = &fabric->plan;
    nb_text_print(text, "Fullest cable: ");
    fabric_print_fullest(fabric, text);
    fabric_print_where(fabric, &plan->links[plan->fullest_link], text);
    nb_text_print(text, ": ");
    nb_drawing_print_value(plan->value, plan->most, plan->unit, text);
    if (plan->equal > 1)
        nb_text_print(text, ", as on %zu other channel%s", plan->equal - 1,
                      plan->equal == 2 ? "" : "s");
}

/* Appends the links of the loop; at most a few. */
static void fabric_say_loop(const struct fabric *fabric, struct nb_text *text)
{
    const struct nb_plan *plan = &fabric->plan;
    size_t told = 0;
    nb_text_print(text, "Credit loop of %zu channels, dashed", plan->loop);
    for (size_t i = 0; i < plan->link_count; i++)
        for (int back = 0; back < 2; back++) {
            const struct nb_plan_link *link = &plan->links[i];
            const size_t from = back > 0 ? link->to : link->from;
            if (!link->has_loop[back] || ++told > 4)
                continue;
            nb_text_print(text, told == 1 ? ": " : "; ");
            fabric_print_box(fabric, from, text);
            if (!fabric_is_line(link))
                continue;
            nb_text_print(text, " to ");
            fabric_print_box(fabric, link->from + link->to - from, text);
        }
    if (told > 4)
        nb_text_print(text, "; and others");
}

/* Appends the switches at which something is odd; at most a few. */
static size_t fabric_say_odd(const struct fabric *fabric, struct nb_text *text)
{
    const struct nb_plan *plan = &fabric->plan;
    const size_t most = 6;
    size_t odd = 0, told = 0;
    for (size_t i = 0; i < plan->count; i++)
        odd += plan->order[i]->odd[0] != '\0';
    nb_text_print(text, "Missing or unusual cables (table odd_cables) at ");
    fabric_print_switches(odd, text);
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->order[i]->odd[0] == '\0' || ++told > most)
            continue;
        nb_text_print(text, told == 1 ? ": " : ", ");
        nb_text_add(text, fabric_name(plan, i), strlen(fabric_name(plan, i)));
    }
    if (told > most)
        nb_text_print(text, " and others");
    return odd;
}

/* Cuts a text off that is longer than its line. */
static void fabric_cut(struct nb_text *text, size_t most)
{
    if (text->has_failed ||
        fabric_characters(text->bytes, text->length) <= most)
        return;
    size_t length = 0;
    for (size_t count = 0; length < text->length; length++) {
        count += !fabric_is_inner(text->bytes[length]);
        if (count == most)
            break;
    }
    text->length = length;
    text->bytes[length] = '\0';
    nb_text_print(text, "\u2026");
}

/* Adds a caption: its mark, its words as far as they fit; all of them to the
 * description. */
static enum nb_status fabric_add_caption(const struct fabric *fabric,
                                         const char *kind, double *y,
                                         struct nb_text *words,
                                         struct nb_text *description,
                                         struct nb_error *err)
{
    nb_text_print(description, " %s.",
                  words->bytes != NULL ? words->bytes : "");
    fabric_cut(words, (size_t)((fabric->width - 40) / 6.6));
    fabric_add_mark(fabric, 14, *y - 4, kind);
    const enum nb_status status =
        fabric_add_words(fabric->chart, "word", 28, *y, words, err);
    *y += FABRIC_CAPTION;
    return status;
}

/* Adds the captions, and the drawing in words. */
static enum nb_status fabric_describe(const struct fabric *fabric,
                                      struct nb_error *err)
{
    const struct nb_plan *plan = &fabric->plan;
    struct nb_text description = { 0 }, words = { 0 };
    enum nb_status status = NB_OK;
    double y = fabric->foot;
    fabric_print_switches(plan->count, &description);
    nb_text_print(&description, " in %u levels, ", plan->levels);
    nb_drawing_print_count(plan->cables, "cable", &description);
    nb_text_print(&description, " between them.");
    if (plan->most > 0) {
        fabric_say_fullest(fabric, &words);
        NB_TRY(
            fabric_add_caption(fabric, "full", &y, &words, &description, err));
    }
    if (plan->loop > 0) {
        fabric_say_loop(fabric, &words);
        NB_TRY(
            fabric_add_caption(fabric, "loop", &y, &words, &description, err));
    }
    if (fabric_say_odd(fabric, &words) > 0)
        NB_TRY(
            fabric_add_caption(fabric, "odd", &y, &words, &description, err));
    status = nb_drawing_set(fabric->chart, "description", &description, err);
done:
    nb_text_release(&words);
    nb_text_release(&description);
    return status;
}

/* Adds the words left of a row: its levels, switches and hosts. */
static enum nb_status fabric_add_gutter(const struct fabric *fabric, uint32_t r,
                                        struct nb_error *err)
{
    const struct nb_plan *plan = &fabric->plan;
    const struct fabric_row *row = &fabric->row[r];
    struct nb_text text[3] = { 0 };
    size_t switches = 0;
    uint64_t hosts = 0;
    enum nb_status status = NB_OK;
    for (size_t b = row->first; b < row->first + row->count; b++) {
        switches += plan->boxes[b].count;
        hosts += plan->boxes[b].hosts;
    }
    if (plan->has_pods && r == 0 && plan->levels > 2)
        nb_text_print(&text[0], "levels 0 to %u", plan->levels - 2);
    else
        nb_text_print(&text[0], "level %u",
                      plan->has_pods ? plan->levels - 1 : r);
    fabric_print_switches(switches, &text[1]);
    if (hosts > 0)
        nb_drawing_print_count((size_t)hosts, "host", &text[2]);
    for (int i = 0; i < 3; i++)
        NB_TRY(fabric_add_words(fabric->chart, "word", 2,
                                row->top + row->height / 2 - 8 + 15.0 * i,
                                &text[i], err));
done:
    for (int i = 0; i < 3; i++)
        nb_text_release(&text[i]);
    return status;
}

static enum nb_status fabric_add(struct fabric *fabric, struct nb_error *err)
{
    const struct nb_plan *plan = &fabric->plan;
    enum nb_status status;
    NB_TRY(nb_drawing_start(fabric->drawing, "network",
                            "Switches and the load of their cables",
                            fabric->height, &fabric->chart, err));
    xmlUnsetProp(fabric->chart, BAD_CAST "width");
    nb_view_print(fabric->chart, "width", "%g", fabric->width);
    nb_view_set(fabric->chart, "form", "fabric");
    nb_view_set(fabric->chart, "x", "source target");
    nb_view_set(fabric->chart, "y", "load");
    NB_TRY(fabric_add_links(fabric, err));
    for (size_t b = 0; b < plan->box_count; b++)
        NB_TRY(fabric_add_box(fabric, b, err));
    for (uint32_t r = 0; r < plan->rows; r++)
        if (fabric->row[r].count > 0)
            NB_TRY(fabric_add_gutter(fabric, r, err));
    fabric_add_marks(fabric);
    NB_TRY(fabric_describe(fabric, err));
    nb_drawing_add_scale(fabric->chart, plan->value, plan->unit, plan->most);
done:
    return status;
}

enum nb_status nb_fabric_draw(const struct nb_drawing *drawing, bool *is_drawn,
                              struct nb_error *err)
{
    struct fabric fabric = { .drawing = drawing };
    enum nb_status status;
    *is_drawn = false;
    if (strcmp(drawing->table->name, "channels") != 0)
        return NB_OK;
    NB_TRY(nb_plan_build(drawing->point, &fabric.plan, err));
    if (fabric.plan.box_count == 0)
        goto done;
    fabric_place(&fabric);
    NB_TRY(fabric_add(&fabric, err));
    *is_drawn = true;
done:
    nb_plan_release(&fabric.plan);
    return status;
}
