/* Blocks that the library gives to its caller. */
#ifndef NB_CORE_DELETE_H
#define NB_CORE_DELETE_H

#include "core/public.h"

NB_PUBLIC_BEGIN

/* Frees a block; NULL is allowed. */
void nb_delete(void *block);

NB_PUBLIC_END

#endif
