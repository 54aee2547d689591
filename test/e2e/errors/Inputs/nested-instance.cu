__global__ void child()
{
}
template <class T> __device__ void call(T *p)
{
	child<<<1, 1>>>();
}
template <class T> __global__ void parent(T *p)
{
	call(p);
}
int main()
{
	parent<<<1, 1>>>((int *)nullptr);
}
