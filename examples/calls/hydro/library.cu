/* The cells of hydro: geometry of hexahedra, forces on their corners, equation of state. */
#include "hydro.h"

/* The i-th corner of a face, in the order in which its normal points outward. */
static __host__ __device__ int face_corner(int face, int i)
{
	const signed char corners[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
					   {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
	return corners[face][i];
}

/* Sign of a corner in one of the four motions that neither move, turn nor strain a hexahedron as a whole. */
static __host__ __device__ double mode_sign(int mode, int i)
{
	const signed char signs[4][CORNERS] = {{1, 1, -1, -1, -1, -1, 1, 1},
					       {1, -1, -1, 1, -1, 1, 1, -1},
					       {1, -1, 1, -1, 1, -1, 1, -1},
					       {-1, 1, -1, 1, 1, -1, 1, -1}};
	return signs[mode][i];
}

struct Vector {
	double x, y, z;
};

static __host__ __device__ Vector corner(const Corners &at, int i)
{
	return {at.x[i], at.y[i], at.z[i]};
}

static __host__ __device__ Vector minus(const Vector &a, const Vector &b)
{
	return {a.x - b.x, a.y - b.y, a.z - b.z};
}

static __host__ __device__ Vector cross(const Vector &a, const Vector &b)
{
	return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static __host__ __device__ double dot(const Vector &a, const Vector &b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* Half the product of its diagonals: as long as the face is large. */
static __host__ __device__ Vector face_normal(const Corners &at, int face)
{
	Vector a = minus(corner(at, face_corner(face, 2)), corner(at, face_corner(face, 0)));
	Vector b = minus(corner(at, face_corner(face, 3)), corner(at, face_corner(face, 1)));
	Vector normal = cross(a, b);
	return {0.5 * normal.x, 0.5 * normal.y, 0.5 * normal.z};
}

/* Thrice the cell's volume is the sum of its faces times where they are; from a corner, three of them vanish. */
FUNCTION double hexahedron_volume(const Corners &at)
{
	double sum = 0;
	Vector origin = corner(at, 0);
	for (int face = 0; face < 6; face++) {
		Vector middle = {0, 0, 0};
		for (int i = 0; i < 4; i++) {
			Vector from = minus(corner(at, face_corner(face, i)), origin);
			middle = {middle.x + from.x, middle.y + from.y, middle.z + from.z};
		}
		sum += dot(middle, face_normal(at, face));
	}
	return sum / 12;
}

FUNCTION void corner_normals(const Corners &at, Corners *normals)
{
	*normals = Corners();
	for (int face = 0; face < 6; face++) {
		Vector normal = face_normal(at, face);
		for (int i = 0; i < 4; i++) {
			int c = face_corner(face, i);
			normals->x[c] += 0.25 * normal.x;
			normals->y[c] += 0.25 * normal.y;
			normals->z[c] += 0.25 * normal.z;
		}
	}
}

/* Takes away `strength` times the part of the corners' motion along one coordinate that is one of the modes. The mode is
 * made orthogonal to linear fields through the cell, so that a motion of the whole is left alone. */
FUNCTION void damp_mode(int mode, const Corners &at, const Corners &normals, const Corners &velocity, double volume,
			double strength, Corners *forces)
{
	Vector along = {0, 0, 0}, motion = {0, 0, 0};
	double shape[CORNERS], per_volume = 1 / volume;
	for (int i = 0; i < CORNERS; i++) {
		double sign = mode_sign(mode, i);
		along = {along.x + sign * at.x[i], along.y + sign * at.y[i], along.z + sign * at.z[i]};
	}
	for (int i = 0; i < CORNERS; i++) {
		shape[i] = mode_sign(mode, i) - dot(corner(normals, i), along) * per_volume;
		motion.x += shape[i] * velocity.x[i];
		motion.y += shape[i] * velocity.y[i];
		motion.z += shape[i] * velocity.z[i];
	}
	for (int i = 0; i < CORNERS; i++) {
		forces->x[i] -= strength * shape[i] * motion.x;
		forces->y[i] -= strength * shape[i] * motion.y;
		forces->z[i] -= strength * shape[i] * motion.z;
	}
}

FUNCTION void corner_forces(const Corners &at, const Corners &velocity, const Material &material, Corners *forces)
{
	Corners normals;
	corner_normals(at, &normals);
	double stress = material.pressure + material.viscosity;
	for (int i = 0; i < CORNERS; i++) {
		forces->x[i] = stress * normals.x[i];
		forces->y[i] = stress * normals.y[i];
		forces->z[i] = stress * normals.z[i];
	}
	double volume = hexahedron_volume(at);
	double strength = 0.01 * material.mass * material.sound / cbrt(volume);
	for (int mode = 0; mode < 4; mode++)
		damp_mode(mode, at, normals, velocity, volume, strength, forces);
}

FUNCTION double compression(const Corners &at, const Corners &velocity, double volume)
{
	Corners normals;
	corner_normals(at, &normals);
	double growth = 0;
	for (int i = 0; i < CORNERS; i++)
		growth += dot(corner(normals, i), corner(velocity, i));
	return -growth / volume;
}

FUNCTION double characteristic_length(const Corners &at, double volume)
{
	double largest = 0;
	for (int face = 0; face < 6; face++) {
		Vector normal = face_normal(at, face);
		largest = fmax(largest, dot(normal, normal));
	}
	return volume / sqrt(largest);
}

FUNCTION double pressure(double density, double energy)
{
	return (GAMMA - 1) * density * energy;
}

FUNCTION double sound_speed(double density, double pressure)
{
	return sqrt(GAMMA * pressure / density);
}

FUNCTION double artificial_viscosity(double density, double sound, double length, double rate)
{
	if (rate <= 0)
		return 0;
	double jump = length * rate;
	return density * jump * (0.5 * sound + 2.0 * jump);
}
