; What clang does not make of CUDA C++ and nothing expands is named with its function and instruction.
; RUN: sed -e 's/^;A //' %s > %t.ll && not %opt -load-pass-plugin=%plugin '-passes=heddle' -disable-output %t.ll 2>&1 | %FileCheck --check-prefix=A %s
; RUN: sed -e 's/^;B //' %s > %t.ll && not %opt -load-pass-plugin=%plugin '-passes=heddle' -disable-output %t.ll 2>&1 | %FileCheck --check-prefix=B %s
; RUN: sed -e 's/^;C //' %s > %t.ll && not %opt -load-pass-plugin=%plugin '-passes=heddle' -disable-output %t.ll 2>&1 | %FileCheck --check-prefix=C %s
; RUN: sed -e 's/^;D //' %s > %t.ll && not %opt -load-pass-plugin=%plugin '-passes=heddle' -disable-output %t.ll 2>&1 | %FileCheck --check-prefix=D %s
; RUN: sed -e 's/^;E //' %s > %t.ll && not %opt -load-pass-plugin=%plugin '-passes=heddle' -disable-output %t.ll 2>&1 | %FileCheck --check-prefix=E %s
; RUN: sed -e 's/^;F //' %s > %t.ll && not %opt -load-pass-plugin=%plugin '-passes=heddle' -disable-output %t.ll 2>&1 | %FileCheck --check-prefix=F %s
; A: error: unsupported intrinsic llvm.vp.add.v4i32, in 'k' at '%r = call <4 x i32> @llvm.vp.add.v4i32(
; B: error: unsupported intrinsic llvm.smul.fix.i128, in 'k' at '%r = call i128 @llvm.smul.fix.i128(
; C: error: unsupported compare-and-exchange of 128 bits, in 'k' at '%r = cmpxchg ptr
; D: error: unsupported intrinsic llvm.experimental.constrained.fadd.f32, in 'k' at '%r = call float @llvm.experimental.constrained.fadd.f32({{.*}}"round.upward"
; E: error: unsupported callbr, in 'asm_goto' at 'callbr void asm sideeffect
; F: error: unsupported stack object outside local memory, in 'k' at '%slot = alloca i128{{.*}}addrspace(3)
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
declare <4 x i32> @llvm.vp.add.v4i32(<4 x i32>, <4 x i32>, <4 x i1>, i32)
declare i128 @llvm.smul.fix.i128(i128, i128, i32)
declare float @llvm.experimental.constrained.fadd.f32(float, float, metadata, metadata)
;E define ptx_kernel void @asm_goto(ptr %p) {
;E   callbr void asm sideeffect "", "!i"() to label %next [label %other]
;E next:
;E   ret void
;E other:
;E   store i32 1, ptr %p
;E   ret void
;E }
define ptx_kernel void @k(ptr %p, <4 x i32> %v, i128 %i, float %f) {
;A   %r = call <4 x i32> @llvm.vp.add.v4i32(<4 x i32> %v, <4 x i32> %v, <4 x i1> <i1 true, i1 false, i1 true, i1 true>, i32 3)
;A   store <4 x i32> %r, ptr %p
;B   %r = call i128 @llvm.smul.fix.i128(i128 %i, i128 %i, i32 4)
;B   store i128 %r, ptr %p
;C   %r = cmpxchg ptr %p, i128 %i, i128 7 seq_cst seq_cst
;D   %r = call float @llvm.experimental.constrained.fadd.f32(float %f, float %f, metadata !"round.upward", metadata !"fpexcept.strict")
;D   store float %r, ptr %p
;F   %slot = alloca i128, align 16, addrspace(3)
;F   store i128 %i, ptr addrspace(3) %slot
  ret void
}
