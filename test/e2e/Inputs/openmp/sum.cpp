#include <cstdio>
#include <omp.h>

#pragma omp declare target
int twice(int x);
int counters[4];
#pragma omp end declare target

static double values[4096];

int main()
{
	int teams = 0, threads = 0, host = 1;
	double sum = 0;
	for (int i = 0; i < 4096; i++)
		values[i] = i;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : values)
	for (int i = 0; i < 4096; i++)
		sum += values[i];
#pragma omp target map(from : teams, threads, host)
	{
		int count = 0;
		host = omp_is_initial_device();
#pragma omp parallel num_threads(64)
		{
#pragma omp atomic
			count++;
#pragma omp atomic
			counters[omp_get_thread_num() % 4]++;
		}
		threads = count;
		teams = twice(omp_get_num_teams());
	}
#pragma omp target update from(counters)
	printf("sum %.0f, on the %s\n", sum, host ? "host" : "device");
	printf("%d threads, twice the teams %d, counters %d %d %d %d\n", threads, teams, counters[0], counters[1],
	       counters[2], counters[3]);
}
