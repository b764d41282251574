/*
 * Loaded into a process before everything else (LD_PRELOAD). Notes in the file RECORD_TO, in the order they happen, what the process does to the
 * files whose path begins with RECORD_UNDER, and what it writes to standard output: what others were told. recording.ts reads it.
 *
 * While there is a file FAILING, the calls that it names fail on those files as on a broken disk: `write`, `flush`, `flushed write` (O_DSYNC).
 *
 * A write is noted when it has returned, what others are told too, and a flush when it begins and when it has returned, so that no write counts as
 * flushed that might have come too late for it. Writes through a map of memory are not seen: LMDB makes none to its data.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { OPENED = 1, WRITTEN = 2, RESIZED = 3, FLUSH_BEGUN = 4, FLUSHED = 5, REMOVED = 6, RENAMED = 7, TOLD = 8, REFUSED = 9 };

/* Followed by `length` bytes. All numbers are little-endian. */
struct note {
  uint8_t kind;
  uint8_t is_synchronous;
  uint16_t unused;
  uint32_t descriptor;
  uint64_t offset;
  uint64_t length;
};

#define FILES 65536
static uint8_t watched[FILES];      /* by descriptor: it is of a file whose path begins with RECORD_UNDER */
static uint8_t synchronous[FILES];  /* by descriptor: each write is a flush of what it wrote */
static int record = -1;
static const char *under;
static const char *failing;
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_writev)(int, const struct iovec *, int);

#define REAL(name) \
  static __typeof__(&name) real; \
  if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void) {
  real_write = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
  real_writev = (ssize_t(*)(int, const struct iovec *, int))dlsym(RTLD_NEXT, "writev");
  under = getenv("RECORD_UNDER");
  failing = getenv("FAILING");
  const char *to = getenv("RECORD_TO");
  if (to == NULL) return;
  int (*real_open)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
  record = real_open(to, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  if (record < 0) abort();
}

static void note(enum kind kind, int fd, uint64_t offset, const struct iovec *parts, int count, uint64_t length) {
  if (record < 0) return;
  int before = errno;
  struct note head = {.kind = (uint8_t)kind, .is_synchronous = fd >= 0 && fd < FILES && synchronous[fd], .descriptor = (uint32_t)fd, .offset = offset, .length = length};
  pthread_mutex_lock(&order);
  if (real_write(record, &head, sizeof head) != sizeof head) abort();
  for (int i = 0; i < count && length > 0; i++) {
    size_t piece = parts[i].iov_len < length ? parts[i].iov_len : length;
    if (piece > 0 && real_write(record, parts[i].iov_base, piece) != (ssize_t)piece) abort();
    length -= piece;
  }
  pthread_mutex_unlock(&order);
  errno = before;
}

static int is_watched(int fd) { return fd >= 0 && fd < FILES && watched[fd]; }

static int fails(const char *call, int fd) {
  if (failing == NULL || !is_watched(fd)) return 0;
  FILE *file = fopen(failing, "r");
  if (file == NULL) return 0;
  char word[32] = "";
  if (fgets(word, sizeof word, file) == NULL) word[0] = 0;
  fclose(file);
  errno = EIO;
  return strcmp(word, call) == 0;
}

static const char *write_of(int fd) { return fd >= 0 && fd < FILES && synchronous[fd] ? "flushed write" : "write"; }

static void note_path(enum kind kind, int fd, const char *path, uint64_t offset) {
  struct iovec part = {.iov_base = (void *)path, .iov_len = strlen(path)};
  note(kind, fd, offset, &part, 1, part.iov_len);
}

static int opened(int fd, const char *path, int flags) {
  if (fd < 0 || fd >= FILES || under == NULL) return fd;
  struct stat about;
  watched[fd] = strncmp(path, under, strlen(under)) == 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
  synchronous[fd] = (flags & (O_SYNC | O_DSYNC)) != 0;
  if (watched[fd]) note_path(OPENED, fd, path, (flags & O_TRUNC) != 0);
  return fd;
}

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    va_list more; \
    va_start(more, flags); \
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0; \
    va_end(more); \
    return opened(real(path, flags, mode), path, flags); \
  }
OPEN(open)
OPEN(open64)

int close(int fd) {
  REAL(close);
  if (fd >= 0 && fd < FILES) watched[fd] = synchronous[fd] = 0;
  return real(fd);
}

