/* cuFFT's functions: handles, plans, executions. */
#include <cstdio>
#include <mutex>

#include "runtime/math/common/launch.cuh"
#include "runtime/math/cufft/plan.cuh"

using namespace hd_fft;

/* ------------------------------------------------------------ handles */

/* Handles are numbers from 1 on, as NVIDIA's, whose programs compare them with 0. */
static std::map<cufftHandle, std::unique_ptr<plan>> &plans()
{
	static auto *plans = new std::map<cufftHandle, std::unique_ptr<plan>>; /* outlives destructors of programs */
	return *plans;
}

static std::mutex &lock()
{
	static auto *lock = new std::mutex;
	return *lock;
}

static plan *plan_of(cufftHandle handle)
{
	std::lock_guard<std::mutex> guard(lock());
	auto found = plans().find(handle);
	return found == plans().end() ? nullptr : found->second.get();
}

extern "C" cufftResult cufftCreate(cufftHandle *handle)
{
	if (!handle)
		return CUFFT_INVALID_VALUE;
	std::lock_guard<std::mutex> guard(lock());
	*handle = plans().empty() ? 1 : plans().rbegin()->first + 1;
	plans()[*handle].reset(new plan);
	return CUFFT_SUCCESS;
}

extern "C" cufftResult cufftDestroy(cufftHandle handle)
{
	std::unique_ptr<plan> gone;
	std::lock_guard<std::mutex> guard(lock());
	auto found = plans().find(handle);
	if (found == plans().end())
		return CUFFT_INVALID_PLAN;
	gone = std::move(found->second);
	plans().erase(found);
	return CUFFT_SUCCESS;
}

/* ------------------------------------------------------------ plans */

struct request {
	int rank;
	const long long *n, *inembed, *onembed;
	long long istride, idist, ostride, odist, batch;
	cufftType type;
};

static bool is_type(cufftType type)
{
	return type == CUFFT_C2C || type == CUFFT_R2C || type == CUFFT_C2R || type == CUFFT_Z2Z || type == CUFFT_D2Z ||
	       type == CUFFT_Z2D;
}

static void set_layout(layout *layout, int rank, const long long *embed, long long stride, long long distance)
{
	layout->given = embed != nullptr;
	layout->stride = stride;
	layout->distance = distance;
	for (int d = 0; embed && d < rank; d++)
		layout->embed[d] = embed[d];
}

static cufftResult describe(plan *plan, const request &request)
{
	if (request.rank < 1 || request.rank > 3 || !request.n)
		return CUFFT_INVALID_VALUE;
	if (!is_type(request.type))
		return CUFFT_INVALID_TYPE;
	for (int d = 0; d < request.rank; d++)
		if (request.n[d] < 1 || request.n[d] > INT32_MAX)
			return CUFFT_INVALID_SIZE;
	if (request.batch < 1 || request.batch > INT32_MAX)
		return CUFFT_INVALID_SIZE;
	plan->type = request.type;
	plan->rank = request.rank;
	plan->batch = request.batch;
	for (int d = 0; d < request.rank; d++)
		plan->n[d] = request.n[d];
	/* Without both, the packed layout: so the documentation of the advanced layout has it. */
	bool given = request.inembed && request.onembed;
	set_layout(&plan->in, request.rank, given ? request.inembed : nullptr, request.istride, request.idist);
	set_layout(&plan->out, request.rank, given ? request.onembed : nullptr, request.ostride, request.odist);
	return CUFFT_SUCCESS;
}

/* Makes the tables, too. */
static cufftResult measure(plan *plan, size_t *bytes)
{
	std::vector<step> steps;
	*bytes = 0;
	return steps_of(*plan, nullptr, nullptr, false, false, &steps, bytes);
}

static cufftResult make(cufftHandle handle, const request &request, size_t *bytes)
{
	plan *plan = plan_of(handle);
	if (!plan || plan->made)
		return CUFFT_INVALID_PLAN;
	cufftResult result = describe(plan, request);
	if (result == CUFFT_SUCCESS)
		result = measure(plan, &plan->work_bytes);
	if (result != CUFFT_SUCCESS)
		return result;
	if (plan->own_work && plan->work_bytes) {
		if (cudaMalloc(&plan->allocated, plan->work_bytes) != cudaSuccess)
			return CUFFT_ALLOC_FAILED;
		plan->work = plan->allocated;
	}
	if (bytes)
		*bytes = plan->work_bytes;
	plan->made = true;
	return CUFFT_SUCCESS;
}

