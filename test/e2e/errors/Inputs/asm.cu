__global__ void kernel(int *p)
{
    int x;
    asm volatile("mov.u32 %0, %%nosuchregister;" : "=r"(x));
    *p = x;
}
int main() { return 0; }
