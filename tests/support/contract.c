#include "support/contract.h"

#include "core/memory.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONTRACT_OBJECTS = 128, CONTRACT_ARRAY_BYTES = 1 << 16 };

struct contract_object {
    const char *type, *label;
    void *object;
};

static struct contract_object contract_objects[CONTRACT_OBJECTS];
static size_t contract_object_count;

static const int64_t contract_ints[] = { 0, 1, 2, 3, -1, 99, INT_MAX, INT_MIN };
static const int64_t contract_wholes[] = {
    1, 0, 2, -1, 1000, INT64_C(1) << 32, INT64_MAX, INT64_MIN
};
static const uint64_t contract_words[] = {
    1, 0, 2, 1000, UINT32_C(1) << 31, UINT32_MAX
};
static const uint64_t contract_sizes[] = {
    1, 0, 2, 1000, UINT64_C(1) << 32, UINT64_C(1) << 63, UINT64_MAX
};
static const double contract_numbers[] = {
    0.5, 0,       -0.0,         1,       -1,       2,         1e-300,
    1e9, DBL_MIN, DBL_TRUE_MIN, DBL_MAX, INFINITY, -INFINITY, NAN
};
static const struct nb_ratio contract_ratios[] = {
    { 1, 2 },         { 1, 1 },         { 0, 1 },
    { 0, 0 },         { 1, 0 },         { 3, 2 },
    { -1, 2 },        { 1, -2 },        { INT64_MAX, 1 },
    { 1, INT64_MAX }, { INT64_MIN, 1 }, { INT64_MAX, INT64_MIN },
};
/* Specifications, names, numbers, paths; NULL only as a member of a struct. */
static char contract_long[5000]; /* filled when it is used */
static const char *const contract_texts[] = {
    "",
    "torus:4x4",
    "torus:999999999x999999999",
    "fattree:k=2,n=0",
    "min",
    "dor:order=random",
    "uniform",
    "hotspot:router=99",
    "file:/nowhere/a.csv",
    "/nowhere/a.csv",
    "a.dot",
    "nothing",
    ":",
    "=,=",
    "%s%n%s",
    "\xff\xfe\n",
    "-1",
    "nan",
    "1:2:3:4",
    "0.5,0.5",
    contract_long,
    NULL,
};

/* What a text must be for its function to succeed. */
static const struct {
    const char *function, *parameter, *text;
} contract_apt[] = {
    { "nb_topology_build", "specification", "torus:4x4" },
    { "nb_routing_build", "specification", "dor" },
    { "nb_traffic_build", "specification", "transpose" },
    { "nb_export_write", "style", "html" },
    { "nb_model_begin", "question", "load" },
    { "nb_model_set", "name", "routing" },
    { "nb_model_set", "value", "val" },
    { "nb_model_get", "name", "routing" },
    { "nb_model_add_sweep", "name", "rate" },
    { "nb_model_add_sweep", "values", "0.1,0.2" },
    { "nb_model_set_show", "names", "capacity" },
    { "nb_model_read_file", "path", "model.xml" },
    { "nb_ask_read", "path", "model.xml" },
    { "nb_report_read_file", "path", "report.xml" },
    { "nb_verify_file", "path", "report.xml" },
    { "nb_verify_file", "inputs", "." },
    { "nb_fit_question_read", "text", "radix=8,terminals=16" },
    { "nb_arrivals_read", "text", "poisson" },
    { "nb_question_find", "name", "load" },
    { "nb_ratio_read", "text", "1/2" },
    { "nb_point_quantity", "name", "capacity" },
    { "nb_point_table", "name", "channels" },
    { "nb_report_write", "table", "channels" },
    { "nb_report_print", "table", "channels" },
    { "nb_table_column", "name", "load" },
    { "nb_router_find", "text", "1" },
    { "nb_trace_read", "path", "trace.csv" },
    { "nb_graph_write", "path", "a.dot" },
    { "nb_graph_accepts", "path", "a.dot" },
    { "nb_path_table_write", "file", "paths.csv" },
    { "nb_permutation_write", "path", "permutation.csv" },
    { "nb_permutation_accepts", "path", "permutation.csv" },
    { "nb_traffic_write", "path", "traffic.csv" },
    { "nb_traffic_accepts", "path", "traffic.csv" },
};

