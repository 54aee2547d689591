/* Two threads add to one variable. */
#include <pthread.h>

static int sum;

static void *add(void *unused)
{
	for (int i = 0; i < 1000; i++)
		sum++;
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], 0, add, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], 0);
	return 0;
}
