/*
 * How far launches here are from those on the card: Pearson's correlation, the mean absolute error, the error of the
 * sum. Linear in the launches.
 */
#include <math.h>

#include "tools/heddle/validate/validate.h"

double compare_error(double card, double here)
{
	if (isnan(card) || isnan(here) || (card == 0 && here != 0))
		return NAN;
	return card == 0 ? 0 : here / card - 1;
}

struct sums {
	double card, here, absolute;
	uint32_t count, related;
};

static bool pair_of(const struct launch *card, enum quantity quantity, double *x, double *y)
{
	if (!card->partner)
		return false;
	*x = card->values[quantity];
	*y = card->partner->values[quantity];
	return !isnan(*x) && !isnan(*y);
}

static struct sums add_up(const struct validation *validation, enum quantity quantity)
{
	struct sums sums = {0};
	for (uint32_t i = 0; i < validation->card.len; i++) {
		double x, y;
		if (!pair_of(&validation->card.data[i], quantity, &x, &y))
			continue;
		double error = compare_error(x, y);
		sums.count++;
		sums.card += x;
		sums.here += y;
		sums.absolute += isnan(error) ? 0 : fabs(error);
		sums.related += !isnan(error);
	}
	return sums;
}

/* Of deviations from the means, which loses no digits to large values. */
static double correlation(const struct validation *validation, enum quantity quantity, const struct sums *sums)
{
	double mean_x = sums->card / sums->count, mean_y = sums->here / sums->count, xx = 0, yy = 0, xy = 0;
	for (uint32_t i = 0; i < validation->card.len; i++) {
		double x, y;
		if (!pair_of(&validation->card.data[i], quantity, &x, &y))
			continue;
		xx += (x - mean_x) * (x - mean_x);
		yy += (y - mean_y) * (y - mean_y);
		xy += (x - mean_x) * (y - mean_y);
	}
	return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

void compare_launches(struct validation *validation)
{
	for (unsigned q = 0; q < QUANTITY_COUNT; q++) {
		struct sums sums = add_up(validation, q);
		validation->figures[q] = (struct comparison){
			.launches = sums.count,
			.without = sums.count - sums.related,
			.correlation = sums.count ? correlation(validation, q, &sums) : NAN,
			.mean_absolute = sums.related ? sums.absolute / sums.related : NAN,
			.sum = sums.count ? compare_error(sums.card, sums.here) : NAN,
		};
	}
}
