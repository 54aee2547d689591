// cuSPARSE beside loops of the host: products for each format, operation, order and base, and conversions. Numbers are small
// integers, so that every sum is exact in any order.
#include <cusparse.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

static void demand(bool right, const char *what, int line)
{
	if (!right) {
		printf("line %d: wrong: %s\n", line, what);
		exit(1);
	}
}
#define DEMAND(x) demand(x, #x, __LINE__)
#define OK(x) demand((x) == CUSPARSE_STATUS_SUCCESS, #x, __LINE__)

template <class T> struct kind;
template <> struct kind<float> { static const cudaDataType type = CUDA_R_32F; };
template <> struct kind<double> { static const cudaDataType type = CUDA_R_64F; };
template <> struct kind<std::complex<float>> { static const cudaDataType type = CUDA_C_32F; };
template <> struct kind<std::complex<double>> { static const cudaDataType type = CUDA_C_64F; };
template <> struct kind<int> { static const cusparseIndexType_t index = CUSPARSE_INDEX_32I; };
template <> struct kind<int64_t> { static const cusparseIndexType_t index = CUSPARSE_INDEX_64I; };

static float conjugate(float x) { return x; }
static double conjugate(double x) { return x; }
template <class T> static std::complex<T> conjugate(std::complex<T> x) { return std::conj(x); }

static std::mt19937 random_bits(5);
template <class T> struct number { static T make() { return (T)((int)(random_bits() % 9) - 4); } };
template <class T> struct number<std::complex<T>> {
	static std::complex<T> make() { return std::complex<T>(number<T>::make(), number<T>::make()); }
};

// An array on the device.
template <class T> struct device {
	T *data = nullptr;
	size_t count;
	device(const std::vector<T> &from) : count(from.size())
	{
		DEMAND(cudaMalloc((void **)&data, count * sizeof(T) + 16) == cudaSuccess);
		cudaMemcpy(data, from.data(), count * sizeof(T), cudaMemcpyHostToDevice);
	}
	device(size_t count, T value) : device(std::vector<T>(count, value)) {}
	~device() { cudaFree(data); }
	std::vector<T> get() const
	{
		std::vector<T> to(count);
		DEMAND(cudaMemcpy(to.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost) == cudaSuccess);
		return to;
	}
};

template <class T> struct matrix {
	int rows, columns;
	std::vector<T> values; // by rows
	matrix(int rows, int columns) : rows(rows), columns(columns), values(rows * columns) {}
	T &at(int i, int j) { return values[i * columns + j]; }
	static matrix of_random(int rows, int columns, int one_in)
	{
		matrix m(rows, columns);
		for (T &value : m.values)
			value = random_bits() % one_in ? T() : number<T>::make();
		return m;
	}
	matrix operated(cusparseOperation_t operation)
	{
		if (operation == CUSPARSE_OPERATION_NON_TRANSPOSE)
			return *this;
		matrix m(columns, rows);
		for (int i = 0; i < rows; i++)
			for (int j = 0; j < columns; j++)
				m.at(j, i) = operation == CUSPARSE_OPERATION_TRANSPOSE ? at(i, j) : conjugate(at(i, j));
		return m;
	}
	// With its leading dimension, which is larger than it has to be.
	std::vector<T> laid_out(cusparseOrder_t order, int *ld)
	{
		bool by_rows = order == CUSPARSE_ORDER_ROW;
		*ld = (by_rows ? columns : rows) + 2;
		std::vector<T> to((by_rows ? rows : columns) * *ld, T(99));
		for (int i = 0; i < rows; i++)
			for (int j = 0; j < columns; j++)
				to[by_rows ? i * *ld + j : j * *ld + i] = at(i, j);
		return to;
	}
};

template <class T, class I> struct sparse {
	cusparseFormat_t format;
	std::vector<I> outer, inner;
	std::vector<T> values;

	sparse(matrix<T> &m, cusparseFormat_t format, int base) : format(format)
	{
		bool columns_first = format == CUSPARSE_FORMAT_CSC;
		int lines = columns_first ? m.columns : m.rows, length = columns_first ? m.rows : m.columns;
		for (int i = 0; i < lines; i++) {
			if (format != CUSPARSE_FORMAT_COO)
				outer.push_back((I)values.size() + base);
			for (int j = 0; j < length; j++) {
				T value = columns_first ? m.at(j, i) : m.at(i, j);
				if (value == T())
					continue;
				if (format == CUSPARSE_FORMAT_COO)
					outer.push_back(i + base);
				inner.push_back(j + base);
				values.push_back(value);
			}
		}
		if (format != CUSPARSE_FORMAT_COO)
			outer.push_back((I)values.size() + base);
	}
};

template <class T, class I>
static cusparseSpMatDescr_t describe(cusparseFormat_t format, int rows, int columns, int64_t count, I *outer, I *inner, T *values, int base)
{
	cusparseSpMatDescr_t m;
	cusparseIndexType_t index = kind<I>::index;
	cusparseIndexBase_t from = base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO;
	if (format == CUSPARSE_FORMAT_CSR)
		OK(cusparseCreateCsr(&m, rows, columns, count, outer, inner, values, index, index, from, kind<T>::type));
	else if (format == CUSPARSE_FORMAT_CSC)
		OK(cusparseCreateCsc(&m, rows, columns, count, outer, inner, values, index, index, from, kind<T>::type));
	else
		OK(cusparseCreateCoo(&m, rows, columns, count, outer, inner, values, index, from, kind<T>::type));
	return m;
}

template <class T, class I>
static void check_products(cusparseHandle_t handle, cusparseFormat_t format, cusparseOperation_t operation, int rows, int columns, int width, int base)
{
	auto a = matrix<T>::of_random(rows, columns, 3);
	sparse<T, I> s(a, format, base);
	device<I> outer(s.outer), inner(s.inner);
	device<T> values(s.values);
	auto m = describe<T, I>(format, rows, columns, (int64_t)s.values.size(), outer.data, inner.data, values.data, base);
	auto full = a.operated(operation);
	cusparseOperation_t b_operation = rows % 2 ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
	cusparseOrder_t b_order = columns % 2 ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL, c_order = width % 2 ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
	auto b = matrix<T>::of_random(full.columns, width, 1), c = matrix<T>::of_random(full.rows, width, 1), d = c;
	T alpha = number<T>::make() + T(2), beta = rows % 3 ? number<T>::make() : T();
	for (int i = 0; i < full.rows; i++)
		for (int j = 0; j < width; j++) {
			T sum = T();
			for (int k = 0; k < full.columns; k++)
				sum += full.at(i, k) * b.at(k, j);
			d.at(i, j) = alpha * sum + beta * c.at(i, j);
		}
	auto b_stored = b.operated(b_operation);
	int b_ld, c_ld;
	device<T> b_there(b_stored.laid_out(b_order, &b_ld)), c_there(c.laid_out(c_order, &c_ld));
	cusparseDnMatDescr_t bm, cm;
	size_t bytes;
	OK(cusparseCreateDnMat(&bm, b_stored.rows, b_stored.columns, b_ld, b_there.data, kind<T>::type, b_order));
	OK(cusparseCreateDnMat(&cm, full.rows, width, c_ld, c_there.data, kind<T>::type, c_order));
	OK(cusparseSpMM_bufferSize(handle, operation, b_operation, &alpha, m, bm, &beta, cm, kind<T>::type, CUSPARSE_SPMM_ALG_DEFAULT, &bytes));
	OK(cusparseSpMM(handle, operation, b_operation, &alpha, m, bm, &beta, cm, kind<T>::type, CUSPARSE_SPMM_ALG_DEFAULT, nullptr));
	DEMAND(c_there.get() == d.laid_out(c_order, &c_ld));
	// its first column as a vector, with the factors in device memory
	std::vector<T> x, y, z;
	for (int i = 0; i < full.columns; i++)
		x.push_back(b.at(i, 0));
	for (int i = 0; i < full.rows; i++) {
		y.push_back(c.at(i, 0));
		z.push_back(d.at(i, 0));
	}
	device<T> xs(x), ys(y), factors(std::vector<T>{alpha, beta});
	cusparseDnVecDescr_t xv, yv;
	OK(cusparseCreateDnVec(&xv, full.columns, xs.data, kind<T>::type));
	OK(cusparseCreateDnVec(&yv, full.rows, ys.data, kind<T>::type));
	OK(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_DEVICE));
	OK(cusparseSpMV(handle, operation, factors.data, m, xv, factors.data + 1, yv, kind<T>::type, CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
	OK(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST));
	DEMAND(ys.get() == z);
	OK(cusparseDestroyDnVec(xv));
	OK(cusparseDestroyDnVec(yv));
	OK(cusparseDestroyDnMat(bm));
	OK(cusparseDestroyDnMat(cm));
	OK(cusparseDestroySpMat(m));
}