static ssize_t written(int fd, off_t offset, const struct iovec *parts, int count, ssize_t length) {
  if (length > 0 && is_watched(fd)) note(WRITTEN, fd, (uint64_t)offset, parts, count, (uint64_t)length);
  return length;
}

static ssize_t told(int fd, const struct iovec *parts, int count, ssize_t length) {
  if (fd == STDOUT_FILENO && length > 0) note(TOLD, -1, 0, parts, count, (uint64_t)length);
  return length;
}

ssize_t write(int fd, const void *bytes, size_t length) {
  struct iovec part = {.iov_base = (void *)bytes, .iov_len = length};
  if (fails(write_of(fd), fd)) return -1;
  off_t at = is_watched(fd) ? lseek(fd, 0, SEEK_CUR) : 0;
  return written(fd, at, &part, 1, told(fd, &part, 1, real_write(fd, bytes, length)));
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  if (fails(write_of(fd), fd)) return -1;
  off_t at = is_watched(fd) ? lseek(fd, 0, SEEK_CUR) : 0;
  return written(fd, at, parts, count, told(fd, parts, count, real_writev(fd, parts, count)));
}

#define PWRITE(name, offset_type) \
  ssize_t name(int fd, const void *bytes, size_t length, offset_type offset) { \
    REAL(name); \
    if (fails(write_of(fd), fd)) return -1; \
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = length}; \
    return written(fd, offset, &part, 1, real(fd, bytes, length, offset)); \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define PWRITEV(name, offset_type) \
  ssize_t name(int fd, const struct iovec *parts, int count, offset_type offset) { \
    REAL(name); \
    if (fails(write_of(fd), fd)) return -1; \
    return written(fd, offset, parts, count, real(fd, parts, count, offset)); \
  }
PWRITEV(pwritev, off_t)
PWRITEV(pwritev64, off64_t)

#define RESIZE(name, offset_type) \
  int name(int fd, offset_type length) { \
    REAL(name); \
    int result = real(fd, length); \
    if (result == 0 && is_watched(fd)) note(RESIZED, fd, (uint64_t)length, NULL, 0, 0); \
    return result; \
  }
RESIZE(ftruncate, off_t)
RESIZE(ftruncate64, off64_t)

#define FLUSH(name) \
  int name(int fd) { \
    REAL(name); \
    if (!is_watched(fd)) return real(fd); \
    if (fails("flush", fd)) return -1; \
    note(FLUSH_BEGUN, fd, 0, NULL, 0, 0); \
    int result = real(fd); \
    if (result == 0) note(FLUSHED, fd, 0, NULL, 0, 0); \
    return result; \
  }
FLUSH(fsync)
FLUSH(fdatasync)

int unlink(const char *path) {
  REAL(unlink);
  int result = real(path);
  if (result == 0 && under != NULL && strncmp(path, under, strlen(under)) == 0) note_path(REMOVED, -1, path, 0);
  return result;
}

int rename(const char *from, const char *to) {
  REAL(rename);
  int result = real(from, to);
  struct iovec parts[] = {{.iov_base = (void *)from, .iov_len = strlen(from) + 1}, {.iov_base = (void *)to, .iov_len = strlen(to)}};
  if (result == 0 && under != NULL && strncmp(to, under, strlen(under)) == 0) note(RENAMED, -1, 0, parts, 2, parts[0].iov_len + parts[1].iov_len);
  return result;
}

/* What the recording could not say: whoever reads it stops. */
#define REFUSE(type, name, parameters, arguments, fd) \
  type name parameters { \
    REAL(name); \
    if (is_watched(fd)) note(REFUSED, fd, 0, &(struct iovec){.iov_base = #name, .iov_len = sizeof #name - 1}, 1, sizeof #name - 1); \
    return real arguments; \
  }
REFUSE(int, posix_fallocate, (int fd, off_t offset, off_t length), (fd, offset, length), fd)
REFUSE(int, fallocate, (int fd, int mode, off_t offset, off_t length), (fd, mode, offset, length), fd)
REFUSE(int, sync_file_range, (int fd, off64_t offset, off64_t length, unsigned flags), (fd, offset, length, flags), fd)
REFUSE(ssize_t, copy_file_range, (int fd, off64_t *in, int out, off64_t *offset, size_t length, unsigned flags), (fd, in, out, offset, length, flags), out)
