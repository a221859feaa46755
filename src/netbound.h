/*
 * netbound: how much traffic an interconnection network carries, how long
 * packets wait in it, and how certain these answers are.
 *
 *     topology   routers, terminals and the channels between them, made from a
 *                specification such as "torus:8x8" or "file:PATH"
 *     traffic    who sends how much to whom: "transpose", "file:PATH"
 *     routing    a scheme over a topology: "dor", "rlb:threshold=0.25"
 *     loads      the load that a traffic puts on each channel
 *     bounds     capacity, bisection, worst cases with certificates, closed
 *                forms, optimal routings
 *     queueing   buffers, delays, best routings for delay, reorder buffers
 *     simulator  the same networks, cycle by cycle
 *     model      a question as an XML file, and its answer: a report
 *
 * Errors. A function that can fail returns an enum nb_status, NB_OK on success,
 * and takes a struct nb_error as its last argument (may be NULL), which the
 * caller zero-initialises: its message is one line with the offending value and
 * what is permitted. Saturated, unreachable and unbounded are answers
 * (infinity), not errors. An object that was never built, a traffic or routing
 * of another network and a number out of range are NB_INVALID; functions that
 * return plain values return for them the values given in their comments.
 * Pointers must not be NULL unless a comment permits it.
 *
 * Memory. A zero-initialised struct is a valid empty object. Free what a
 * function fills in with the nb_..._release of the same name, also after a
 * failure. A routing borrows the topology it was made for, which must outlive
 * it.
 *
 * Threads. The library prints nothing, never exits and keeps no state, so
 * threads may call it at the same time, each with its own objects or with
 * shared objects that nobody changes. Long loops run on several threads (struct
 * nb_run; zero-initialised: all cores); the results do not depend on the number
 * of threads. nb_run also has what stops a long call, keeps its work and shows
 * its progress.
 *
 * Locale. Numbers are read and written as in the C locale, whatever locale the
 * program or a thread sets, before or during use. Only the operating system's
 * part of a message ("No such file or directory") is in the user's language.
 *
 * GSL. Queueing and the simulator's statistics use the GNU Scientific Library,
 * whose error handler would end the program: call gsl_set_error_handler_off()
 * once before using either.
 *
 * For C11 and C++11 or later, compiled by gcc or clang. Link programs with the
 * flags that pkg-config --libs netbound prints.
 */
#ifndef NETBOUND_H
#define NETBOUND_H

#include "core/ratio.h"
#include "core/status.h"
#include "core/text.h"
#include "core/version.h"

#include "topology/graph_write.h"
#include "topology/metrics.h"
#include "topology/topology.h"

#include "traffic/export.h"
#include "traffic/traffic.h"

#include "routing/routing.h"
#include "routing/unrouted.h"

#include "load/channel_loads.h"

#include "deadlock/deadlock.h"

#include "optimum/best_average.h"
#include "optimum/best_flow.h"
#include "optimum/best_oblivious.h"
#include "bounds/cuts/bisection.h"
#include "bounds/cuts/capacity.h"
#include "bounds/limits/limits.h"
#include "bounds/worst_case/necessary_case.h"
#include "bounds/worst_case/unbalanced_case.h"
#include "bounds/worst_case/worst_case.h"

#include "queueing/arrivals.h"
#include "queueing/assignment.h"
#include "queueing/dimension.h"
#include "queueing/distribution.h"
#include "queueing/mean_delay.h"
#include "queueing/qcn.h"
#include "queueing/reorder.h"
#include "queueing/slotted.h"

#include "sim/saturation.h"
#include "sim/sim.h"

#include "model/model.h"
#include "report/report.h"

#include "export/export.h"

#include "ask/ask.h"
#include "questions/buffer/buffer_question.h"
#include "questions/deadlock/deadlock_question.h"
#include "questions/delay/delay_question.h"
#include "questions/fit/fit_question.h"
#include "questions/latency/latency_question.h"
#include "questions/limits/limits_question.h"
#include "questions/load/load_question.h"
#include "questions/optimum/optimum_question.h"
#include "questions/permutations/permutations_question.h"
#include "questions/power/power_question.h"
#include "questions/qcn/qcn_question.h"
#include "questions/reorder/reorder_question.h"
#include "questions/simulate/simulate_question.h"
#include "questions/split/split_question.h"
#include "questions/topology/topology_question.h"
#include "questions/validate/validate_question.h"
#include "questions/worst_case/worst_case_question.h"
#include "ask/verify.h"

#endif
