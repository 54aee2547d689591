// A tokenizer and validator of a JSON-like language: dense and sparse switches, a state machine in a constant table,
// escapes, numbers to double and 64 bits, a bit stack of brackets. Each thread has a document; the host runs the same
// code.
#include "common.h"
#include <string>
#include <vector>

enum Token : unsigned char { END, OPEN, CLOSE, LIST, UNLIST, COLON, COMMA, TEXT, NUMBER, REAL, WORD, BAD };
enum State : signed char { VALUE, KEY, AFTER_KEY, AFTER_VALUE, DONE, WRONG, FIRST_KEY, FIRST_VALUE };

// What comes after a token in a state; brackets and what encloses them are seen to elsewhere.
__constant__ signed char device_next[8][12];
static const signed char next_state[8][12] = {
	/* END, OPEN, CLOSE, LIST, UNLIST, COLON, COMMA, TEXT, NUMBER, REAL, WORD, BAD */
	{WRONG, FIRST_KEY, WRONG, FIRST_VALUE, WRONG, WRONG, WRONG, AFTER_VALUE, AFTER_VALUE, AFTER_VALUE, AFTER_VALUE,
	 WRONG},
	{WRONG, WRONG, WRONG, WRONG, WRONG, WRONG, WRONG, AFTER_KEY, WRONG, WRONG, WRONG, WRONG},
	{WRONG, WRONG, WRONG, WRONG, WRONG, VALUE, WRONG, WRONG, WRONG, WRONG, WRONG, WRONG},
	{DONE, WRONG, AFTER_VALUE, WRONG, AFTER_VALUE, WRONG, VALUE, WRONG, WRONG, WRONG, WRONG, WRONG},
	{DONE, WRONG, WRONG, WRONG, WRONG, WRONG, WRONG, WRONG, WRONG, WRONG, WRONG, WRONG},
	{WRONG, WRONG, WRONG, WRONG, WRONG, WRONG, WRONG, WRONG, WRONG, WRONG, WRONG, WRONG},
	{WRONG, WRONG, AFTER_VALUE, WRONG, WRONG, WRONG, WRONG, AFTER_KEY, WRONG, WRONG, WRONG, WRONG},
	{WRONG, FIRST_KEY, WRONG, FIRST_VALUE, AFTER_VALUE, WRONG, WRONG, AFTER_VALUE, AFTER_VALUE, AFTER_VALUE,
	 AFTER_VALUE, WRONG},
};
__host__ __device__ inline signed char following(int state, int token)
{
#ifdef __CUDA_ARCH__
	return device_next[state][token];
#else
	return next_state[state][token];
#endif
}

struct Summary {
	unsigned counts[12];
	int state, where, deepest;
	unsigned hash;
	long long integers;
	double reals;
	unsigned long long brackets;
};

struct Reader {
	const char *at, *begin;
	Summary *sum;
	double real;
	long long integer;
	unsigned hash;

	__host__ __device__ void unicode(unsigned c)
	{
		if (c < 0x80) {
			add(c);
		} else if (c < 0x800) {
			add(0xc0 | c >> 6);
			add(0x80 | (c & 63));
		} else {
			add(0xe0 | c >> 12);
			add(0x80 | (c >> 6 & 63));
			add(0x80 | (c & 63));
		}
	}
	__host__ __device__ void add(unsigned byte)
	{
		hash = (hash ^ byte) * 16777619u;
	}

	__host__ __device__ Token text()
	{
		for (;;) {
			char c = *at++;
			switch (c) {
			case '"':
				return TEXT;
			case 0:
				at--;
				return BAD;
			case '\\':
				switch (c = *at++) {
				case 'n':
					add('\n');
					break;
				case 't':
					add('\t');
					break;
				case 'b':
					add('\b');
					break;
				case 'f':
					add('\f');
					break;
				case 'r':
					add('\r');
					break;
				case '"':
				case '\\':
				case '/':
					add((unsigned char)c);
					break;
				case 'u': {
					unsigned code = 0;
					for (int i = 0; i < 4; i++) {
						char h = *at;
						if (h >= '0' && h <= '9')
							code = code << 4 | (unsigned)(h - '0');
						else if ((h | 32) >= 'a' && (h | 32) <= 'f')
							code = code << 4 | (unsigned)((h | 32) - 'a' + 10);
						else
							return BAD;
						at++;
					}
					unicode(code);
					break;
				}
				default:
					at--;
					return BAD;
				}
				break;
			default:
				if ((unsigned char)c < 32)
					return BAD;
				add((unsigned char)c);
			}
		}
	}

	__host__ __device__ Token number()
	{
		bool negative = *at == '-', whole = true;
		unsigned long long digits = 0;
		int exponent = 0, shown = 0;
		at += negative;
		if (*at < '0' || *at > '9')
			return BAD;
		for (; *at >= '0' && *at <= '9'; at++)
			digits = digits * 10 + (unsigned)(*at - '0');
		if (*at == '.') {
			whole = false;
			for (at++; *at >= '0' && *at <= '9'; at++)
				digits = digits * 10 + (unsigned)(*at - '0'), exponent--;
		}
		if ((*at | 32) == 'e') {
			whole = false;
			bool down = *++at == '-';
			at += down || *at == '+';
			for (; *at >= '0' && *at <= '9'; at++)
				shown = shown * 10 + *at - '0';
			exponent += down ? -shown : shown;
		}
		integer = negative ? -(long long)digits : (long long)digits;
		if (whole)
			return NUMBER;
		double scale = 1, base = 10;
		for (int e = exponent < 0 ? -exponent : exponent; e; e >>= 1, base *= base)
			if (e & 1)
				scale *= base;
		real = exponent < 0 ? (double)integer / scale : (double)integer * scale;
		return REAL;
	}

