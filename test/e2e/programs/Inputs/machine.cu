// A virtual machine: instructions as bit-fields, values as unions, a dispatch switch of forty cases, its stack and
// memory in local arrays with dynamic indices, calls and traps. Programs are assembled on the host, which runs the same
// machine.
#include "common.h"
#include <string>
#include <vector>

enum Op : unsigned {
	HALT,
	PUSH,
	PUSHF,
	DUP,
	SWAP,
	OVER,
	ROT,
	DROP,
	ADD,
	SUB,
	MUL,
	DIV,
	REM,
	NEG,
	AND,
	OR,
	XOR,
	SHL,
	SHR,
	SAR,
	NOT,
	EQ,
	LT,
	LTU,
	FADD,
	FSUB,
	FMUL,
	FDIV,
	FLT,
	ITOF,
	FTOI,
	SQRT,
	JUMP,
	JZ,
	JNZ,
	CALL,
	RET,
	LOAD,
	STORE,
	LOADB,
	STOREB,
	PICK,
	SIZE,
	TID
};
struct Code {
	unsigned op : 6;
	unsigned wide : 1;
	int imm : 25;
};
static_assert(sizeof(Code) == 4, "a word");
union Value {
	long long i;
	unsigned long long u;
	double f;
	unsigned char bytes[8];
};
enum Trap : unsigned char { NONE, STACK, DIVIDE, BOUNDS, OPCODE, STEPS };
struct Result {
	Value top;
	unsigned long long memory;
	int steps;
	unsigned char trap, depth;
};

