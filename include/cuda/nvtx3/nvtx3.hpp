/* NVTX for C++: ranges that end with their scope, marks and their attributes. They do nothing here. */
#if __has_include_next(<nvtx3/nvtx3.hpp>)
#include_next <nvtx3/nvtx3.hpp>
#elif !defined(NVTX3_CPP_VERSION_MAJOR)
#define NVTX3_CPP_VERSION_MAJOR 1
#define NVTX3_CPP_VERSION_MINOR 0

#include "nvToolsExt.h"

namespace nvtx3
{
struct domain {
	struct global {
	};
};
struct rgb {
	constexpr rgb(unsigned char, unsigned char, unsigned char) {}
};
struct argb {
	constexpr argb(unsigned char, unsigned char, unsigned char, unsigned char) {}
};
struct color {
	constexpr color(rgb) {}
	constexpr color(argb) {}
	constexpr explicit color(unsigned int) {}
};
struct category {
	constexpr explicit category(unsigned int) {}
};
struct payload {
	template <class T> constexpr explicit payload(T) {}
};
struct event_attributes {
	template <class... Arguments> constexpr explicit event_attributes(const Arguments &...) {}
};
template <class D = domain::global> struct scoped_range_in {
	template <class... Arguments> explicit scoped_range_in(const Arguments &...) {}
	scoped_range_in(const scoped_range_in &) = delete;
	scoped_range_in &operator=(const scoped_range_in &) = delete;
	~scoped_range_in() {} /* keeps unused ranges from being warned of */
};
typedef scoped_range_in<> scoped_range;
template <class D = domain::global> struct unique_range_in {
	template <class... Arguments> explicit unique_range_in(const Arguments &...) {}
	~unique_range_in() {}
};
typedef unique_range_in<> unique_range;
template <class D = domain::global, class... Arguments> inline void mark_in(const Arguments &...)
{
}
template <class... Arguments> inline void mark(const Arguments &...)
{
}
} // namespace nvtx3

#define NVTX3_FUNC_RANGE()
#define NVTX3_FUNC_RANGE_IN(D)
#define NVTX3_FUNC_RANGE_IF(C)

#endif
