/*
 * galaxy: bodies that attract each other, by Barnes and Hut's method with Thrust. What is far away acts as one body in its centre of
 * mass, so that a step takes about n log n interactions in place of n squared.
 *
 * A step: the box of all bodies (a reduction); each body's place on a space-filling curve through the box (a transformation); the bodies
 * in the curve's order (a sort, and gathers); a binary tree over them, of which each node finds its own bodies (Karras, HPG 2012);
 * the nodes' centres, masses and boxes, from the leaves up (the second child to arrive goes on); the attraction of each body, a walk
 * through the tree; new speeds and places. At the end the energy, a reduction in double precision.
 *
 * The host does all of it again. Nothing depends on an order that the device chooses, so that both must be equal in each bit, except
 * for the energy's sum. Attractions are compared with the sum over all bodies, too: by the distance at which a node counts as one
 * body, they differ by about a hundredth.
 */
#include "../grids/grids.h"

#include <algorithm>
#include <vector>

#include <thrust/device_vector.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>

#define BLOCK 128
#define DEEPEST 64	  /* nodes on a way: at most 32 of different places, and 32 of equal ones */
#define CELLS 1024	  /* of the curve, along each axis */
#define OPENING 0.35f	  /* a node counts as one body where its edge is below this part of its distance */
#define SOFTENING 1e-3f	  /* squared; keeps close bodies from flying apart */
#define STEP 1e-2f

/* ------------------------------------------------------------------ the tree */

struct Box {
	float3 low, high;
};

/* Children: a node's number, or that of a body as ~number. */
struct Node {
	int left, right;
};

/* A node as one body: its centre, its mass in w, and the edges that it spans. In four words, as they are read at once. */
struct Summary {
	float4 centre, low, high;
};

struct Tree {
	int bodies;
	const unsigned *codes; /* sorted */
	Node *nodes;	       /* bodies - 1; 0 is the root */
	int *above_node, *above_body;
	Summary *summaries;
};

BOTH int leading_zeros(unsigned x)
{
#ifdef __CUDA_ARCH__
	return __clz((int)x);
#else
	return x ? __builtin_clz(x) : 32;
#endif
}

struct BoxOf {
	BOTH Box operator()(float4 p) const
	{
		float3 at = make_float3(p.x, p.y, p.z);
		return {at, at};
	}
};

struct Enclosing {
	BOTH Box operator()(const Box &a, const Box &b) const
	{
		return {make_float3(fminf(a.low.x, b.low.x), fminf(a.low.y, b.low.y), fminf(a.low.z, b.low.z)),
			make_float3(fmaxf(a.high.x, b.high.x), fmaxf(a.high.y, b.high.y), fmaxf(a.high.z, b.high.z))};
	}
};

/* Ten bits, each of them the third from the next. */
BOTH unsigned spread(unsigned x)
{
	x = (x | x << 16) & 0x030000ffu;
	x = (x | x << 8) & 0x0300f00fu;
	x = (x | x << 4) & 0x030c30c3u;
	return (x | x << 2) & 0x09249249u;
}

/* A body's place on Morton's curve through a box. */
struct CodeIn {
	Box box;
	BOTH unsigned cell(float x, float low, float edge) const
	{
		return (unsigned)fminf((x - low) / edge * CELLS, CELLS - 1.0f);
	}
	BOTH unsigned operator()(float4 p) const
	{
		float edge = fmaxf(fmaxf(box.high.x - box.low.x, box.high.y - box.low.y), box.high.z - box.low.z);
		edge = fmaxf(edge, 1e-20f);
		return spread(cell(p.x, box.low.x, edge)) << 2 | spread(cell(p.y, box.low.y, edge)) << 1 |
		       spread(cell(p.z, box.low.z, edge));
	}
};

/* How many leading bits the codes of two bodies share, their numbers behind equal codes; -1 where there is no such body. */
BOTH int shared_bits(const Tree &tree, int i, int j)
{
	if (j < 0 || j >= tree.bodies)
		return -1;
	unsigned other = tree.codes[i] ^ tree.codes[j];
	return other ? leading_zeros(other) : 32 + leading_zeros((unsigned)(i ^ j));
}

