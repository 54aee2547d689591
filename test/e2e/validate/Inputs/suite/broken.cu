__global__ void nothing() { this is no C++ }
int main() {}
