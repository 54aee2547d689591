; Members of by-value parameters at places that a linear register or a coefficient register gives: loads from the
; constant bank, no operand of a bank that the immediate alone would name. Places outside of the bank are loads, too.
; RUN: %opt -load-pass-plugin=%plugin -passes='heddle<check=1;linear=always;o=%t>' -disable-output %s
; RUN: %heddle dis %t.hdo | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='heddle<check=1;linear=never;o=%t>' -disable-output %s
; RUN: %heddle dis %t.hdo | %FileCheck --check-prefix=NEVER %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%S = type { [64 x { i32, i32 }] }
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

; CHECK-LABEL: linear version of members
; CHECK:       main
; CHECK-DAG:   LDC R{{[0-9]+}}, c[0x0][%lr0]
; CHECK-DAG:   LDC R{{[0-9]+}}, c[0x0][%lr1]
; CHECK-DAG:   LDC R{{[0-9]+}}, c[0x0][%cr{{[0-9]+}}+0x16c]
; CHECK:       EXIT
; NEVER-LABEL: kernel members
; NEVER-COUNT-3: LDC R{{[0-9]+}}, c[0x0][R
define void @members(ptr addrspace(1) %o, ptr byval(%S) align 4 %s, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %pt = getelementptr %S, ptr %s, i32 0, i32 0, i32 %t, i32 1
  %vt = load i32, ptr %pt
  %pb = getelementptr %S, ptr %s, i32 0, i32 0, i32 %b, i32 1
  %vb = load i32, ptr %pb
  %pn = getelementptr %S, ptr %s, i32 0, i32 0, i32 %n, i32 1
  %vn = load i32, ptr %pn
  %sum = add i32 %vt, %vb
  %all = add i32 %sum, %vn
  store i32 %all, ptr addrspace(1) %o
  ret void
}

; CHECK-LABEL: kernel outside
; CHECK-DAG:   LDC R{{[0-9]+}}, c[0x0][R{{[0-9]+}}]
; CHECK-DAG:   LDC.64 R{{[0-9]+}}, c[0x0][0x8368]
; CHECK:       EXIT
; NEVER-LABEL: kernel outside
; NEVER-DAG:   LDC R{{[0-9]+}}, c[0x0][R{{[0-9]+}}]
; NEVER-DAG:   LDC.64 R{{[0-9]+}}, c[0x0][0x8368]
; NEVER:       EXIT
define void @outside(ptr addrspace(1) %o, ptr byval(%S) align 4 %s, i32 %n) {
  %before = getelementptr i8, ptr %s, i64 -368
  %v = load i32, ptr %before
  %behind = getelementptr i8, ptr %s, i64 33280
  %w = load i64, ptr %behind
  store i32 %v, ptr addrspace(1) %o
  %next = getelementptr i64, ptr addrspace(1) %o, i64 1
  store i64 %w, ptr addrspace(1) %next
  ret void
}

; What is not there is no launch constant either.
; CHECK-LABEL: kernel factor
; CHECK-NOT:   MOV R{{[0-9]+}}, c[0x0][0x8368]
; CHECK:       LDC R{{[0-9]+}}, c[0x0][0x8368]
; CHECK-NOT:   MOV R{{[0-9]+}}, c[0x0][0x8368]
define void @factor(ptr addrspace(1) %o, ptr byval(%S) align 4 %s, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %behind = getelementptr i8, ptr %s, i64 33280
  %f = load i32, ptr %behind
  %i = mul i32 %f, %t
  %p = getelementptr i32, ptr addrspace(1) %o, i32 %i
  store i32 %n, ptr addrspace(1) %p
  ret void
}

; Addresses that nothing reads from.
; CHECK-LABEL: kernel unused
; CHECK:       LDC R{{[0-9]+}}, c[0x0][R
define void @unused(ptr addrspace(1) %o, ptr byval(%S) align 4 %s, i32 %n) {
  %row = getelementptr %S, ptr %s, i32 0, i32 0, i32 %n
  %dead = getelementptr i8, ptr %row, i32 4
  %live = getelementptr %S, ptr %s, i32 0, i32 0, i32 %n
  %v = load i32, ptr %live
  store i32 %v, ptr addrspace(1) %o
  ret void
}

; The space may be given already.
; CHECK-LABEL: linear version of given
; CHECK:       LDC R{{[0-9]+}}, c[0x0][%lr0]
define void @given(ptr addrspace(1) %o, ptr byval(%S) align 4 %s) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %param = addrspacecast ptr %s to ptr addrspace(101)
  %p = getelementptr i32, ptr addrspace(101) %param, i32 %t
  %v = load i32, ptr addrspace(101) %p
  store i32 %v, ptr addrspace(1) %o
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3, !4}
!0 = !{ptr @members, !"kernel", i32 1}
!1 = !{ptr @outside, !"kernel", i32 1}
!2 = !{ptr @factor, !"kernel", i32 1}
!3 = !{ptr @unused, !"kernel", i32 1}
!4 = !{ptr @given, !"kernel", i32 1}
