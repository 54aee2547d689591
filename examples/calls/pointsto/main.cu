/*
 * pointsto: an inclusion-based points-to analysis after Andersen of a random program, a variable a thread. Loads and
 * stores add copies, copies propagate sets, until nothing grows. Propagation iterates inside a block, with barriers,
 * before the next launch. Calls are eight deep: propagate -> visit_members -> visit_bits -> pull -> add_set -> add_bits
 * -> add_to_chunk, new_chunk; one of them through a pointer.
 *
 * The check is exact: the solution is unique. The host computes it one variable after the other.
 */
#include <set>
#include <vector>

#include "pointsto.h"

#define BLOCK 128
#define SCOPE 64     /* most constraints are among neighbouring variables: those of one function */
#define LOCAL_ROUNDS 4

__global__ void begin(Program program)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < program.variables)
		program.points_to[i] = program.sources[i] = NO_CHUNK;
}

__global__ void take_addresses(Program program)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < program.variables)
		apply_addresses(program, i);
}

__global__ void take_copies(Program program)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < program.variables)
		apply_copies(program, i);
}

__global__ void add_loads(Program program, int *grown)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < program.variables && apply_loads(program, i))
		*grown = 1;
}

__global__ void add_stores(Program program, int *grown)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < program.variables && apply_stores(program, i))
		*grown = 1;
}

/* Until the block's own sets are at rest, or for some rounds. */
__global__ void propagate_copies(Program program, int *grown)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	for (int round = 0; round < LOCAL_ROUNDS; round++) {
		bool mine = i < program.variables && propagate(program, i);
		if (!__syncthreads_or(mine))
			break;
		if (threadIdx.x == 0)
			*grown = 1;
	}
}

__global__ void measure(Program program, int *sizes)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < program.variables)
		sizes[i] = set_size(program, program.points_to[i]);
}

/* ---- a random program */

/* Lists of right sides by left side. */
typedef std::vector<std::vector<int>> Rows;

static Rows random_constraints(int variables, int count, unsigned *seed)
{
	Rows rows(variables);
	for (int k = 0; k < count; k++) {
		int left = (int)(next_random(seed) >> 4) % variables, scope = left / SCOPE * SCOPE;
		int right = scope + (int)(next_random(seed) >> 4) % SCOPE;
		if (next_random(seed) >> 24 == 0)
			right = (int)(next_random(seed) >> 4) % variables;
		if (right < variables && right != left)
			rows[left].push_back(right);
	}
	return rows;
}

static Constraints to_device(const Rows &rows)
{
	std::vector<int> first(1, 0), right;
	for (const std::vector<int> &row : rows) {
		right.insert(right.end(), row.begin(), row.end());
		first.push_back((int)right.size());
	}
	return {device_copy(first.data(), first.size()), device_copy(right.data(), right.size())};
}

/* ---- the host's solution */

typedef std::vector<std::set<int>> Sets;

static bool merge(std::set<int> &into, const std::set<int> &from)
{
	size_t before = into.size();
	into.insert(from.begin(), from.end());
	return into.size() > before;
}

static bool step(int i, const Rows *rows, Sets &points_to, Sets &sources)
{
	bool grown = false;
	for (int x : rows[LOAD][i])
		grown |= merge(sources[i], points_to[x]);
	for (int x : rows[STORE][i])
		for (int target : points_to[i])
			grown |= sources[target].insert(x).second;
	for (int source : sources[i])
		if (source != i)
			grown |= merge(points_to[i], points_to[source]);
	return grown;
}

static Sets solve(int n, const Rows *rows)
{
	Sets points_to(n), sources(n);
	for (int i = 0; i < n; i++) {
		points_to[i].insert(rows[ADDRESS][i].begin(), rows[ADDRESS][i].end());
		sources[i].insert(rows[COPY][i].begin(), rows[COPY][i].end());
	}
	for (bool grown = true; grown;) {
		grown = false;
		for (int i = 0; i < n; i++)
			grown |= step(i, rows, points_to, sources);
	}
	return points_to;
}

