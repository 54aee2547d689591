// Products whose types are arguments: cublasGemmEx, its batches, halves, and cublasLtMatmul with its epilogues. Elements are
// small multiples of 1/8, which all types hold and whose products and sums are exact: only the result is rounded.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <vector>

static int failures, compared;
static cublasHandle_t handle;

static double load(cudaDataType type, const void *p, size_t i)
{
	switch (type) {
	case CUDA_R_16F: return __half2float(((const __half *)p)[i]);
	case CUDA_R_16BF: return __bfloat162float(((const __nv_bfloat16 *)p)[i]);
	case CUDA_R_8I: return ((const signed char *)p)[i];
	case CUDA_R_32I: return ((const int *)p)[i];
	case CUDA_R_8F_E4M3: return float(((const __nv_fp8_e4m3 *)p)[i]);
	case CUDA_R_64F: return ((const double *)p)[i];
	default: return ((const float *)p)[i];
	}
}
static void store(cudaDataType type, void *p, size_t i, double x)
{
	switch (type) {
	case CUDA_R_16F: ((__half *)p)[i] = __float2half((float)x); break;
	case CUDA_R_16BF: ((__nv_bfloat16 *)p)[i] = __float2bfloat16((float)x); break;
	case CUDA_R_8I: ((signed char *)p)[i] = (signed char)x; break;
	case CUDA_R_32I: ((int *)p)[i] = (int)x; break;
	case CUDA_R_8F_E4M3: ((__nv_fp8_e4m3 *)p)[i] = __nv_fp8_e4m3((float)x); break;
	case CUDA_R_64F: ((double *)p)[i] = x; break;
	default: ((float *)p)[i] = (float)x;
	}
}
static size_t size_of(cudaDataType type)
{
	return type == CUDA_R_64F ? 8 : type == CUDA_R_16F || type == CUDA_R_16BF ? 2 : type == CUDA_R_8I || type == CUDA_R_8F_E4M3 ? 1 : 4;
}
static double epsilon(cudaDataType type)
{
	return type == CUDA_R_16F ? 1.0 / 1024 : type == CUDA_R_16BF ? 1.0 / 128 : type == CUDA_R_8F_E4M3 ? 1.0 / 8 : 1e-6;
}

// Managed, so that host and device see the same.
struct matrix {
	cudaDataType type;
	int rows, columns, ld, count;
	size_t stride;
	char *data;
	matrix(cudaDataType type, int rows, int columns, int ld, int count = 1)
		: type(type), rows(rows), columns(columns), ld(ld), count(count), stride((size_t)ld * columns + 8)
	{
		cudaMallocManaged(&data, stride * count * size_of(type));
		for (size_t i = 0; i < stride * count; i++) {
			int x = rand() % 17 - 8;
			store(type, data, i, type == CUDA_R_8I || type == CUDA_R_32I ? x : x / 8.0);
		}
	}
	~matrix() { cudaFree(data); }
	double at(int i, int j, int number = 0) const { return load(type, data, number * stride + i + (size_t)j * ld); }
	double op(cublasOperation_t o, int i, int j, int number = 0) const { return o ? at(j, i, number) : at(i, j, number); }
};

// `size`: of the summands, where they may cancel.
static void check(const char *what, double got, double want, cudaDataType type, double size = 0.125)
{
	compared++;
	if (std::fabs(got - want) <= epsilon(type) * std::fmax(size, std::fabs(want)))
		return;
	if (failures++ < 20)
		printf("%s, type %d: %.8g, expected %.8g\n", what, type, got, want);
}
static void ok(const char *what, cublasStatus_t status)
{
	if (status != CUBLAS_STATUS_SUCCESS && failures++ < 20)
		printf("%s: %s\n", what, cublasGetStatusName(status));
}

static double sum_of(const matrix &a, cublasOperation_t o, const matrix &b, cublasOperation_t q, int i, int j, int k, int number)
{
	double sum = 0;
	for (int t = 0; t < k; t++)
		sum += a.op(o, i, t, number) * b.op(q, t, j, number);
	return sum;
}

static const cublasOperation_t both[] = {CUBLAS_OP_N, CUBLAS_OP_T};

