/*
 * NVTX: marks and ranges for profilers. Nobody listens here, so that every call does nothing. A toolkit's own header,
 * which does nothing either where no profiler is attached, comes first.
 */
#if __has_include_next(<nvtx3/nvToolsExt.h>)
#include_next <nvtx3/nvToolsExt.h>
#elif !defined(NVTX_VERSION)
#define NVTX_VERSION 3

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NVTX_SUCCESS 0
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))
#define NVTX_NO_PUSH_POP_TRACKING ((int)-2)
#define NVTX_MESSAGE_UNKNOWN 0

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;
typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
	NVTX_MESSAGE_TYPE_UNKNOWN = 0,
	NVTX_MESSAGE_TYPE_ASCII = 1,
	NVTX_MESSAGE_TYPE_UNICODE = 2,
	NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
	NVTX_PAYLOAD_UNKNOWN = 0,
	NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
	NVTX_PAYLOAD_TYPE_INT64 = 2,
	NVTX_PAYLOAD_TYPE_DOUBLE = 3,
	NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
	NVTX_PAYLOAD_TYPE_INT32 = 5,
	NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;
typedef union nvtxMessageValue_t {
	const char *ascii;
	const wchar_t *unicode;
	nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct nvtxEventAttributes_v2 {
	uint16_t version;
	uint16_t size;
	uint32_t category;
	int32_t colorType;
	uint32_t color;
	int32_t payloadType;
	int32_t reserved0;
	union payload_t {
		uint64_t ullValue;
		int64_t llValue;
		double dValue;
		uint32_t uiValue;
		int32_t iValue;
		float fValue;
	} payload;
	int32_t messageType;
	nvtxMessageValue_t message;
} nvtxEventAttributes_t;

/* HD_NVTX(result, name, value, parameters): a call that does nothing and returns `value`. */
#define HD_NVTX(result, name, value, ...)            \
	static inline result name(__VA_ARGS__)       \
	{                                            \
		return value;                        \
	}
#if defined(__cplusplus)
#define HD_UNUSED(type, name) type
#else
#define HD_UNUSED(type, name) type name __attribute__((unused))
#endif
HD_NVTX(void, nvtxInitialize, , HD_UNUSED(const void *, reserved))
HD_NVTX(void, nvtxMarkEx, , HD_UNUSED(const nvtxEventAttributes_t *, attributes))
HD_NVTX(void, nvtxMarkA, , HD_UNUSED(const char *, message))
HD_NVTX(void, nvtxMarkW, , HD_UNUSED(const wchar_t *, message))
HD_NVTX(nvtxRangeId_t, nvtxRangeStartEx, 0, HD_UNUSED(const nvtxEventAttributes_t *, attributes))
HD_NVTX(nvtxRangeId_t, nvtxRangeStartA, 0, HD_UNUSED(const char *, message))
HD_NVTX(nvtxRangeId_t, nvtxRangeStartW, 0, HD_UNUSED(const wchar_t *, message))
HD_NVTX(void, nvtxRangeEnd, , HD_UNUSED(nvtxRangeId_t, id))
HD_NVTX(int, nvtxRangePushEx, NVTX_NO_PUSH_POP_TRACKING, HD_UNUSED(const nvtxEventAttributes_t *, attributes))
HD_NVTX(int, nvtxRangePushA, NVTX_NO_PUSH_POP_TRACKING, HD_UNUSED(const char *, message))
HD_NVTX(int, nvtxRangePushW, NVTX_NO_PUSH_POP_TRACKING, HD_UNUSED(const wchar_t *, message))
HD_NVTX(int, nvtxRangePop, NVTX_NO_PUSH_POP_TRACKING, void)
HD_NVTX(void, nvtxNameCategoryA, , HD_UNUSED(uint32_t, category), HD_UNUSED(const char *, name))
HD_NVTX(void, nvtxNameOsThreadA, , HD_UNUSED(uint32_t, thread), HD_UNUSED(const char *, name))
HD_NVTX(nvtxDomainHandle_t, nvtxDomainCreateA, 0, HD_UNUSED(const char *, name))
HD_NVTX(void, nvtxDomainDestroy, , HD_UNUSED(nvtxDomainHandle_t, domain))
HD_NVTX(nvtxStringHandle_t, nvtxDomainRegisterStringA, 0, HD_UNUSED(nvtxDomainHandle_t, domain),
	HD_UNUSED(const char *, text))
HD_NVTX(void, nvtxDomainNameCategoryA, , HD_UNUSED(nvtxDomainHandle_t, domain), HD_UNUSED(uint32_t, category),
	HD_UNUSED(const char *, name))
HD_NVTX(void, nvtxDomainMarkEx, , HD_UNUSED(nvtxDomainHandle_t, domain),
	HD_UNUSED(const nvtxEventAttributes_t *, attributes))
HD_NVTX(nvtxRangeId_t, nvtxDomainRangeStartEx, 0, HD_UNUSED(nvtxDomainHandle_t, domain),
	HD_UNUSED(const nvtxEventAttributes_t *, attributes))
HD_NVTX(void, nvtxDomainRangeEnd, , HD_UNUSED(nvtxDomainHandle_t, domain), HD_UNUSED(nvtxRangeId_t, id))
HD_NVTX(int, nvtxDomainRangePushEx, NVTX_NO_PUSH_POP_TRACKING, HD_UNUSED(nvtxDomainHandle_t, domain),
	HD_UNUSED(const nvtxEventAttributes_t *, attributes))
HD_NVTX(int, nvtxDomainRangePop, NVTX_NO_PUSH_POP_TRACKING, HD_UNUSED(nvtxDomainHandle_t, domain))
#undef HD_NVTX
#undef HD_UNUSED
#define nvtxMark nvtxMarkA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxRangePush nvtxRangePushA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#define nvtxDomainNameCategory nvtxDomainNameCategoryA

#endif
