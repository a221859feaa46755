/*
 * Public declarations: C linkage in C++, and visible outside the shared
 * library, which hides everything else.
 *
 * What stands between NB_INTERNAL_BEGIN and NB_INTERNAL_END is for the library
 * itself: `make install` leaves it out.
 */
#ifndef NB_CORE_PUBLIC_H
#define NB_CORE_PUBLIC_H

#ifdef __cplusplus
#define NB_PUBLIC_BEGIN                                                        \
    extern "C" {                                                               \
    _Pragma("GCC visibility push(default)")
#define NB_PUBLIC_END                                                          \
    _Pragma("GCC visibility pop")                                              \
    }
#else
#define NB_PUBLIC_BEGIN _Pragma("GCC visibility push(default)")
#define NB_PUBLIC_END   _Pragma("GCC visibility pop")
#endif

#define NB_INTERNAL_BEGIN
#define NB_INTERNAL_END

#endif