	__host__ __device__ bool word(const char *rest)
	{
		while (*rest)
			if (*at++ != *rest++)
				return false;
		return true;
	}

	__host__ __device__ Token next()
	{
again:
		switch (char c = *at++) {
		case 0:
			at--;
			return END;
		case ' ':
		case '\t':
		case '\n':
		case '\r':
			goto again;
		case '{':
			return OPEN;
		case '}':
			return CLOSE;
		case '[':
			return LIST;
		case ']':
			return UNLIST;
		case ':':
			return COLON;
		case ',':
			return COMMA;
		case '"':
			return text();
		case 't':
			return word("rue") ? WORD : BAD;
		case 'f':
			return word("alse") ? WORD : BAD;
		case 'n':
			return word("ull") ? WORD : BAD;
		case '/':
			if (*at == '/') {
				while (*at && *at != '\n')
					at++;
				goto again;
			}
			return BAD;
		default:
			at--;
			return c == '-' || (c >= '0' && c <= '9') ? number() : BAD;
		}
	}
};

__host__ __device__ void validate(const char *text, Summary *sum)
{
	Reader reader = {text, text, sum, 0, 0, 2166136261u};
	unsigned long long objects = 0; /* a bit for each open bracket, set for objects */
	int state = VALUE, depth = 0;
	while (state != DONE && state != WRONG) {
		Token token = reader.next();
		sum->counts[token]++;
		if (token == NUMBER)
			sum->integers += reader.integer;
		else if (token == REAL)
			sum->reals += reader.real;
		int next = following(state, token);
		if (token == OPEN || token == LIST) {
			objects = objects << 1 | (token == OPEN);
			if (++depth > 40)
				next = WRONG;
			sum->deepest = depth > sum->deepest ? depth : sum->deepest;
			sum->brackets = sum->brackets * 3 + objects;
		} else if (token == CLOSE || token == UNLIST) {
			if (depth == 0 || (objects & 1) != (token == CLOSE))
				next = WRONG;
			objects >>= 1;
			depth--;
		} else if (token == COMMA && (depth == 0 || objects & 1)) {
			next = depth ? KEY : WRONG;
		} else if (token == END && depth) {
			next = WRONG;
		}
		state = next;
	}
	sum->state = state;
	sum->where = (int)(reader.at - reader.begin);
	sum->hash = reader.hash;
}

__global__ void all(const char *texts, const int *starts, int n, Summary *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		validate(texts + starts[i], out + i);
}

static std::string value(unsigned &seed, int depth)
{
	static const char *const plain[] = {"12",    "-7",	     "3.25",
					    "1e3",   "-0.5E-2",	     "true",
					    "false", "null",	     "\"a\\u00e9\\n\\u20acz\"",
					    "\"\"",  "123456789012", "\"tab\\tquote\\\"\""};
	seed = seed * 1664525 + 1013904223;
	unsigned pick = seed >> 20;
	if (depth == 0 || pick % 3 == 0)
		return plain[pick % 12];
	std::string s = pick & 1 ? "{" : "[ ";
	for (unsigned k = 0, n = pick / 8 % 4; k < n; k++) {
		s += k ? ", " : "";
		s += pick & 1 ? "\"k" + std::to_string(k) + "\" :" + value(seed, depth - 1) : value(seed, depth - 1);
	}
	return s + (pick & 1 ? "}" : "] // end\n");
}

int main()
{
	std::vector<std::string> documents = {"",	    "{",       "[1,]",
					      "{\"a\":1,}", "\"\\x\"", "[}",
					      "01x",	    "nul",     "[1 2]",
					      "{\"a\" 1}",  "]",       "{\"a\":{\"b\":[[[[]]]]}}",
					      "- 1",	    "\"open",  "[1, 2.5, -3e2]"};
	unsigned seed = 1;
	while (documents.size() < 90) {
		std::string s = value(seed, 5);
		if (documents.size() % 4 == 0 && s.size() > 4) /* one byte is another */
			s[seed % s.size()] = "{]:,\"x9"[seed / 64 % 7];
		documents.push_back(s);
	}
	std::string text;
	int n = (int)documents.size(), *starts = shared_array<int>(n);
	for (int i = 0; i < n; i++)
		starts[i] = (int)text.size(), text += documents[i] + '\0';
	char *texts = shared_array<char>(text.size());
	memcpy(texts, text.data(), text.size());
	Summary *got = shared_array<Summary>(n);
	OK(cudaMemcpyToSymbol(device_next, next_state, sizeof next_state));
	all<<<3, 32>>>(texts, starts, n, got);
	finish_kernel();
	int fine = 0;
	for (int i = 0; i < n; i++) {
		Summary want;
		memset((void *)&want, 0, sizeof want);
		validate(texts + starts[i], &want);
		fine += want.state == DONE;
		expect_same(got + i, &want, 1, "document");
	}
	expect(fine > 40 && fine < 85, "fine", fine);
	puts("PASSED");
}
