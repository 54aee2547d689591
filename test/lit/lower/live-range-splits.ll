; More values are live between the loads and their last reads than there are registers. Those whose next read is furthest
; away when a register is needed are stored once, behind their definitions, and loaded once, in front of that read; until
; then they keep their registers. What lives through a loop unread is out of registers there rather than what the loop
; reads. Without, spilled values are in memory all the time, and loaded for each read.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;maxrregcount=16>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;maxrregcount=16;without=live-range-splits>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK-LABEL: kernel twice:
; CHECK: STL [[SLOT:.*]], {{.*}} spill-store
; CHECK-NOT: spill
; CHECK: IMAD
; CHECK: LOP3
; CHECK: LDL {{.*}}, [[SLOT]] {{.*}}spill-load
; CHECK-NOT: spill
; CHECK-LABEL: kernel loop:
; CHECK: STL {{.*}} spill-store
; CHECK: IMAD
; CHECK-NOT: spill
; CHECK: BRA
; CHECK: LDL {{.*}} spill-load
; CHECK-NOT: spill

; WITHOUT-LABEL: kernel twice:
; WITHOUT-COUNT-2: spill-store
; WITHOUT-COUNT-4: spill-load

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @twice(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %p0 = getelementptr i32, ptr addrspace(1) %in, i32 0
  %a0 = load volatile i32, ptr addrspace(1) %p0
  %p1 = getelementptr i32, ptr addrspace(1) %in, i32 1
  %a1 = load volatile i32, ptr addrspace(1) %p1
  %p2 = getelementptr i32, ptr addrspace(1) %in, i32 2
  %a2 = load volatile i32, ptr addrspace(1) %p2
  %p3 = getelementptr i32, ptr addrspace(1) %in, i32 3
  %a3 = load volatile i32, ptr addrspace(1) %p3
  %p4 = getelementptr i32, ptr addrspace(1) %in, i32 4
  %a4 = load volatile i32, ptr addrspace(1) %p4
  %p5 = getelementptr i32, ptr addrspace(1) %in, i32 5
  %a5 = load volatile i32, ptr addrspace(1) %p5
  %p6 = getelementptr i32, ptr addrspace(1) %in, i32 6
  %a6 = load volatile i32, ptr addrspace(1) %p6
  %p7 = getelementptr i32, ptr addrspace(1) %in, i32 7
  %a7 = load volatile i32, ptr addrspace(1) %p7
  %p8 = getelementptr i32, ptr addrspace(1) %in, i32 8
  %a8 = load volatile i32, ptr addrspace(1) %p8
  %p9 = getelementptr i32, ptr addrspace(1) %in, i32 9
  %a9 = load volatile i32, ptr addrspace(1) %p9
  %p10 = getelementptr i32, ptr addrspace(1) %in, i32 10
  %a10 = load volatile i32, ptr addrspace(1) %p10
  %p11 = getelementptr i32, ptr addrspace(1) %in, i32 11
  %a11 = load volatile i32, ptr addrspace(1) %p11
  %p12 = getelementptr i32, ptr addrspace(1) %in, i32 12
  %a12 = load volatile i32, ptr addrspace(1) %p12
  %x0.1 = mul i32 %a0, %a1
  %x0.2 = xor i32 %x0.1, %a2
  %x0.3 = mul i32 %x0.2, %a3
  %x0.4 = xor i32 %x0.3, %a4
  %x0.5 = mul i32 %x0.4, %a5
  %x0.6 = xor i32 %x0.5, %a6
  %x0.7 = mul i32 %x0.6, %a7
  %x0.8 = xor i32 %x0.7, %a8
  %x0.9 = mul i32 %x0.8, %a9
  %x0.10 = xor i32 %x0.9, %a10
  %x0.11 = mul i32 %x0.10, %a11
  %x0.12 = xor i32 %x0.11, %a12
  %x1.1 = mul i32 %x0.12, %a1
  %x1.2 = xor i32 %x1.1, %a2
  %x1.3 = mul i32 %x1.2, %a3
  %x1.4 = xor i32 %x1.3, %a4
  %x1.5 = mul i32 %x1.4, %a5
  %x1.6 = xor i32 %x1.5, %a6
  %x1.7 = mul i32 %x1.6, %a7
  %x1.8 = xor i32 %x1.7, %a8
  %x1.9 = mul i32 %x1.8, %a9
  %x1.10 = xor i32 %x1.9, %a10
  %x1.11 = mul i32 %x1.10, %a11
  %x1.12 = xor i32 %x1.11, %a12
  store volatile i32 %x1.12, ptr addrspace(1) %out
  ret void
}

