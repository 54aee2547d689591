/* Exceptions in host code, also where only the host half sees them, and what is none. */
// <vector> has functions that throw; they compile without exceptions, too.
#include <vector>
void old() throw();
template <class T> T checked(T x)
{
#ifdef THROWS
	if (!x)
		throw x;
#endif
	return x;
}
#if defined(THROWS) && !defined(__CUDA_ARCH__)
void caught()
{
	try {
		checked(1);
	} catch (...) {
	}
}
#endif
__global__ void k(int *p)
{
	*p = 1;
}
int main()
{
	std::vector<int> v(3);
	return v.at(0);
}
