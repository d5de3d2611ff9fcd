/* Preloaded into a program: writes down, in order, whatever it does to the files below $RECORD_DIR, into $RECORD_LOG.
 *
 * One record: kind (u8), length of the path (u16), length of the data (u32), offset (i64), path, data; little endian.
 * Kinds: C made, W written, T cut to offset, S synced, D folder synced, U removed, R renamed (data: the new path). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static int log_file = -1;

static int watched(const char *path) {
    const char *folder = getenv("RECORD_DIR");
    return folder && path && strncmp(path, folder, strlen(folder)) == 0;
}

static void record(char kind, const char *path, int64_t offset, const void *data, uint32_t length) {
    unsigned char head[15];
    uint16_t path_length = (uint16_t)strlen(path);
    if (log_file < 0) {
        const char *name = getenv("RECORD_LOG");
        log_file = name ? REAL(open)(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    }
    head[0] = (unsigned char)kind;
    memcpy(head + 1, &path_length, 2);
    memcpy(head + 3, &length, 4);
    memcpy(head + 7, &offset, 8);
    if (REAL(write)(log_file, head, sizeof head) < 0 || REAL(write)(log_file, path, path_length) < 0 ||
        (length && REAL(write)(log_file, data, length) < 0))
        abort();
}

static int path_of(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return watched(path);
}

/* Every effect and its record are one step, so that the order in the log is the order in which they happened. */
#define IN_ORDER(statement) \
    do { \
        pthread_mutex_lock(&one_at_a_time); \
        statement; \
        pthread_mutex_unlock(&one_at_a_time); \
    } while (0)

static int opened(const char *path, int flags, mode_t mode) {
    struct stat found;
    int fd, is_new = (flags & O_CREAT) && watched(path) && stat(path, &found) != 0;
    IN_ORDER(fd = REAL(open)(path, flags, mode); if (fd >= 0 && is_new) record('C', path, 0, "", 0);
             if (fd >= 0 && (flags & O_TRUNC) && watched(path)) record('T', path, 0, "", 0));
    return fd;
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        va_list more; \
        va_start(more, flags); \
        mode_t mode = (flags & O_CREAT) ? va_arg(more, mode_t) : 0; \
        va_end(more); \
        return opened(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
    int name(int folder, const char *path, int flags, ...) { \
        va_list more; \
        va_start(more, flags); \
        mode_t mode = (flags & O_CREAT) ? va_arg(more, mode_t) : 0; \
        va_end(more); \
        return path[0] == '/' || folder == AT_FDCWD ? opened(path, flags, mode) : REAL(openat)(folder, path, flags, mode); \
    }
OPENAT(openat)
OPENAT(openat64)

#define PWRITE(name, offset_type) \
    ssize_t name(int fd, const void *data, size_t length, offset_type offset) { \
        char path[PATH_MAX]; \
        ssize_t done; \
        int log_it = path_of(fd, path); \
        IN_ORDER(done = REAL(name)(fd, data, length, offset); \
                 if (done > 0 && log_it) record('W', path, offset, data, (uint32_t)done)); \
        return done; \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t write(int fd, const void *data, size_t length) {
    char path[PATH_MAX];
    ssize_t done;
    int log_it = path_of(fd, path);
    IN_ORDER(done = REAL(write)(fd, data, length);
             if (done > 0 && log_it) record('W', path, lseek(fd, 0, SEEK_CUR) - done, data, (uint32_t)done));
    return done;
}

#define CUT(name, offset_type) \
    int name(int fd, offset_type length) { \
        char path[PATH_MAX]; \
        int failed, log_it = path_of(fd, path); \
        IN_ORDER(failed = REAL(name)(fd, length); if (!failed && log_it) record('T', path, length, "", 0)); \
        return failed; \
    }
CUT(ftruncate, off_t)
CUT(ftruncate64, off64_t)

#define SYNC(name) \
    int name(int fd) { \
        char path[PATH_MAX]; \
        struct stat found; \
        int failed, log_it = path_of(fd, path); \
        IN_ORDER(failed = REAL(name)(fd); \
                 if (!failed && log_it && fstat(fd, &found) == 0) record(S_ISDIR(found.st_mode) ? 'D' : 'S', path, 0, "", 0)); \
        return failed; \
    }
SYNC(fsync)
SYNC(fdatasync)

int unlink(const char *path) {
    int failed;
    IN_ORDER(failed = REAL(unlink)(path); if (!failed && watched(path)) record('U', path, 0, "", 0));
    return failed;
}

int rename(const char *from, const char *to) {
    int failed;
    IN_ORDER(failed = REAL(rename)(from, to);
             if (!failed && watched(from)) record('R', from, 0, to, (uint32_t)strlen(to)));
    return failed;
}
