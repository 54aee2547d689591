// A program with a status of its own that shows its arguments.
__global__ void nothing() {}
int main(int argc, char **argv)
{
	nothing<<<1, 1>>>();
	printf("%s %s\n", argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "");
	return STATUS;
}
