/* Text: a growing string, and numbers that survive printing and reading. */
#ifndef NB_CORE_TEXT_H
#define NB_CORE_TEXT_H

#include "core/status.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

NB_PUBLIC_BEGIN

/* Zero-initialised is the empty text. Owns bytes (NUL-terminated once
 * anything was added). A failed allocation is remembered in has_failed, so
 * that a sequence of additions needs one check at its end. */
struct nb_text {
    char *bytes;
    size_t length;
    size_t capacity;
    bool has_failed;
};

/* Rows of replacements for characters in another language; ends with a zero
 * row. */
struct nb_instead {
    char character;
    const char *instead;
};

/* Errors: NB_NO_MEMORY if any addition failed. */
enum nb_status nb_text_check(const struct nb_text *text, struct nb_error *err);
void nb_text_release(struct nb_text *text);

enum { NB_NUMBER_TEXT = 32 };

/* The path that means standard input. It can be read only once, so nothing is
 * known about it beforehand. */
#define NB_FILE_STDIN "-"

NB_PUBLIC_END

NB_INTERNAL_BEGIN

void nb_text_add(struct nb_text *text, const char *bytes, size_t length);
void nb_text_print(struct nb_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void nb_text_print_list(struct nb_text *text, const char *format,
                        va_list arguments)
    __attribute__((format(printf, 2, 0)));
/* The replacement of a character; NULL: the character itself. */
const char *nb_instead_of(const struct nb_instead *rows, int character);

/* The shortest decimal of 15, 16 or 17 significant digits, among the nearest
 * ones, that reads back as the same double: 4.8; "inf", "-inf", "nan". */
void nb_number_print(double value, char text[NB_NUMBER_TEXT]);
/* Always 17 significant digits, as in reports up to version 0.2.0. */
void nb_number_print_long(double value, char text[NB_NUMBER_TEXT]);

/*
 * Reads a finite number, strictly: the whole text, decimal notation.
 *
 * what  names the value in the message
 *
 * Errors: NB_INVALID naming what, the text and the permitted range
 * [least, most]; NB_NO_MEMORY.
 */
enum nb_status nb_number_read(const char *text, const char *what, double least,
                              double most, double *out, struct nb_error *err);

/* Like nb_number_read for whole numbers; no space, no sign except the - of a
 * negative number. */
enum nb_status nb_integer_read(const char *text, const char *what,
                               int64_t least, int64_t most, int64_t *out,
                               struct nb_error *err);

/* A file's name in messages: its path, or "standard input". */
const char *nb_file_name(const char *path);

/*
 * Reads a whole file into text.
 *
 * limit  [byte]  a larger file is refused
 *
 * Errors: NB_IO if it cannot be read, naming path and cause; NB_INVALID if
 * it is larger than limit.
 */
enum nb_status nb_text_read_file(const char *path, size_t limit,
                                 struct nb_text *text, struct nb_error *err);
/* Errors: NB_INVALID if the text read from the path is larger than limit. */
enum nb_status nb_text_check_limit(const char *path, const struct nb_text *text,
                                   size_t limit, struct nb_error *err);

/*
 * Writes a file completely or not at all: under a temporary name in the same
 * folder, then renamed. Links are followed and kept; a file that is replaced
 * keeps owner and permissions. Where a new file cannot take the old one's place
 * without loss (hard links, another owner, a closed folder), the old one is
 * rewritten, after the space for it is reserved. Devices, pipes and open
 * descriptors (/dev/stdout, /proc/self/fd/N) are written directly.
 *
 * SIGHUP, SIGINT, SIGTERM, SIGQUIT and SIGXCPU are blocked in the calling
 * thread meanwhile; a program with more threads must redirect them to it
 * (cli/interrupt.h does).
 *
 * Errors: NB_IO naming path and cause; no file is left behind.
 */
enum nb_status nb_file_write(const char *path, const char *bytes, size_t length,
                             struct nb_error *err);

/* Whether nb_file_write may succeed, as far as that shows without touching
 * anything: the folder exists, permissions. Errors: those of nb_file_write. */
enum nb_status nb_file_probe(const char *path, struct nb_error *err);

/*
 * Whether two paths lead to the same regular file, whatever their spelling or
 * links, or to the same unused name. Never true of pipes and devices.
 *
 * a, b  NULL: standard output; "-": standard input
 */
bool nb_file_is_same(const char *a, const char *b);

NB_INTERNAL_END

#endif