/* Node i begins or ends at body i, on the side on which the neighbour is nearer. */
struct NodeOf {
	Tree tree;
	BOTH void set_child(int parent, int child, bool body, int *slot) const
	{
		*slot = body ? ~child : child;
		(body ? tree.above_body : tree.above_node)[child] = parent;
	}
	BOTH void operator()(int i) const
	{
		int side = shared_bits(tree, i, i + 1) > shared_bits(tree, i, i - 1) ? 1 : -1;
		int outside = shared_bits(tree, i, i - side), most = 2, length = 0;
		while (shared_bits(tree, i, i + most * side) > outside)
			most *= 2;
		for (int part = most / 2; part; part /= 2)
			if (shared_bits(tree, i, i + (length + part) * side) > outside)
				length += part;
		int end = i + length * side, inside = shared_bits(tree, i, end), split = 0;
		for (int part = (length + 1) / 2;; part = (part + 1) / 2) {
			if (split + part < length && shared_bits(tree, i, i + (split + part) * side) > inside)
				split += part;
			if (part == 1)
				break;
		}
		int left = i + split * side - (side < 0);
		set_child(i, left, (i < end ? i : end) == left, &tree.nodes[i].left);
		set_child(i, left + 1, (i < end ? end : i) == left + 1, &tree.nodes[i].right);
		if (i == 0)
			tree.above_node[0] = -1;
	}
};

BOTH Summary of_body(float4 p)
{
	return {p, p, p};
}

BOTH Summary merged(const Summary &a, const Summary &b)
{
	float4 p = a.centre, q = b.centre;
	float mass = p.w + q.w;
	Box box = Enclosing()({make_float3(a.low.x, a.low.y, a.low.z), make_float3(a.high.x, a.high.y, a.high.z)},
			      {make_float3(b.low.x, b.low.y, b.low.z), make_float3(b.high.x, b.high.y, b.high.z)});
	return {make_float4(fmaf(p.x, p.w, q.x * q.w) / mass, fmaf(p.y, p.w, q.y * q.w) / mass,
			    fmaf(p.z, p.w, q.z * q.w) / mass, mass),
		make_float4(box.low.x, box.low.y, box.low.z, 0), make_float4(box.high.x, box.high.y, box.high.z, 0)};
}

/* What another block wrote: past the first cache, which may hold the line from before. */
__device__ Summary child_of(const Tree &tree, const float4 *places, int child)
{
	if (child < 0)
		return of_body(places[~child]);
	const Summary *from = &tree.summaries[child];
	return {__ldcg(&from->centre), __ldcg(&from->low), __ldcg(&from->high)};
}

__global__ void summarise(Tree tree, const float4 *places, int *arrived)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	if (i >= tree.bodies)
		return;
	for (int at = tree.above_body[i]; at >= 0; at = tree.above_node[at]) {
		__threadfence();
		if (atomicAdd(&arrived[at], 1) == 0)
			return; /* the other child's thread goes on */
		__threadfence();
		Node node = tree.nodes[at];
		tree.summaries[at] = merged(child_of(tree, places, node.left), child_of(tree, places, node.right));
	}
}

static Summary summarise_on_host(const Tree &tree, const float4 *places, int child)
{
	if (child < 0)
		return of_body(places[~child]);
	return tree.summaries[child] = merged(summarise_on_host(tree, places, tree.nodes[child].left),
					      summarise_on_host(tree, places, tree.nodes[child].right));
}

/* ------------------------------------------------------------------ attraction and motion */

/* `pull` and the attraction of a mass at a place. */
BOTH float3 pulled(float3 pull, float3 from, float4 to)
{
	float x = to.x - from.x, y = to.y - from.y, z = to.z - from.z;
	float inverse = 1.0f / sqrtf(fmaf(x, x, fmaf(y, y, fmaf(z, z, SOFTENING))));
	float by = to.w * inverse * inverse * inverse;
	return make_float3(fmaf(x, by, pull.x), fmaf(y, by, pull.y), fmaf(z, by, pull.z));
}

BOTH bool is_far(float3 from, const Summary &s)
{
	float x = s.centre.x - from.x, y = s.centre.y - from.y, z = s.centre.z - from.z;
	float edge = fmaxf(fmaxf(s.high.x - s.low.x, s.high.y - s.low.y), s.high.z - s.low.z);
	return edge * edge < OPENING * OPENING * fmaf(x, x, fmaf(y, y, z * z));
}

BOTH float3 attraction(const Tree &tree, const float4 *places, int i)
{
	float3 pull = make_float3(0, 0, 0), from = make_float3(places[i].x, places[i].y, places[i].z);
	int open[DEEPEST + 1], count = 0;
	open[count++] = 0;
	while (count) {
		int child = open[--count];
		if (child < 0) {
			if (~child != i)
				pull = pulled(pull, from, places[~child]);
		} else if (is_far(from, tree.summaries[child])) {
			pull = pulled(pull, from, tree.summaries[child].centre);
		} else {
			open[count++] = tree.nodes[child].right;
			open[count++] = tree.nodes[child].left;
		}
	}
	return pull;
}

