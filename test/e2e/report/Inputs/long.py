"""long.py: prints a program whose kernel has some 2,500 instructions, on 500 lines."""
print('__global__ void chain(const float *in, float *out)\n{\n\tint i = threadIdx.x;\n\tfloat a = in[i], b = in[i + 1], c = 0;')
for k in range(500):
    print(f'\ta = a * {k + 1}.5f + b; c += in[(i * {k + 3} + {k}) & 1023]; b = b * c + {k}.25f;')
print("""\tout[i] = a + b + c;
}

int main()
{
	float *data;
	cudaMalloc(&data, 8192);
	cudaMemset(data, 0, 8192);
	chain<<<1, 64>>>(data, data + 1024);
	return cudaDeviceSynchronize();
}""")
