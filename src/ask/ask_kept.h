/* Points of a question as tasks of a dealt-out loop, and the checkpoint that
 * keeps them. */
#ifndef NB_ASK_ASK_KEPT_H
#define NB_ASK_ASK_KEPT_H

#include "core/deal.h"
#include "ask/ask.h"

/* Keeps the finished tasks of a prepared question from now on. Errors: those of
 * nb_deal_open. */
enum nb_status nb_ask_keep(const struct nb_model *model, const char *path,
                           struct nb_deal *deal, struct nb_error *err);

/* Computes a point and packs it (report/point_pack.h). Errors: those of
 * nb_ask_point. */
enum nb_status nb_ask_pack_point(const struct nb_ask *ask, size_t index,
                                 struct nb_text *result, struct nb_error *err);

#endif
