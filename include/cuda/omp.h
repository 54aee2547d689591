/*
 * OpenMP's routines, for hosts whose compiler has no omp.h of its own. Their library comes with -Xcompiler -fopenmp.
 */
#if __has_include_next(<omp.h>)
#include_next <omp.h>
#elif !defined(HEDDLE_OMP_H)
#define HEDDLE_OMP_H

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct omp_lock_t {
	void *lock;
} omp_lock_t;
typedef struct omp_nest_lock_t {
	void *lock[2];
} omp_nest_lock_t;
typedef enum omp_sched_t {
	omp_sched_static = 1,
	omp_sched_dynamic = 2,
	omp_sched_guided = 3,
	omp_sched_auto = 4
} omp_sched_t;

void omp_set_num_threads(int threads);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_thread_num(void);
int omp_get_num_procs(void);
int omp_in_parallel(void);
void omp_set_dynamic(int dynamic);
int omp_get_dynamic(void);
void omp_set_nested(int nested);
int omp_get_nested(void);
void omp_set_schedule(omp_sched_t kind, int chunk);
void omp_get_schedule(omp_sched_t *kind, int *chunk);
int omp_get_thread_limit(void);
int omp_get_level(void);
double omp_get_wtime(void);
double omp_get_wtick(void);
void omp_init_lock(omp_lock_t *lock);
void omp_destroy_lock(omp_lock_t *lock);
void omp_set_lock(omp_lock_t *lock);
void omp_unset_lock(omp_lock_t *lock);
int omp_test_lock(omp_lock_t *lock);

#if defined(__cplusplus)
}
#endif
#endif