static cufftResult estimate(const request &request, size_t *bytes)
{
	plan plan;
	if (!bytes)
		return CUFFT_INVALID_VALUE;
	cufftResult result = describe(&plan, request);
	return result == CUFFT_SUCCESS ? measure(&plan, bytes) : result;
}

static cufftResult make_new(cufftHandle *handle, const request &request)
{
	cufftResult result = cufftCreate(handle);
	if (result == CUFFT_SUCCESS)
		result = make(*handle, request, nullptr);
	if (result != CUFFT_SUCCESS && handle)
		cufftDestroy(*handle);
	return result;
}

/* The packed layout of one to three dimensions. */
struct simple {
	long long n[3];
	request packed;

	simple(int rank, int nx, int ny, int nz, cufftType type, int batch)
		: n{nx, ny, nz}, packed{rank, n, nullptr, nullptr, 1, 0, 1, 0, batch, type}
	{
	}
};

/* int's arrays as long long's. */
struct advanced {
	long long n[3] = {}, inembed[3] = {}, onembed[3] = {};
	request given;

	advanced(int rank, const int *sizes, const int *in, int istride, int idist, const int *out, int ostride,
		 int odist, cufftType type, int batch)
		: given{rank,	sizes ? n : nullptr, in ? inembed : nullptr, out ? onembed : nullptr, istride, idist, ostride,
			odist, batch, type}
	{
		for (int d = 0; d < rank && d < 3; d++) {
			n[d] = sizes ? sizes[d] : 0;
			inembed[d] = in ? in[d] : 0;
			onembed[d] = out ? out[d] : 0;
		}
	}
};

extern "C" {

cufftResult cufftPlan1d(cufftHandle *plan, int nx, cufftType type, int batch)
{
	return make_new(plan, simple(1, nx, 0, 0, type, batch).packed);
}

cufftResult cufftPlan2d(cufftHandle *plan, int nx, int ny, cufftType type)
{
	return make_new(plan, simple(2, nx, ny, 0, type, 1).packed);
}

cufftResult cufftPlan3d(cufftHandle *plan, int nx, int ny, int nz, cufftType type)
{
	return make_new(plan, simple(3, nx, ny, nz, type, 1).packed);
}

cufftResult cufftPlanMany(cufftHandle *plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
			  int ostride, int odist, cufftType type, int batch)
{
	return make_new(plan,
			advanced(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch).given);
}

cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *workSize)
{
	return make(plan, simple(1, nx, 0, 0, type, batch).packed, workSize);
}

cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *workSize)
{
	return make(plan, simple(2, nx, ny, 0, type, 1).packed, workSize);
}

cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t *workSize)
{
	return make(plan, simple(3, nx, ny, nz, type, 1).packed, workSize);
}

cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
			      int ostride, int odist, cufftType type, int batch, size_t *workSize)
{
	return make(plan, advanced(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch).given,
		    workSize);
}

cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long *n, long long *inembed, long long istride,
				long long idist, long long *onembed, long long ostride, long long odist, cufftType type,
				long long batch, size_t *workSize)
{
	return make(plan, request{rank, n, inembed, onembed, istride, idist, ostride, odist, batch, type}, workSize);
}

cufftResult cufftEstimate1d(int nx, cufftType type, int batch, size_t *workSize)
{
	return estimate(simple(1, nx, 0, 0, type, batch).packed, workSize);
}

cufftResult cufftEstimate2d(int nx, int ny, cufftType type, size_t *workSize)
{
	return estimate(simple(2, nx, ny, 0, type, 1).packed, workSize);
}

cufftResult cufftEstimate3d(int nx, int ny, int nz, cufftType type, size_t *workSize)
{
	return estimate(simple(3, nx, ny, nz, type, 1).packed, workSize);
}

cufftResult cufftEstimateMany(int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride,
			      int odist, cufftType type, int batch, size_t *workSize)
{
	return estimate(advanced(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch).given,
			workSize);
}

cufftResult cufftGetSize1d(cufftHandle handle, int nx, cufftType type, int batch, size_t *workSize)
{
	return plan_of(handle) ? cufftEstimate1d(nx, type, batch, workSize) : CUFFT_INVALID_PLAN;
}