/* Members of the set that begins with a chunk. */
static std::set<int> members(const std::vector<Chunk> &chunks, int set)
{
	std::set<int> all;
	for (; set != NO_CHUNK; set = chunks[set].next)
		for (int bit = 0; bit < CHUNK_BITS; bit++)
			if (chunks[set].bits >> bit & 1)
				all.insert(chunks[set].base * CHUNK_BITS + bit);
	return all;
}

static int run_to_rest(const Program &program, int blocks)
{
	int *grown = device_array<int>(1), again, rounds = 0;
	do {
		CHECK(cudaMemset(grown, 0, sizeof again));
		add_loads<<<blocks, BLOCK>>>(program, grown);
		add_stores<<<blocks, BLOCK>>>(program, grown);
		propagate_copies<<<blocks, BLOCK>>>(program, grown);
		CHECK_LAUNCH();
		copy_back(&again, grown, 1);
		rounds++;
	} while (again);
	CHECK(cudaFree(grown));
	return rounds;
}

int main(int argc, char **argv)
{
	Arguments arguments = {
		argc, argv,
		"pointsto [variables [constraints of a hundred variables]]   (default 4096 variables, 120)"};
	int n = size_argument(arguments, 1, 4096, 1 << 20);
	int density = size_argument(arguments, 2, 120, 1000), blocks = blocks_for(n, BLOCK);
	/* Shares of the kinds, in eighths. */
	static const int shares[KINDS] = {2, 4, 1, 1};
	Rows rows[KINDS];
	Program program = {n};
	unsigned seed = 19;
	for (int kind = 0; kind < KINDS; kind++) {
		rows[kind] = random_constraints(n, (int)((long)n * density / 100 * shares[kind] / 8), &seed);
		program.kinds[kind] = to_device(rows[kind]);
	}
	program.points_to = device_array<int>(n);
	program.sources = device_array<int>(n);
	program.pool.count = 32 * n;
	program.pool.chunks = device_array<Chunk>(program.pool.count);
	program.pool.used = device_array<int>(1);
	int *sizes = device_array<int>(n);

	begin<<<blocks, BLOCK>>>(program);
	take_addresses<<<blocks, BLOCK>>>(program);
	take_copies<<<blocks, BLOCK>>>(program);
	int rounds = run_to_rest(program, blocks);
	measure<<<blocks, BLOCK>>>(program, sizes);
	CHECK_LAUNCH();

	std::vector<Chunk> chunks(program.pool.count);
	std::vector<int> first(n), got(n);
	int used;
	copy_back(chunks.data(), program.pool.chunks, chunks.size());
	copy_back(first.data(), program.points_to, n);
	copy_back(got.data(), sizes, n);
	copy_back(&used, program.pool.used, 1);
	if (used > program.pool.count)
		return fprintf(stderr, "pointsto: %d chunks are too few\n", program.pool.count), 1;
	Sets want = solve(n, rows);
	Verdict verdict = {"pointsto"};
	long total = 0;
	for (int i = 0; i < n; i++) {
		total += (long)want[i].size();
		if (members(chunks, first[i]) != want[i] || got[i] != (int)want[i].size())
			differs(&verdict, "variable %d has %d targets, not %d, or other ones", i, got[i],
				(int)want[i].size());
	}
	for (const Constraints &constraints : program.kinds) {
		CHECK(cudaFree(constraints.first));
		CHECK(cudaFree(constraints.right));
	}
	int *own[] = {program.points_to, program.sources, program.pool.used, sizes};
	for (int *array : own)
		CHECK(cudaFree(array));
	CHECK(cudaFree(program.pool.chunks));
	return conclude(verdict, "%d variables, %ld targets, %d rounds, %d chunks", n, total, rounds, used);
}
