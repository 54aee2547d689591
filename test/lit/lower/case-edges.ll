; A case of a switch that only passes values on has a block of its own for the copies, which are otherwise made in front
; of the jump for every case and keep what they overwrite from staying where it is.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=case-edges>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK:      ISETP
; CHECK-NOT:  MOV
; CHECK:      BRX
; CHECK:      MOV
; WITHOUT:      ISETP
; WITHOUT:      MOV
; WITHOUT:      BRX

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @step(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %x.at = getelementptr i32, ptr addrspace(1) %in, i32 1
  %a.at = getelementptr i32, ptr addrspace(1) %in, i32 2
  %op = load i32, ptr addrspace(1) %in
  %x = load i32, ptr addrspace(1) %x.at
  %a = load i32, ptr addrspace(1) %a.at
  switch i32 %op, label %other [
    i32 0, label %add
    i32 1, label %sub
    i32 2, label %mul
    i32 3, label %after
    i32 4, label %xor
    i32 5, label %or
  ]
add:
  %a0 = add i32 %a, %x
  br label %after
sub:
  %a1 = sub i32 %a, %x
  br label %after
mul:
  %a2 = mul i32 %a, %x
  br label %after
xor:
  %a4 = xor i32 %a, %x
  br label %after
or:
  %a5 = or i32 %a, %x
  br label %after
other:
  %x6 = add i32 %x, 1
  br label %after
after:
  %acc = phi i32 [ %a0, %add ], [ %a1, %sub ], [ %a2, %mul ], [ %a, %entry ], [ %a4, %xor ], [ %a5, %or ], [ %a, %other ]
  %next = phi i32 [ %x, %add ], [ %x, %sub ], [ %x, %mul ], [ %a, %entry ], [ %x, %xor ], [ %x, %or ], [ %x6, %other ]
  store i32 %acc, ptr addrspace(1) %out
  %far = getelementptr i32, ptr addrspace(1) %out, i32 1
  store volatile i32 %next, ptr addrspace(1) %far
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @step, !"kernel", i32 1}