cufftResult cufftGetSize2d(cufftHandle handle, int nx, int ny, cufftType type, size_t *workSize)
{
	return plan_of(handle) ? cufftEstimate2d(nx, ny, type, workSize) : CUFFT_INVALID_PLAN;
}

cufftResult cufftGetSize3d(cufftHandle handle, int nx, int ny, int nz, cufftType type, size_t *workSize)
{
	return plan_of(handle) ? cufftEstimate3d(nx, ny, nz, type, workSize) : CUFFT_INVALID_PLAN;
}

cufftResult cufftGetSizeMany(cufftHandle handle, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
			     int ostride, int odist, cufftType type, int batch, size_t *workSize)
{
	return plan_of(handle) ? cufftEstimateMany(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch,
						   workSize)
			       : CUFFT_INVALID_PLAN;
}

cufftResult cufftGetSizeMany64(cufftHandle handle, int rank, long long *n, long long *inembed, long long istride,
			       long long idist, long long *onembed, long long ostride, long long odist, cufftType type,
			       long long batch, size_t *workSize)
{
	return plan_of(handle)
		       ? estimate(request{rank, n, inembed, onembed, istride, idist, ostride, odist, batch, type}, workSize)
		       : CUFFT_INVALID_PLAN;
}

cufftResult cufftGetSize(cufftHandle handle, size_t *workSize)
{
	plan *plan = plan_of(handle);
	if (!plan || !plan->made)
		return CUFFT_INVALID_PLAN;
	if (!workSize)
		return CUFFT_INVALID_VALUE;
	*workSize = plan->work_bytes;
	return CUFFT_SUCCESS;
}

cufftResult cufftSetWorkArea(cufftHandle handle, void *workArea)
{
	plan *plan = plan_of(handle);
	if (!plan || !plan->made)
		return CUFFT_INVALID_PLAN;
	cudaFree(plan->allocated);
	plan->allocated = nullptr;
	plan->work = workArea;
	return CUFFT_SUCCESS;
}

cufftResult cufftSetAutoAllocation(cufftHandle handle, int autoAllocate)
{
	plan *plan = plan_of(handle);
	if (!plan)
		return CUFFT_INVALID_PLAN;
	plan->own_work = autoAllocate != 0;
	return CUFFT_SUCCESS;
}

cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream)
{
	plan *plan = plan_of(handle);
	if (!plan)
		return CUFFT_INVALID_PLAN;
	plan->stream = stream;
	return CUFFT_SUCCESS;
}

cufftResult cufftGetVersion(int *version)
{
	if (!version)
		return CUFFT_INVALID_VALUE;
	*version = CUFFT_VERSION;
	return CUFFT_SUCCESS;
}

cufftResult cufftGetProperty(libraryPropertyType type, int *value)
{
	static const int parts[] = {CUFFT_VER_MAJOR, CUFFT_VER_MINOR, CUFFT_VER_PATCH};
	if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL)
		return CUFFT_INVALID_VALUE;
	*value = parts[type];
	return CUFFT_SUCCESS;
}

} // extern "C"

/* ------------------------------------------------------------ executions */

static cufftResult execute(plan *plan, void *in, void *out, bool inverse)
{
	std::vector<step> steps;
	size_t bytes = 0;
	if (!in || !out)
		return CUFFT_INVALID_VALUE;
	cufftResult result = steps_of(*plan, in, out, in == out, inverse, &steps, &bytes);
	if (result != CUFFT_SUCCESS)
		return result;
	if (bytes && !plan->work)
		return CUFFT_NO_WORKSPACE;
	hd_math::begin_call();
	for (const step &step : steps)
		if ((plan->is_double() ? run<double>(step, plan->stream) : run<float>(step, plan->stream)) != cudaSuccess)
			return CUFFT_EXEC_FAILED;
	return CUFFT_SUCCESS;
}

static cufftResult execute(cufftHandle handle, cufftType type, void *in, void *out, int direction)
{
	plan *plan = plan_of(handle);
	if (!plan || !plan->made)
		return CUFFT_INVALID_PLAN;
	if (plan->type != type)
		return CUFFT_INVALID_TYPE;
	if (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE)
		return CUFFT_INVALID_VALUE;
	return execute(plan, in, out, direction == CUFFT_INVERSE);
}

