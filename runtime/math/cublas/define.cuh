/* The functions of HD_CUBLAS_TABLE, a file of rows, with int and with int64_t: included at a source's end. */
#define HD_CUBLAS HD_CUBLAS_DEFINE
#define HD_INT int
#include HD_CUBLAS_TABLE
#undef HD_CUBLAS
#undef HD_INT
#define HD_CUBLAS HD_CUBLAS_DEFINE_64
#define HD_INT int64_t
#include HD_CUBLAS_TABLE
#undef HD_CUBLAS
#undef HD_INT
