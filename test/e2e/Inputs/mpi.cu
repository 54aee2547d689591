// A rank a process, each on a simulated GPU of its own: what kernels of two ranks made is summed up by MPI.
#include <mpi.h>

#include <cstdio>

__global__ void fill(int *out, int first) { out[threadIdx.x] = first + threadIdx.x; }

int main(int argc, char **argv)
{
	int rank, size, *there, mine[32], sums[32];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	cudaMalloc(&there, sizeof mine);
	fill<<<1, 32>>>(there, 100 * (rank + 1));
	cudaMemcpy(mine, there, sizeof mine, cudaMemcpyDeviceToHost);
	MPI_Reduce(mine, sums, 32, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%d ranks: %d to %d\n", size, sums[0], sums[31]);
	MPI_Finalize();
}
