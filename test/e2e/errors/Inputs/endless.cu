/* Unsigned numbers never fall below zero. */
__global__ void loop(int *p)
{
	unsigned i = 0;
	while (i >= 0)
		i += 2;
	*p = i;
}
__global__ void own(int *p)
{
	__trap();
}
int main(int argc, char **)
{
	int *p;
	cudaMalloc(&p, 4);
	if (argc > 1)
		loop<<<1, 1>>>(p);
	else
		own<<<1, 1>>>(p);
	return cudaDeviceSynchronize() != cudaSuccess;
}
