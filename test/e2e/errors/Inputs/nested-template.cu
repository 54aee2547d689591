template <int N> __global__ void parent(int *p)
{
	if (N > *p)
		parent<N><<<1, N>>>(p + 1);
}
int main()
{
	parent<4><<<1, 1>>>(nullptr);
}
