/* Reader: reads a report file point by point, in memory that does not grow with
 * the number of points. */
#ifndef NB_REPORT_READER_H
#define NB_REPORT_READER_H

#include "core/digest.h"
#include "report/report.h"

struct nb_report_reader;

/*
 * Reads up to the first point, so that the head is known.
 *
 * limit          [byte]  a larger file is refused; SIZE_MAX: no limit
 * is_read_again  whether nb_reader_rewind will be called
 *
 * Errors: those of nb_report_read_file.
 */
enum nb_status nb_reader_open(const char *path, size_t limit,
                              bool is_read_again, struct nb_report_reader **out,
                              struct nb_error *err);

/* Model and program and, after all points were read, how it was made. Its
 * points do not belong to the caller. */
struct nb_report *nb_reader_head(struct nb_report_reader *reader);
/* Whether the file states before its points how it was made, as older ones
 * do. */
bool nb_reader_is_made_first(const struct nb_report_reader *reader);

/*
 * The next point, for the caller to release.
 *
 * is_there  out: false after the last one; the whole file was read then
 */
enum nb_status nb_reader_next(struct nb_report_reader *reader,
                              struct nb_point *out, bool *is_there,
                              struct nb_error *err);

/* All remaining points and the head, which the caller then owns. */
enum nb_status nb_reader_read_all(struct nb_report_reader *reader,
                                  struct nb_report *out, struct nb_error *err);

/* After the last point: whether the digest matches the file's bytes. digits:
 * out, the right ones; may be NULL. */
bool nb_reader_is_digest_right(const struct nb_report_reader *reader,
                               char digits[NB_DIGEST_TEXT]);

/* After the last point: back to the first one. keeps: from now on the file's
 * bytes are kept until they are compared. */
enum nb_status nb_reader_rewind(struct nb_report_reader *reader, bool keeps,
                                struct nb_error *err);

/* Whether the next bytes kept are these; they are still kept afterwards. */
bool nb_reader_is_next(const struct nb_report_reader *reader, const char *bytes,
                       size_t length);
/* The same, but drops them. */
bool nb_reader_spells(struct nb_report_reader *reader, const char *bytes,
                      size_t length);
/* Drops the kept bytes up to the end of the first occurrence of end; false if
 * there is none, or if a comment, an instruction or CDATA is before it. */
bool nb_reader_skip(struct nb_report_reader *reader, const char *end);

/* NULL is permitted. */
void nb_reader_close(struct nb_report_reader *reader);

#endif
