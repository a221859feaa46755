/* Contract: calls of public functions with any arguments.
 * tests/contract/calls.py makes the tables of functions and structs from the
 * headers. */
#ifndef NB_TESTS_SUPPORT_CONTRACT_H
#define NB_TESTS_SUPPORT_CONTRACT_H

#include "core/ratio.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum contract_kind {
    CONTRACT_BOOL,
    CONTRACT_INT, /* enums, too */
    CONTRACT_INT64,
    CONTRACT_UINT32,
    CONTRACT_UINT64,
    CONTRACT_COUNT, /* of elements of an array, which has one */
    CONTRACT_DOUBLE,
    CONTRACT_RATIO,
    CONTRACT_TEXT,
    CONTRACT_ARRAY,  /* of numbers, zeros */
    CONTRACT_STRUCT, /* by value */
    CONTRACT_OBJECT, /* a pointer to a struct */
};

union contract_value {
    bool truth;
    int64_t whole;
    uint64_t count;
    double number;
    struct nb_ratio ratio;
    const char *text;
    void *object;
};

/* A scalar member of a struct, however deep. */
struct contract_field {
    const char *name;
    enum contract_kind kind;
    const char *type; /* of what an OBJECT points to */
    size_t offset;
};

struct contract_struct {
    const char *name;
    size_t size;
    const struct contract_field *fields; /* ends with zeros; NULL: none */
    void (*release)(void *object);       /* NULL: none */
};

struct contract_parameter {
    const char *name;
    enum contract_kind kind;
    const char *type; /* of structs */
    bool is_written;
};

enum { CONTRACT_NO_STATUS = -1, CONTRACT_PARAMETERS = 8, CONTRACT_LABEL = 240 };

struct contract_function {
    const char *name;
    size_t count;
    const struct contract_parameter *parameters;
    /* Returns the status, or CONTRACT_NO_STATUS. */
    int (*call)(const union contract_value *value);
};

/* Each ends with zeros. */
extern const struct contract_struct contract_structs[];
extern const struct contract_function contract_functions[];

/* Reads a returned text to its end; NULL is allowed. */
void contract_read_text(const char *text);

/* The struct of that name; NULL: its members are not public. */
const struct contract_struct *contract_struct_find(const char *name);

/* Declares a valid object of a type, which stays the caller's. The first one is
 * the usual argument of that type. */
void contract_add_object(const char *type, const char *label, void *object);

/* Whether any was declared. */
bool contract_has_objects(const char *type);

/* The number of values tried for a parameter; the first is the usual one. */
size_t contract_choices(const struct contract_function *function,
                        const struct contract_parameter *parameter);

/*
 * One of these values. What it releases was given to contract_add_object: call
 * it in a process of its own.
 *
 * label  out: its description, and nothing is released; NULL: for the call
 */
void contract_choose(const struct contract_function *function,
                     const struct contract_parameter *parameter, size_t choice,
                     union contract_value *out, char label[CONTRACT_LABEL]);

#endif
