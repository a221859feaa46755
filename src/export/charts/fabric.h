/* Fabric: the picture of an audited tree of switches for its operator. */
#ifndef NB_EXPORT_CHARTS_FABRIC_H
#define NB_EXPORT_CHARTS_FABRIC_H

#include "export/charts/drawing.h"

/*
 * Draws the switches in rows by level, the leaves at the bottom, and the cables
 * between them, with marks at the fullest cable, at the credit loop and where
 * cables are odd; in a large tree, pods and planes instead of switches.
 *
 * drawing   of a point's table "channels"
 * is_drawn  out: false if the point has no tree of switches
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_fabric_draw(const struct nb_drawing *drawing, bool *is_drawn,
                              struct nb_error *err);

#endif
