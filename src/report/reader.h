/* Reader: a report file, point by point, in memory that does not grow with
 * their number. */
#ifndef NB_REPORT_READER_H
#define NB_REPORT_READER_H

#include "core/digest.h"
#include "report/report.h"

struct nb_report_reader;

/*
 * Begins to read: up to the first point, so that the head is known.
 *
 * limit          [byte]  a larger file is refused; SIZE_MAX: none is
 * is_read_again  whether nb_reader_rewind will be called
 *
 * Errors: as nb_report_read_file.
 */
enum nb_status nb_reader_open(const char *path, size_t limit,
                              bool is_read_again, struct nb_report_reader **out,
                              struct nb_error *err);

/* Model and program, and, once all points were read, how it was made. Its
 * points are none of the caller's. */
struct nb_report *nb_reader_head(struct nb_report_reader *reader);
/* Whether the file has before its points how it was made, as older ones do. */
bool nb_reader_is_made_first(const struct nb_report_reader *reader);

/*
 * The next point, for the caller to release.
 *
 * is_there  out: false after the last one; then the whole file was read
 */
enum nb_status nb_reader_next(struct nb_report_reader *reader,
                              struct nb_point *out, bool *is_there,
                              struct nb_error *err);

/* All points that are left, and the head, which the caller then owns. */
enum nb_status nb_reader_read_all(struct nb_report_reader *reader,
                                  struct nb_report *out, struct nb_error *err);

/* After the last point: whether the digest fits the file's bytes. digits: out,
 * those that fit; may be NULL. */
bool nb_reader_is_digest_right(const struct nb_report_reader *reader,
                               char digits[NB_DIGEST_TEXT]);

/* After the last point: to the first one again. keeps: the file's bytes are
 * kept from now on, until they were compared. */
enum nb_status nb_reader_rewind(struct nb_report_reader *reader, bool keeps,
                                struct nb_error *err);

/* Whether the next bytes kept are these; they stay. */
bool nb_reader_is_next(const struct nb_report_reader *reader, const char *bytes,
                       size_t length);
/* The same, and they are then no longer kept. */
bool nb_reader_spells(struct nb_report_reader *reader, const char *bytes,
                      size_t length);
/* Leaves out the bytes kept up to the end of the first of these; false if they
 * are not there. */
bool nb_reader_skip(struct nb_report_reader *reader, const char *end);

/* NULL is permitted. */
void nb_reader_close(struct nb_report_reader *reader);

#endif
