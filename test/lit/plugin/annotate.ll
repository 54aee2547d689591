; The user's module gets metadata and nothing else: it verifies, other back ends make the same code of it,
; and a second run replaces what the first one said.
; RUN: %opt -load-pass-plugin=%plugin -passes=heddle,verify -S < %s > %t.ll
; RUN: %FileCheck %s < %t.ll
; RUN: %opt -load-pass-plugin=%plugin -passes=heddle,verify -S < %t.ll > %t.2.ll
; RUN: diff %t.ll %t.2.ll
; RUN: %llc -mcpu=sm_70 -mattr=+ptx63 %s -o %t.plain.ptx
; RUN: %llc -mcpu=sm_70 -mattr=+ptx63 %t.ll -o %t.annotated.ptx
; RUN: diff %t.plain.ptx %t.annotated.ptx

; CHECK: define i32 @f(i32 %x){{.*}} !heddle.stackdepth ![[#F:]] !heddle.chain ![[#FC:]]
; CHECK: define {{(ptx_kernel )?}}void @k({{.*}} !heddle.stackdepth ![[#K:]] !heddle.chain ![[#KC:]]
; CHECK: call i32 @f(i32 %x), !heddle.code !{{[0-9]+}}, !heddle.call ![[#CALL:]]
; CHECK: !heddle.version = !{![[#VERSION:]]}
; CHECK-DAG: ![[#VERSION]] = !{!"{{[0-9.]+}}", i32 1}
; CHECK-DAG: ![[#F]] = !{!"registers", i32 [[#]],{{.*}} !"fru", i32 [[#]],{{.*}} !"max_fru", i32 [[#]], !"recursive", i32 0, !"address_taken", i32 0}
; CHECK-DAG: ![[#FC]] = !{!"f"}
; CHECK-DAG: ![[#CALL]] = !{!"fru", i32 [[#]]}
; CHECK-DAG: ![[#KC]] = !{!"k", !"f"}

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define i32 @f(i32 %x) {
  %r = mul i32 %x, 3
  ret i32 %r
}

define void @k(ptr addrspace(1) %out, i32 %x) {
  %a = call i32 @f(i32 %x)
  store i32 %a, ptr addrspace(1) %out
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
