// A barrier in shared memory, a copy in bulk that reports its bytes to one, and the wait for its phase.
__device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void init(unsigned long long *bar) { asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at(bar)) : "memory"); }
__device__ void load(void *to, const void *from, unsigned bytes, unsigned long long *bar)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(bar)), "r"(bytes) : "memory");
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(to)), "l"(from), "r"(bytes), "r"(at(bar)) : "memory");
}
__device__ void wait(unsigned long long *bar, unsigned parity)
{
	asm volatile("{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra again;\n}" ::"r"(at(bar)), "r"(parity) : "memory");
}