template <class T, class I> static void check_sampled(cusparseHandle_t handle, cusparseFormat_t format, int base)
{
	int rows = 7, columns = 9, depth = 37, a_ld, b_ld;
	auto a = matrix<T>::of_random(rows, depth, 1), b = matrix<T>::of_random(depth, columns, 1), c = matrix<T>::of_random(rows, columns, 2), d = c;
	T alpha = T(2), beta = T(3);
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < columns; j++) {
			T sum = T();
			for (int k = 0; k < depth; k++)
				sum += a.at(i, k) * b.at(k, j);
			d.at(i, j) = alpha * sum + beta * c.at(i, j);
		}
	sparse<T, I> s(c, format, base);
	std::vector<T> right;
	bool by_columns = format == CUSPARSE_FORMAT_CSC;
	for (int i = 0; i < (by_columns ? columns : rows); i++)
		for (int j = 0; j < (by_columns ? rows : columns); j++)
			if ((by_columns ? c.at(j, i) : c.at(i, j)) != T())
				right.push_back(by_columns ? d.at(j, i) : d.at(i, j));
	auto turned = a.operated(CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE);
	device<T> as(turned.laid_out(CUSPARSE_ORDER_COL, &a_ld)), bs(b.laid_out(CUSPARSE_ORDER_ROW, &b_ld)), values(s.values);
	device<I> outer(s.outer), inner(s.inner);
	auto m = describe<T, I>(format, rows, columns, (int64_t)s.values.size(), outer.data, inner.data, values.data, base);
	cusparseDnMatDescr_t am, bm;
	OK(cusparseCreateDnMat(&am, depth, rows, a_ld, as.data, kind<T>::type, CUSPARSE_ORDER_COL));
	OK(cusparseCreateDnMat(&bm, depth, columns, b_ld, bs.data, kind<T>::type, CUSPARSE_ORDER_ROW));
	OK(cusparseSDDMM(handle, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, am, bm, &beta, m, kind<T>::type, CUSPARSE_SDDMM_ALG_DEFAULT, nullptr));
	DEMAND(values.get() == right);
}

// To a dense matrix and back.
template <class T, class I> static void check_dense(cusparseHandle_t handle, cusparseFormat_t format, int rows, int columns, int base)
{
	auto a = matrix<T>::of_random(rows, columns, 3);
	sparse<T, I> s(a, format, base);
	device<I> outer(s.outer), inner(s.inner);
	device<T> values(s.values);
	int ld;
	cusparseOrder_t order = rows % 2 ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
	auto stored = a.laid_out(order, &ld);
	device<T> dense(stored.size(), T(99));
	cusparseDnMatDescr_t dm;
	OK(cusparseCreateDnMat(&dm, rows, columns, ld, dense.data, kind<T>::type, order));
	auto m = describe<T, I>(format, rows, columns, (int64_t)s.values.size(), outer.data, inner.data, values.data, base);
	OK(cusparseSparseToDense(handle, m, dm, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr));
	DEMAND(dense.get() == stored);

	size_t bytes;
	int64_t r, c, count;
	device<I> outer_back(s.outer.size(), 0), inner_back(s.inner.size(), 0);
	device<T> values_back(s.values.size(), T());
	auto back = describe<T, I>(format, rows, columns, 0, format == CUSPARSE_FORMAT_COO ? nullptr : outer_back.data, (I *)nullptr, (T *)nullptr, base);
	OK(cusparseDenseToSparse_bufferSize(handle, dm, back, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, &bytes));
	device<char> buffer(bytes, 0);
	OK(cusparseDenseToSparse_analysis(handle, dm, back, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer.data));
	OK(cusparseSpMatGetSize(back, &r, &c, &count));
	DEMAND(count == (int64_t)s.values.size());
	OK(format == CUSPARSE_FORMAT_CSR ? cusparseCsrSetPointers(back, outer_back.data, inner_back.data, values_back.data)
	   : format == CUSPARSE_FORMAT_CSC ? cusparseCscSetPointers(back, outer_back.data, inner_back.data, values_back.data)
					   : cusparseCooSetPointers(back, outer_back.data, inner_back.data, values_back.data));
	OK(cusparseDenseToSparse_convert(handle, dm, back, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer.data));
	DEMAND(outer_back.get() == s.outer && inner_back.get() == s.inner && values_back.get() == s.values);
}

template <class T> static void check_turned(cusparseHandle_t handle, int rows, int columns, int base)
{
	auto a = matrix<T>::of_random(rows, columns, 3);
	sparse<T, int> csr(a, CUSPARSE_FORMAT_CSR, base), csc(a, CUSPARSE_FORMAT_CSC, base), coo(a, CUSPARSE_FORMAT_COO, base);
	int count = (int)csr.values.size();
	cusparseIndexBase_t from = base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO;
	device<int> outer(csr.outer), inner(csr.inner), to_outer(csc.outer.size(), 0), to_inner(count, 0), rows_there(count, 0), again(csr.outer.size(), 0);
	device<T> values(csr.values), to_values(count, T());
	size_t bytes;
	OK(cusparseCsr2cscEx2_bufferSize(handle, rows, columns, count, values.data, outer.data, inner.data, to_values.data, to_outer.data, to_inner.data, kind<T>::type, CUSPARSE_ACTION_NUMERIC, from, CUSPARSE_CSR2CSC_ALG1, &bytes));
	device<char> buffer(bytes, 0);
	OK(cusparseCsr2cscEx2(handle, rows, columns, count, values.data, outer.data, inner.data, to_values.data, to_outer.data, to_inner.data, kind<T>::type, CUSPARSE_ACTION_NUMERIC, from, CUSPARSE_CSR2CSC_ALG1, buffer.data));
	DEMAND(to_outer.get() == csc.outer && to_inner.get() == csc.inner && to_values.get() == csc.values);
	OK(cusparseXcsr2coo(handle, outer.data, count, rows, rows_there.data, from));
	DEMAND(rows_there.get() == coo.outer);
	OK(cusparseXcoo2csr(handle, rows_there.data, count, rows, again.data, from));
	DEMAND(again.get() == csr.outer);
}

