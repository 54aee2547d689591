__device__ float twice(float value) { return 2 * value; }
