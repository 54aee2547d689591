"""kernels.py COUNT: a program of so many small kernels, of which it launches the first."""
import sys

print('#include <cstdio>')
for i in range(int(sys.argv[1])):
    print(f'''__global__ void kernel{i}(float *out, const float *in, int n)
{{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = in[i] * {i + 2}.0f;
}}''')
print('''int main()
{
	float *in, *out, value = 21;
	cudaMalloc(&in, sizeof value);
	cudaMalloc(&out, sizeof value);
	cudaMemcpy(in, &value, sizeof value, cudaMemcpyHostToDevice);
	kernel0<<<1, 32>>>(out, in, 1);
	if (cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost) != cudaSuccess)
		return 1;
	printf("%g\\n", value);
	return 0;
}''')