static void check_sort(cusparseHandle_t handle, int count)
{
	std::vector<int> rows, columns, order;
	for (int i = 0; i < count; i++) {
		rows.push_back((int)(random_bits() % 50) - 5);
		columns.push_back((int)(random_bits() % 60));
		order.push_back(i);
	}
	std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
		return std::make_pair(columns[a], rows[a]) < std::make_pair(columns[b], rows[b]);
	});
	device<int> r(rows), c(columns), p(count, 0);
	size_t bytes;
	OK(cusparseCreateIdentityPermutation(handle, count, p.data));
	OK(cusparseXcoosort_bufferSizeExt(handle, 50, 60, count, r.data, c.data, &bytes));
	device<char> buffer(bytes, 0);
	OK(cusparseXcoosortByColumn(handle, 50, 60, count, r.data, c.data, p.data, buffer.data));
	DEMAND(p.get() == order);
	auto sorted_rows = r.get(), sorted_columns = c.get();
	for (int i = 0; i < count; i++)
		DEMAND(sorted_rows[i] == rows[order[i]] && sorted_columns[i] == columns[order[i]]);
	OK(cusparseXcoosortByRow(handle, 50, 60, count, r.data, c.data, nullptr, buffer.data));
	auto by_row = r.get(), beside = c.get();
	for (int i = 1; i < count; i++)
		DEMAND(std::make_pair(by_row[i - 1], beside[i - 1]) <= std::make_pair(by_row[i], beside[i]));
}