define void @loop(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) {
entry:
  %p0 = getelementptr i32, ptr addrspace(1) %in, i32 0
  %a0 = load volatile i32, ptr addrspace(1) %p0
  %p1 = getelementptr i32, ptr addrspace(1) %in, i32 1
  %a1 = load volatile i32, ptr addrspace(1) %p1
  %p2 = getelementptr i32, ptr addrspace(1) %in, i32 2
  %a2 = load volatile i32, ptr addrspace(1) %p2
  %p3 = getelementptr i32, ptr addrspace(1) %in, i32 3
  %a3 = load volatile i32, ptr addrspace(1) %p3
  %p4 = getelementptr i32, ptr addrspace(1) %in, i32 4
  %a4 = load volatile i32, ptr addrspace(1) %p4
  %p5 = getelementptr i32, ptr addrspace(1) %in, i32 5
  %a5 = load volatile i32, ptr addrspace(1) %p5
  %p6 = getelementptr i32, ptr addrspace(1) %in, i32 6
  %a6 = load volatile i32, ptr addrspace(1) %p6
  %p7 = getelementptr i32, ptr addrspace(1) %in, i32 7
  %a7 = load volatile i32, ptr addrspace(1) %p7
  %p8 = getelementptr i32, ptr addrspace(1) %in, i32 8
  %a8 = load volatile i32, ptr addrspace(1) %p8
  %p9 = getelementptr i32, ptr addrspace(1) %in, i32 9
  %a9 = load volatile i32, ptr addrspace(1) %p9
  %p10 = getelementptr i32, ptr addrspace(1) %in, i32 10
  %a10 = load volatile i32, ptr addrspace(1) %p10
  %p11 = getelementptr i32, ptr addrspace(1) %in, i32 11
  %a11 = load volatile i32, ptr addrspace(1) %p11
  br label %body

body:
  %i = phi i32 [ 0, %entry ], [ %j, %body ]
  %s0 = phi i32 [ 0, %entry ], [ %s9, %body ]
  %m0 = mul i32 %s0, %a0
  %s1 = xor i32 %m0, %i
  %m1 = mul i32 %s1, %a1
  %s2 = xor i32 %m1, %i
  %m2 = mul i32 %s2, %a2
  %s3 = xor i32 %m2, %i
  %m3 = mul i32 %s3, %a3
  %s4 = xor i32 %m3, %i
  %m4 = mul i32 %s4, %a4
  %s5 = xor i32 %m4, %i
  %m5 = mul i32 %s5, %a5
  %s6 = xor i32 %m5, %i
  %m6 = mul i32 %s6, %a6
  %s7 = xor i32 %m6, %i
  %m7 = mul i32 %s7, %a7
  %s8 = xor i32 %m7, %i
  %m8 = mul i32 %s8, %a8
  %s9 = xor i32 %m8, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %body, label %end

end:
  store volatile i32 %s9, ptr addrspace(1) %out
  store volatile i32 %a9, ptr addrspace(1) %out
  store volatile i32 %a10, ptr addrspace(1) %out
  store volatile i32 %a11, ptr addrspace(1) %out
  ret void
}

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @twice, !"kernel", i32 1}
!1 = !{ptr @loop, !"kernel", i32 1}
