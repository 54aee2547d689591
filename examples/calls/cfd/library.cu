/* The gas of cfd: its equation of state, and what flows through faces. */
#include "cfd.h"

FUNCTION float pressure(float density, Vector momentum, float energy)
{
	float square = momentum.x * momentum.x + momentum.y * momentum.y + momentum.z * momentum.z;
	return (GAMMA - 1) * (energy - 0.5f * square / density);
}

FUNCTION float sound_speed(float density, float pressure)
{
	return sqrtf(GAMMA * pressure / density);
}

FUNCTION Flux physical_flux(const State &state, const Vector &normal)
{
	Vector momentum = state.momentum;
	float p = pressure(state.density, momentum, state.energy);
	float through = (momentum.x * normal.x + momentum.y * normal.y + momentum.z * normal.z) / state.density;
	float area = sqrtf(normal.x * normal.x + normal.y * normal.y + normal.z * normal.z);
	Flux flux;
	flux.rate.density = through * state.density;
	flux.rate.momentum.x = through * momentum.x + p * normal.x;
	flux.rate.momentum.y = through * momentum.y + p * normal.y;
	flux.rate.momentum.z = through * momentum.z + p * normal.z;
	flux.rate.energy = through * (state.energy + p);
	flux.speed = fabsf(through) + area * sound_speed(state.density, p);
	return flux;
}

static __host__ __device__ float between(float here, float there, float drop, float speed)
{
	return 0.5f * (here + there + speed * drop);
}

FUNCTION State interface_flux(const State &here, const State &there, const Vector &normal)
{
	Flux a = physical_flux(here, normal), b = physical_flux(there, normal);
	float speed = fmaxf(a.speed, b.speed);
	State flux;
	flux.density = between(a.rate.density, b.rate.density, here.density - there.density, speed);
	flux.momentum.x = between(a.rate.momentum.x, b.rate.momentum.x, here.momentum.x - there.momentum.x, speed);
	flux.momentum.y = between(a.rate.momentum.y, b.rate.momentum.y, here.momentum.y - there.momentum.y, speed);
	flux.momentum.z = between(a.rate.momentum.z, b.rate.momentum.z, here.momentum.z - there.momentum.z, speed);
	flux.energy = between(a.rate.energy, b.rate.energy, here.energy - there.energy, speed);
	return flux;
}

FUNCTION State wall_flux(const State &state, const Vector &normal)
{
	float p = pressure(state.density, state.momentum, state.energy);
	State flux = {0, {p * normal.x, p * normal.y, p * normal.z}, 0};
	return flux;
}

FUNCTION float stable_step(const State &state, float volume)
{
	Vector m = state.momentum;
	float speed = sqrtf(m.x * m.x + m.y * m.y + m.z * m.z) / state.density;
	float sound = sound_speed(state.density, pressure(state.density, m, state.energy));
	return 0.2f * cbrtf(volume) / (speed + sound);
}
