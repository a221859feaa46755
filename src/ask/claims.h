/* Claims: what a report says that verify does not prove. Everything else in a
 * report is checked. */
#ifndef NB_ASK_CLAIMS_H
#define NB_ASK_CLAIMS_H

#include "ask/question.h"

/* What the answers of a question may say without proof. */
struct nb_claim {
    /* Notes that the check takes from the given answer; or quantities that
     * depend on what a search found: they are proved, but another certificate
     * might prove more. Names, separated by blanks; NULL: none. */
    const char *notes, *quantities;
    /* The quantity whose exact value leaves nothing to claim; NULL: each its
     * own, "": none. */
    const char *unless;
    const char *table; /* only of answers with this certificate; NULL: all */
    const char *what;  /* is claimed; NULL ends a list */
};

/* Whether a note or quantity is among a question's claims. */
bool nb_claims_note(const struct nb_question_kind *kind, const char *name);
bool nb_claims_quantity(const struct nb_question_kind *kind,
                        const struct nb_point *point,
                        const struct nb_quantity *quantity);

/* The parts of a given answer that its check may read: certificates, and the
 * notes that are claimed. Borrows everything from given; the caller deletes its
 * arrays of tables and notes. Errors: NB_NO_MEMORY. */
enum nb_status nb_claims_strip(const struct nb_question_kind *kind,
                               const struct nb_point *given,
                               struct nb_point *out, struct nb_error *err);

/* Appends a line for each claim that a report makes: in its head, or at a
 * point. */
void nb_claims_say_head(const struct nb_report *head, struct nb_text *said);
void nb_claims_say(const struct nb_question_kind *kind,
                   const struct nb_point *given, struct nb_text *said);

/* Appends the lists of everything that verify checks and of what reports only
 * claim. */
void nb_claims_list(struct nb_text *text);

#endif
