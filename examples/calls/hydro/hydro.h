/* hydro: what library.cu has for main.cu. */
#ifndef HYDRO_H
#define HYDRO_H

#include "../common.h"

#define CORNERS 8
#define GAMMA 1.4

/* A quantity at the corners of a hexahedron. Corners 0 to 3 go round the bottom face, 4 to 7 lie above them. */
struct Corners {
	double x[CORNERS], y[CORNERS], z[CORNERS];
};

/* What the force at a cell's corners is made of, beside where they are and how they move. */
struct Material {
	double mass, pressure, viscosity, sound;
};

FUNCTION double hexahedron_volume(const Corners &at);

/* Sum of the cell's faces around each corner, a quarter of each face: the corner's share of the surface, outward. */
FUNCTION void corner_normals(const Corners &at, Corners *normals);

/* Forces of a cell on its corners: pressure and viscosity through the surface, and a damping of the motions that
 * change no volume. */
FUNCTION void corner_forces(const Corners &at, const Corners &velocity, const Material &material, Corners *forces);

/* Speed at which the cell is compressed: negative where it expands. */
FUNCTION double compression(const Corners &at, const Corners &velocity, double volume);

/* Shortest way that sound takes through a cell. */
FUNCTION double characteristic_length(const Corners &at, double volume);

FUNCTION double pressure(double density, double energy);
FUNCTION double sound_speed(double density, double pressure);

/* Of von Neumann and Richtmyer, with a linear term: only what is compressed has it. */
FUNCTION double artificial_viscosity(double density, double sound, double length, double rate);

#endif
