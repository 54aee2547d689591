#include <cstdio>
int main()
{
	int count = 0, turns = 0, named = 0;
#pragma omp target teams distribute parallel for map(tofrom : count, turns, named) num_teams(8) thread_limit(64)
	for (int i = 0; i < 1024; i++) {
#pragma omp critical
		{
			int old = count; // nobody else is here
			count = old + 1;
			turns += i;
		}
#pragma omp critical(other)
		named = named + 2;
	}
	printf("count %d, sum %d, named %d\n", count, turns, named);
}
