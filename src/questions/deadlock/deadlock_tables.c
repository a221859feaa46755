#include "questions/deadlock/deadlock_tables.h"

#include "ask/table_read.h"
#include "core/memory.h"
#include "routing/path_table.h"

#include <stdio.h>

#define TABLES_ONE "one_class_"

struct tables_number_row {
    uint32_t channel, class, number;
};
static const struct nb_table_kind tables_numbering = {
    .name = "numbering",
    .columns = NB_COLUMNS(
        NB_FIELD(struct tables_number_row, channel, NB_BELOW(channels)),
        NB_FIELD(struct tables_number_row, class,
                 NB_AMONG(0, NB_MOST_VC_CLASSES - 1)),
        NB_FIELD(struct tables_number_row, number, NB_AMONG(1, INT32_MAX))),
    .is_certificate = true
};

/* A vertex that waits for the vertex of the next row, on a path of a pair. */
struct tables_cycle_row {
    uint32_t channel, class;
    struct nb_cause cause; /* without its vertices and its path */
};
/* The two channels of a cycle row on its path: held and wanted. */
#define TABLES_CYCLE                                                           \
    NB_FIELD(struct tables_cycle_row, channel, NB_BELOW(channels)),            \
        NB_FIELD(struct tables_cycle_row, class,                               \
                 NB_AMONG(0, NB_MOST_VC_CLASSES - 1)),                         \
        TABLES_CAUSE(source, NB_BELOW(routers)),                               \
        TABLES_CAUSE(destination, NB_BELOW(routers)),                          \
        TABLES_CAUSE(held, NB_AMONG(0, INT32_MAX)),                            \
        TABLES_CAUSE(wanted, NB_AMONG(0, INT32_MAX))