// op(A) X = alpha B for a triangle of A, which has elements in both; several right sides, and the first one alone. The answer is
// known: every quotient is exact.
template <class T, class I>
static void check_solver(cusparseHandle_t handle, cusparseFormat_t format, cusparseOperation_t operation, int n, int base, bool lower, bool unit)
{
	const int width = 3;
	auto a = matrix<T>::of_random(n, n, 4), part = a, x = matrix<T>::of_random(n, width, 1), b = x, wanted = x;
	for (int i = 0; i < n; i++) {
		a.at(i, i) = part.at(i, i) = T(i % 3 ? 1 : -2);
		for (int j = 0; j < n; j++)
			if (lower ? j > i : j < i)
				part.at(i, j) = T();
		if (unit)
			part.at(i, i) = T(1);
	}
	// not many in a row, so that sums stay exact in single precision
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			if (i - j > 3 || j - i > 3)
				a.at(i, j) = part.at(i, j) = T();
	auto full = part.operated(operation);
	T alpha = T(2);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < width; j++) {
			T sum = T();
			for (int k = 0; k < n; k++)
				sum += full.at(i, k) * x.at(k, j);
			b.at(i, j) = sum;
			wanted.at(i, j) = alpha * x.at(i, j);
		}
	sparse<T, I> s(a, format, base);
	device<I> outer(s.outer), inner(s.inner);
	device<T> values(s.values);
	auto m = describe<T, I>(format, n, n, (int64_t)s.values.size(), outer.data, inner.data, values.data, base);
	cusparseFillMode_t fill = lower ? CUSPARSE_FILL_MODE_LOWER : CUSPARSE_FILL_MODE_UPPER;
	cusparseDiagType_t diagonal = unit ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT;
	OK(cusparseSpMatSetAttribute(m, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
	OK(cusparseSpMatSetAttribute(m, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal));
	int b_ld, x_ld;
	auto turned = b.operated(CUSPARSE_OPERATION_TRANSPOSE);
	device<T> bs(turned.laid_out(CUSPARSE_ORDER_ROW, &b_ld)), xs(matrix<T>(n, width).laid_out(CUSPARSE_ORDER_COL, &x_ld));
	cusparseDnMatDescr_t bm, xm;
	OK(cusparseCreateDnMat(&bm, width, n, b_ld, bs.data, kind<T>::type, CUSPARSE_ORDER_ROW));
	OK(cusparseCreateDnMat(&xm, n, width, x_ld, xs.data, kind<T>::type, CUSPARSE_ORDER_COL));
	cusparseSpSMDescr_t many;
	cusparseSpSVDescr_t one;
	size_t bytes;
	OK(cusparseSpSM_createDescr(&many));
	OK(cusparseSpSM_bufferSize(handle, operation, CUSPARSE_OPERATION_TRANSPOSE, &alpha, m, bm, xm, kind<T>::type, CUSPARSE_SPSM_ALG_DEFAULT, many, &bytes));
	device<char> buffer(bytes, 1);
	OK(cusparseSpSM_analysis(handle, operation, CUSPARSE_OPERATION_TRANSPOSE, &alpha, m, bm, xm, kind<T>::type, CUSPARSE_SPSM_ALG_DEFAULT, many, buffer.data));
	OK(cusparseSpSM_solve(handle, operation, CUSPARSE_OPERATION_TRANSPOSE, &alpha, m, bm, xm, kind<T>::type, CUSPARSE_SPSM_ALG_DEFAULT, many));
	DEMAND(xs.get() == wanted.laid_out(CUSPARSE_ORDER_COL, &x_ld));
	// in place
	std::vector<T> column, answer;
	for (int i = 0; i < n; i++) {
		column.push_back(b.at(i, 0));
		answer.push_back(wanted.at(i, 0));
	}
	device<T> vector(column);
	cusparseDnVecDescr_t v;
	OK(cusparseCreateDnVec(&v, n, vector.data, kind<T>::type));
	OK(cusparseSpSV_createDescr(&one));
	OK(cusparseSpSV_bufferSize(handle, operation, &alpha, m, v, v, kind<T>::type, CUSPARSE_SPSV_ALG_DEFAULT, one, &bytes));
	OK(cusparseSpSV_analysis(handle, operation, &alpha, m, v, v, kind<T>::type, CUSPARSE_SPSV_ALG_DEFAULT, one, buffer.data));
	OK(cusparseSpSV_solve(handle, operation, &alpha, m, v, v, kind<T>::type, CUSPARSE_SPSV_ALG_DEFAULT, one));
	DEMAND(vector.get() == answer);
	// more columns than were analysed, for which the buffer has no place
	cusparseDnMatDescr_t wide;
	OK(cusparseCreateDnMat(&wide, n, width + 1, n, xs.data, kind<T>::type, CUSPARSE_ORDER_COL));
	DEMAND(cusparseSpSM_solve(handle, operation, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, m, wide, wide, kind<T>::type, CUSPARSE_SPSM_ALG_DEFAULT, many) == CUSPARSE_STATUS_INVALID_VALUE);
	OK(cusparseDestroyDnMat(wide));
	// no enumerators
	int none = 2;
	DEMAND(cusparseSpMatSetAttribute(m, CUSPARSE_SPMAT_FILL_MODE, &none, sizeof none) == CUSPARSE_STATUS_INVALID_VALUE);
	DEMAND(cusparseSpMatSetAttribute(m, CUSPARSE_SPMAT_DIAG_TYPE, &none, sizeof none) == CUSPARSE_STATUS_INVALID_VALUE);
	OK(cusparseSpMatGetAttribute(m, CUSPARSE_SPMAT_FILL_MODE, &none, sizeof none));
	DEMAND(none == fill);
	OK(cusparseSpSM_destroyDescr(many));
	OK(cusparseSpSV_destroyDescr(one));
	OK(cusparseDestroySpMat(m));
}

// C = alpha A B + beta C of sparse matrices; then once more, into what C has.
template <class T, class I> static void check_sparse_product(cusparseHandle_t handle, int rows, int depth, int columns, int base)
{
	auto a = matrix<T>::of_random(rows, depth, 3), b = matrix<T>::of_random(depth, columns, 3);
	sparse<T, I> sa(a, CUSPARSE_FORMAT_CSR, base), sb(b, CUSPARSE_FORMAT_CSR, 0);
	device<I> a_outer(sa.outer), a_inner(sa.inner), b_outer(sb.outer), b_inner(sb.inner);
	device<T> a_values(sa.values), b_values(sb.values);
	std::vector<I> outer{(I)base}, inner;
	std::vector<T> values, twice;
	T alpha = T(2), zero = T(), beta = T(3);
	for (int i = 0; i < rows; i++) {
		for (int j = 0; j < columns; j++) {
			bool there = false;
			T sum = T();
			for (int k = 0; k < depth; k++)
				if (a.at(i, k) != T() && b.at(k, j) != T()) {
					there = true;
					sum += a.at(i, k) * b.at(k, j);
				}
			if (there) {
				inner.push_back(j + base);
				values.push_back(alpha * sum);
				twice.push_back(alpha * sum + beta * (alpha * sum));
			}
		}
		outer.push_back((I)values.size() + base);
	}
	auto am = describe<T, I>(CUSPARSE_FORMAT_CSR, rows, depth, (int64_t)sa.values.size(), a_outer.data, a_inner.data, a_values.data, base);
	auto bm = describe<T, I>(CUSPARSE_FORMAT_CSR, depth, columns, (int64_t)sb.values.size(), b_outer.data, b_inner.data, b_values.data, 0);
	auto cm = describe<T, I>(CUSPARSE_FORMAT_CSR, rows, columns, 0, (I *)nullptr, (I *)nullptr, (T *)nullptr, base);
	cusparseSpGEMMDescr_t d;
	size_t first, second;
	int64_t r, c, count;
	auto n = CUSPARSE_OPERATION_NON_TRANSPOSE;
	OK(cusparseSpGEMM_createDescr(&d));
	OK(cusparseSpGEMM_workEstimation(handle, n, n, &alpha, am, bm, &zero, cm, kind<T>::type, CUSPARSE_SPGEMM_DEFAULT, d, &first, nullptr));
	device<char> buffer(first, 1);
	OK(cusparseSpGEMM_workEstimation(handle, n, n, &alpha, am, bm, &zero, cm, kind<T>::type, CUSPARSE_SPGEMM_DEFAULT, d, &first, buffer.data));
	OK(cusparseSpGEMM_compute(handle, n, n, &alpha, am, bm, &zero, cm, kind<T>::type, CUSPARSE_SPGEMM_DEFAULT, d, &second, nullptr));
	device<char> larger(second, 1);
	OK(cusparseSpGEMM_compute(handle, n, n, &alpha, am, bm, &zero, cm, kind<T>::type, CUSPARSE_SPGEMM_DEFAULT, d, &second, larger.data));
	OK(cusparseSpMatGetSize(cm, &r, &c, &count));
	DEMAND(r == rows && c == columns && count == (int64_t)values.size());
	device<I> c_outer(outer.size(), 99), c_inner(count, 99);
	device<T> c_values(count, T(99));
	OK(cusparseCsrSetPointers(cm, c_outer.data, c_inner.data, c_values.data));
	OK(cusparseSpGEMM_copy(handle, n, n, &alpha, am, bm, &zero, cm, kind<T>::type, CUSPARSE_SPGEMM_DEFAULT, d));
	DEMAND(c_outer.get() == outer && c_inner.get() == inner && c_values.get() == values);
	OK(cusparseSpGEMM_copy(handle, n, n, &alpha, am, bm, &beta, cm, kind<T>::type, CUSPARSE_SPGEMM_DEFAULT, d));
	DEMAND(c_outer.get() == outer && c_values.get() == twice);
	OK(cusparseSpGEMM_destroyDescr(d));

	// With a pattern that stays: the first buffers go, A's values change.
	auto dm = describe<T, I>(CUSPARSE_FORMAT_CSR, rows, columns, 0, (I *)nullptr, (I *)nullptr, (T *)nullptr, base);
	size_t bytes[5];
	OK(cusparseSpGEMM_createDescr(&d));
	OK(cusparseSpGEMMreuse_workEstimation(handle, n, n, am, bm, dm, CUSPARSE_SPGEMM_DEFAULT, d, &bytes[0], nullptr));
	auto *one = new device<char>(bytes[0], 1);
	OK(cusparseSpGEMMreuse_workEstimation(handle, n, n, am, bm, dm, CUSPARSE_SPGEMM_DEFAULT, d, &bytes[0], one->data));
	OK(cusparseSpGEMMreuse_nnz(handle, n, n, am, bm, dm, CUSPARSE_SPGEMM_DEFAULT, d, &bytes[1], nullptr, &bytes[2], nullptr, &bytes[3], nullptr));
	device<char> two(bytes[1], 1), three(bytes[2], 1), four(bytes[3], 1);
	OK(cusparseSpGEMMreuse_nnz(handle, n, n, am, bm, dm, CUSPARSE_SPGEMM_DEFAULT, d, &bytes[1], two.data, &bytes[2], three.data, &bytes[3], four.data));
	delete one;
	OK(cusparseSpMatGetSize(dm, &r, &c, &count));
	DEMAND(count == (int64_t)values.size());
	device<I> d_outer(outer.size(), 99), d_inner(count, 99);
	device<T> d_values(count, T(99));
	OK(cusparseCsrSetPointers(dm, d_outer.data, d_inner.data, d_values.data));
	OK(cusparseSpGEMMreuse_copy(handle, n, n, am, bm, dm, CUSPARSE_SPGEMM_DEFAULT, d, &bytes[4], nullptr));
	device<char> five(bytes[4], 1);
	OK(cusparseSpGEMMreuse_copy(handle, n, n, am, bm, dm, CUSPARSE_SPGEMM_DEFAULT, d, &bytes[4], five.data));
	DEMAND(d_outer.get() == outer && d_inner.get() == inner);
	OK(cusparseSpGEMMreuse_compute(handle, n, n, &alpha, am, bm, &zero, dm, kind<T>::type, CUSPARSE_SPGEMM_DEFAULT, d));
	DEMAND(d_inner.get() == inner && d_values.get() == values);
	std::vector<T> larger_a = sa.values;
	for (T &value : larger_a)
		value *= T(3);
	cudaMemcpy(a_values.data, larger_a.data(), larger_a.size() * sizeof(T), cudaMemcpyHostToDevice);
	OK(cusparseSpGEMMreuse_compute(handle, n, n, &alpha, am, bm, &zero, dm, kind<T>::type, CUSPARSE_SPGEMM_DEFAULT, d));
	for (T &value : values)
		value *= T(3);
	DEMAND(d_outer.get() == outer && d_inner.get() == inner && d_values.get() == values);
	OK(cusparseSpGEMM_destroyDescr(d));
}

// Rows whose columns are in any order.
static void check_rows_sort(cusparseHandle_t handle, int rows, int base)
{
	std::vector<int> outer{base}, inner, order, wanted;
	for (int i = 0; i < rows; i++) {
		int first = (int)inner.size();
		for (int k = random_bits() % 9; k > 0; k--)
			inner.push_back((int)(random_bits() % 40) + base);
		outer.push_back((int)inner.size() + base);
		for (int k = first; k < (int)inner.size(); k++)
			order.push_back(k);
		std::stable_sort(order.begin() + first, order.end(), [&](int a, int b) { return inner[a] < inner[b]; });
	}
	for (int k : order)
		wanted.push_back(inner[k]);
	int count = (int)inner.size();
	device<int> r(outer), c(inner), p(count, 0);
	cusparseMatDescr_t d;
	size_t bytes;
	OK(cusparseCreateMatDescr(&d));
	OK(cusparseSetMatIndexBase(d, base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO));
	OK(cusparseXcsrsort_bufferSizeExt(handle, rows, 40, count, r.data, c.data, &bytes));
	device<char> buffer(bytes, 0);
	OK(cusparseCreateIdentityPermutation(handle, count, p.data));
	OK(cusparseXcsrsort(handle, rows, 40, count, d, r.data, c.data, p.data, buffer.data));
	DEMAND(c.get() == wanted && p.get() == order);
	device<int> by_column(inner), places(count, 0); // the same by columns
	OK(cusparseXcscsort_bufferSizeExt(handle, 40, rows, count, r.data, by_column.data, &bytes));
	device<char> second(bytes, 0);
	OK(cusparseCreateIdentityPermutation(handle, count, places.data));
	OK(cusparseXcscsort(handle, 40, rows, count, d, r.data, by_column.data, places.data, second.data));
	DEMAND(by_column.get() == wanted && places.get() == order);
	OK(cusparseDestroyMatDescr(d));
}

// A batch of products with dense and of sampled ones: patterns that all share or each has, factors that all share.
template <class T, class I> static void check_batch(cusparseHandle_t handle, cusparseFormat_t format, bool one_factor, int base)
{
	int rows = 5, columns = 7, width = 3, batches = 3, ld, count, got;
	int64_t stride;
	T alpha = T(2), beta = T(3);
	auto pattern = matrix<T>::of_random(rows, columns, 2);
	sparse<T, I> s(pattern, format, base);
	count = (int)s.values.size();
	std::vector<I> outer = s.outer, inner;
	std::vector<T> values, b_values, c_values, right, sampled;
	std::vector<matrix<T>> as, bs;
	for (int n = 0; n < batches; n++) {
		auto a = pattern, b = matrix<T>::of_random(columns, width, 1), c = matrix<T>::of_random(rows, width, 1), d = c;
		for (T &value : a.values)
			value = value == T() ? value : number<T>::make() + T(9);
		sparse<T, I> one(a, format, base);
		if (n && format == CUSPARSE_FORMAT_COO)
			outer.insert(outer.end(), one.outer.begin(), one.outer.end());
		inner.insert(inner.end(), one.inner.begin(), one.inner.end());
		values.insert(values.end(), one.values.begin(), one.values.end());
		as.push_back(a);
		bs.push_back(b);
		auto &shared = one_factor ? bs[0] : bs[n];
		for (int i = 0; i < rows; i++)
			for (int j = 0; j < width; j++) {
				T sum = T();
				for (int k = 0; k < columns; k++)
					sum += a.at(i, k) * shared.at(k, j);
				d.at(i, j) = alpha * sum + beta * c.at(i, j);
			}
		for (auto *to : {&b_values, &c_values, &right}) {
			auto laid = (to == &b_values ? b : to == &c_values ? c : d).laid_out(CUSPARSE_ORDER_ROW, &ld);
			to->insert(to->end(), laid.begin(), laid.end());
		}
	}
	device<I> outer_there(outer), inner_there(inner);
	device<T> values_there(values), b_there(b_values), c_there(c_values);
	auto m = describe<T, I>(format, rows, columns, count, outer_there.data, inner_there.data, values_there.data, base);
	cusparseDnMatDescr_t bm, cm;
	OK(cusparseCreateDnMat(&bm, columns, width, ld, b_there.data, kind<T>::type, CUSPARSE_ORDER_ROW));
	OK(cusparseCreateDnMat(&cm, rows, width, ld, c_there.data, kind<T>::type, CUSPARSE_ORDER_ROW));
	OK(format == CUSPARSE_FORMAT_COO ? cusparseCooSetStridedBatch(m, batches, count) : cusparseCsrSetStridedBatch(m, batches, 0, count));
	if (!one_factor)
		OK(cusparseDnMatSetStridedBatch(bm, batches, columns * ld));
	auto n = CUSPARSE_OPERATION_NON_TRANSPOSE;
	DEMAND(cusparseSpMM(handle, n, n, &alpha, m, bm, &beta, cm, kind<T>::type, CUSPARSE_SPMM_ALG_DEFAULT, nullptr) == CUSPARSE_STATUS_INVALID_VALUE);
	OK(cusparseDnMatSetStridedBatch(cm, batches, rows * ld));
	OK(cusparseDnMatGetStridedBatch(cm, &got, &stride));
	DEMAND(got == batches && stride == rows * ld);
	OK(cusparseSpMatGetStridedBatch(m, &got));
	DEMAND(got == batches);
	OK(cusparseSpMM(handle, n, n, &alpha, m, bm, &beta, cm, kind<T>::type, CUSPARSE_SPMM_ALG_DEFAULT, nullptr));
	DEMAND(c_there.get() == right);

	// Sampled: C (rows x width) times B', where A has numbers
	auto results = c_there.get();
	for (int i = 0; i < batches; i++) {
		auto &shared = one_factor ? bs[0] : bs[i];
		for (int k = 0; k < count; k++) {
			int row = 0, column = (int)inner[k] - base;
			if (format == CUSPARSE_FORMAT_COO)
				row = (int)outer[k] - base;
			else
				while (outer[row + 1] - base <= k)
					row++;
			T sum = T();
			for (int j = 0; j < width; j++)
				sum += results[(i * rows + row) * ld + j] * shared.at(column, j);
			sampled.push_back(alpha * sum + beta * values[i * count + k]);
		}
	}
	OK(cusparseSDDMM(handle, n, CUSPARSE_OPERATION_TRANSPOSE, &alpha, cm, bm, &beta, m, kind<T>::type, CUSPARSE_SDDMM_ALG_DEFAULT, nullptr));
	DEMAND(values_there.get() == sampled);
	OK(cusparseDestroyDnMat(bm));
	OK(cusparseDestroyDnMat(cm));
	OK(cusparseDestroySpMat(m));
}

// Numbers that are not zero in each row and column, with the sum on the host and on the device.
static void check_count(cusparseHandle_t handle, int rows, int columns)
{
	auto a = matrix<double>::of_random(rows, columns, 3);
	std::vector<int> in_rows(rows), in_columns(columns);
	int all = 0, ld, got = 7;
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < columns; j++)
			if (a.at(i, j) != 0) {
				in_rows[i]++;
				in_columns[j]++;
				all++;
			}
	device<double> there(a.laid_out(CUSPARSE_ORDER_COL, &ld));
	device<int> counts_of_rows(rows, 9), counts_of_columns(columns, 9), total(1, 9);
	cusparseMatDescr_t d;
	OK(cusparseCreateMatDescr(&d));
	OK(cusparseDnnz(handle, CUSPARSE_DIRECTION_ROW, rows, columns, d, there.data, ld, counts_of_rows.data, &got));
	DEMAND(got == all && counts_of_rows.get() == in_rows);
	OK(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_DEVICE));
	OK(cusparseDnnz(handle, CUSPARSE_DIRECTION_COLUMN, rows, columns, d, there.data, ld, counts_of_columns.data, total.data));
	OK(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST));
	DEMAND(total.get()[0] == all && counts_of_columns.get() == in_columns);
	OK(cusparseDestroyMatDescr(d));
}

