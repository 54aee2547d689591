/* The layers of kmeans, from the innermost to the outermost. */
#include "kmeans.h"

FUNCTION float Points::feature(int point, int feature) const
{
	return values.at(point, feature);
}

FUNCTION float Term::difference(int point, int centroid, int feature) const
{
	return points.feature(point, feature) - centroids.feature(centroid, feature);
}

FUNCTION float Term::square(int point, int centroid, int feature) const
{
	float apart = difference(point, centroid, feature);
	return apart * apart;
}

FUNCTION float Block::sum(int point, int centroid, int first) const
{
	float sum = 0;
	for (int i = 0; i < BLOCK_FEATURES; i++)
		if (first + i < features)
			sum += term.square(point, centroid, first + i);
	return sum;
}

FUNCTION float Sum::over_blocks(int point, int centroid) const
{
	float sum = 0;
	for (int first = 0; first < block.features; first += BLOCK_FEATURES)
		sum += block.sum(point, centroid, first);
	return sum;
}

FUNCTION float Distance::between(int point, int centroid) const
{
	return sum.over_blocks(point, centroid);
}

FUNCTION Candidate Metric::candidate(int point, int centroid) const
{
	return {distance.between(point, centroid), centroid};
}

FUNCTION Candidate Selection::better(Candidate best, int point, int centroid) const
{
	Candidate other = metric.candidate(point, centroid);
	return other.distance < best.distance ? other : best;
}

FUNCTION Candidate Search::over_range(int point, int first, int last) const
{
	Candidate best = {INFINITY, first};
	for (int centroid = first; centroid < last; centroid++)
		best = selection.better(best, point, centroid);
	return best;
}

FUNCTION Candidate Assignment::nearest(int point) const
{
	return search.over_range(point, 0, centroids);
}

FUNCTION int Clustering::assign(int point) const
{
	return assignment.nearest(point).centroid;
}

FUNCTION float mean(int sum, int count)
{
	return count ? rintf(4.0f * (float)sum / (float)count) / 4 : 0;
}
