// clang runs the pass at the end of the optimizer, whatever the level; parameters come from the environment.
// DEFINE: %{device} = -x cuda -nocudainc -nocudalib --cuda-path=/nonexistent --cuda-gpu-arch=sm_70 --cuda-device-only -S -emit-llvm -Xclang -target-sdk-version=12.3 --cuda-feature=+ptx75
// RUN: rm -rf %t && mkdir %t
// RUN: env HEDDLE_PASS='o=%t/o2' %clang++ %s -O2 -gline-tables-only -o %t/o2.ll %{device} -fpass-plugin=%plugin -Rpass-analysis=heddle-stackdepth 2>&1 | %FileCheck --check-prefix=REMARK %s
// RUN: env HEDDLE_PASS='o=%t/o0' %clang++ %s -O0 -o %t/o0.ll %{device} -fpass-plugin=%plugin
// RUN: %FileCheck %s < %t/o2.ll
// RUN: %FileCheck %s < %t/o0.ll
// RUN: ls %t/o2.hdo %t/o2.heddle.json %t/o0.hdo %t/o0.heddle.json
// RUN: env HEDDLE_PASS='o=%t/asm' %not %clang++ %s -DASM -O2 -gline-tables-only -o %t/asm.ll %{device} -fpass-plugin=%plugin 2>&1 | %FileCheck --check-prefix=ASM %s
// RUN: env HEDDLE_PASS='frob' %not %clang++ %s -O2 -o %t/asm.ll %{device} -fpass-plugin=%plugin 2>&1 | %FileCheck --check-prefix=KEY %s
// The plugin drops clang's marks, without which the optimizer keeps the test for what is undefined otherwise.
// RUN: env HEDDLE_PASS='o=%t/undef' %clang++ %s -DUNDEFINED -O2 -o %t/undef.ll %{device} -fpass-plugin=%plugin
// RUN: %FileCheck --check-prefix=UNDEFINED %s < %t/undef.ll
// RUN: %not ls %t/asm.hdo %t/asm.ll

// REMARK: clang.cu:[[#@LINE+18]]:10: remark: deepest chain of calls, {{[0-9]+}} registers: kern(int*, int) FRU {{[0-9]+}} -> cube(int) ({{.*}}clang.cu:[[#@LINE+18]]) FRU 1 [-Rpass-analysis=heddle-stackdepth]
// REMARK-NOT: remark
// ASM: clang.cu:[[#@LINE+10]]:3: error: {{.*inline assembly}}
// UNDEFINED: define {{.*}}@_Z5queuePi(
// UNDEFINED: br i1
// UNDEFINED: atomicrmw
// KEY: error: unknown pass parameter 'frob'
// CHECK: call {{.*}}@_Z4cubei({{.*}} !heddle.call

__attribute__((device, noinline)) int cube(int x)
{
#ifdef ASM
  asm volatile("vshl.u32.u32.u32.clamp %0, %0, %0, %0;" : "+r"(x));
#endif
  return x * x * x;
}
__attribute__((global)) void kern(int *p, int n)
{
  p[n] = cube(n);
}

#ifdef UNDEFINED
__attribute__((global)) void queue(int *head)
{
  int first;
  if (__nvvm_read_ptx_sreg_tid_x() == 0)
    first = __nvvm_atom_add_gen_i(head, 1);
  head[1] = cube(first);
}
#endif
