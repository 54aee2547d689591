; The alignment of addresses whose base is a member of a by-value parameter: that of allocations where the member is a
; pointer, none where it is a number that stands at the parameter's beginning.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-metadata>' -disable-output %s 2>&1 | %FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%S = type { i64, [2 x { i64, ptr addrspace(1) }] }
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

; CHECK: "address": "{P0.0l, 4, 0, 0, 0, 0, 0}",
; CHECK: "alignment": 1,
; CHECK: "address": "{P0.32l, 4, 0, 0, 0, 0, 0}",
; CHECK: "alignment": 128,
define void @k(ptr byval(%S) align 8 %s, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = load i64, ptr %s
  %number = inttoptr i64 %i to ptr addrspace(1)
  %one = getelementptr i32, ptr addrspace(1) %number, i32 %t
  store i8 1, ptr addrspace(1) %one, align 1
  %place = getelementptr %S, ptr %s, i32 0, i32 1, i32 1, i32 1
  %member = load ptr addrspace(1), ptr %place
  %two = getelementptr i32, ptr addrspace(1) %member, i32 %t
  store i32 %n, ptr addrspace(1) %two
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
