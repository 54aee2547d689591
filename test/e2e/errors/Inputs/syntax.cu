__global__ void kernel(int *p) {
    *p = nowhere;
}
int main() { return 0; }
