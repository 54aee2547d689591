; Short sides of a branch run under its predicate, one or both; values that only live on one side do not live before it. A
; side with two loads from global memory, whose latency the branch saves, one with an atomic operation and a long one stay.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-liveness;check=1>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=LIVE %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=if-conversion>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK-LABEL: kernel one_side:
; CHECK:     ISETP.LT.AND [[P:P[0-9]]],
; CHECK-NOT: BRA
; CHECK:     @[[P]] STG
; CHECK-NOT: BRA
; CHECK-LABEL: kernel two_sides:
; CHECK:     ISETP.LT.AND [[P:P[0-9]]],
; CHECK-NOT: BRA
; CHECK-DAG: @[[P]] STG
; CHECK-DAG: @![[P]] STG
; CHECK-NOT: BRA
; CHECK-LABEL: kernel loads:
; CHECK:     BRA
; CHECK-LABEL: kernel atomic:
; CHECK:     BRA
; CHECK-LABEL: kernel long:
; CHECK:     BRA
; WITHOUT-LABEL: kernel one_side:
; WITHOUT:     BRA
; WITHOUT-LABEL: kernel two_sides:
; WITHOUT:     BRA
; WITHOUT:     BRA
; WITHOUT-LABEL: kernel loads:

; LIVE-LABEL: kernel one_side: most live
; LIVE:      0000 live none
; LIVE-LABEL: kernel two_sides: most live
; LIVE:      0000 live none

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define void @one_side(ptr addrspace(1) %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %side, label %end
side:
  %d = mul i32 %t, %n
  %e = xor i32 %d, %t
  store i32 %e, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

define void @two_sides(ptr addrspace(1) %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %left, label %right
left:
  %d = mul i32 %t, %n
  store i32 %d, ptr addrspace(1) %p
  br label %end
right:
  %e = xor i32 %t, %n
  %q = getelementptr i32, ptr addrspace(1) %p, i32 1
  store i32 %e, ptr addrspace(1) %q
  br label %end
end:
  %f = phi i32 [ %d, %left ], [ %t, %right ]
  %r = getelementptr i32, ptr addrspace(1) %p, i32 2
  store i32 %f, ptr addrspace(1) %r
  ret void
}

define void @loads(ptr addrspace(1) %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %side, label %end
side:
  %a = load volatile i32, ptr addrspace(1) %p
  %b = load volatile i32, ptr addrspace(1) %p
  %s = add i32 %a, %b
  store i32 %s, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

define void @atomic(ptr addrspace(1) %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %side, label %end
side:
  %a = atomicrmw add ptr addrspace(1) %p, i32 %t monotonic
  br label %end
end:
  ret void
}

define void @long(ptr addrspace(1) %p, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %side, label %end
side:
  store volatile i32 1, ptr addrspace(1) %p
  store volatile i32 2, ptr addrspace(1) %p
  store volatile i32 3, ptr addrspace(1) %p
  store volatile i32 4, ptr addrspace(1) %p
  store volatile i32 5, ptr addrspace(1) %p
  br label %end
end:
  ret void
}

!nvvm.annotations = !{!0, !1, !2, !3, !4}
!0 = !{ptr @one_side, !"kernel", i32 1}
!1 = !{ptr @two_sides, !"kernel", i32 1}
!2 = !{ptr @loads, !"kernel", i32 1}
!3 = !{ptr @atomic, !"kernel", i32 1}
!4 = !{ptr @long, !"kernel", i32 1}