// Lines without numbers are counted, too, and need a place; lines that there are not need none. Sizes whose bytes are no int.
static void check_sizes(cusparseHandle_t handle)
{
	int total = 7, bytes = -1;
	device<int> counts(3, 9);
	cusparseMatDescr_t d;
	csrilu02Info_t ilu;
	csric02Info_t ic;
	OK(cusparseCreateMatDescr(&d));
	OK(cusparseCreateCsrilu02Info(&ilu));
	OK(cusparseCreateCsric02Info(&ic));
	DEMAND(cusparseDnnz(handle, CUSPARSE_DIRECTION_ROW, 3, 0, d, nullptr, 3, nullptr, &total) == CUSPARSE_STATUS_INVALID_VALUE);
	DEMAND(cusparseDnnz(handle, CUSPARSE_DIRECTION_COLUMN, 0, 3, d, nullptr, 1, nullptr, &total) == CUSPARSE_STATUS_INVALID_VALUE);
	OK(cusparseDnnz(handle, CUSPARSE_DIRECTION_ROW, 3, 0, d, nullptr, 3, counts.data, &total));
	DEMAND(total == 0 && counts.get() == std::vector<int>(3, 0));
	total = 7;
	OK(cusparseDnnz(handle, CUSPARSE_DIRECTION_COLUMN, 3, 0, d, nullptr, 3, nullptr, &total));
	DEMAND(total == 0);
	OK(cusparseScsrilu02_bufferSize(handle, (1 << 29) - 2, 0, d, nullptr, nullptr, nullptr, ilu, &bytes));
	DEMAND(bytes == INT_MAX - 3);
	DEMAND(cusparseScsrilu02_bufferSize(handle, (1 << 29) - 1, 0, d, nullptr, nullptr, nullptr, ilu, &bytes) == CUSPARSE_STATUS_INVALID_VALUE);
	DEMAND(cusparseDcsric02_bufferSize(handle, 1 << 29, 0, d, nullptr, nullptr, nullptr, ic, &bytes) == CUSPARSE_STATUS_INVALID_VALUE);
	DEMAND(cusparseDcsric02_bufferSize(handle, INT_MAX, 0, d, nullptr, nullptr, nullptr, ic, &bytes) == CUSPARSE_STATUS_INVALID_VALUE);
	OK(cusparseDestroyCsrilu02Info(ilu));
	OK(cusparseDestroyCsric02Info(ic));
	OK(cusparseDestroyMatDescr(d));
}

