/* Watchdog: ends a test program in which nothing runs any more, and says who waits where. It looks at
 * progress, not at time: a program goes on while it uses its processor, or waits for one, for a disk or for a
 * child that does. It runs on its own thread, started with the program, which reads a clock once a second. */
#ifndef WEIR_TESTS_SUPPORT_WATCHDOG_H
#define WEIR_TESTS_SUPPORT_WATCHDOG_H

#ifdef __cplusplus
extern "C" {
#endif

/* Prints to standard error who waits for whom; may be null. */
extern void (*watchdog_describe)(void);

/* Starts another one, which bites after this many seconds of silence: the first waits for a minute. */
void watchdog_start(double silence_s);

/* Waits until all other threads are asleep, so that none is in the middle of something when the program
 * forks. */
void watchdog_settle(void);

#ifdef __cplusplus
}
#endif

#endif
