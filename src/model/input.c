#include "model/input.h"

#include "core/digest.h"
#include "core/memory.h"
#include "routing/routing.h"
#include "topology/topology.h"
#include "traffic/traffic.h"

#include <string.h>
#include <unistd.h>

/* The option types whose values may name files. */
static const struct {
    nb_kind_at *kinds;
    const struct nb_parameter *common;
} input_registries[] = {
    { nb_topology_kind_at, nb_topology_parameters },
    { nb_traffic_kind_at, NULL },
    { nb_routing_kind_at, NULL },
};

/* An option or, after the options, a sweep; NULL past the last. */
static struct nb_model_option *input_setting(const struct nb_model *model,
                                             size_t index)
{
    if (index < model->option_count)
        return &model->options[index];
    index -= model->option_count;
    return index < model->sweep_count ? &model->sweeps[index] : NULL;
}

/* State of a walk through a value. */
struct input_walk {
    const char *at;   /* the next item */
    const char *kind; /* of the enclosing specification; NULL: none */
    size_t length;    /* of that word */
    bool is_list;     /* every item is a path */
};

/* A row of that name, or with length 0 the leading one. */
static const struct nb_parameter *input_row(const struct nb_parameter *row,
                                            const char *name, size_t length)
{
    for (; row != NULL && row->name != NULL; row++)
        if (length == 0 ? row->is_leading
                        : strlen(row->name) == length &&
                              strncmp(row->name, name, length) == 0)
            return row;
    return NULL;
}

/* Like input_row, in any kind of that name in any registry; prefers a path. */
static const struct nb_parameter *
input_find_row(const struct input_walk *walk, const char *name, size_t length)
{
    const struct nb_parameter *found = NULL;
    for (size_t i = 0; walk->kind != NULL && i < 3; i++) {
        size_t index;
        const struct nb_kind *kind = nb_kind_find(
            input_registries[i].kinds, walk->kind, walk->length, &index);
        const struct nb_parameter *row =
            kind != NULL ? input_row(kind->parameters, name, length) : NULL;
        if (row == NULL && kind != NULL)
            row = input_row(input_registries[i].common, name, length);
        if (row != NULL && (found == NULL || row->type == NB_PATH))
            found = row;
    }
    return found;
}

/* Whether a specification begins here; its kind is then stored in the walk. */
static bool input_enter(struct input_walk *walk, const char *text)
{
    const struct input_walk inner = { .kind = text,
                                      .length = strcspn(text, ":=,") };
    if (text[inner.length] != ':' || input_find_row(&inner, "", 0) == NULL)
        return false;
    walk->kind = inner.kind;
    walk->length = inner.length;
    return true;
}

/* The path that an item is or contains; NULL if none. A specification may be
 * the value of a parameter, "background=file:a.csv". */
static const char *input_of_item(struct input_walk *walk, const char *item,
                                 size_t end)
{
    const char *text = item;
    size_t name = strcspn(text, "=,");
    if (walk->is_list)
        return end > 0 ? item : NULL;
    bool is_first = input_enter(walk, text);
    if (!is_first && text[name] == '=')
        is_first = input_enter(walk, text + name + 1);
    if (is_first) {
        text = walk->kind + walk->length + 1;
        name = strcspn(text, "=,");
    }
    const struct nb_parameter *row =
        text[name] == '=' && name > 0 ? input_find_row(walk, text, name) : NULL;
    if (row != NULL)
        text += name + 1;
    else if (is_first)
        row = input_find_row(walk, "", 0);
    return row != NULL && row->type == NB_PATH && text < item + end ? text
                                                                    : NULL;
}

/*
 * The next file named in a value: its place, and its length through *length;
 * NULL if there is none. It is the value of a parameter of type NB_PATH, as in
 * "file:a.lft,sl=a.sl", or an item of a sweep, and ends at the comma.
 */
static const char *input_next(struct input_walk *walk, size_t *length)
{
    while (*walk->at != '\0') {
        const char *item = walk->at + (*walk->at == ',');
        const size_t end = strcspn(item, ",");
        const char *path = input_of_item(walk, item, end);
        walk->at = item + end;
        if (path != NULL) {
            *length = (size_t)(item + end - path);
            return path;
        }
    }
    return NULL;
}

/*
 * Begins the walk through an option or sweep. In a sweep of a part, such as
 * "routing.sl", every item is a path if the kind of the whole, "file:a.lft",
 * says so.
 *
 * whole  has the value of the option that the part belongs to
 */