// L L' without fill-in. The matrix is a product of a triangle, so that a full pattern has that triangle as its answer.
template <class T> struct cholesky;
#define CHOLESKY(letter, T, N)                                                                                                     \
	template <> struct cholesky<T> {                                                                                           \
		static cusparseStatus_t bytes(cusparseHandle_t h, int m, int n, cusparseMatDescr_t d, T *v, int *r, int *c,        \
					      csric02Info_t i, int *b)                                                             \
		{                                                                                                                  \
			return cusparse##letter##csric02_bufferSize(h, m, n, d, (N *)v, r, c, i, b);                               \
		}                                                                                                                  \
		static cusparseStatus_t analyse(cusparseHandle_t h, int m, int n, cusparseMatDescr_t d, T *v, int *r, int *c,      \
						csric02Info_t i, void *b)                                                          \
		{                                                                                                                  \
			return cusparse##letter##csric02_analysis(h, m, n, d, (N *)v, r, c, i, CUSPARSE_SOLVE_POLICY_NO_LEVEL, b);  \
		}                                                                                                                  \
		static cusparseStatus_t factor(cusparseHandle_t h, int m, int n, cusparseMatDescr_t d, T *v, int *r, int *c,       \
					       csric02Info_t i, void *b)                                                           \
		{                                                                                                                  \
			return cusparse##letter##csric02(h, m, n, d, (N *)v, r, c, i, CUSPARSE_SOLVE_POLICY_USE_LEVEL, b);         \
		}                                                                                                                  \
	};
CHOLESKY(S, float, float)
CHOLESKY(D, double, double)
CHOLESKY(C, std::complex<float>, cuComplex)
CHOLESKY(Z, std::complex<double>, cuDoubleComplex)

template <class T> static void check_cholesky(cusparseHandle_t handle, int n, int base, int one_in, double bound)
{
	auto a = matrix<T>::of_random(n, n, one_in);
	for (int i = 0; i < n; i++) {
		a.at(i, i) = T(9 * n);
		for (int j = 0; j < i; j++)
			a.at(j, i) = T(77); // not read: A's lower half is enough
	}
	sparse<T, int> from(a, CUSPARSE_FORMAT_CSR, base);
	auto right = a;
	for (int i = 0; i < n; i++)
		for (int k = 0; k <= i; k++) {
			if (a.at(i, k) == T())
				continue;
			T sum = a.at(i, k);
			for (int j = 0; j < k; j++)
				if (a.at(i, j) != T() && a.at(k, j) != T())
					sum -= right.at(i, j) * conjugate(right.at(k, j));
			right.at(i, k) = i == k ? (T)std::sqrt(std::real(sum)) : sum / right.at(k, k);
		}
	int count = (int)from.values.size(), bytes, position = 7;
	device<int> r(from.outer), c(from.inner);
	device<T> v(from.values);
	cusparseMatDescr_t d;
	csric02Info_t info;
	OK(cusparseCreateMatDescr(&d));
	OK(cusparseSetMatIndexBase(d, base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO));
	OK(cusparseCreateCsric02Info(&info));
	OK(cholesky<T>::bytes(handle, n, count, d, v.data, r.data, c.data, info, &bytes));
	device<char> buffer(bytes, 1);
	OK(cholesky<T>::analyse(handle, n, count, d, v.data, r.data, c.data, info, buffer.data));
	OK(cusparseXcsric02_zeroPivot(handle, info, &position));
	DEMAND(position == -1);
	OK(cholesky<T>::factor(handle, n, count, d, v.data, r.data, c.data, info, buffer.data));
	OK(cusparseXcsric02_zeroPivot(handle, info, &position));
	auto got = v.get();
	double worst = 0;
	for (int i = 0; i < n; i++)
		for (int k = from.outer[i] - base; k < from.outer[i + 1] - base; k++)
			worst = std::max(worst, (double)std::abs(got[k] - right.at(i, from.inner[k] - base)));
	DEMAND(position == -1 && worst < bound);

	// [1 2; 2 4]: the second pivot is 0. [1 .; 2 .]: it is missing
	device<int> rows(std::vector<int>{base, 2 + base, 4 + base}), columns(std::vector<int>{base, 1 + base, base, 1 + base});
	device<int> fewer(std::vector<int>{base, 2 + base, 3 + base});
	device<T> small(std::vector<T>{T(1), T(2), T(2), T(4)});
	OK(cholesky<T>::factor(handle, 2, 4, d, small.data, rows.data, columns.data, info, buffer.data));
	DEMAND(cusparseXcsric02_zeroPivot(handle, info, &position) == CUSPARSE_STATUS_ZERO_PIVOT && position == 1 + base);
	DEMAND((small.get() == std::vector<T>{T(1), T(2), T(2), T(0)}));
	OK(cholesky<T>::factor(handle, 2, 3, d, small.data, fewer.data, columns.data, info, buffer.data));
	DEMAND(cusparseXcsric02_zeroPivot(handle, info, &position) == CUSPARSE_STATUS_ZERO_PIVOT && position == 1 + base);
	OK(cusparseDestroyCsric02Info(info));
	OK(cusparseDestroyMatDescr(d));
}

// What a description was made of.
static void check_getters()
{
	int64_t rows, columns, count, ld;
	const void *outer, *inner, *values;
	void *at;
	cusparseIndexType_t outer_type, inner_type;
	cusparseIndexBase_t base;
	cudaDataType type;
	cusparseOrder_t order;
	char *p = (char *)4096; // never read
	auto m = describe<double, int>(CUSPARSE_FORMAT_CSC, 3, 4, 5, (int *)p, (int *)(p + 64), (double *)(p + 128), 1);
	OK(cusparseConstCscGet(m, &rows, &columns, &count, &outer, &inner, &values, &outer_type, &inner_type, &base, &type));
	DEMAND(rows == 3 && columns == 4 && count == 5 && outer == p && inner == p + 64 && values == p + 128);
	DEMAND(outer_type == CUSPARSE_INDEX_32I && inner_type == CUSPARSE_INDEX_32I && base == CUSPARSE_INDEX_BASE_ONE && type == CUDA_R_64F);
	DEMAND(cusparseConstCsrGet(m, &rows, &columns, &count, &outer, &inner, &values, &outer_type, &inner_type, &base, &type) == CUSPARSE_STATUS_INVALID_VALUE);
	OK(cusparseDestroySpMat(m));
	cusparseDnMatDescr_t d;
	OK(cusparseCreateDnMat(&d, 3, 4, 6, p, CUDA_C_32F, CUSPARSE_ORDER_COL));
	OK(cusparseDnMatGet(d, &rows, &columns, &ld, &at, &type, &order));
	DEMAND(rows == 3 && columns == 4 && ld == 6 && at == p && type == CUDA_C_32F && order == CUSPARSE_ORDER_COL);
	OK(cusparseDestroyDnMat(d));
	cusparseSpVecDescr_t v;
	OK(cusparseCreateSpVec(&v, 9, 2, p, p + 8, CUSPARSE_INDEX_64I, CUSPARSE_INDEX_BASE_ONE, CUDA_R_32F));
	OK(cusparseConstSpVecGet(v, &rows, &count, &inner, &values, &inner_type, &base, &type));
	DEMAND(rows == 9 && count == 2 && inner == p && values == p + 8 && inner_type == CUSPARSE_INDEX_64I && type == CUDA_R_32F);
	OK(cusparseDestroySpVec(v));
}

