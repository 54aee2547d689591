// A scene graph of virtual functions: multiple inheritance, a virtual base, pointers to member functions, objects made
// with new on the device and destroyed there, dynamic calls that differ from lane to lane. The host builds the same
// scene.
#include "common.h"
#include <cmath>
#include <new>

struct Vec {
	double x, y, z;
};
__host__ __device__ inline Vec operator+(Vec a, Vec b)
{
	return {a.x + b.x, a.y + b.y, a.z + b.z};
}
__host__ __device__ inline Vec operator*(Vec a, double s)
{
	return {a.x * s, a.y * s, a.z * s};
}
__host__ __device__ inline double dot(Vec a, Vec b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}
struct Span {
	double near, far;
	int depth;
};

struct Counted {
	int *alive;
	__host__ __device__ explicit Counted(int *alive) : alive(alive)
	{
#ifdef __CUDA_ARCH__
		atomicAdd(alive, 1);
#else
		++*alive;
#endif
	}
	__host__ __device__ virtual ~Counted()
	{
#ifdef __CUDA_ARCH__
		atomicSub(alive, 1);
#else
		--*alive;
#endif
	}
};
struct Named {
	const char *name;
	__host__ __device__ virtual int letters() const
	{
		int n = 0;
		while (name[n])
			n++;
		return n;
	}
};
struct Shape : virtual Counted {
	__host__ __device__ explicit Shape(int *alive) : Counted(alive)
	{
	}
	__host__ __device__ virtual Span hit(Vec from, Vec towards) const = 0;
	__host__ __device__ virtual double bulk() const
	{
		return 1;
	}
	__host__ __device__ virtual const Named *label() const
	{
		return nullptr;
	}
};
struct Ball : Shape {
	Vec center;
	double radius;
	__host__ __device__ Ball(int *alive, Vec c, double r) : Counted(alive), Shape(alive), center(c), radius(r)
	{
	}
	__host__ __device__ Span hit(Vec from, Vec towards) const override
	{
		Vec o = from + center * -1;
		double b = dot(o, towards), c = dot(o, o) - radius * radius, d = b * b - c * dot(towards, towards);
		if (d < 0)
			return {1, 0, 1};
		return {-b - d / 4, -b + d / 4, 1};
	}
	__host__ __device__ double bulk() const override
	{
		return radius * radius * radius;
	}
};
struct Slab : Named, Shape {
	double low, high;
	__host__ __device__ Slab(int *alive, const char *text, double l, double h)
	    : Counted(alive), Shape(alive), low(l), high(h)
	{
		name = text;
	}
	__host__ __device__ Span hit(Vec from, Vec towards) const override
	{
		if (towards.z == 0)
			return {from.z < low || from.z > high ? 1.0 : -100.0, 0, 1};
		double a = (low - from.z) / towards.z, b = (high - from.z) / towards.z;
		return {a < b ? a : b, a < b ? b : a, 1};
	}
	__host__ __device__ int letters() const override
	{
		return Named::letters() + 100;
	}
	__host__ __device__ const Named *label() const override
	{
		return this;
	}
};
struct Pair : Shape {
	Shape *left, *right;
	__host__ __device__ Pair(int *alive, Shape *l, Shape *r) : Counted(alive), Shape(alive), left(l), right(r)
	{
	}
	__host__ __device__ ~Pair() override
	{
		delete left;
		delete right;
	}
	__host__ __device__ double bulk() const override
	{
		return left->bulk() + right->bulk() / 2;
	}
};
struct Both final : Pair {
	using Pair::Pair;
	__host__ __device__ Both(int *alive, Shape *l, Shape *r) : Counted(alive), Pair(alive, l, r)
	{
	}
	__host__ __device__ Span hit(Vec from, Vec towards) const override
	{
		Span a = left->hit(from, towards), b = right->hit(from, towards);
		return {a.near > b.near ? a.near : b.near, a.far < b.far ? a.far : b.far,
			1 + (a.depth > b.depth ? a.depth : b.depth)};
	}
};
struct Either final : Pair {
	__host__ __device__ Either(int *alive, Shape *l, Shape *r) : Counted(alive), Pair(alive, l, r)
	{
	}
	__host__ __device__ Span hit(Vec from, Vec towards) const override
	{
		Span a = left->hit(from, towards), b = right->hit(from, towards);
		Span best = a.near > a.far || (b.near <= b.far && b.near < a.near) ? b : a;
		best.depth = 1 + a.depth + b.depth;
		return best;
	}
	__host__ __device__ double bulk() const override
	{
		return Pair::bulk() * 1.25;
	}
};

struct Answer {
	double near, far, bulk;
	int depth, letters;
};
typedef double (Shape::*Measure)() const;

__host__ __device__ Shape *build(int *alive, int kind)
{
	static const char *const texts[] = {"floor", "a wall", "roof"};
	Shape *ball = new Ball(alive, {1.0 * kind, 0.5, 3}, 1.5 + kind * 0.25);
	Shape *slab = new Slab(alive, texts[kind % 3], 2, 3.5);
	if (kind % 4 == 3)
		return new Both(alive, new Either(alive, ball, build(alive, kind - 1)), slab);
	return kind % 2 ? (Shape *)new Either(alive, ball, slab) : new Both(alive, slab, ball);
}
__host__ __device__ Answer ask(Shape *const *scene, int i)
{
	static const Measure measures[] = {&Shape::bulk, &Pair::bulk == nullptr ? nullptr : (Measure)&Pair::bulk};
	Shape *shape = scene[i % 8];
	Vec from = {i % 5 - 2.0, i % 3 - 1.0, -1}, towards = {0.25 * (i % 4), 0.125 * (i % 7), i % 6 ? 1.0 : 0.0};
	Span s = shape->hit(from, towards);
	const Shape *named = i % 8 % 2 == 0 && i % 8 % 4 != 3 ? static_cast<Pair *>(shape)->left : shape;
	const Named *label = named->label();
	return {s.near, s.far, (shape->*measures[i % 8 == 3 || i & 1 ? 1 : 0])(), s.depth,
		label ? label->letters() : -1};
}

__global__ void create(Shape **scene, int *alive)
{
	scene[threadIdx.x] = build(alive, threadIdx.x);
}
__global__ void question(Shape **scene, Answer *answers, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		answers[i] = ask(scene, i);
}
__global__ void destroy(Shape **scene)
{
	if (threadIdx.x < 8)
		delete scene[threadIdx.x];
}

int main()
{
	const int n = 200;
	Shape **scene = shared_array<Shape *>(8), *mine[8];
	int *alive = shared_array<int>(1), here = 0;
	Answer *answers = shared_array<Answer>(n);
	for (int i = 0; i < 8; i++)
		mine[i] = build(&here, i);
	create<<<1, 8>>>(scene, alive);
	question<<<2, 128>>>(scene, answers, n);
	finish_kernel();
	expect(*alive == here, "alive", *alive);
	for (int i = 0; i < n; i++) {
		Answer want = ask(mine, i), &got = answers[i];
		expect(fabs(got.near - want.near) < 1e-12 && fabs(got.far - want.far) < 1e-12, "span", i);
		expect(got.bulk == want.bulk && got.depth == want.depth && got.letters == want.letters, "facts", i);
	}
	destroy<<<1, 32>>>(scene);
	finish_kernel();
	expect(*alive == 0, "destroyed", *alive);
	puts("PASSED");
}