/* Pointers that may be NULL (src/netbound.h). */
static const char *const contract_optional[] = { "nb_error", "nb_run" };

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

void contract_read_text(const char *text)
{
    volatile size_t length = text != NULL ? strlen(text) : 0;
    (void)length;
}

const struct contract_struct *contract_struct_find(const char *name)
{
    for (const struct contract_struct *at = contract_structs; at->name; at++)
        if (strcmp(at->name, name) == 0)
            return at;
    return NULL;
}

void contract_add_object(const char *type, const char *label, void *object)
{
    if (contract_object_count == CONTRACT_OBJECTS)
        abort();
    contract_objects[contract_object_count++] =
        (struct contract_object){ type, label, object };
}

static const struct contract_object *contract_object_at(const char *type,
                                                        size_t index)
{
    for (size_t i = 0; i < contract_object_count; i++)
        if (strcmp(contract_objects[i].type, type) == 0 && index-- == 0)
            return &contract_objects[i];
    return NULL;
}

static size_t contract_objects_of(const char *type)
{
    size_t count = 0;
    while (contract_object_at(type, count) != NULL)
        count++;
    return count;
}

bool contract_has_objects(const char *type)
{
    return contract_objects_of(type) > 0;
}

static bool contract_is_optional(const struct contract_parameter *parameter)
{
    for (size_t i = 0; i < COUNT_OF(contract_optional); i++)
        if (strcmp(parameter->type, contract_optional[i]) == 0)
            return true;
    return false;
}

/* Whether its members are the caller's. What the library owns, or gave back as
 * an answer, is only replaced as a whole. */
static bool contract_is_open(const struct contract_struct *of)
{
    const size_t length = strlen(of->name);
    return of->fields != NULL &&
           (of->release == NULL || strcmp(of->name, "nb_arrivals") == 0) &&
           strcmp(of->name + length - 5, "_told") != 0 &&
           strcmp(of->name, "nb_table") != 0 &&
           strcmp(of->name, "nb_path_class") != 0;
}

/* The number of values of a kind; object: of pointers in a struct. */
static size_t contract_values(enum contract_kind kind, const char *type)
{
    switch (kind) {
    case CONTRACT_BOOL:
    case CONTRACT_COUNT:
        return 2;
    case CONTRACT_INT:
        return COUNT_OF(contract_ints);
    case CONTRACT_INT64:
        return COUNT_OF(contract_wholes);
    case CONTRACT_UINT32:
        return COUNT_OF(contract_words);
    case CONTRACT_UINT64:
        return COUNT_OF(contract_sizes);
    case CONTRACT_DOUBLE:
        return COUNT_OF(contract_numbers);
    case CONTRACT_RATIO:
        return COUNT_OF(contract_ratios);
    case CONTRACT_TEXT:
        return COUNT_OF(contract_texts);
    case CONTRACT_ARRAY:
        return 1;
    case CONTRACT_STRUCT:
    case CONTRACT_OBJECT:
        break;
    }
    return contract_objects_of(type) + 1;
}

static void *contract_zeros(size_t size)
{
    void *zeros = calloc(1, size > 0 ? size : 1);
    if (zeros == NULL)
        abort();
    return zeros;
}