extern "C" {

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *idata, cufftComplex *odata, int direction)
{
	return execute(plan, CUFFT_C2C, idata, odata, direction);
}

cufftResult cufftExecR2C(cufftHandle plan, cufftReal *idata, cufftComplex *odata)
{
	return execute(plan, CUFFT_R2C, idata, odata, CUFFT_FORWARD);
}

cufftResult cufftExecC2R(cufftHandle plan, cufftComplex *idata, cufftReal *odata)
{
	return execute(plan, CUFFT_C2R, idata, odata, CUFFT_INVERSE);
}

cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *idata, cufftDoubleComplex *odata, int direction)
{
	return execute(plan, CUFFT_Z2Z, idata, odata, direction);
}

cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal *idata, cufftDoubleComplex *odata)
{
	return execute(plan, CUFFT_D2Z, idata, odata, CUFFT_FORWARD);
}

cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex *idata, cufftDoubleReal *odata)
{
	return execute(plan, CUFFT_Z2D, idata, odata, CUFFT_INVERSE);
}

/* ------------------------------------------------------------ extended functions */

static cufftResult type_of(cudaDataType in, cudaDataType out, cudaDataType execution, cufftType *type)
{
	static const struct {
		cudaDataType in, out, execution;
		cufftType type;
	} known[] = {{CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_C2C}, {CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_R2C},
		     {CUDA_C_32F, CUDA_R_32F, CUDA_C_32F, CUFFT_C2R}, {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_Z2Z},
		     {CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_D2Z}, {CUDA_C_64F, CUDA_R_64F, CUDA_C_64F, CUFFT_Z2D}};
	for (const auto &row : known)
		if (row.in == in && row.out == out && row.execution == execution) {
			*type = row.type;
			return CUFFT_SUCCESS;
		}
	return CUFFT_NOT_SUPPORTED;
}

cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long *n, long long *inembed, long long istride,
				long long idist, cudaDataType inputtype, long long *onembed, long long ostride,
				long long odist, cudaDataType outputtype, long long batch, size_t *workSize,
				cudaDataType executiontype)
{
	cufftType type;
	cufftResult result = type_of(inputtype, outputtype, executiontype, &type);
	return result != CUFFT_SUCCESS ? result
				       : cufftMakePlanMany64(plan, rank, n, inembed, istride, idist, onembed, ostride,
							     odist, type, batch, workSize);
}

cufftResult cufftXtGetSizeMany(cufftHandle plan, int rank, long long *n, long long *inembed, long long istride,
			       long long idist, cudaDataType inputtype, long long *onembed, long long ostride,
			       long long odist, cudaDataType outputtype, long long batch, size_t *workSize,
			       cudaDataType executiontype)
{
	cufftType type;
	cufftResult result = type_of(inputtype, outputtype, executiontype, &type);
	return result != CUFFT_SUCCESS ? result
				       : cufftGetSizeMany64(plan, rank, n, inembed, istride, idist, onembed, ostride, odist,
							    type, batch, workSize);
}

/* A transform between real and complex numbers has one direction, whatever is said. */
cufftResult cufftXtExec(cufftHandle handle, void *input, void *output, int direction)
{
	plan *plan = plan_of(handle);
	if (!plan || !plan->made)
		return CUFFT_INVALID_PLAN;
	if (plan->is_forward_real() || plan->is_inverse_real())
		direction = plan->is_inverse_real() ? CUFFT_INVERSE : CUFFT_FORWARD;
	return execute(handle, plan->type, input, output, direction);
}

static cufftResult no_callbacks(cufftHandle handle)
{
	static std::once_flag said;
	if (!plan_of(handle))
		return CUFFT_INVALID_PLAN;
	std::call_once(said, [] {
		fprintf(stderr, "heddle: error: cuFFT's callbacks are not supported (transform the numbers in a kernel "
				"before or after)\n");
	});
	return CUFFT_NOT_IMPLEMENTED;
}

cufftResult cufftXtSetCallback(cufftHandle plan, void **, cufftXtCallbackType, void **)
{
	return no_callbacks(plan);
}

cufftResult cufftXtClearCallback(cufftHandle plan, cufftXtCallbackType)
{
	return no_callbacks(plan);
}

cufftResult cufftXtSetCallbackSharedSize(cufftHandle plan, cufftXtCallbackType, size_t)
{
	return no_callbacks(plan);
}

} // extern "C"
