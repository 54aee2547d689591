; A value that goes into a loop and around it is one register with the one that leaves the loop, though both are copied
; from a third where the ways part and a constant is made beside them; and so are two that start as the same constant.
; Without, a copy is made on each way.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=coalesced-tails>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK-LABEL:     kernel walk
; CHECK:           [[V:R[0-9]+]], c[0x0][0x170]
; CHECK-NOT:       {{MOV R[0-9]+, R[0-9]}}
; CHECK:           STG {{.*}}, [[V]]
; CHECK-LABEL:     kernel sum
; CHECK-NOT:       {{MOV R[0-9]+, R[0-9]}}
; CHECK:           EXIT
; WITHOUT-LABEL:   kernel walk
; WITHOUT:         {{MOV R[0-9]+, R[0-9]}}
; WITHOUT-LABEL:   kernel sum
; WITHOUT:         {{MOV R[0-9]+, R[0-9]}}

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @walk(ptr addrspace(1) %next, ptr addrspace(1) %out, i32 %start, i32 %n) {
entry:
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %some, label %done
some:
  %few = icmp ult i32 %n, 4
  br i1 %few, label %rest, label %loop
loop:
  %at = phi i32 [%start, %some], [%to, %loop]
  %i = phi i32 [0, %some], [%j, %loop]
  %p = getelementptr i32, ptr addrspace(1) %next, i32 %at
  %to = load i32, ptr addrspace(1) %p
  %j = add i32 %i, 4
  %last = icmp eq i32 %j, %n
  br i1 %last, label %rest, label %loop
rest:
  %left = phi i32 [%start, %some], [%to, %loop]
  %even = trunc i32 %n to i1
  br i1 %even, label %done, label %more
more:
  %at2 = phi i32 [%left, %rest], [%to2, %more]
  %k = phi i32 [0, %rest], [%l, %more]
  %p2 = getelementptr i32, ptr addrspace(1) %next, i32 %at2
  %to2 = load i32, ptr addrspace(1) %p2
  %l = add i32 %k, 1
  %end = icmp eq i32 %l, %n
  br i1 %end, label %done, label %more
done:
  %r = phi i32 [%start, %entry], [%left, %rest], [%to2, %more]
  store i32 %r, ptr addrspace(1) %out
  ret void
}

define ptx_kernel void @sum(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %start, i32 %n) {
entry:
  %any = icmp slt i32 %start, %n
  br i1 %any, label %loop, label %done
loop:
  %s = phi float [0.0, %entry], [%t, %loop]
  %i = phi i32 [%start, %entry], [%j, %loop]
  %p = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load volatile float, ptr addrspace(1) %p
  %t = fadd float %s, %x
  %j = add i32 %i, %start
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %done
done:
  %r = phi float [0.0, %entry], [%t, %loop]
  store float %r, ptr addrspace(1) %out
  ret void
}