/* The index-th value of a kind and its description. */
static void contract_value_at(enum contract_kind kind, const char *type,
                              size_t index, union contract_value *out,
                              char label[CONTRACT_LABEL])
{
    switch (kind) {
    case CONTRACT_BOOL:
        out->truth = index == 1;
        snprintf(label, CONTRACT_LABEL, "%s", index == 1 ? "true" : "false");
        break;
    case CONTRACT_COUNT:
        out->count = index == 0;
        snprintf(label, CONTRACT_LABEL, "%d", index == 0);
        break;
    case CONTRACT_INT:
    case CONTRACT_INT64:
        out->whole = kind == CONTRACT_INT ? contract_ints[index]
                                          : contract_wholes[index];
        snprintf(label, CONTRACT_LABEL, "%lld", (long long)out->whole);
        break;
    case CONTRACT_UINT32:
    case CONTRACT_UINT64:
        out->count = kind == CONTRACT_UINT32 ? contract_words[index]
                                             : contract_sizes[index];
        snprintf(label, CONTRACT_LABEL, "%llu", (unsigned long long)out->count);
        break;
    case CONTRACT_DOUBLE:
        out->number = contract_numbers[index];
        snprintf(label, CONTRACT_LABEL, "%g", contract_numbers[index]);
        break;
    case CONTRACT_RATIO:
        out->ratio = contract_ratios[index];
        snprintf(label, CONTRACT_LABEL, "%lld/%lld",
                 (long long)out->ratio.numerator,
                 (long long)out->ratio.denominator);
        break;
    case CONTRACT_TEXT:
        memset(contract_long, 'a', sizeof contract_long - 1);
        out->text = contract_texts[index];
        snprintf(label, CONTRACT_LABEL,
                 out->text != NULL ? "\"%.40s\"" : "NULL", out->text);
        break;
    case CONTRACT_ARRAY:
        out->object = contract_zeros(CONTRACT_ARRAY_BYTES);
        snprintf(label, CONTRACT_LABEL, "zeros");
        break;
    case CONTRACT_STRUCT:
    case CONTRACT_OBJECT: {
        const struct contract_object *found = contract_object_at(type, index);
        const struct contract_struct *of = contract_struct_find(type);
        out->object = found != NULL ? found->object
                                    : contract_zeros(of != NULL ? of->size : 1);
        snprintf(label, CONTRACT_LABEL, "%s",
                 found != NULL ? found->label : "empty");
        break;
    }
    }
}

static void contract_store(enum contract_kind kind,
                           const union contract_value *value, void *at)
{
    switch (kind) {
    case CONTRACT_BOOL:
        memcpy(at, &value->truth, sizeof value->truth);
        break;
    case CONTRACT_INT:
    case CONTRACT_UINT32: {
        const int32_t narrow = (int32_t)value->whole;
        memcpy(at, &narrow, sizeof narrow);
        break;
    }
    case CONTRACT_DOUBLE:
        memcpy(at, &value->number, sizeof value->number);
        break;
    case CONTRACT_RATIO:
        memcpy(at, &value->ratio, sizeof value->ratio);
        break;
    case CONTRACT_INT64:
    case CONTRACT_UINT64:
    case CONTRACT_COUNT:
        memcpy(at, &value->whole, sizeof value->whole);
        break;
    case CONTRACT_TEXT:
    case CONTRACT_OBJECT:
    case CONTRACT_ARRAY:
    case CONTRACT_STRUCT:
        memcpy(at, &value->object, sizeof value->object);
        break;
    }
}

/* A number of elements may only become smaller: its array does not grow. */
static size_t contract_field_values(const struct contract_field *field)
{
    const size_t length = strlen(field->name);
    return length >= 5 && strcmp(field->name + length - 5, "count") == 0
               ? 1
               : contract_values(field->kind, field->type);
}

static size_t contract_changes(const struct contract_struct *of)
{
    size_t count = 0;
    for (const struct contract_field *at = of->fields; at->name != NULL; at++)
        count += contract_field_values(at);
    return count;
}

/* Changes one member of a copy of an object. */
static void *contract_change(const struct contract_struct *of, const void *from,
                             size_t choice, char label[CONTRACT_LABEL])
{
    const struct contract_field *at = of->fields;
    union contract_value value = { 0 };
    char text[CONTRACT_LABEL];
    for (; choice >= contract_field_values(at); at++)
        choice -= contract_field_values(at);
    char *copy = contract_zeros(of->size);
    memcpy(copy, from, of->size);
    if (contract_field_values(at) < contract_values(at->kind, at->type)) {
        value.count = 0;
        snprintf(text, sizeof text, "0");
    } else {
        contract_value_at(at->kind, at->type, choice, &value, text);
    }
    contract_store(at->kind, &value, copy + at->offset);
    snprintf(label, CONTRACT_LABEL, "%s = %.180s", at->name, text);
    return copy;
}

