void host(float *p)
{
	cudaBindTexture(0, 0, p, 4);
}
