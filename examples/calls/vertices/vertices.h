/* vertices: a graph whose vertices and edges are objects, swept until nothing changes. */
#ifndef VERTICES_H
#define VERTICES_H

#include "../graph.h"

#define FAR 0x3fffffff
#define UNIT 4096 /* of ranks: integers, so that sums are the same in whatever order */

/* A way to a neighbour. */
class Edge
{
      public:
	int to, degree; /* the neighbour, and how many edges it has */

	__host__ __device__ Edge(int where, int edges);
	__host__ __device__ virtual int length() const;
};

/* A way that costs more than a step. */
class Toll : public Edge
{
	int price;

      public:
	__host__ __device__ Toll(int where, int edges, int cost);
	__host__ __device__ int length() const override;
};

/* A vertex takes its next value from the present ones of its neighbours. */
class Vertex
{
      protected:
	Edge *const *edges;
	int count;

      public:
	__host__ __device__ Vertex(Edge *const *first, int edges_here);
	__host__ __device__ virtual int begin(int i) const = 0;
	__host__ __device__ virtual int next(const int *values, int own) const = 0;
};

/* How far vertex 0 is. */
class Distance : public Vertex
{
      public:
	__host__ __device__ Distance(Edge *const *first, int edges_here);
	__host__ __device__ int begin(int i) const override;
	__host__ __device__ int next(const int *values, int own) const override;
};

/* The least vertex that can be reached without a toll. */
class Component : public Vertex
{
      public:
	__host__ __device__ Component(Edge *const *first, int edges_here);
	__host__ __device__ int begin(int i) const override;
	__host__ __device__ int next(const int *values, int own) const override;
};

/* A page's rank, from what its neighbours give away. */
class Rank : public Vertex
{
      public:
	__host__ __device__ Rank(Edge *const *first, int edges_here);
	__host__ __device__ int begin(int i) const override;
	__host__ __device__ int next(const int *values, int own) const override;
};

struct EdgeSlot {
	alignas(8) char bytes[sizeof(Toll)];
};

struct VertexSlot {
	alignas(8) char bytes[sizeof(Rank)];
};

FUNCTION Edge *make_edge(EdgeSlot *slot, int to, int degree, int weight);
enum { DISTANCES, COMPONENTS, RANKS, LAWS };
FUNCTION Vertex *make_vertex(VertexSlot *slot, int law, Edge *const *first, int edges);

#endif