static void products(cudaDataType from, cudaDataType to, cublasComputeType_t compute, int m, int n, int k, int pad)
{
	float one = 0.5, two = -2;
	int whole_one = 3, whole_two = -2;
	__half half_one = __float2half(0.5f), half_two = __float2half(-2.0f);
	double double_one = 0.5, double_two = -2;
	const void *alpha = compute == CUBLAS_COMPUTE_32I ? (void *)&whole_one : compute == CUBLAS_COMPUTE_16F ? (void *)&half_one : compute == CUBLAS_COMPUTE_64F ? (void *)&double_one : (void *)&one;
	const void *beta = compute == CUBLAS_COMPUTE_32I ? (void *)&whole_two : compute == CUBLAS_COMPUTE_16F ? (void *)&half_two : compute == CUBLAS_COMPUTE_64F ? (void *)&double_two : (void *)&two;
	double x = compute == CUBLAS_COMPUTE_32I ? 3 : 0.5;
	for (cublasOperation_t o : both)
		for (cublasOperation_t q : both)
			for (int kind = 0; kind < 3; kind++) {
				int count = kind ? 2 : 1;
				matrix a(from, o ? k : m, o ? m : k, (o ? k : m) + pad, count), b(from, q ? n : k, q ? k : n, (q ? n : k) + pad, count), c(to, m, n, m + pad, count);
				std::vector<double> before(c.stride * count);
				for (size_t i = 0; i < before.size(); i++)
					before[i] = load(to, c.data, i);
				void **array;
				cudaMallocManaged(&array, 6 * sizeof *array);
				for (int i = 0; i < count; i++) {
					array[i] = a.data + i * a.stride * size_of(from);
					array[2 + i] = b.data + i * b.stride * size_of(from);
					array[4 + i] = c.data + i * c.stride * size_of(to);
				}
				if (kind == 0)
					ok("GemmEx", cublasGemmEx(handle, o, q, m, n, k, alpha, a.data, from, a.ld, b.data, from, b.ld, beta, c.data, to, c.ld, compute, CUBLAS_GEMM_DEFAULT));
				else if (kind == 1)
					ok("strided", cublasGemmStridedBatchedEx(handle, o, q, m, n, k, alpha, a.data, from, a.ld, a.stride, b.data, from, b.ld, b.stride, beta, c.data, to, c.ld, c.stride, count, compute, CUBLAS_GEMM_DEFAULT));
				else
					ok("batched", cublasGemmBatchedEx(handle, o, q, m, n, k, alpha, array, from, a.ld, array + 2, from, b.ld, beta, array + 4, to, c.ld, count, compute, CUBLAS_GEMM_DEFAULT));
				cudaDeviceSynchronize();
				for (int number = 0; number < count; number++)
					for (int j = 0; j < n; j++)
						for (int i = 0; i < c.ld; i++) {
							double was = before[number * c.stride + i + (size_t)j * c.ld];
							double want = i < m ? x * sum_of(a, o, b, q, i, j, k, number) - 2 * was : was;
							check("gemm", c.at(i, j, number), want, to);
						}
				cudaFree(array);
			}
}

static double gelu(double x) { return 0.5 * x * (1 + tanh(0.7978845608 * (x + 0.044715 * x * x * x))); }
static double gelu_slope(double x) { return (gelu(x + 1e-4) - gelu(x - 1e-4)) / 2e-4; }

