/* cfd: what library.cu has for main.cu. */
#ifndef CFD_H
#define CFD_H

#include "../common.h"

#define GAMMA 1.4f

struct Vector {
	float x, y, z;
};

/* Conserved quantities of a cell: density, momentum and energy, each of a unit of volume. */
struct State {
	float density;
	Vector momentum;
	float energy;
};

/* What crosses a face in a unit of time, and how fast the fastest wave there is, times the face's area. */
struct Flux {
	State rate;
	float speed;
};

FUNCTION float pressure(float density, Vector momentum, float energy);
FUNCTION float sound_speed(float density, float pressure);

/* Euler's flux of a state through a face whose normal is as long as the face is large. */
FUNCTION Flux physical_flux(const State &state, const Vector &normal);

/* Rusanov's flux between the cells on both sides of a face: the mean of theirs, and a dissipation that the fastest wave
 * scales. Positive from `here` to `there`. */
FUNCTION State interface_flux(const State &here, const State &there, const Vector &normal);

/* Through a wall nothing flows; pressure acts on it. */
FUNCTION State wall_flux(const State &state, const Vector &normal);

/* Longest stable time step of a cell. */
FUNCTION float stable_step(const State &state, float volume);

#endif
