// Watermarks of a pool: the most that was in use since they were set to zero, the only value that they take.
#include <cstdio>

static int failures;
#define EXPECT(condition) (condition) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #condition))
#define OK(call) EXPECT((call) == cudaSuccess)

static unsigned long long value_of(cudaMemPool_t pool, cudaMemPoolAttr attr)
{
	unsigned long long value = 77;
	OK(cudaMemPoolGetAttribute(pool, attr, &value));
	return value;
}

int main()
{
	cudaMemPool_t pool;
	void *large, *small;
	unsigned long long zero = 0, one = 1, before;
	OK(cudaDeviceGetDefaultMemPool(&pool, 0));
	before = value_of(pool, cudaMemPoolAttrUsedMemCurrent);
	OK(cudaMallocAsync(&large, 1 << 20, 0));
	OK(cudaFreeAsync(large, 0));
	OK(cudaMallocAsync(&small, 1 << 10, 0));
	EXPECT(value_of(pool, cudaMemPoolAttrUsedMemHigh) >= before + (1 << 20));
	EXPECT(value_of(pool, cudaMemPoolAttrReservedMemHigh) >= before + (1 << 20));
	EXPECT(value_of(pool, cudaMemPoolAttrUsedMemCurrent) < before + (1 << 20));
	OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
	EXPECT(value_of(pool, cudaMemPoolAttrUsedMemHigh) == value_of(pool, cudaMemPoolAttrUsedMemCurrent));
	EXPECT(value_of(pool, cudaMemPoolAttrReservedMemHigh) >= before + (1 << 20));
	EXPECT(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &one) == cudaErrorInvalidValue);
	EXPECT(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &zero) == cudaErrorInvalidValue);
	EXPECT(cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)77, &zero) == cudaErrorInvalidValue);
	OK(cudaFreeAsync(small, 0));
	printf("pool-attributes: %s\n", failures ? "FAILED" : "PASSED");
	return failures != 0;
}