// D = act(A^T B + bias), as a layer of a network, and the gradients of it.
static void epilogue(cublasLtEpilogue_t epilogue, cudaDataType type, int m, int n, int k, int order)
{
	cublasLtHandle_t lt = (cublasLtHandle_t)handle;
	cublasLtMatmulDesc_t desc;
	cublasLtMatrixLayout_t la, lb, ld;
	cublasLtMatmulPreference_t preference;
	cublasLtMatmulHeuristicResult_t heuristic;
	matrix a(type, k, m, k), b(type, k, n, k), d(type, m, n, m), aux(type, m, n, m), bias(type, m > n ? m : n, 1, m > n ? m : n);
	cublasOperation_t transposed = CUBLAS_OP_T, plain = CUBLAS_OP_N;
	int found = 0;
	size_t workspace = 1 << 20;
	int64_t aux_ld = order ? n : m;
	matrix before(type, m, n, m);
	memcpy(before.data, aux.data, aux.stride * size_of(type));
	ok("desc", cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
	ok("transa", cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed));
	ok("transb", cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSB, &plain, sizeof plain));
	ok("epilogue", cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
	ok("bias", cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias.data, sizeof bias.data));
	ok("aux", cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &aux.data, sizeof aux.data));
	ok("aux ld", cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &aux_ld, sizeof aux_ld));
	ok("layout", cublasLtMatrixLayoutCreate(&la, type, k, m, k));
	ok("layout", cublasLtMatrixLayoutCreate(&lb, type, k, n, k));
	ok("layout", cublasLtMatrixLayoutCreate(&ld, type, m, n, order ? n : m));
	ok("order", cublasLtMatrixLayoutSetAttribute(ld, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order));
	ok("preference", cublasLtMatmulPreferenceCreate(&preference));
	ok("workspace", cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof workspace));
	ok("heuristic", cublasLtMatmulAlgoGetHeuristic(lt, desc, la, lb, ld, ld, preference, 1, &heuristic, &found));
	float one = 1, zero = 0;
	std::vector<double> biases;
	for (int i = 0; i < bias.rows; i++)
		biases.push_back(bias.at(i, 0));
	ok("matmul", cublasLtMatmul(lt, desc, &one, a.data, la, b.data, lb, &zero, d.data, ld, d.data, ld, &heuristic.algo, nullptr, 0, 0));
	cudaDeviceSynchronize();
	auto at = [&](const matrix &x, int i, int j) { return load(type, x.data, order ? i * (size_t)n + j : i + (size_t)j * m); };
	std::vector<double> gradient(bias.rows, 0);
	for (int j = 0; j < n; j++)
		for (int i = 0; i < m; i++) {
			double x = sum_of(a, CUBLAS_OP_T, b, CUBLAS_OP_N, i, j, k, 0);
			x += epilogue & CUBLASLT_EPILOGUE_BIAS ? biases[i] : 0;
			if (epilogue == CUBLASLT_EPILOGUE_GELU_AUX || epilogue == CUBLASLT_EPILOGUE_GELU_AUX_BIAS)
				check("aux", at(aux, i, j), x, type);
			double want = epilogue & CUBLASLT_EPILOGUE_RELU ? fmax(x, 0) : epilogue & CUBLASLT_EPILOGUE_GELU ? gelu(x) : epilogue & 64 ? x * gelu_slope(at(before, i, j)) : x;
			check("matmul", at(d, i, j), want, type, epilogue & 96 ? 4 : 0.125);
			gradient[i] += at(d, i, j);
		}
	for (int i = 0; i < m && epilogue == CUBLASLT_EPILOGUE_DGELU_BGRAD; i++)
		check("gradient", bias.at(i, 0), gradient[i], type, n);
	for (int j = 0; j < n && epilogue == CUBLASLT_EPILOGUE_BGRADB; j++) {
		double sum = 0;
		for (int t = 0; t < k; t++)
			sum += b.at(t, j);
		check("gradient of B", bias.at(j, 0), sum, type);
	}
	for (int i = 0; i < m && epilogue == CUBLASLT_EPILOGUE_BGRADA; i++) {
		double sum = 0;
		for (int t = 0; t < k; t++)
			sum += a.at(t, i);
		check("gradient of A", bias.at(i, 0), sum, type);
	}
	if (found != 1)
		failures++;
	cublasLtMatmulPreferenceDestroy(preference);
	cublasLtMatrixLayoutDestroy(la);
	cublasLtMatrixLayoutDestroy(lb);
	cublasLtMatrixLayoutDestroy(ld);
	cublasLtMatmulDescDestroy(desc);
}

// C = alpha op(A) + beta op(B), in other types and orders than theirs, and without B.
static void transform(cudaDataType type, int m, int n, cublasOperation_t op, int order)
{
	float alpha = 2, beta = -3;
	int32_t row = CUBLASLT_ORDER_ROW;
	cublasLtMatrixTransformDesc_t desc;
	cublasLtMatrixLayout_t la, lb, lc;
	matrix a(type, op ? n : m, op ? m : n, (op ? n : m) + 3), b(CUDA_R_32F, m, n, m + 1), c(CUDA_R_32F, order ? n : m, order ? m : n, (order ? n : m) + 2);
	ok("transform", cublasLtMatrixTransformDescCreate(&desc, CUDA_R_32F));
	ok("op", cublasLtMatrixTransformDescSetAttribute(desc, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, &op, sizeof op));
	cublasOperation_t told;
	size_t bytes;
	ok("op", cublasLtMatrixTransformDescGetAttribute(desc, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, &told, sizeof told, &bytes));
	failures += told != op || bytes != sizeof told;
	ok("layout", cublasLtMatrixLayoutCreate(&la, a.type, a.rows, a.columns, a.ld));
	ok("layout", cublasLtMatrixLayoutCreate(&lb, b.type, m, n, b.ld));
	ok("layout", cublasLtMatrixLayoutCreate(&lc, c.type, m, n, c.ld));
	if (order)
		ok("order", cublasLtMatrixLayoutSetAttribute(lc, CUBLASLT_MATRIX_LAYOUT_ORDER, &row, sizeof row));
	for (int both = 0; both < 2; both++) {
		ok("transform", cublasLtMatrixTransform((cublasLtHandle_t)handle, desc, &alpha, a.data, la, &beta, both ? b.data : nullptr, both ? lb : nullptr, c.data, lc, 0));
		cudaDeviceSynchronize();
		for (int i = 0; i < m; i++)
			for (int j = 0; j < n; j++)
				check("transform", order ? c.at(j, i) : c.at(i, j), 2 * a.op(op, i, j) - (both ? 3 * b.at(i, j) : 0), CUDA_R_32F);
	}
	cublasLtMatrixLayoutDestroy(la);
	cublasLtMatrixLayoutDestroy(lb);
	cublasLtMatrixLayoutDestroy(lc);
	cublasLtMatrixTransformDescDestroy(desc);
}

