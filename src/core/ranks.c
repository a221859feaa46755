/* The only file that calls MPI (declared in ranks.h). */
#include "core/ranks.h"

#include "core/pack.h"

#ifdef NB_MPI

#include "core/memory.h"

#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int ranks_count = 1, ranks_own, ranks_beside;
static bool ranks_are_left; /* the other ranks are to be ended */

/* Around all calls: some MPIs can be called by only one thread at a time. */
static pthread_mutex_t ranks_lock = PTHREAD_MUTEX_INITIALIZER;

/* Largest number of bytes per call; MPI's count is an int. */
enum { RANKS_PART = 1 << 30 };

/* MPI's own waiting keeps a processor busy: this sleeps for longer and longer
 * times instead. */
struct ranks_pause {
    long time; /* [ns] */
};

static void ranks_wait(struct ranks_pause *pause)
{
    enum { LEAST = 10000, MOST = 300000 };
    pause->time = pause->time < LEAST      ? LEAST
                  : 2 * pause->time < MOST ? 2 * pause->time
                                           : MOST;
    nanosleep(&(struct timespec){ .tv_nsec = pause->time }, NULL);
}

/* Counts the ranks of this machine that may use some of the same processors. */
static void ranks_count_beside(void)
{
    MPI_Comm near;
    cpu_set_t own, both, *all;
    int count = 1;
    CPU_ZERO(&own);
    sched_getaffinity(0, sizeof own, &own);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                        &near);
    MPI_Comm_size(near, &count);
    all = nb_new_array((size_t)count, sizeof *all);
    if (all == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Allgather(&own, (int)sizeof own, MPI_BYTE, all, (int)sizeof own,
                  MPI_BYTE, near);
    for (int i = 0; i < count && all != NULL; i++) {
        CPU_AND(&both, &own, &all[i]);
        ranks_beside += CPU_COUNT(&both) > 0;
    }
    ranks_beside -= ranks_beside > 0; /* itself */
    nb_delete(all);
    MPI_Comm_free(&near);
}

const char *nb_ranks_how(void)
{
    return ", with MPI";
}

/* Rank and number of ranks, as announced in the environment by the program that
 * started the ranks; count 0: not announced. */
struct ranks_told {
    int own, count;
};

static bool ranks_find_told(struct ranks_told *out)
{
    static const char *const names[][2] = {
        { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
        { "PMI_RANK", "PMI_SIZE" },
        { "PMIX_RANK", "SLURM_STEP_NUM_TASKS" },
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *own = getenv(names[i][0]), *count = getenv(names[i][1]);
        *out = (struct ranks_told){ own != NULL ? atoi(own) : 0,
                                    count != NULL ? atoi(count) : 0 };
        if (own != NULL)
            return true;
    }
    return false;
}

bool nb_ranks_are_started(void)
{
    struct ranks_told told;
    return ranks_find_told(&told);
}

enum nb_status nb_ranks_begin(struct nb_error *err)
{
    int level = MPI_THREAD_SINGLE;
    struct ranks_told told;
    if (!ranks_find_told(&told))
        return NB_OK;
    /* Set now: another rank may die while MPI starts. */
    ranks_own = told.own;
    ranks_count = told.count > 0 ? told.count : 2;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_count);
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks_own);
    if (ranks_own != told.own || (ranks_count == 1 && told.count > 1))
        return nb_fail(err, NB_IO,
                       "started as rank %d, but to MPI this is rank %d of %d "
                       "(permitted: the mpirun of this MPI; srun --mpi=pmix of "
                       "Open MPI, --mpi=pmi2 of MPICH)",
                       told.own, ranks_own, ranks_count);
    if (level < MPI_THREAD_SERIALIZED)
        return nb_fail(err, NB_IO,
                       "this MPI cannot be called by several threads "
                       "(permitted: level MPI_THREAD_SERIALIZED)");
    ranks_count_beside();
    const int nowhere =
        ranks_own > 0 ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        close(nowhere);
    }
    return NB_OK;
}