#define TABLES_CAUSE(field, ...)                                               \
    NB_COLUMN(struct tables_cycle_row, cause.field, #field, __VA_ARGS__)

static const struct nb_table_kind tables_cycle = {
    .name = "cycle", .columns = NB_COLUMNS(TABLES_CYCLE), .is_certificate = true
};

static const struct nb_table_kind tables_joint_cycle = {
    .name = "cycle",
    .columns =
        NB_COLUMNS(TABLES_CYCLE, TABLES_CAUSE(joint, NB_AMONG(0, INT32_MAX))),
    .is_certificate = true
};

/* Proofs of a protocol have rows about two messages. */
static const struct nb_table_kind *tables_cycle_of(bool has_messages)
{
    return has_messages ? &tables_joint_cycle : &tables_cycle;
}

/* The channels of those paths in order. row: row of the cycle, from 0. */
struct tables_path_row {
    uint32_t row, channel;
};
static const struct nb_table_kind tables_paths = {
    .name = "cycle_paths",
    .columns = NB_COLUMNS(
        NB_FIELD(struct tables_path_row, row, NB_AMONG(0, INT32_MAX)),
        NB_FIELD(struct tables_path_row, channel, NB_BELOW(channels))),
    .is_certificate = true
};

/* The cycle for readers: what is held, what it waits for, on which path and, if
 * another message must be accepted, where. */
static const struct nb_table_kind tables_waits = {
    .name = "waits",
    .columns = NB_SPELLED("held:text,class,waits_for:text,next_class,path:text,"
                          "room_at?:text")
};

struct tables_layer_row {
    uint32_t source, destination, layer;
};
static const struct nb_table_kind tables_layers = {
    .name = "layers",
    .columns = NB_COLUMNS(
        NB_FIELD(struct tables_layer_row, source, NB_BELOW(routers)),
        NB_FIELD(struct tables_layer_row, destination, NB_BELOW(routers)),
        NB_FIELD(struct tables_layer_row, layer,
                 NB_AMONG(1, NB_MOST_VC_CLASSES - 1))),
    .is_certificate = true
};

const struct nb_table_kind *const nb_deadlock_table_kinds[] = {
    &tables_waits, &tables_numbering, &tables_cycle, &tables_joint_cycle,
    &tables_paths, &tables_layers,    NULL
};

static void tables_add_numbering(const struct nb_deadlock_proof *proof,
                                 const struct nb_vc_classes *classes,
                                 const char *prefix, struct nb_point *out)
{
    const size_t table = nb_table_start_as(
        out, &tables_numbering, (struct nb_table_variant){ .prefix = prefix });
    const size_t count =
        classes->routing->topology->channel_count * classes->count;
    for (size_t v = 0; v < count; v++)
        if (proof->order.number[v] > 0)
            NB_ROW(out, table, v / classes->count, v % classes->count,
                   proof->order.number[v]);
}

static void tables_add_cycle(const struct nb_causes *causes,
                             const struct nb_vc_classes *classes,
                             bool has_messages, struct nb_table_variant variant,
                             struct nb_point *out)
{
    const size_t cycle =
        nb_table_start_as(out, tables_cycle_of(has_messages), variant);
    for (size_t i = 0; i < causes->count; i++) {
        const struct nb_cause *cause = &causes->cause[i];
        NB_ROW(out, cycle, cause->from / classes->count,
               cause->from % classes->count, cause->source, cause->destination,
               cause->held, cause->wanted);
        if (has_messages)
            NB_ROW(out, cycle, cause->joint);
    }
    const size_t paths = nb_table_start_as(out, &tables_paths, variant);
    for (size_t i = 0; i < causes->count; i++)
        for (size_t h = 0; h < causes->cause[i].length; h++)
            NB_ROW(out, paths, i, causes->cause[i].channel[h]);
}

/* "A to B", the routers at a channel's ends. */
static void tables_print_channel(const struct nb_topology *topology,
                                 uint32_t channel, struct nb_text *text)
{
    nb_router_print(topology, topology->channels[channel].source, text);
    nb_text_print(text, " to ");
    nb_router_print(topology, topology->channels[channel].target, text);
}

static void tables_add_waits(const struct nb_causes *causes,
                             const struct nb_vc_classes *classes,
                             bool has_messages, struct nb_table_variant variant,
                             struct nb_point *out)
{
    const struct nb_topology *topology = classes->routing->topology;
    const unsigned count = classes->count;
    variant.without = has_messages ? "" : "room_at";
    const size_t table = nb_table_start_as(out, &tables_waits, variant);
    for (size_t i = 0; i < causes->count; i++) {
        const struct nb_cause *cause = &causes->cause[i];
        struct nb_text held = { 0 }, wanted = { 0 }, path = { 0 }, room = { 0 };
        tables_print_channel(topology, cause->from / count, &held);
        tables_print_channel(topology, cause->to / count, &wanted);
        nb_path_print(topology, cause->source, cause->channel, cause->length,
                      &path);
        if (cause->joint > 0)
            nb_router_print(
                topology,
                topology->channels[cause->channel[cause->joint]].source, &room);
        out->has_failed |= held.has_failed || wanted.has_failed ||
                           path.has_failed || room.has_failed;
        NB_ROW(out, table, held.bytes, cause->from % count, wanted.bytes,
               cause->to % count, path.bytes);
        if (has_messages) /* a single packet waits for no room */
            NB_ROW(out, table, cause->joint > 0 ? room.bytes : "");
        nb_text_release(&held);
        nb_text_release(&wanted);
        nb_text_release(&path);
        nb_text_release(&room);
    }
}

/* prefix  of the names of tables: "" or TABLES_ONE */
static void tables_add(const struct nb_deadlock_proof *proof,
                       const struct nb_vc_classes *classes, bool has_messages,
                       const char *prefix, struct nb_point *out)
{
    const struct nb_table_variant variant = { .prefix = prefix };
    if (proof->order.is_free) {
        tables_add_numbering(proof, classes, prefix, out);
        return;
    }
    tables_add_waits(&proof->causes, classes, has_messages, variant, out);
    tables_add_cycle(&proof->causes, classes, has_messages, variant, out);
}

static void tables_read_numbering(struct nb_table_reader *in,
                                  unsigned class_count, struct nb_order *out)
{
    struct tables_number_row row;
    nb_read_new(in, &out->number, (size_t)in->limits.channels * class_count,
                sizeof *out->number);
    out->is_free = true;
    out->longest = 1; /* even without dependencies */
    while (nb_read_row(in, &tables_numbering, &row)) {
        const size_t vertex = row.channel * class_count + row.class;
        if (row.class >= class_count ||
            out->number[vertex] != 0) { /* given twice */
            nb_read_refute(in, NULL);
            return;
        }
        out->number[vertex] = row.number;
        if (row.number > out->longest)
            out->longest = row.number;
    }
}

/* Reads the paths of all rows of the cycle; a path has one channel per row with
 * its number. */
static void tables_read_paths(struct nb_table_reader *in, struct nb_causes *out)
{
    struct tables_path_row row;
    size_t last = 0;
    while (nb_read_row(in, &tables_paths, &row)) {
        if (row.row >= out->count || row.row < last) {
            nb_read_refute(in, NULL);
            return;
        }
        struct nb_cause *cause = &out->cause[row.row];
        in->status = nb_grow_one(&cause->channel, cause->length,
                                 sizeof *cause->channel, "paths", in->err);
        if (in->status == NB_OK)
            cause->channel[cause->length++] = row.channel;
        last = row.row;
    }
}

static void tables_read_cycle(struct nb_table_reader *in,
                              const struct nb_table_kind *kind,
                              unsigned class_count,
                              struct nb_deadlock_proof *out)
{
    struct nb_causes *causes = &out->causes;
    struct tables_cycle_row row = { 0 };
    const size_t count = nb_read_count(in, kind);
    if (in->status == NB_OK && count == 0)
        in->status = nb_fail(in->err, NB_REFUTED, "table %s has no rows",
                             in->table->name);
    nb_read_new(in, &causes->cause, count, sizeof *causes->cause);
    nb_read_new(in, &out->order.cycle, count, sizeof(uint32_t));
    while (nb_read_row(in, kind, &row)) {
        if (row.class >= class_count)
            nb_read_refute(in, NULL);
        out->order.cycle[causes->count] = row.channel * class_count + row.class;
        causes->cause[causes->count++] = row.cause;
    }
    out->order.length = causes->count;
    for (size_t r = 0; r < causes->count; r++) {
        causes->cause[r].from = out->order.cycle[r];
        causes->cause[r].to = out->order.cycle[(r + 1) % causes->count];
    }
    tables_read_paths(in, causes);
}

static bool tables_has(const struct nb_point *given,
                       const struct nb_table_kind *kind, const char *prefix)
{
    char name[40];
    snprintf(name, sizeof name, "%s%s", prefix, kind->name);
    return nb_point_table(given, name) != NULL;
}

/* Reads the proof back. Without its tables out stays empty, with is_free false.
 * Errors: NB_REFUTED; NB_NO_MEMORY. */
static enum nb_status
tables_read(const struct nb_point *given, const struct nb_topology *topology,
            unsigned class_count, bool has_messages, const char *prefix,
            struct nb_deadlock_proof *out, struct nb_error *err)
{
    struct nb_table_reader in = nb_table_reader_make(given, topology, err);
    in.prefix = prefix;
    if (tables_has(given, &tables_numbering, prefix))
        tables_read_numbering(&in, class_count, &out->order);
    else if (tables_has(given, &tables_cycle, prefix))
        tables_read_cycle(&in, tables_cycle_of(has_messages), class_count, out);
    return in.status;
}

/* Adds the pairs that are not in layer 0. */
static void tables_add_layers(const struct nb_dealt *dealt,
                              const struct nb_topology *topology,
                              struct nb_point *out)
{
    const size_t n = topology->router_count;
    const size_t table = nb_table_start(out, &tables_layers);
    for (size_t pair = 0; pair < n * n; pair++)
        if (dealt->layer[pair] > 0)
            NB_ROW(out, table, pair % n, pair / n, dealt->layer[pair]);
}

/* Reads the layers; without the table out stays empty. */
static enum nb_status tables_read_layers(const struct nb_point *given,
                                         const struct nb_topology *topology,
                                         struct nb_dealt *out,
                                         struct nb_error *err)
{
    const size_t n = topology->router_count;
    struct nb_table_reader in = nb_table_reader_make(given, topology, err);
    struct tables_layer_row row;
    if (!tables_has(given, &tables_layers, ""))
        return NB_OK;
    nb_read_new(&in, &out->layer, n * n, sizeof *out->layer);
    while (nb_read_row(&in, &tables_layers, &row)) {
        uint8_t *at = &out->layer[row.destination * n + row.source];
        if (*at != 0 || topology->terminals[row.source] == 0 ||
            topology->terminals[row.destination] == 0)
            nb_read_refute(&in, NULL);
        *at = (uint8_t)row.layer;
        if (row.layer >= out->count)
            out->count = row.layer + 1;
    }
    return in.status;
}

void nb_deadlock_add_proofs(const struct nb_deadlock *found,
                            struct nb_point *out)
{
    tables_add(&found->proof, &found->classes, false, "", out);
    if (found->dealt.count > 0)
        tables_add_layers(&found->dealt, found->classes.routing->topology, out);
    if (found->has_one)
        tables_add(&found->one, &found->one_class, false, TABLES_ONE, out);
}

void nb_protocol_add_proof(const struct nb_protocol *found,
                           struct nb_point *out)
{
    tables_add(&found->proof, &found->all, true, "", out);
}

enum nb_status nb_protocol_check_proof(const struct nb_routing *routing,
                                       unsigned messages, unsigned networks,
                                       const struct nb_run *run,
                                       const struct nb_point *given,
                                       struct nb_protocol *out,
                                       struct nb_error *err)
{
    struct nb_deadlock_proof own = { 0 };
    struct nb_vc_classes classes = { 0 };
    enum nb_status status;
    NB_TRY(nb_vc_classes_build(routing, &classes, err));
    NB_TRY(tables_read(given, routing->topology, classes.count * networks, true,
                       "", &own, err));
    NB_TRY(nb_protocol_check(routing, messages, networks, run, &own, out, err));
done:
    nb_deadlock_proof_release(&own);
    nb_vc_classes_release(&classes);
    return status;
}

enum nb_status nb_deadlock_check_proofs(const struct nb_routing *routing,
                                        const struct nb_run *run,
                                        const struct nb_point *given,
                                        struct nb_deadlock *out,
                                        struct nb_error *err)
{
    const struct nb_topology *topology = routing->topology;
    struct nb_deadlock_proof own = { 0 }, one = { 0 };
    struct nb_vc_classes classes = { 0 };
    struct nb_dealt dealt = { 0 };
    enum nb_status status;
    NB_TRY(nb_vc_classes_build(routing, &classes, err));
    NB_TRY(tables_read(given, topology, classes.count, false, "", &own, err));
    NB_TRY(tables_read(given, topology, 1, false, TABLES_ONE, &one, err));
    NB_TRY(tables_read_layers(given, topology, &dealt, err));
    NB_TRY(nb_deadlock_check(routing, run, &own, &one, &dealt, out, err));
done:
    nb_deadlock_proof_release(&own);
    nb_deadlock_proof_release(&one);
    nb_dealt_release(&dealt);
    nb_vc_classes_release(&classes);
    return status;
}
