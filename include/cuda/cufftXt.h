/*
 * cuFFT's extended functions that run on one device. Several devices, half precision and callbacks are missing: callbacks
 * are declared, and setting one is CUFFT_NOT_IMPLEMENTED.
 */
#ifndef _CUFFTXT_H_
#define _CUFFTXT_H_

#include <cufft.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Types other than those of the six transforms are CUFFT_NOT_SUPPORTED. */
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long int *n, long long int *inembed,
				long long int istride, long long int idist, cudaDataType inputtype,
				long long int *onembed, long long int ostride, long long int odist,
				cudaDataType outputtype, long long int batch, size_t *workSize,
				cudaDataType executiontype);
cufftResult cufftXtGetSizeMany(cufftHandle plan, int rank, long long int *n, long long int *inembed,
			       long long int istride, long long int idist, cudaDataType inputtype,
			       long long int *onembed, long long int ostride, long long int odist,
			       cudaDataType outputtype, long long int batch, size_t *workSize,
			       cudaDataType executiontype);
cufftResult cufftXtExec(cufftHandle plan, void *input, void *output, int direction);

typedef enum cufftXtCallbackType_t {
	CUFFT_CB_LD_COMPLEX = 0x0,
	CUFFT_CB_LD_COMPLEX_DOUBLE = 0x1,
	CUFFT_CB_LD_REAL = 0x2,
	CUFFT_CB_LD_REAL_DOUBLE = 0x3,
	CUFFT_CB_ST_COMPLEX = 0x4,
	CUFFT_CB_ST_COMPLEX_DOUBLE = 0x5,
	CUFFT_CB_ST_REAL = 0x6,
	CUFFT_CB_ST_REAL_DOUBLE = 0x7,
	CUFFT_CB_UNDEFINED = 0x8
} cufftXtCallbackType;

typedef cufftComplex (*cufftCallbackLoadC)(void *dataIn, size_t offset, void *callerInfo, void *sharedPointer);
typedef cufftDoubleComplex (*cufftCallbackLoadZ)(void *dataIn, size_t offset, void *callerInfo, void *sharedPointer);
typedef cufftReal (*cufftCallbackLoadR)(void *dataIn, size_t offset, void *callerInfo, void *sharedPointer);
typedef cufftDoubleReal (*cufftCallbackLoadD)(void *dataIn, size_t offset, void *callerInfo, void *sharedPointer);
typedef void (*cufftCallbackStoreC)(void *dataOut, size_t offset, cufftComplex element, void *callerInfo,
				    void *sharedPointer);
typedef void (*cufftCallbackStoreZ)(void *dataOut, size_t offset, cufftDoubleComplex element, void *callerInfo,
				    void *sharedPointer);
typedef void (*cufftCallbackStoreR)(void *dataOut, size_t offset, cufftReal element, void *callerInfo,
				    void *sharedPointer);
typedef void (*cufftCallbackStoreD)(void *dataOut, size_t offset, cufftDoubleReal element, void *callerInfo,
				    void *sharedPointer);

cufftResult cufftXtSetCallback(cufftHandle plan, void **callback_routine, cufftXtCallbackType cbType,
			       void **caller_info);
cufftResult cufftXtClearCallback(cufftHandle plan, cufftXtCallbackType cbType);
cufftResult cufftXtSetCallbackSharedSize(cufftHandle plan, cufftXtCallbackType cbType, size_t sharedSize);

#ifdef __cplusplus
}
#endif

#endif