__global__ void __launch_bounds__(BLOCK) attract(Tree tree, const float4 *places, float4 *pulls)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	if (i >= tree.bodies)
		return;
	float3 pull = attraction(tree, places, i);
	pulls[i] = make_float4(pull.x, pull.y, pull.z, 0);
}

BOTH void move(float4 &place, float4 &speed, float4 pull)
{
	speed = make_float4(fmaf(pull.x, STEP, speed.x), fmaf(pull.y, STEP, speed.y), fmaf(pull.z, STEP, speed.z), 0);
	place = make_float4(fmaf(speed.x, STEP, place.x), fmaf(speed.y, STEP, place.y), fmaf(speed.z, STEP, place.z), place.w);
}

struct Move {
	template <class T> BOTH void operator()(T body) const
	{
		move(thrust::get<0>(body), thrust::get<1>(body), thrust::get<2>(body));
	}
};

struct Energy {
	template <class T> BOTH double operator()(const T &body) const
	{
		float4 place = thrust::get<0>(body), speed = thrust::get<1>(body);
		return 0.5 * place.w * ((double)speed.x * speed.x + (double)speed.y * speed.y + (double)speed.z * speed.z);
	}
};

/* ------------------------------------------------------------------ both sides */

struct Device {
	thrust::device_vector<float4> places, speeds, pulls, sorted;
	thrust::device_vector<unsigned> codes;
	thrust::device_vector<int> order, above_node, above_body, arrived;
	thrust::device_vector<Node> nodes;
	thrust::device_vector<Summary> summaries;

	explicit Device(int n)
		: places(n), speeds(n), pulls(n), sorted(n), codes(n), order(n), above_node(n), above_body(n), arrived(n),
		  nodes(n - 1), summaries(n - 1)
	{
	}
	Tree tree()
	{
		return {(int)places.size(),
			thrust::raw_pointer_cast(codes.data()),
			thrust::raw_pointer_cast(nodes.data()),
			thrust::raw_pointer_cast(above_node.data()),
			thrust::raw_pointer_cast(above_body.data()),
			thrust::raw_pointer_cast(summaries.data())};
	}
	void step()
	{
		int n = (int)places.size(), blocks = blocks_for(n, BLOCK);
		Box none = {make_float3(INFINITY, INFINITY, INFINITY), make_float3(-INFINITY, -INFINITY, -INFINITY)};
		Box box = thrust::transform_reduce(places.begin(), places.end(), BoxOf(), none, Enclosing());
		thrust::transform(places.begin(), places.end(), codes.begin(), CodeIn{box});
		thrust::sequence(order.begin(), order.end());
		thrust::stable_sort_by_key(codes.begin(), codes.end(), order.begin());
		for (thrust::device_vector<float4> *values : {&places, &speeds}) {
			thrust::gather(order.begin(), order.end(), values->begin(), sorted.begin());
			values->swap(sorted);
		}
		thrust::for_each(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(n - 1), NodeOf{tree()});
		thrust::fill(arrived.begin(), arrived.end(), 0);
		const float4 *at = thrust::raw_pointer_cast(places.data());
		summarise<<<blocks, BLOCK>>>(tree(), at, thrust::raw_pointer_cast(arrived.data()));
		attract<<<blocks, BLOCK>>>(tree(), at, thrust::raw_pointer_cast(pulls.data()));
		CHECK_LAUNCH();
		thrust::for_each(thrust::make_zip_iterator(thrust::make_tuple(places.begin(), speeds.begin(), pulls.begin())),
				 thrust::make_zip_iterator(thrust::make_tuple(places.end(), speeds.end(), pulls.end())), Move());
	}
	double energy()
	{
		return thrust::transform_reduce(thrust::make_zip_iterator(thrust::make_tuple(places.begin(), speeds.begin())),
						thrust::make_zip_iterator(thrust::make_tuple(places.end(), speeds.end())),
						Energy(), 0.0, thrust::plus<double>());
	}
};

struct Host {
	std::vector<float4> places, speeds, pulls;
	std::vector<unsigned> codes;
	std::vector<int> order, above_node, above_body;
	std::vector<Node> nodes;
	std::vector<Summary> summaries;
	float inexact = 0; /* the last step's difference from the sum over all bodies, by the mean attraction */