// Incomplete factors beside the host's, row by row in the same order; then without a pivot.
template <class T> struct factors;
#define FACTORS(letter, T, N)                                                                                                      \
	template <> struct factors<T> {                                                                                            \
		static cusparseStatus_t bytes(cusparseHandle_t h, int m, int n, cusparseMatDescr_t d, T *v, int *r, int *c,        \
					      csrilu02Info_t i, int *b)                                                            \
		{                                                                                                                  \
			return cusparse##letter##csrilu02_bufferSize(h, m, n, d, (N *)v, r, c, i, b);                              \
		}                                                                                                                  \
		static cusparseStatus_t analyse(cusparseHandle_t h, int m, int n, cusparseMatDescr_t d, T *v, int *r, int *c,      \
						csrilu02Info_t i, void *b)                                                         \
		{                                                                                                                  \
			return cusparse##letter##csrilu02_analysis(h, m, n, d, (N *)v, r, c, i, CUSPARSE_SOLVE_POLICY_NO_LEVEL, b); \
		}                                                                                                                  \
		static cusparseStatus_t factor(cusparseHandle_t h, int m, int n, cusparseMatDescr_t d, T *v, int *r, int *c,       \
					       csrilu02Info_t i, void *b)                                                          \
		{                                                                                                                  \
			return cusparse##letter##csrilu02(h, m, n, d, (N *)v, r, c, i, CUSPARSE_SOLVE_POLICY_USE_LEVEL, b);        \
		}                                                                                                                  \
		static cusparseStatus_t boost(cusparseHandle_t h, csrilu02Info_t i, double *tolerance, T *to)                      \
		{                                                                                                                  \
			return cusparse##letter##csrilu02_numericBoost(h, i, 1, tolerance, (N *)to);                               \
		}                                                                                                                  \
	};
FACTORS(S, float, float)
FACTORS(D, double, double)
FACTORS(C, std::complex<float>, cuComplex)
FACTORS(Z, std::complex<double>, cuDoubleComplex)

template <class T> static void check_factors(cusparseHandle_t handle, int n, int base, double bound)
{
	auto a = matrix<T>::of_random(n, n, 4);
	for (int i = 0; i < n; i++)
		a.at(i, i) = T(100);
	sparse<T, int> from(a, CUSPARSE_FORMAT_CSR, base);
	auto right = a;
	for (int i = 1; i < n; i++)
		for (int k = 0; k < i; k++) {
			if (a.at(i, k) == T())
				continue;
			right.at(i, k) /= right.at(k, k);
			for (int j = k + 1; j < n; j++)
				if (a.at(i, j) != T() && a.at(k, j) != T())
					right.at(i, j) -= right.at(i, k) * right.at(k, j);
		}
	int count = (int)from.values.size(), bytes, position = 7;
	device<int> r(from.outer), c(from.inner);
	device<T> v(from.values);
	cusparseMatDescr_t d;
	csrilu02Info_t info;
	OK(cusparseCreateMatDescr(&d));
	OK(cusparseSetMatIndexBase(d, base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO));
	OK(cusparseCreateCsrilu02Info(&info));
	OK(factors<T>::bytes(handle, n, count, d, v.data, r.data, c.data, info, &bytes));
	device<char> buffer(bytes, 1);
	OK(factors<T>::analyse(handle, n, count, d, v.data, r.data, c.data, info, buffer.data));
	OK(cusparseXcsrilu02_zeroPivot(handle, info, &position));
	DEMAND(position == -1);
	OK(factors<T>::factor(handle, n, count, d, v.data, r.data, c.data, info, buffer.data));
	OK(cusparseXcsrilu02_zeroPivot(handle, info, &position));
	auto got = v.get();
	double worst = 0;
	for (int i = 0; i < n; i++)
		for (int k = from.outer[i] - base; k < from.outer[i + 1] - base; k++)
			worst = std::max(worst, (double)std::abs(got[k] - right.at(i, from.inner[k] - base)));
	DEMAND(position == -1 && worst < bound);

	// [1 2; 1 2]: the second pivot is 0, or what it is to be instead; [1 2; 1]: it is missing
	device<int> rows(std::vector<int>{base, 2 + base, 4 + base}), columns(std::vector<int>{base, 1 + base, base, 1 + base});
	device<int> fewer(std::vector<int>{base, 2 + base, 3 + base});
	device<T> small(std::vector<T>{T(1), T(2), T(1), T(2)});
	OK(factors<T>::factor(handle, 2, 4, d, small.data, rows.data, columns.data, info, buffer.data));
	DEMAND(cusparseXcsrilu02_zeroPivot(handle, info, &position) == CUSPARSE_STATUS_ZERO_PIVOT && position == 1 + base);
	DEMAND((small.get() == std::vector<T>{T(1), T(2), T(1), T(0)}));
	OK(factors<T>::analyse(handle, 2, 3, d, small.data, fewer.data, columns.data, info, buffer.data));
	DEMAND(cusparseXcsrilu02_zeroPivot(handle, info, &position) == CUSPARSE_STATUS_ZERO_PIVOT && position == 1 + base);
	double tolerance = 0.5;
	T to(4);
	OK(factors<T>::boost(handle, info, &tolerance, &to));
	small.~device();
	new (&small) device<T>(std::vector<T>{T(1), T(2), T(1), T(2)});
	OK(factors<T>::factor(handle, 2, 4, d, small.data, rows.data, columns.data, info, buffer.data));
	OK(cusparseXcsrilu02_zeroPivot(handle, info, &position));
	DEMAND((small.get() == std::vector<T>{T(1), T(2), T(1), T(4)}));

	// Sizes whose squares a float does not have: 1e-24 is above the tolerance, 1e-31 is not.
	tolerance = 1e-30;
	device<int> three(std::vector<int>{base, 1 + base, 2 + base});
	device<T> tiny(std::vector<T>{T(1e-24), T(1e-31)});
	OK(factors<T>::factor(handle, 2, 2, d, tiny.data, three.data, columns.data, info, buffer.data));
	DEMAND((tiny.get() == std::vector<T>{T(1e-24), T(4)}));

	// The pivot is the info's, not the buffer's; a matrix without rows has none.
	OK(factors<T>::analyse(handle, 2, 3, d, small.data, fewer.data, columns.data, info, buffer.data));
	buffer.~device();
	new (&buffer) device<char>(bytes, 0);
	DEMAND(cusparseXcsrilu02_zeroPivot(handle, info, &position) == CUSPARSE_STATUS_ZERO_PIVOT && position == 1 + base);
	OK(factors<T>::analyse(handle, 0, 0, d, nullptr, nullptr, nullptr, info, buffer.data));
	OK(cusparseXcsrilu02_zeroPivot(handle, info, &position));
	DEMAND(position == -1);
	OK(cusparseDestroyCsrilu02Info(info));
	OK(cusparseDestroyMatDescr(d));
}

