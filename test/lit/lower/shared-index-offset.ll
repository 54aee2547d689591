; A constant in a word that is extended to an index of shared memory is an offset of the access: shared addresses wrap as
; sums of words do. For global memory, whose addresses are wider, the sum comes first.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s

; CHECK-LABEL: kernel below
; CHECK-NOT:   IADD3
; CHECK:       LDS R{{[0-9]+}}, [R{{[0-9]+}}-0x4]
; CHECK-LABEL: kernel above
; CHECK-NOT:   IADD3
; CHECK:       STS [R{{[0-9]+}}+0x18], R
; CHECK-LABEL: kernel global
; CHECK:       IADD3 R{{[0-9]+}}, R{{[0-9]+}}, -0x1, RZ
; CHECK:       LDG R{{[0-9]+}}, [R{{[0-9]+}}.64]

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
@a = internal addrspace(3) global [64 x i32] undef, align 4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define ptx_kernel void @below(ptr addrspace(1) %out) {
  %own = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %before = add i32 %own, -1
  %at = zext i32 %before to i64
  %p = getelementptr i32, ptr addrspace(3) @a, i64 %at
  %v = load i32, ptr addrspace(3) %p
  store i32 %v, ptr addrspace(1) %out
  ret void
}

define ptx_kernel void @above(i32 %v) {
  %own = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %behind = add i32 %own, 3
  %at = sext i32 %behind to i64
  %p = getelementptr i64, ptr addrspace(3) @a, i64 %at
  store i32 %v, ptr addrspace(3) %p
  ret void
}

define ptx_kernel void @global(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %own = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %before = add i32 %own, -1
  %at = zext i32 %before to i64
  %p = getelementptr i32, ptr addrspace(1) %in, i64 %at
  %v = load i32, ptr addrspace(1) %p
  store i32 %v, ptr addrspace(1) %out
  ret void
}
