#include "rays.h"

BOTH vec3 add(vec3 a, vec3 b)
{
	a.x += b.x, a.y += b.y, a.z += b.z;
	return a;
}

BOTH vec3 scale(vec3 a, float by)
{
	return {a.x * by, a.y * by, a.z * by};
}

BOTH float dot(vec3 a, vec3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* Not the geometry of a real one, but its shape: nothing that rounds. */
BOTH hit meet(ray r, sphere s, int number, hit best)
{
	vec3 apart = add(s.center, scale(r.from, -1));
	float along = dot(apart, r.to), across = dot(apart, apart) - along;

	if (across > s.radius * s.radius || (best.sphere >= 0 && along >= best.t))
		return best;
	best.t = along;
	best.at = add(r.from, scale(r.to, along));
	best.normal = add(best.at, scale(s.center, -1));
	best.sphere = number;
	return best;
}

BOTH float shade(hit h, vec3 light, ray r)
{
	return h.sphere < 0 ? r.to.x : dot(h.normal, light) + dot(h.at, r.to) * 2 + h.t;
}

BOTH int small(odd o, three t, empty, int q)
{
	return o.a + 3 * o.b + 5 * o.c + 7 * t.a + 11 * t.b + 13 * t.c + 17 * q;
}

BOTH long long middle(int first, wide w, wide v, int last)
{
	return first + (long long)w.d * 3 + (long long)w.f * 5 + w.i * 7 + w.l * 11 + (long long)v.d * 13 +
	       (long long)v.f * 17 + v.i * 19 + v.l * 23 + last * 29;
}

BOTH float aligned(int first, quad a, float between, quad b)
{
	a.v[first & 3] += 1;
	return first + a.v[0] + 2 * a.v[1] + 3 * a.v[2] + 4 * a.v[3] + 5 * between + 6 * b.v[0] + 7 * b.v[3];
}

BOTH int pick(list l, int i)
{
	return l.v[i % 6];
}

BOTH int change(list l, int i, int to)
{
	l.v[i % 6] = to;
	return l.v[0] + 10 * l.v[5];
}

BOTH int through(list l, int i)
{
	int before = change(l, i, 100);

	l.v[2] += i;
	return before + pick(l, i) + pick(l, 2);
}

BOTH int big(large l, int i)
{
	l.v[i % 20] += 3;
	return l.v[0] + l.v[7] * 2 + l.v[19] * 4;
}

BOTH int two_big(large l, large m, int i)
{
	int sum = big(l, i) + big(m, i + 1);

	m.v[19] = l.v[3];
	return sum + big(m, i) + l.v[i % 20];
}

BOTH int very_big(huge h, int i)
{
	h.v[i % 40] = 5;
	return h.v[0] + h.v[20] * 3 + h.v[39] * 7;
}

BOTH int raws(mixed m, int i)
{
	return m.raw[i & 3] + m.pair.tag;
}

BOTH int fall(list l, int depth)
{
	if (!depth)
		return l.v[0] + l.v[5];
	l.v[0] += l.v[depth % 6];
	int below = fall(l, depth - 1);
	return below * 3 + l.v[0];
}

BOTH int late(long long a, long long b, long long c, long long d, long long e, long long f, list l, int i)
{
	return (int)(a + b + c + d + e + f) + l.v[i % 6];
}

BOTH list turned(list l, large m)
{
	list out;

	for (int i = 0; i < 6; i++)
		out.v[i] = l.v[5 - i] + m.v[i];
	return out;
}

static BOTH int last(list l, int i)
{
	return l.v[5] - i;
}

BOTH picker choose(int which)
{
	return which & 1 ? last : pick;
}