// To the device and back, in a stream, with other distances than on the host.
static void moves(int m, int n)
{
	cudaStream_t stream;
	double *there;
	std::vector<double> from(n * (m + 2)), to(n * (m + 3), -1), every(3 * n, -1);
	for (size_t i = 0; i < from.size(); i++)
		from[i] = (double)i;
	cudaStreamCreate(&stream);
	cudaMalloc(&there, n * (m + 1) * sizeof *there);
	ok("matrix", cublasSetMatrixAsync(m, n, sizeof *there, from.data(), m + 2, there, m + 1, stream));
	ok("matrix", cublasGetMatrixAsync(m, n, sizeof *there, there, m + 1, to.data(), m + 3, stream));
	cudaStreamSynchronize(stream);
	for (int j = 0; j < n; j++)
		for (int i = 0; i < m + 3; i++)
			check("moved matrix", to[i + j * (m + 3)], i < m ? from[i + j * (m + 2)] : -1, CUDA_R_64F);
	ok("vector", cublasSetVectorAsync(n, sizeof *there, from.data(), m + 2, there, 1, stream));
	ok("vector", cublasGetVectorAsync(n, sizeof *there, there, 1, every.data(), 3, stream));
	cudaStreamSynchronize(stream);
	for (int i = 0; i < 3 * n; i++)
		check("moved vector", every[i], i % 3 ? -1 : from[i / 3 * (m + 2)], CUDA_R_64F);
	ok("nothing", cublasSetMatrixAsync(0, n, sizeof *there, from.data(), 1, there, 1, stream));
	failures += cublasSetMatrixAsync(m, n, sizeof *there, from.data(), m - 1, there, m, stream) != CUBLAS_STATUS_INVALID_VALUE;
	failures += cublasSetVectorAsync(n, sizeof *there, from.data(), 0, there, 1, stream) != CUBLAS_STATUS_INVALID_VALUE;
	cudaFree(there);
	cudaStreamDestroy(stream);
}

int main(int argc, char **argv)
{
	int m = atoi(argv[1]), n = atoi(argv[2]), k = atoi(argv[3]);
	ok("create", cublasCreate(&handle));
	for (int pad : {0, 3}) {
		products(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, m, n, k, pad);
		products(CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, m, n, k, pad);
		products(CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, m, n, k, pad);
		products(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, m, n, k, pad);
		products(CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, m, n, k, pad);
	}
	products(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, m, n, k, 0);
	products(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F_PEDANTIC, m, n, k, 0);
	products(CUDA_R_8I, CUDA_R_32F, CUBLAS_COMPUTE_32F, m, n, k, 0);
	products(CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLAS_COMPUTE_32F, m, n, k, 0);
	products(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, m, n, k, 0);
	products(CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, m, n, k, 1);
	for (int order : {CUBLASLT_ORDER_COL, CUBLASLT_ORDER_ROW})
		for (int e : {CUBLASLT_EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU_BIAS, CUBLASLT_EPILOGUE_GELU_AUX, CUBLASLT_EPILOGUE_GELU_AUX_BIAS, CUBLASLT_EPILOGUE_DGELU, CUBLASLT_EPILOGUE_DGELU_BGRAD, CUBLASLT_EPILOGUE_BGRADA, CUBLASLT_EPILOGUE_BGRADB}) {
			epilogue((cublasLtEpilogue_t)e, CUDA_R_32F, m, n, k, order);
			epilogue((cublasLtEpilogue_t)e, e & 1 ? CUDA_R_16F : CUDA_R_16BF, m, n, k, order);
		}
	for (int order : {0, 1})
		for (cudaDataType type : {CUDA_R_32F, CUDA_R_16F, CUDA_R_8I})
			transform(type, m, n, order ? CUBLAS_OP_N : CUBLAS_OP_T, order);
	moves(m, n);
	ok("destroy", cublasDestroy(handle));
	printf("typed: %d comparisons, %d failures: %s\n", compared, failures, failures ? "FAILED" : "PASSED");
}