	explicit Host(int n)
		: places(n), speeds(n), pulls(n), codes(n), order(n), above_node(n), above_body(n), nodes(n - 1), summaries(n - 1)
	{
	}
	void step()
	{
		int n = (int)places.size();
		Box box = BoxOf()(places[0]);
		for (float4 place : places)
			box = Enclosing()(box, BoxOf()(place));
		std::vector<unsigned> unsorted(n);
		for (int i = 0; i < n; i++) {
			unsorted[i] = CodeIn{box}(places[i]);
			order[i] = i;
		}
		std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return unsorted[a] < unsorted[b]; });
		std::vector<float4> old_places = places, old_speeds = speeds;
		for (int i = 0; i < n; i++) {
			codes[i] = unsorted[order[i]];
			places[i] = old_places[order[i]];
			speeds[i] = old_speeds[order[i]];
		}
		Tree tree = {n, codes.data(), nodes.data(), above_node.data(), above_body.data(), summaries.data()};
		for (int i = 0; i < n - 1; i++)
			NodeOf{tree}(i);
		summarise_on_host(tree, places.data(), 0);
		double error = 0, all = 0;
		for (int i = 0; i < n; i++) {
			float3 pull = attraction(tree, places.data(), i), direct = make_float3(0, 0, 0);
			for (int j = 0; j < n; j++)
				if (j != i)
					direct = pulled(direct, make_float3(places[i].x, places[i].y, places[i].z), places[j]);
			error += hypot(hypot(pull.x - direct.x, pull.y - direct.y), pull.z - direct.z);
			all += hypot(hypot(direct.x, direct.y), direct.z);
			pulls[i] = make_float4(pull.x, pull.y, pull.z, 0);
		}
		inexact = (float)(error / all);
		for (int i = 0; i < n; i++)
			move(places[i], speeds[i], pulls[i]);
	}
	double energy() const
	{
		double sum = 0;
		for (size_t i = 0; i < places.size(); i++)
			sum += Energy()(thrust::make_tuple(places[i], speeds[i]));
		return sum;
	}
};

/* A disc that turns. Some bodies lie in one place, whose codes are equal. */
static void fill(Host &host)
{
	unsigned seed = 17;
	for (size_t i = 0; i < host.places.size(); i++) {
		float radius = sqrtf(next_unit(&seed)), angle = 6.2831853f * next_unit(&seed), height = next_unit(&seed) - 0.5f;
		float x = radius * cosf(angle), y = radius * sinf(angle);
		host.places[i] = make_float4(x, y, 0.1f * height, (1 + next_unit(&seed)) / (float)host.places.size());
		host.speeds[i] = make_float4(-y, x, 0, 0);
		if (i % 16 == 5)
			host.places[i] = host.places[i - 1];
	}
}

template <class T> static const T *words_of(const thrust::device_vector<float4> &values)
{
	return reinterpret_cast<const T *>(thrust::raw_pointer_cast(values.data()));
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "galaxy [bodies [steps]]   (default 600, 2)"};
	int bodies = size_argument(arguments, 1, 600, 1 << 20), steps = size_argument(arguments, 2, 2, 1000);
	bodies += bodies < 2; /* a tree has two leaves */
	Host host(bodies);
	fill(host);
	Device device(bodies);
	device.places = host.places;
	device.speeds = host.speeds;
	for (int i = 0; i < steps; i++) {
		device.step();
		host.step();
	}

	Verdict verdict = {"galaxy", 0};
	compare(&verdict, "order", thrust::raw_pointer_cast(device.order.data()), host.order.data(), bodies);
	compare(&verdict, "code", thrust::raw_pointer_cast(device.codes.data()), host.codes.data(), bodies);
	compare(&verdict, "child", (const int *)thrust::raw_pointer_cast(device.nodes.data()), (const int *)host.nodes.data(),
		2 * (bodies - 1));
	compare(&verdict, "summary", (const float *)thrust::raw_pointer_cast(device.summaries.data()),
		(const float *)host.summaries.data(), 12 * (bodies - 1));
	compare(&verdict, "pull", words_of<float>(device.pulls), (const float *)host.pulls.data(), 4 * bodies);
	compare(&verdict, "place", words_of<float>(device.places), (const float *)host.places.data(), 4 * bodies);
	compare(&verdict, "speed", words_of<float>(device.speeds), (const float *)host.speeds.data(), 4 * bodies);
	double energy = device.energy(), expected = host.energy();
	if (!(fabs(energy - expected) <= 1e-12 * expected))
		differs(&verdict, "energy %.17g, not %.17g", energy, expected);
	if (!(host.inexact < 0.02f))
		differs(&verdict, "attractions differ by %g of the sums over all bodies", host.inexact);
	printf("energy of motion %.6f, attractions within %.1f thousandths of the sums over all bodies\n", energy,
	       1000 * host.inexact);
	return conclude(verdict, "%d bodies, %d steps", bodies, steps);
}