static struct input_walk input_begin(const struct nb_model *whole,
                                     const struct nb_model_option *option)
{
    struct input_walk walk = { .at = option->value };
    const char *part = strchr(option->name, '.');
    if (part == NULL)
        return walk;
    const size_t length = (size_t)(part - option->name);
    const struct nb_model_option *other;
    for (size_t i = 0; (other = input_setting(whole, i)) != NULL; i++) {
        struct input_walk of = { .at = other->value };
        if (strncmp(other->name, option->name, length) != 0 ||
            other->name[length] != '\0')
            continue;
        for (size_t end; input_next(&of, &end) != NULL;)
            ;
        const struct nb_parameter *row =
            input_find_row(&of, part + 1, strlen(part + 1));
        walk.is_list |= row != NULL && row->type == NB_PATH;
    }
    return walk;
}

enum nb_status nb_model_add_input(struct nb_model *model, const char *path,
                                  const char *sha256, struct nb_error *err)
{
    struct nb_model_input *input;
    size_t i = 0;
    while (i < model->input_count && strcmp(model->inputs[i].path, path) != 0)
        i++;
    if (i == model->input_count) {
        if (nb_grow(&model->inputs, model->input_count + 1, sizeof *input,
                    "inputs", err) != NB_OK)
            return NB_NO_MEMORY;
        input = &model->inputs[i];
        *input = (struct nb_model_input){ 0 };
        if (nb_new_copy(&input->path, path, "an input", err) != NB_OK)
            return NB_NO_MEMORY;
        model->input_count++;
    }
    input = &model->inputs[i];
    if (*sha256 == '\0')
        return NB_OK;
    if (input->sha256[0] != '\0' && strcmp(input->sha256, sha256) != 0)
        return nb_fail(err, NB_INVALID,
                       "input \"%.200s\" has changed: its SHA-256 is %s "
                       "(permitted: %s, as recorded)",
                       path, sha256, input->sha256);
    memcpy(input->sha256, sha256, sizeof input->sha256);
    return NB_OK;
}

/* Refuses a path that was cut at a comma, if the whole names a file. */
static enum nb_status input_refuse_comma(const char *path, size_t length,
                                         struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t end = length; path[end] == ',' && status == NB_OK;) {
        struct nb_text whole = { 0 };
        end += 1 + strcspn(path + end + 1, ",");
        nb_text_add(&whole, path, end);
        if (nb_text_check(&whole, NULL) == NB_OK &&
            access(whole.bytes, F_OK) == 0)
            status = nb_fail(err, NB_INVALID,
                             "path \"%.200s\" has a comma, which ends a path "
                             "(permitted: names without commas, such as a "
                             "link's, ln -s)",
                             whole.bytes);
        nb_text_release(&whole);
    }
    return status;
}

static enum nb_status input_take(const char *path, size_t length,
                                 nb_model_take *take, void *context,
                                 struct nb_error *err)
{
    struct nb_text name = { 0 };
    nb_text_add(&name, path, length);
    enum nb_status status = nb_text_check(&name, err);
    if (status == NB_OK && access(name.bytes, F_OK) != 0)
        status = input_refuse_comma(path, length, err);
    if (status == NB_OK)
        status = take(context, name.bytes, err);
    nb_text_release(&name);
    return status;
}

enum nb_status nb_model_each_input(const struct nb_model *model,
                                   nb_model_take *take, void *context,
                                   struct nb_error *err)
{
    const struct nb_model_option *option;
    enum nb_status status = NB_OK;
    for (size_t i = 0; (option = input_setting(model, i)) != NULL; i++) {
        struct input_walk walk = input_begin(model, option);
        size_t length;
        const char *path;
        while ((path = input_next(&walk, &length)) != NULL)
            NB_TRY(input_take(path, length, take, context, err));
    }
done:
    return status;
}

enum nb_status nb_model_pin_input(void *model, const char *path,
                                  struct nb_error *err)
{
    char digest[NB_DIGEST_TEXT];
    const enum nb_status status = nb_digest_file(path, digest, err);
    return status == NB_OK ? nb_model_add_input(model, path, digest, err)
                           : status;
}

enum nb_status nb_model_pin_inputs(struct nb_model *model, struct nb_error *err)
{
    return nb_model_each_input(model, nb_model_pin_input, model, err);
}

