#define _GNU_SOURCE
#include "support/watchdog.h"

#include <ctype.h>
#include <dirent.h>
#include <execinfo.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A program that uses less during the silence only wakes up to sleep again. */
static const double kSleepersCpu_s = 0.005;
/* How often all must be found asleep. */
enum { kLooks = 20 };

void (*watchdog_describe)(void) = NULL;

static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void pause_for(double pause_s) {
  struct timespec time;
  time.tv_sec = (time_t)pause_s;
  time.tv_nsec = (long)((pause_s - (double)time.tv_sec) * 1e9);
  nanosleep(&time, NULL);
}

/* The first line of a file of /proc, or "". */
static const char* read_line(const char* path, char* line, int size) {
  FILE* file = fopen(path, "re");
  line[0] = '\0';
  if (!file) return line;
  if (!fgets(line, size, file)) line[0] = '\0';
  fclose(file);
  line[strcspn(line, "\n")] = '\0';
  return line;
}

/* The state letter of a thread or process: what follows its name, which may hold anything. */
static char state_of(const char* path) {
  char line[512];
  const char* name_end = strrchr(read_line(path, line, sizeof line), ')');
  return name_end && name_end[1] ? name_end[2] : 'X';
}

/* Calls visit(thread id) for each thread but this one until it returns 0. Returns what the last call did. */
static int each_thread(int (*visit)(const char* id)) {
  DIR* folder = opendir("/proc/self/task");
  int go_on = 1;
  if (!folder) return 0;
  for (struct dirent* entry; go_on && (entry = readdir(folder));) {
    if (isdigit((unsigned char)entry->d_name[0]) && atol(entry->d_name) != syscall(SYS_gettid))
      go_on = visit(entry->d_name);
  }
  closedir(folder);
  return go_on;
}

static int sleeps(char state) { return state == 'S' || state == 'Z' || state == 'X'; }

/* True if the thread and the children that it has started are asleep. */
static int is_asleep(const char* id) {
  char path[64];
  char children[1024];
  snprintf(path, sizeof path, "/proc/self/task/%s/stat", id);
  if (!sleeps(state_of(path))) return 0;
  snprintf(path, sizeof path, "/proc/self/task/%s/children", id);
  read_line(path, children, sizeof children);
  for (char *rest = children, *child; (child = strtok_r(rest, " ", &rest));) {
    snprintf(path, sizeof path, "/proc/%s/stat", child);
    if (!sleeps(state_of(path))) return 0;
  }
  return 1;
}

static int all_asleep(void) {
  for (int i = 0; i < kLooks; ++i) {
    if (!each_thread(is_asleep)) return 0;
    pause_for(0.01);
  }
  return 1;
}

void watchdog_settle(void) {
  while (!all_asleep()) pause_for(0.001);
}

static sem_t g_printed;

static void print_stack(int signal) {
  void* frames[40];
  (void)signal;
  backtrace_symbols_fd(frames, backtrace(frames, 40), STDERR_FILENO);
  sem_post(&g_printed);
}

/* The library's own threads take no signals, so of them only the place in the kernel is told. */
static int print_thread(const char* id) {
  char path[64];
  char name[64];
  char place[64];
  struct timespec until;
  snprintf(path, sizeof path, "/proc/self/task/%s/comm", id);
  read_line(path, name, sizeof name);
  snprintf(path, sizeof path, "/proc/self/task/%s/wchan", id);
  fprintf(stderr, "thread %s, %s, in %s\n", id, name, read_line(path, place, sizeof place));
  syscall(SYS_tgkill, getpid(), atol(id), SIGRTMAX - 1);
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 1;
  sem_timedwait(&g_printed, &until);
  return 1;
}

static void bite(double silence_s) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = print_stack;
  sem_init(&g_printed, 0, 0);
  sigaction(SIGRTMAX - 1, &action, NULL);
  fprintf(stderr, "watchdog: all threads have slept for %g s, and nobody is left to wake them\n", silence_s);
  if (watchdog_describe) watchdog_describe();
  each_thread(print_thread);
  abort();
}

static double cpu_of_others(void) {
  return seconds(CLOCK_PROCESS_CPUTIME_ID) - seconds(CLOCK_THREAD_CPUTIME_ID);
}

/* Takes the silence in ms. Allocates nothing as it begins: the program may fork in the meantime. */
static void* watch(void* argument) {
  const double silence_s = 1e-3 * (double)(intptr_t)argument;
  double since = seconds(CLOCK_MONOTONIC);
  double used = cpu_of_others();
  for (;;) {
    pause_for(silence_s / 60);
    if (cpu_of_others() - used < kSleepersCpu_s) {
      if (seconds(CLOCK_MONOTONIC) - since < silence_s) continue;
      if (all_asleep()) bite(silence_s);
    }
    since = seconds(CLOCK_MONOTONIC);
    used = cpu_of_others();
  }
  return NULL;
}

void watchdog_start(double silence_s) {
  void* frame;
  sigset_t all;
  sigset_t before;
  pthread_t thread;
  /* The first call loads what it needs. */
  backtrace(&frame, 1);
  /* Signals are for the threads of the test. */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  if (pthread_create(&thread, NULL, watch, (void*)(intptr_t)(silence_s * 1e3)) == 0) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

__attribute__((constructor)) static void start(void) { watchdog_start(60); }
