; Control flow and variables in inline PTX that are not right: the statement, what is wrong with it, and where.
; RUN: rm -rf %t && mkdir %t && cd %t && not %opt -load-pass-plugin=%plugin '-passes=heddle<o=x>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: test ! -e x.hdo
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %p, i32 %x, i64 %w) {
; CHECK-DAG: inline assembly 'bra': unknown label 'L2', in 'k'
  call void asm sideeffect "L1: bra L2;", ""()
; CHECK-DAG: inline assembly 'bra': unknown label 'L1', in 'k' at 'call void asm sideeffect "{ { L1: } bra L1; }"
  call void asm sideeffect "{ { L1: } bra L1; }", ""()
; CHECK-DAG: inline assembly 'brx.idx': expected a .branchtargets table
  call void asm sideeffect "L1: brx.idx $0, L1;", "r"(i32 %x)
; CHECK-DAG: inline assembly 'dp2a.lo.u32.u32': expected 4 operands
  call void asm sideeffect "dp2a.lo.u32.u32 $0, $0, $0;", "r"(i32 %x)
; CHECK-DAG: inline assembly 'vadd.u32.u32': expected 32-bit types after the opcode
  call void asm sideeffect "vadd.u32.u32 $0, $0, $0;", "r"(i32 %x)
; CHECK-DAG: inline assembly 'vadd.u32.u32.u32': unknown part '.b4'
  call void asm sideeffect "vadd.u32.u32.u32 $0, $0.b4, $0;", "r"(i32 %x)
; CHECK-DAG: inline assembly 'atom.global.exch.b128': atomic operations on 128 bits need sm_90 or later
  call void asm sideeffect "{ .reg .b128 v; mov.b128 v, {$0, $0}; atom.global.exch.b128 v, [$0], v; }", "l"(i64 %w)
; CHECK-DAG: inline assembly 'add.u32': 'v' of 128 bits is not supported here
  call void asm sideeffect "{ .reg .b128 v; mov.b128 v, {$0, $0}; add.u32 v, v, v; }", "l"(i64 %w)
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
