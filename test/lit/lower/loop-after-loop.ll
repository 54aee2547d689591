; What the PHIs of a second loop begin with is put into their registers once, between the loops, not on each round of the
; first one, also where nothing else stands between them.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=loop-unrolling>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck %s

; CHECK-LABEL: kernel two
; CHECK:       .B1:
; CHECK-NOT:   MOV R{{[0-9]+}}, {{RZ|c}}
; CHECK:       LDG
; CHECK-NOT:   MOV R{{[0-9]+}}, {{RZ|c}}
; CHECK:       BRA
; CHECK:       .B{{[0-9]+}}:
; CHECK-DAG:   MOV R{{[0-9]+}}, c[0x0][0x170]
; CHECK-DAG:   MOV R{{[0-9]+}}, RZ
; CHECK:       .B{{[0-9]+}}:
; CHECK:       LDG
; CHECK:       BRA
; CHECK:       STG

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @two(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  br label %first
first:
  %i = phi i32 [ %n, %entry ], [ %j, %first ]
  %s = phi float [ 0.0, %entry ], [ %t, %first ]
  %p = getelementptr float, ptr addrspace(1) %in, i32 %i
  %v = load float, ptr addrspace(1) %p
  %t = fadd float %s, %v
  %j = add i32 %i, -1
  %more = icmp ne i32 %j, 0
  br i1 %more, label %first, label %second
second:
  %k = phi i32 [ %n, %first ], [ %l, %second ]
  %u = phi float [ 0.0, %first ], [ %w, %second ]
  %q = getelementptr float, ptr addrspace(1) %out, i32 %k
  %x = load float, ptr addrspace(1) %q
  %w = fadd float %u, %x
  %l = add i32 %k, -1
  %on = icmp ne i32 %l, 0
  br i1 %on, label %second, label %done
done:
  %sum = fadd float %t, %w
  store float %sum, ptr addrspace(1) %out
  ret void
}