__host__ __device__ Result run(const Code *code, int length, int tid)
{
	Value stack[24], memory[16];
	int frames[8], sp = 0, fp = 0, pc = 0, steps = 0;
	Trap trap = NONE;
	for (int i = 0; i < 16; i++)
		memory[i].i = i * tid;
	while (trap == NONE && steps < 4000) {
		if (pc < 0 || pc >= length) {
			trap = BOUNDS;
			break;
		}
		Code c = code[pc++];
		steps++;
		unsigned takes = c.op >= ADD && c.op <= FLT ? (c.op == NEG || c.op == NOT ? 1 : 2)
				 : c.op == DUP || c.op == DROP || (c.op >= ITOF && c.op <= SQRT) || c.op == JZ ||
						 c.op == JNZ || c.op == LOAD || c.op == LOADB || c.op == PICK
					 ? 1
				 : c.op == SWAP || c.op == OVER || c.op == STORE || c.op == STOREB ? 2
				 : c.op == ROT							   ? 3
												   : 0;
		if ((unsigned)sp < takes || sp >= 22) {
			trap = STACK;
			break;
		}
		Value *a = &stack[sp - 1], *b = &stack[sp - 2];
		switch (c.op) {
		case HALT:
			goto done;
		case PUSH:
			stack[sp].i = c.imm;
			if (c.wide)
				stack[sp].i = stack[sp].i << 32 | (unsigned)code[pc++].imm;
			sp++;
			break;
		case PUSHF:
			stack[sp++].f = c.imm / 256.0;
			break;
		case DUP:
			stack[sp++] = *a;
			break;
		case SWAP: {
			Value t = *a;
			*a = *b;
			*b = t;
			break;
		}
		case OVER:
			stack[sp++] = *b;
			break;
		case ROT: {
			Value t = stack[sp - 3];
			stack[sp - 3] = *b;
			*b = *a;
			*a = t;
			break;
		}
		case DROP:
			sp--;
			break;
		case ADD:
			b->u += a->u, sp--;
			break;
		case SUB:
			b->u -= a->u, sp--;
			break;
		case MUL:
			b->u *= a->u, sp--;
			break;
		case DIV:
		case REM:
			if (a->i == 0 || (a->i == -1 && b->u == 1ull << 63)) {
				trap = DIVIDE;
				break;
			}
			b->i = c.op == DIV ? b->i / a->i : b->i % a->i;
			sp--;
			break;
		case NEG:
			a->u = 0 - a->u;
			break;
		case AND:
			b->u &= a->u, sp--;
			break;
		case OR:
			b->u |= a->u, sp--;
			break;
		case XOR:
			b->u ^= a->u, sp--;
			break;
		case SHL:
			b->u <<= a->u & 63, sp--;
			break;
		case SHR:
			b->u >>= a->u & 63, sp--;
			break;
		case SAR:
			b->i >>= a->u & 63, sp--;
			break;
		case NOT:
			a->u = ~a->u;
			break;
		case EQ:
			b->i = b->u == a->u, sp--;
			break;
		case LT:
			b->i = b->i < a->i, sp--;
			break;
		case LTU:
			b->i = b->u < a->u, sp--;
			break;
		case FADD:
			b->f += a->f, sp--;
			break;
		case FSUB:
			b->f -= a->f, sp--;
			break;
		case FMUL:
			b->f *= a->f, sp--;
			break;
		case FDIV:
			b->f /= a->f, sp--;
			break;
		case FLT:
			b->i = b->f < a->f, sp--;
			break;
		case ITOF:
			a->f = (double)a->i;
			break;
		case FTOI:
			a->i = a->f > -1e18 && a->f < 1e18 ? (long long)a->f : 0;
			break;
		case SQRT:
			a->f = sqrt(a->f);
			break;
		case JUMP:
			pc += c.imm;
			break;
		case JZ:
			sp--;
			pc += a->u == 0 ? c.imm : 0;
			break;
		case JNZ:
			sp--;
			pc += a->u != 0 ? c.imm : 0;
			break;
		case CALL:
			if (fp == 8) {
				trap = STACK;
				break;
			}
			frames[fp++] = pc;
			pc += c.imm;
			break;
		case RET:
			if (fp == 0)
				goto done;
			pc = frames[--fp];
			break;
		case LOAD:
			a->u = memory[a->u & 15].u;
			break;
		case STORE:
			memory[a->u & 15] = *b;
			sp -= 2;
			break;
		case LOADB:
			a->u = memory[a->u / 8 & 15].bytes[a->u & 7];
			break;
		case STOREB:
			memory[a->u / 8 & 15].bytes[a->u & 7] = b->bytes[0];
			sp -= 2;
			break;
		case PICK:
			if (a->u >= (unsigned)sp - 1)
				trap = STACK;
			else
				*a = stack[sp - 2 - a->i];
			break;
		case SIZE:
			stack[sp++].i = sp;
			break;
		case TID:
			stack[sp++].i = tid;
			break;
		default:
			trap = OPCODE;
		}
	}
	if (steps >= 4000)
		trap = STEPS;
done:
	Result r;
	memset((void *)&r, 0, sizeof r);
	if (sp)
		r.top = stack[sp - 1];
	for (int i = 0; i < 16; i++)
		r.memory = r.memory * 31 + memory[i].u;
	r.steps = steps;
	r.trap = trap;
	r.depth = (unsigned char)(sp + 32 * fp);
	return r;
}

__global__ void all(const Code *code, const int *starts, int programs, Result *out)
{
	int p = threadIdx.x % programs, tid = blockIdx.x * blockDim.x + threadIdx.x;
	out[tid] = run(code + starts[p], starts[p + 1] - starts[p], tid);
}