/* Choices of an object: those declared, an empty one, a released one, NULL, and
 * with one member changed. */
static size_t
contract_object_choices(const struct contract_parameter *parameter)
{
    const struct contract_struct *of = contract_struct_find(parameter->type);
    const size_t declared = contract_objects_of(parameter->type);
    if (of == NULL || (parameter->is_written && declared == 0) ||
        strcmp(parameter->name, "out") == 0)
        return 1;
    size_t count = declared + 1 + (declared > 0 && of->release != NULL);
    if (parameter->kind == CONTRACT_OBJECT)
        count += contract_is_optional(parameter);
    if (!parameter->is_written && contract_is_open(of))
        count += (declared > 0 ? declared : 1) * contract_changes(of);
    return count;
}

static void contract_object(const struct contract_parameter *parameter,
                            size_t choice, bool is_done,
                            union contract_value *out,
                            char label[CONTRACT_LABEL])
{
    const struct contract_struct *of = contract_struct_find(parameter->type);
    const size_t declared = contract_objects_of(parameter->type);
    if (of == NULL) {
        out->object = NULL;
        snprintf(label, CONTRACT_LABEL, "NULL");
        return;
    }
    if (strcmp(parameter->name, "out") == 0) {
        out->object = contract_zeros(of->size);
        snprintf(label, CONTRACT_LABEL, "empty");
        return;
    }
    if (choice <= declared) {
        contract_value_at(CONTRACT_OBJECT, parameter->type, choice, out, label);
        return;
    }
    choice -= declared + 1;
    if (declared > 0 && of->release != NULL && choice-- == 0) {
        contract_value_at(CONTRACT_OBJECT, parameter->type, 0, out, label);
        if (is_done)
            of->release(out->object);
        snprintf(label, CONTRACT_LABEL, "released");
        return;
    }
    if (parameter->kind == CONTRACT_OBJECT && contract_is_optional(parameter) &&
        choice-- == 0) {
        out->object = NULL;
        snprintf(label, CONTRACT_LABEL, "NULL");
        return;
    }
    const size_t changes = contract_changes(of);
    char what[CONTRACT_LABEL], from[CONTRACT_LABEL];
    contract_value_at(CONTRACT_OBJECT, parameter->type, choice / changes, out,
                      from);
    out->object = contract_change(of, out->object, choice % changes, what);
    snprintf(label, CONTRACT_LABEL, "%.80s with %.140s", from, what);
}

static const char *contract_apt_text(const struct contract_function *function,
                                     const struct contract_parameter *parameter)
{
    for (size_t i = 0; i < COUNT_OF(contract_apt); i++)
        if (strcmp(function->name, contract_apt[i].function) == 0 &&
            strcmp(parameter->name, contract_apt[i].parameter) == 0)
            return contract_apt[i].text;
    return contract_texts[0];
}

size_t contract_choices(const struct contract_function *function,
                        const struct contract_parameter *parameter)
{
    (void)function;
    if (parameter->kind == CONTRACT_OBJECT ||
        parameter->kind == CONTRACT_STRUCT)
        return contract_object_choices(parameter);
    return contract_values(parameter->kind, parameter->type);
}

void contract_choose(const struct contract_function *function,
                     const struct contract_parameter *parameter, size_t choice,
                     union contract_value *out, char label[CONTRACT_LABEL])
{
    char unread[CONTRACT_LABEL];
    char *at = label != NULL ? label : unread;
    if (parameter->kind == CONTRACT_OBJECT ||
        parameter->kind == CONTRACT_STRUCT) {
        contract_object(parameter, choice, label == NULL, out, at);
    } else if (parameter->kind == CONTRACT_TEXT && choice == 0) {
        out->text = contract_apt_text(function, parameter);
        snprintf(at, CONTRACT_LABEL, "\"%.40s\"", out->text);
    } else if (parameter->kind == CONTRACT_TEXT) {
        contract_value_at(CONTRACT_TEXT, NULL, choice - 1, out, at);
    } else {
        contract_value_at(parameter->kind, parameter->type, choice, out, at);
    }
}