static void check_vectors(cusparseHandle_t handle)
{
	typedef std::complex<float> T;
	device<int64_t> at(std::vector<int64_t>{2, 5, 8});
	device<T> x(std::vector<T>{T(1, 2), T(3, -1), T(0, 1)}), y(std::vector<T>{1, 2, 3, 4, T(5, 5), 6, 7, 8});
	cusparseSpVecDescr_t xv;
	cusparseDnVecDescr_t yv;
	T alpha(2, 0), beta(0, 1), result;
	size_t bytes;
	OK(cusparseCreateSpVec(&xv, 8, 3, at.data, x.data, CUSPARSE_INDEX_64I, CUSPARSE_INDEX_BASE_ONE, CUDA_C_32F));
	OK(cusparseCreateDnVec(&yv, 8, y.data, CUDA_C_32F));
	OK(cusparseSpVV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, xv, yv, &result, CUDA_C_32F, &bytes));
	device<char> buffer(bytes, 0);
	OK(cusparseSpVV(handle, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, xv, yv, &result, CUDA_C_32F, buffer.data));
	DEMAND(result == T(1, -2) * 2.0f + T(3, 1) * T(5, 5) + T(0, -1) * 8.0f);
	OK(cusparseAxpby(handle, &alpha, xv, &beta, yv)); // y = i y + 2 x
	DEMAND(y.get() == (std::vector<T>{T(0, 1), T(2, 6), T(0, 3), T(0, 4), T(1, 3), T(0, 6), T(0, 7), T(0, 10)}));
	OK(cusparseGather(handle, yv, xv));
	DEMAND(x.get() == (std::vector<T>{T(2, 6), T(1, 3), T(0, 10)}));
	OK(cusparseSpVecSetValues(xv, y.data));
	OK(cusparseScatter(handle, xv, yv));
	DEMAND(y.get()[1] == T(0, 1) && y.get()[4] == T(2, 6) && y.get()[0] == T(0, 1));

	// A rotation by [3 4; -4 3]
	device<int> place(std::vector<int>{2, 0});
	device<double> few(std::vector<double>{1, 2}), all(std::vector<double>{5, 6, 7});
	double c = 3, s = 4, sum = 0;
	cusparseSpVecDescr_t fv;
	cusparseDnVecDescr_t av;
	OK(cusparseCreateSpVec(&fv, 3, 2, place.data, few.data, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
	OK(cusparseCreateDnVec(&av, 3, all.data, CUDA_R_64F));
	OK(cusparseRot(handle, &c, &s, fv, av));
	DEMAND((few.get() == std::vector<double>{31, 26}) && (all.get() == std::vector<double>{7, 6, 17}));

	// A product in a graph gives its result to the host when the graph runs.
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t executable;
	DEMAND(cudaStreamCreate(&stream) == cudaSuccess);
	OK(cusparseSetStream(handle, stream));
	DEMAND(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
	OK(cusparseSpVV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, fv, av, &sum, CUDA_R_64F, buffer.data));
	DEMAND(cudaStreamEndCapture(stream, &graph) == cudaSuccess && sum == 0);
	DEMAND(cudaGraphInstantiateWithFlags(&executable, graph, 0) == cudaSuccess);
	DEMAND(cudaGraphLaunch(executable, stream) == cudaSuccess && cudaStreamSynchronize(stream) == cudaSuccess);
	DEMAND(sum == 31 * 17 + 26 * 7);
	OK(cusparseSetStream(handle, nullptr));
}

int main(int argc, char **)
{
	cusparseHandle_t handle;
	cusparseSpMatDescr_t m;
	int version;
	DEMAND(cusparseCreate(nullptr) == CUSPARSE_STATUS_INVALID_VALUE && cusparseDestroy(nullptr) == CUSPARSE_STATUS_NOT_INITIALIZED);
	OK(cusparseCreate(&handle));
	OK(cusparseGetVersion(handle, &version));
	DEMAND(version == CUSPARSE_VERSION);
	DEMAND(cusparseCreateCsr(&m, -1, 1, 0, nullptr, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F) == CUSPARSE_STATUS_INVALID_VALUE);
	DEMAND(cusparseCreateCsr(&m, 1, 1, 0, nullptr, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_16F) == CUSPARSE_STATUS_NOT_SUPPORTED);
	DEMAND(cusparseGetErrorString(CUSPARSE_STATUS_NOT_SUPPORTED) == std::string("operation not supported"));
	const cusparseFormat_t formats[] = {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO};
	const cusparseOperation_t operations[] = {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};
	for (auto format : formats) {
		for (auto operation : operations) {
			int n = format + operation;
			check_products<float, int>(handle, format, operation, 5 + n, 40, 3, n % 2);
			check_products<std::complex<double>, int64_t>(handle, format, operation, 6, 4 + n, 2, (n + 1) % 2);
			if (argc > 1)
				for (int i = 1; i < 90; i += 7) {
					check_products<double, int>(handle, format, operation, i, 91 - i, i % 5 + 1, n % 2);
					check_products<std::complex<float>, int64_t>(handle, format, operation, 2 * i, i, i % 4 + 1, n % 2);
				}
		}
		check_sampled<double, int64_t>(handle, format, 1);
		check_sampled<std::complex<float>, int>(handle, format, 0);
		check_dense<float, int>(handle, format, 9, 41, 1);
		check_dense<std::complex<double>, int64_t>(handle, format, 6, 5, 0);
		check_dense<double, int>(handle, format, 300, 2, 0);
	}
	check_products<float, int>(handle, CUSPARSE_FORMAT_CSR, CUSPARSE_OPERATION_NON_TRANSPOSE, 0, 4, 2, 0); // nothing to do
	check_products<float, int>(handle, CUSPARSE_FORMAT_CSR, CUSPARSE_OPERATION_NON_TRANSPOSE, 4, 0, 2, 0); // scales alone
	check_products<float, int>(handle, CUSPARSE_FORMAT_COO, CUSPARSE_OPERATION_NON_TRANSPOSE, 4, 0, 2, 0);
	check_turned<float>(handle, 11, 17, 1);
	check_turned<std::complex<double>>(handle, 70, 60, 0); // more numbers than a block sorts
	check_turned<double>(handle, 3, 0, 1);
	for (int count : {0, 1, 700, 2500})
		check_sort(handle, count);
	check_vectors(handle);
	for (int n : argc > 1 ? std::vector<int>{1, 2, 33, 70} : std::vector<int>{11})
		for (auto format : formats)
			for (auto operation : operations)
				for (int way = 0; way < 4; way++)
					if (argc > 1 || way == format) {
						check_solver<double, int>(handle, format, operation, n, way % 2, way & 2, way & 1);
						check_solver<std::complex<double>, int64_t>(handle, format, operation, n, way & 1, way % 2, way & 2);
					}
	check_sparse_product<float, int>(handle, 9, 20, 14, 1);
	check_sparse_product<std::complex<double>, int64_t>(handle, 5, 4, 30, 0);
	check_sparse_product<double, int>(handle, 3, 0, 4, 0);
	if (argc > 1)
		check_sparse_product<double, int>(handle, 70, 150, 90, 1);
	check_rows_sort(handle, 31, 1);
	check_batch<double, int>(handle, CUSPARSE_FORMAT_CSR, false, 1);
	check_batch<std::complex<float>, int64_t>(handle, CUSPARSE_FORMAT_COO, true, 0);
	check_count(handle, 37, 50);
	check_count(handle, 0, 3);
	check_sizes(handle);
	check_getters();
	check_cholesky<float>(handle, 40, 1, 5, 1e-4);
	check_cholesky<std::complex<double>>(handle, 13, 0, 1, 1e-12);
	check_factors<float>(handle, 40, 0, 1e-4);
	check_factors<std::complex<double>>(handle, 13, 1, 1e-12);
	OK(cusparseDestroy(handle));
	printf("cusparse: PASSED\n");
}