int main()
{
	std::vector<std::vector<Code>> programs = {
		/* the sum of the squares below tid */
		{{PUSH, 0, 0},
		 {TID, 0, 0},
		 {DUP, 0, 0},
		 {JZ, 0, 8},
		 {DUP, 0, 0},
		 {DUP, 0, 0},
		 {MUL, 0, 0},
		 {ROT, 0, 0},
		 {ADD, 0, 0},
		 {SWAP, 0, 0},
		 {PUSH, 0, -1},
		 {JUMP, 0, 1},
		 {HALT, 0, 0},
		 {ADD, 0, 0},
		 {JUMP, 0, -13}},
		/* the root of tid + 2 by Newton's steps, against the instruction's */
		{{TID, 0, 0},	  {PUSH, 0, 2},	 {ADD, 0, 0},	{ITOF, 0, 0},  {PUSHF, 0, 256}, {PUSH, 0, 6},
		 {PUSH, 0, 3},	  {STORE, 0, 0}, {OVER, 0, 0},	{OVER, 0, 0},  {FDIV, 0, 0},	{FADD, 0, 0},
		 {PUSHF, 0, 128}, {FMUL, 0, 0},	 {PUSH, 0, 3},	{LOAD, 0, 0},  {PUSH, 0, 1},	{SUB, 0, 0},
		 {DUP, 0, 0},	  {PUSH, 0, 3},	 {STORE, 0, 0}, {JNZ, 0, -14}, {SWAP, 0, 0},	{SQRT, 0, 0},
		 {FSUB, 0, 0},	  {PUSHF, 0, 1}, {FLT, 0, 0}},
		/* bytes of a number into memory, in reverse, by a subroutine */
		{{PUSH, 1, 0x123456}, {HALT, 0, 0x789abc}, {TID, 0, 0},	  {XOR, 0, 0},	 {PUSH, 0, 5},	 {STORE, 0, 0},
		 {PUSH, 0, 7},	      {CALL, 0, 6},	   {PUSH, 0, -1}, {ADD, 0, 0},	 {DUP, 0, 0},	 {NOT, 0, 0},
		 {JNZ, 0, -6},	      {HALT, 0, 0},	   {DUP, 0, 0},	  {PUSH, 0, 40}, {ADD, 0, 0},	 {LOADB, 0, 0},
		 {OVER, 0, 0},	      {PUSH, 0, 71},	   {SWAP, 0, 0},  {SUB, 0, 0},	 {STOREB, 0, 0}, {RET, 0, 0}},
		{{TID, 0, 0},
		 {PUSH, 0, 3},
		 {REM, 0, 0},
		 {PUSH, 0, 100},
		 {SWAP, 0, 0},
		 {DIV, 0, 0},
		 {PUSH, 0, 4},
		 {SHL, 0, 0},
		 {SIZE, 0, 0},
		 {PICK, 0, 0}},
		{{CALL, 0, -1}},
		{{PUSH, 0, 1}, {JUMP, 0, -2}},
		{{PUSH, 0, 1}, {PUSH, 0, 0}, {DROP, 0, 0}, {JNZ, 0, -4}},
	};
	std::vector<Code> flat;
	std::vector<int> begins = {0};
	unsigned seed = 17;
	while (programs.size() < 32) { /* and some that nobody wrote */
		std::vector<Code> wild;
		for (int i = 0; i < 60; i++) {
			seed = seed * 1664525 + 1013904223;
			unsigned pick = seed >> 8;
			Op op = pick % 3 == 0 ? PUSH : (Op)(pick / 3 % 46);
			int imm = op >= JUMP && op <= CALL ? (int)(pick / 200 % 15) - 4 : (int)(pick >> 5) - 300000;
			wild.push_back({op, 0, imm});
		}
		programs.push_back(wild);
	}
	for (auto &p : programs) {
		flat.insert(flat.end(), p.begin(), p.end());
		begins.push_back((int)flat.size());
	}
	int count = (int)programs.size(), seen[6] = {};
	Code *code = shared_array<Code>(flat.size());
	int *starts = shared_array<int>(count + 1);
	memcpy((void *)code, flat.data(), flat.size() * sizeof(Code));
	memcpy(starts, begins.data(), begins.size() * sizeof(int));
	Result *got = shared_array<Result>(128);
	all<<<2, 64>>>(code, starts, count, got);
	finish_kernel();
	for (int tid = 0; tid < 128; tid++) {
		int p = tid % 64 % count;
		Result want = run(code + starts[p], starts[p + 1] - starts[p], tid);
		seen[want.trap]++;
		if (want.trap == NONE && want.top.f != want.top.f)
			got[tid].top = want.top; /* NaNs differ */
		expect_same(got + tid, &want, 1, "program");
	}
	for (int trap = NONE; trap <= STEPS; trap++)
		expect(seen[trap] > 0, "trap", trap);
	puts("PASSED");
}
