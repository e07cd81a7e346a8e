/* Stops the unwinding of a thread that ends, and resumes it elsewhere.
 *
 * In C, glibc unwinds to the frame of a pthread_cleanup_push by a longjmp and calls the cleanup function
 * there, in a stack frame that is still in use, so the cleanup function may jump on within that frame. The
 * thread stays marked as ending, which only means that it cannot be cancelled again; ending it a second time
 * is legal. A call costs two setjmp.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>

int weir_core_call(void (*function)(void*), void* argument);
_Noreturn void weir_core_end_thread(void);

static void leave(void* place) { siglongjmp(*(sigjmp_buf*)place, 1); }

/* Returns 0 if the thread began to end instead of returning. */
int weir_core_call(void (*function)(void*), void* argument) {
  volatile int returned = 0;
  sigjmp_buf place;
  pthread_cleanup_push(leave, &place);
  if (sigsetjmp(place, 0) == 0) {
    function(argument);
    returned = 1;
  }
  pthread_cleanup_pop(0);
  return returned;
}

/* Unlike pthread_exit, glibc's own continuation keeps the value that the thread had given. */
_Noreturn void weir_core_end_thread(void) {
#ifdef __GLIBC__
  __pthread_unwind_buf_t buffer;
  __pthread_register_cancel(&buffer);
  __pthread_unwind_next(&buffer);
#else
  pthread_exit(PTHREAD_CANCELED);
#endif
}
