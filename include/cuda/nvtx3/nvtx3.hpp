/*
 * NVTX for C++: ranges that end with their scope, marks and their attributes. They do nothing here. Libraries name the version
 * (nvtx3::v1::..., NVTX3_V1_...), programs do not.
 */
#if __has_include_next(<nvtx3/nvtx3.hpp>)
#include_next <nvtx3/nvtx3.hpp>
#elif !defined(NVTX3_CPP_DEFINITIONS_V1_0)
#define NVTX3_CPP_DEFINITIONS_V1_0

#include "nvToolsExt.h"

namespace nvtx3
{
inline namespace v1
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
template <class _D = domain::global> struct named_category_in : category {
	template <class _Name> named_category_in(unsigned int id, const _Name &) : category(id) {}
	template <class _C> static const named_category_in &get()
	{
		static const named_category_in named(_C::id, _C::name);
		return named;
	}
};
typedef named_category_in<> named_category;
template <class _D = domain::global> struct registered_string_in {
	template <class _Text> explicit registered_string_in(const _Text &) {}
	template <class _M> static const registered_string_in &get()
	{
		static const registered_string_in registered(_M::message);
		return registered;
	}
};
typedef registered_string_in<> registered_string;
struct message {
	template <class _Text> constexpr message(const _Text &) {}
};
struct payload {
	template <class _T> constexpr explicit payload(_T) {}
};
struct event_attributes {
	template <class... _Arguments> constexpr explicit event_attributes(const _Arguments &...) {}
};
template <class _D = domain::global> struct scoped_range_in {
	template <class... _Arguments> explicit scoped_range_in(const _Arguments &...) {}
	scoped_range_in(const scoped_range_in &) = delete;
	scoped_range_in &operator=(const scoped_range_in &) = delete;
	~scoped_range_in() {} /* keeps unused ranges from being warned of */
};
typedef scoped_range_in<> scoped_range;
template <class _D = domain::global> struct unique_range_in {
	template <class... _Arguments> explicit unique_range_in(const _Arguments &...) {}
	unique_range_in(unique_range_in &&) = default;
	unique_range_in &operator=(unique_range_in &&) = default;
	~unique_range_in() {}
};
typedef unique_range_in<> unique_range;
struct range_handle {
	constexpr explicit range_handle(nvtxRangeId_t) {}
	constexpr nvtxRangeId_t get_value() const { return 0; }
};
template <class _D = domain::global, class... _Arguments> inline range_handle start_range_in(const _Arguments &...)
{
	return range_handle(0);
}
template <class... _Arguments> inline range_handle start_range(const _Arguments &...)
{
	return range_handle(0);
}
template <class _D = domain::global> inline void end_range_in(range_handle)
{
}
inline void end_range(range_handle)
{
}
template <class _D = domain::global, class... _Arguments> inline void mark_in(const _Arguments &...)
{
}
template <class... _Arguments> inline void mark(const _Arguments &...)
{
}
} // namespace v1
} // namespace nvtx3

#define NVTX3_V1_FUNC_RANGE()
#define NVTX3_V1_FUNC_RANGE_IN(D)
#define NVTX3_V1_FUNC_RANGE_IF(C)
#define NVTX3_V1_FUNC_RANGE_IF_IN(D, C)

#if !defined(NVTX3_CPP_REQUIRE_EXPLICIT_VERSION)
#define NVTX3_FUNC_RANGE() NVTX3_V1_FUNC_RANGE()
#define NVTX3_FUNC_RANGE_IN(D) NVTX3_V1_FUNC_RANGE_IN(D)
#define NVTX3_FUNC_RANGE_IF(C) NVTX3_V1_FUNC_RANGE_IF(C)
#define NVTX3_FUNC_RANGE_IF_IN(D, C) NVTX3_V1_FUNC_RANGE_IF_IN(D, C)
#endif

#endif