/* Appends a path, preceded by the folder if the file is found there. */
static enum nb_status input_add_path(struct nb_text *text, const char *folder,
                                     const char *path, size_t length,
                                     struct nb_error *err)
{
    struct nb_text full = { 0 };
    nb_text_print(&full, "%s/", folder);
    nb_text_add(&full, path, length);
    enum nb_status status = nb_text_check(&full, err);
    if (status == NB_OK) {
        const bool is_there = path[0] != '/' && access(full.bytes, F_OK) == 0;
        nb_text_add(text, is_there ? full.bytes : path,
                    is_there ? full.length : length);
        status = nb_text_check(text, err);
    }
    nb_text_release(&full);
    return status;
}

/* Does the same for a path in a block of its own. */
static enum nb_status input_resolve_path(char **path, const char *folder,
                                         struct nb_error *err)
{
    struct nb_text text = { 0 };
    const enum nb_status status =
        input_add_path(&text, folder, *path, strlen(*path), err);
    if (status == NB_OK) {
        nb_delete(*path);
        *path = text.bytes;
    } else {
        nb_text_release(&text);
    }
    return status;
}

static enum nb_status input_resolve(struct nb_model_option *option,
                                    struct input_walk walk, const char *folder,
                                    struct nb_error *err)
{
    struct nb_text text = { 0 };
    enum nb_status status = NB_OK;
    const char *done_to = option->value, *path;
    size_t length;
    while ((path = input_next(&walk, &length)) != NULL) {
        nb_text_add(&text, done_to, (size_t)(path - done_to));
        NB_TRY(input_add_path(&text, folder, path, length, err));
        done_to = path + length;
    }
    nb_text_add(&text, done_to, strlen(done_to));
    NB_TRY(nb_text_check(&text, err));
    nb_delete(option->value);
    option->value = text.bytes;
    text = (struct nb_text){ 0 };
done:
    nb_text_release(&text);
    return status;
}

enum nb_status nb_model_resolve_settings(const struct nb_model *whole,
                                         struct nb_model_option *settings,
                                         size_t count, const char *folder,
                                         struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (folder == NULL || strchr(folder, ',') != NULL)
        return NB_OK;
    for (size_t i = 0; i < count; i++)
        NB_TRY(input_resolve(&settings[i], input_begin(whole, &settings[i]),
                             folder, err));
done:
    return status;
}

enum nb_status nb_model_resolve_inputs(struct nb_model *model,
                                       const char *folder, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (folder == NULL || strchr(folder, ',') != NULL)
        return NB_OK;
    struct nb_model_option *option;
    for (size_t i = 0; (option = input_setting(model, i)) != NULL; i++)
        NB_TRY(nb_model_resolve_settings(model, option, 1, folder, err));
    for (size_t i = 0; i < model->input_count; i++)
        NB_TRY(input_resolve_path(&model->inputs[i].path, folder, err));
done:
    return status;
}

enum nb_status nb_model_resolve_list(struct nb_model_option *option,
                                     const char *folder, struct nb_error *err)
{
    const struct input_walk walk = { .at = option->value, .is_list = true };
    return folder != NULL ? input_resolve(option, walk, folder, err) : NB_OK;
}

static bool input_is_named(const struct nb_model *model, const char *path)
{
    const struct nb_model_option *option;
    size_t i = 0;
    while ((option = input_setting(model, i)) != NULL &&
           strstr(option->value, path) == NULL)
        i++;
    return option != NULL;
}

void nb_model_drop_inputs(struct nb_model *model)
{
    size_t kept = 0;
    for (size_t i = 0; i < model->input_count; i++) {
        if (input_is_named(model, model->inputs[i].path))
            model->inputs[kept++] = model->inputs[i];
        else
            nb_delete(model->inputs[i].path);
    }
    model->input_count = kept;
}

enum nb_status nb_model_resolve_option(struct nb_model *model, const char *name,
                                       const char *folder, struct nb_error *err)
{
    for (size_t i = 0; i < model->option_count && folder != NULL; i++)
        if (strcmp(model->options[i].name, name) == 0)
            return input_resolve_path(&model->options[i].value, folder, err);
    return NB_OK;
}

enum nb_status nb_model_find_folder(const char *path, char **folder,
                                    struct nb_error *err)
{
    *folder = NULL;
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return NB_OK;
    const enum nb_status status = nb_new_copy(folder, path, "a path", err);
    if (status == NB_OK)
        (*folder)[slash - path] = '\0';
    return status;
}