int nb_ranks_count(void)
{
    return ranks_count;
}

int nb_ranks_own(void)
{
    return ranks_own;
}

int nb_ranks_beside(void)
{
    return ranks_beside;
}

void nb_ranks_send(const struct nb_ranks_message *message)
{
    const char *at = message->bytes.bytes;
    size_t left = message->bytes.length;
    /* A full part is followed by another. */
    for (bool is_last = false; !is_last;) {
        const int part = left < RANKS_PART ? (int)left : RANKS_PART;
        is_last = part < RANKS_PART;
        pthread_mutex_lock(&ranks_lock);
        MPI_Send(at, part, MPI_BYTE, message->rank, (int)message->kind,
                 MPI_COMM_WORLD);
        pthread_mutex_unlock(&ranks_lock);
        at = at != NULL ? at + part : NULL;
        left -= (size_t)part;
    }
}

/* Appends the next part of a message, after waiting for it. */
static int ranks_take_part(int from, int kind, struct nb_text *bytes,
                           MPI_Status *came)
{
    struct ranks_pause pause = { 0 };
    int has_come = 0, length = 0;
    for (;;) {
        pthread_mutex_lock(&ranks_lock);
        MPI_Iprobe(from, kind, MPI_COMM_WORLD, &has_come, came);
        if (has_come)
            break;
        pthread_mutex_unlock(&ranks_lock);
        ranks_wait(&pause);
    }
    MPI_Get_count(came, MPI_BYTE, &length);
    char *part = nb_new_array((size_t)length, 1);
    if (part == NULL)
        bytes->has_failed = true;
    else
        MPI_Recv(part, length, MPI_BYTE, came->MPI_SOURCE, came->MPI_TAG,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pthread_mutex_unlock(&ranks_lock);
    if (part != NULL)
        nb_text_add(bytes, part, (size_t)length);
    nb_delete(part);
    return length;
}

enum nb_status nb_ranks_receive(struct nb_ranks_message *out,
                                struct nb_error *err)
{
    MPI_Status came;
    out->bytes.length = 0;
    int length =
        ranks_take_part(MPI_ANY_SOURCE, MPI_ANY_TAG, &out->bytes, &came);
    out->rank = came.MPI_SOURCE;
    out->kind = (enum nb_ranks_kind)came.MPI_TAG;
    while (length == RANKS_PART && !out->bytes.has_failed)
        length = ranks_take_part(out->rank, came.MPI_TAG, &out->bytes, &came);
    return nb_text_check(&out->bytes, err);
}

static void ranks_share_part(void *bytes, int length)
{
    struct ranks_pause pause = { 0 };
    MPI_Request request;
    int is_done = 0;
    pthread_mutex_lock(&ranks_lock);
    MPI_Ibcast(bytes, length, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    while (!is_done) {
        ranks_wait(&pause);
        MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    }
    pthread_mutex_unlock(&ranks_lock);
}

void nb_ranks_share(struct nb_text *bytes)
{
    uint64_t length = bytes->length;
    ranks_share_part(&length, sizeof length);
    if (ranks_own > 0 &&
        nb_reserve(&bytes->bytes, &bytes->capacity, (size_t)length + 1, 1,
                   "results", NULL) != NB_OK)
        MPI_Abort(MPI_COMM_WORLD, 1);
    bytes->length = (size_t)length;
    for (uint64_t done = 0; done < length;) {
        const uint64_t part =
            length - done < RANKS_PART ? length - done : RANKS_PART;
        ranks_share_part(bytes->bytes + done, (int)part);
        done += part;
    }
}

enum nb_status nb_ranks_lose(const struct nb_ranks_message *end,
                             struct nb_error *err)
{
    struct nb_packed in = nb_packed_of(end->bytes.bytes, end->bytes.length);
    const enum nb_status status = (enum nb_status)nb_unpack_whole(&in);
    char *message = nb_unpack_string(&in);
    nb_fail(err, status != NB_OK ? status : NB_IO, "rank %d of %d: %s",
            end->rank, ranks_count,
            status != NB_OK && message != NULL ? message
                                               : "it ended before the others");
    nb_delete(message);
    return status != NB_OK ? status : NB_IO;
}

void nb_ranks_leave(void)
{
    ranks_are_left = true;
}

bool nb_ranks_are_left(void)
{
    return ranks_are_left;
}

/* The first rank waits for the end of all others, then releases them. */
static enum nb_status ranks_gather_first(struct nb_error *error)
{
    struct nb_ranks_message end = { 0 };
    enum nb_status status = NB_OK, lost = NB_OK;
    for (int left = ranks_count - 1; left > 0 && !ranks_are_left; left--) {
        NB_TRY(nb_ranks_receive(&end, error));
        struct nb_packed in = nb_packed_of(end.bytes.bytes, end.bytes.length);
        if (end.kind != NB_RANKS_END) /* it is still at work */
            ranks_are_left = true;
        else if (nb_unpack_whole(&in) != NB_OK && error->status == NB_OK)
            lost = nb_ranks_lose(&end, error);
    }
    /* If a rank then ends with a failure, mpirun ends the others; the first has
     * yet to report why. */
    if (!ranks_are_left)
        signal(SIGTERM, SIG_IGN);
    end = (struct nb_ranks_message){ .kind = NB_RANKS_END, .bytes = end.bytes };
    for (int rank = 1; rank < ranks_count && !ranks_are_left; rank++) {
        end.rank = rank;
        nb_ranks_send(&end);
    }
done:
    nb_text_release(&end.bytes);
    return status != NB_OK ? status : lost;
}

enum nb_status nb_ranks_gather(enum nb_status status, struct nb_error *error)
{
    struct nb_ranks_message end = { .kind = NB_RANKS_END };
    if (ranks_count == 1)
        return status;
    if (ranks_own == 0) {
        const enum nb_status others = ranks_gather_first(error);
        return status != NB_OK ? status : others;
    }
    nb_pack_whole(&end.bytes, (uint64_t)status);
    nb_pack_string(&end.bytes, error->message);
    nb_ranks_send(&end);
    nb_ranks_receive(&end, NULL);
    nb_text_release(&end.bytes);
    return status;
}

void nb_ranks_finish(void)
{
    int is_begun = 0;
    MPI_Initialized(&is_begun);
    if (ranks_are_left)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (is_begun)
        MPI_Finalize();
}

#else /* only this process: nothing is sent or shared */

#include <stdlib.h>

enum nb_status nb_ranks_begin(struct nb_error *err)
{
    (void)err;
    return NB_OK;
}

int nb_ranks_count(void)
{
    return 1;
}

int nb_ranks_own(void)
{
    return 0;
}

int nb_ranks_beside(void)
{
    return 0;
}

void nb_ranks_send(const struct nb_ranks_message *message)
{
    (void)message;
    abort();
}

enum nb_status nb_ranks_receive(struct nb_ranks_message *out,
                                struct nb_error *err)
{
    (void)out;
    (void)err;
    abort();
}

void nb_ranks_share(struct nb_text *bytes)
{
    (void)bytes;
    abort();
}

enum nb_status nb_ranks_lose(const struct nb_ranks_message *end,
                             struct nb_error *err)
{
    (void)end;
    (void)err;
    abort();
}

void nb_ranks_leave(void)
{
}

bool nb_ranks_are_left(void)
{
    return false;
}

enum nb_status nb_ranks_gather(enum nb_status status, struct nb_error *error)
{
    (void)error;
    return status;
}

void nb_ranks_finish(void)
{
}

const char *nb_ranks_how(void)
{
    return "";
}

bool nb_ranks_are_started(void)
{
    return false;
}

#endif

bool nb_ranks_is_first(void)
{
    return nb_ranks_own() == 0;
}
