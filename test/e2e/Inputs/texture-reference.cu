// Texture references, as programs before CUDA 12 have them.
#include <stdio.h>
#include <stdlib.h>

#define EXPECT(condition)                                                               \
    do {                                                                                \
        if (!(condition)) {                                                             \
            printf("texture-reference: FAILED at line %d: %s\n", __LINE__, #condition); \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)
#define OK(call) EXPECT((call) == cudaSuccess)

texture<float> line; /* linear memory */
texture<int4, 1, cudaReadModeElementType> quads;
static texture<float, 2, cudaReadModeElementType> image(1, cudaFilterModeLinear, cudaAddressModeWrap);
texture<unsigned char, cudaTextureType2D, cudaReadModeNormalizedFloat> bytes;
texture<float, 3> box;

__global__ void fetch_line(float *out, int n)
{
    int i = threadIdx.x;
    out[i] = i < n ? tex1Dfetch(line, i) : -1;
    int4 q = tex1Dfetch(quads, i / 4);
    out[i] += q.x + 2 * q.w;
}
__global__ void fetch_image(float *out, float x, float y)
{
    out[0] = tex2D(image, x, y);
    out[1] = tex2D(bytes, 1.0f, 0.0f);
    out[2] = tex3D(box, 1.5f, 0.5f, 1.5f);
}

int main()
{
    static float host[64], got[64];
    static int words[64];
    float *memory, *out;
    int *numbers;
    for (int i = 0; i < 64; i++)
        host[i] = i * 0.5f, words[i] = i;
    OK(cudaMalloc(&memory, sizeof host));
    OK(cudaMalloc(&numbers, sizeof words));
    OK(cudaMallocManaged(&out, sizeof got));
    OK(cudaMemcpy(memory, host, sizeof host, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(numbers, words, sizeof words, cudaMemcpyHostToDevice));
    size_t offset = 9;
    OK(cudaBindTexture(&offset, line, memory, sizeof host));
    EXPECT(offset == 0);
    OK(cudaBindTexture(NULL, quads, numbers)); /* up to the allocation's end */
    fetch_line<<<1, 64>>>(out, 60);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++)
        EXPECT(out[i] == (i < 60 ? host[i] : -1) + i / 4 * 4 + 2 * (i / 4 * 4 + 3));
    /* another place, and no more of it than was bound */
    OK(cudaBindTexture(&offset, line, memory + 10, 4 * sizeof(float)));
    OK(cudaUnbindTexture(quads));
    OK(cudaBindTexture(NULL, &quads, numbers, &quads.channelDesc, 16)); /* the C form */
    fetch_line<<<1, 64>>>(out, 64);
    OK(cudaDeviceSynchronize());
    EXPECT(out[3] == host[13] + 6 && out[4] == 0);

    /* arrays, pitched memory, filters and address modes */
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaArray *array;
    OK(cudaMallocArray(&array, &desc, 4, 4));
    OK(cudaMemcpyToArray(array, 0, 0, host, 64, cudaMemcpyHostToDevice));
    OK(cudaBindTextureToArray(image, array, desc));
    unsigned char *rows;
    size_t pitch;
    OK(cudaMallocPitch(&rows, &pitch, 4, 2));
    OK(cudaMemset2D(rows, pitch, 51, 4, 2));
    OK(cudaBindTexture2D(&offset, bytes, rows, 4, 2, pitch));
    cudaArray *volume;
    OK(cudaMalloc3DArray(&volume, &desc, make_cudaExtent(2, 2, 2)));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(host, 8, 2, 2);
    copy.dstArray = volume;
    copy.extent = make_cudaExtent(2, 2, 2);
    copy.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&copy));
    OK(cudaBindTextureToArray(box, volume));
    fetch_image<<<1, 1>>>(out, 0.25f, 0.125f); /* between columns 0 and 1 of row 0 */
    OK(cudaDeviceSynchronize());
    EXPECT(out[0] == 0.25f && out[1] == 0.2f && out[2] == host[1 + 4]);
    fetch_image<<<1, 1>>>(out, 1.125f, 1.125f); /* wrapped */
    OK(cudaDeviceSynchronize());
    EXPECT(out[0] == 0.0f);
    /* set after binding */
    image.normalized = false;
    image.filterMode = cudaFilterModePoint;
    image.addressMode[0] = cudaAddressModeClamp;
    fetch_image<<<1, 1>>>(out, 9.0f, 2.0f);
    OK(cudaDeviceSynchronize());
    EXPECT(out[0] == host[2 * 4 + 3]);
    const textureReference *reference;
    OK(cudaGetTextureReference(&reference, &image));
    EXPECT(reference == &image);
    puts("texture-reference: PASSED");
}
