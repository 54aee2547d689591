/* The layers of svr, from the innermost to the outermost. */
#include "svr.h"

FUNCTION float Samples::feature(int sample, int feature) const
{
	return values.at(sample, feature);
}

FUNCTION float Term::square(int a, int b, int feature) const
{
	float apart = samples.feature(a, feature) - samples.feature(b, feature);
	return apart * apart;
}

FUNCTION float Block::sum(int a, int b, int first) const
{
	float sum = 0;
	for (int i = 0; i < BLOCK_FEATURES; i++)
		if (first + i < features)
			sum += term.square(a, b, first + i);
	return sum;
}

FUNCTION float Sum::over_blocks(int a, int b) const
{
	float sum = 0;
	for (int first = 0; first < block.features; first += BLOCK_FEATURES)
		sum += block.sum(a, b, first);
	return sum;
}

FUNCTION float Distance::squared(int a, int b) const
{
	return sum.over_blocks(a, b);
}

FUNCTION float Kernel::value(int a, int b) const
{
	return expf(-width * distance.squared(a, b));
}

FUNCTION float Expansion::term(int a, int vector) const
{
	int b = support[vector];
	return weight[b] * kernel.value(a, b);
}

FUNCTION float Expansion::part(int a, int first) const
{
	float sum = 0;
	for (int i = 0; i < BLOCK_VECTORS; i++)
		if (first + i < vectors)
			sum += term(a, first + i);
	return sum;
}

FUNCTION float Expansion::sum(int a) const
{
	float sum = 0;
	for (int first = 0; first < vectors; first += BLOCK_VECTORS)
		sum += part(a, first);
	return sum;
}

FUNCTION float Model::predict(int sample) const
{
	return expansion.sum(sample);
}

FUNCTION float Residual::of(int sample) const
{
	return model.predict(sample) - target[sample];
}

FUNCTION float Dual::gradient(int sample) const
{
	return residual.of(sample);
}

FUNCTION float Proximal::next(int sample) const
{
	float moved = dual.residual.model.expansion.weight[sample] - rate * dual.gradient(sample);
	float shrunk = copysignf(fmaxf(fabsf(moved) - rate * tube, 0), moved);
	return fminf(fmaxf(shrunk, -bound), bound);
}

FUNCTION void Trainer::step(int sample) const
{
	next[sample] = proximal.next(sample);
}
