// worker NUMBER [MODE [N]]: a kernel that any machine runs at once, and what MODE says: `fail`, `hang`, or `eat` N megabytes.
// Each beginning and each end is a line of the file $WORKER_LOG; the time between them is $WORKER_PAUSE milliseconds.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

__global__ void square(int *numbers)
{
	numbers[threadIdx.x] *= numbers[threadIdx.x];
}

static void note(const char *what, const char *number)
{
	char line[64];
	FILE *log = std::fopen(std::getenv("WORKER_LOG"), "a");
	std::snprintf(line, sizeof line, "%s %s\n", what, number);
	std::fputs(line, log);
	std::fclose(log);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[2] : "";
	int *numbers, host[32];
	note("begin", argv[1]);
	for (int i = 0; i < 32; i++)
		host[i] = i;
	cudaMalloc(&numbers, sizeof host);
	cudaMemcpy(numbers, host, sizeof host, cudaMemcpyHostToDevice);
	square<<<1, 32>>>(numbers);
	cudaMemcpy(host, numbers, sizeof host, cudaMemcpyDeviceToHost);
	if (std::getenv("WORKER_PAUSE"))
		usleep(1000 * std::atoi(std::getenv("WORKER_PAUSE")));
	for (long page = 0; !std::strcmp(mode, "eat") && page < std::atol(argv[3]) << 8; page++)
		*static_cast<volatile char *>(std::malloc(4096)) = 1;
	while (!std::strcmp(mode, "hang") || !std::strcmp(mode, "eat"))
		usleep(1000);
	note("end", argv[1]);
	bool right = host[31] == 31 * 31 && std::strcmp(mode, "fail");
	std::printf("worker: %s\n", right ? "PASSED" : "FAILED (as asked)");
	return right ? 0 : 4;
}
