/* The vertices and edges of vertices. */
#include <new>

#include "vertices.h"

__host__ __device__ Edge::Edge(int where, int edges) : to(where), degree(edges)
{
}

__host__ __device__ int Edge::length() const
{
	return 1;
}

__host__ __device__ Toll::Toll(int where, int edges, int cost) : Edge(where, edges), price(cost)
{
}

__host__ __device__ int Toll::length() const
{
	return 1 + price;
}

__host__ __device__ Vertex::Vertex(Edge *const *first, int edges_here) : edges(first), count(edges_here)
{
}

__host__ __device__ Distance::Distance(Edge *const *first, int edges_here) : Vertex(first, edges_here)
{
}

__host__ __device__ int Distance::begin(int i) const
{
	return i ? FAR : 0;
}

__host__ __device__ int Distance::next(const int *values, int own) const
{
	for (int i = 0; i < count; i++) {
		int offer = values[edges[i]->to] + edges[i]->length();
		own = offer < own ? offer : own;
	}
	return own;
}

__host__ __device__ Component::Component(Edge *const *first, int edges_here) : Vertex(first, edges_here)
{
}

__host__ __device__ int Component::begin(int i) const
{
	return i;
}

__host__ __device__ int Component::next(const int *values, int own) const
{
	for (int i = 0; i < count; i++) {
		int offer = values[edges[i]->to];
		if (edges[i]->length() == 1)
			own = offer < own ? offer : own;
	}
	return own;
}

__host__ __device__ Rank::Rank(Edge *const *first, int edges_here) : Vertex(first, edges_here)
{
}

__host__ __device__ int Rank::begin(int) const
{
	return UNIT;
}

/* A toll keeps some away. */
__host__ __device__ int Rank::next(const int *values, int) const
{
	int sum = 0;
	for (int i = 0; i < count; i++)
		sum += values[edges[i]->to] / (edges[i]->degree * edges[i]->length());
	return (UNIT * 15 + 85 * sum) / 100;
}

FUNCTION Edge *make_edge(EdgeSlot *slot, int to, int degree, int weight)
{
	if (weight % 2)
		return new (slot) Toll(to, degree, weight);
	return new (slot) Edge(to, degree);
}

FUNCTION Vertex *make_vertex(VertexSlot *slot, int law, Edge *const *first, int edges)
{
	if (law == DISTANCES)
		return new (slot) Distance(first, edges);
	if (law == COMPONENTS)
		return new (slot) Component(first, edges);
	return new (slot) Rank(first, edges);
}
