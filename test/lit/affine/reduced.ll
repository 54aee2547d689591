; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-linear;without=loop-unrolling>' -disable-output %s 2>&1 | %FileCheck %s
;
; Strength reduction makes the second product of an iteration from the first, by an addition: where neither wrapped
; around, nor does the sum, so that the index stays a number that can be widened, and both addresses are linear. No
; condition on the launch is needed.
;
; CHECK: linear version of strided: {{.*}}, conditions 0
; CHECK: main{{$}}
; CHECK: LDG {{R[0-9]+}}, [%lr{{[0-9]+}}+[[O:R[0-9]+]].64]
; CHECK: LDG {{R[0-9]+}}, [%lr{{[0-9]+}}+[[O]].64]
; CHECK: IMAD.WIDE [[O]], %cr
; CHECK: EXIT
;
; The same by a constant.
; CHECK: linear version of rows: {{.*}}, conditions 0
; CHECK: main{{$}}
; CHECK: LDG {{R[0-9]+}}, [%lr{{[0-9]+}}+[[P:R[0-9]+]].64]
; CHECK: LDG {{R[0-9]+}}, [%lr{{[0-9]+}}+[[P]].64+0x180]
; CHECK: EXIT
;
; Products that may wrap around promise nothing: the second address is computed.
; CHECK: linear version of wrapping:
; CHECK: main{{$}}
; CHECK: LDG {{R[0-9]+}}, [R
; CHECK: EXIT
;
; A counter without flags, by two up to an even bound that it is compared with for equality: launches where the bound is
; not behind the first value are bounded, and the counter is a number that can be widened.
; CHECK: linear version of even: {{.*}}, conditions 1
; CHECK: main{{$}}
; CHECK: LDG {{R[0-9]+}}, [%lr{{[0-9]+}}+{{R[0-9]+}}.64]
; CHECK: EXIT
;
; One that may pass its bound is not: its part of the address is computed.
; CHECK: linear version of odd: {{.*}}, conditions 0
; CHECK: main{{$}}
; CHECK: LDG {{R[0-9]+}}, [R
; CHECK: EXIT
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define void @strided(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i32 %m) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k2, %loop ]
  %s = phi float [ 0.0, %entry ], [ %s2, %loop ]
  %kn = mul nsw i32 %k, %n
  %i = add nsw i32 %kn, %t
  %x = sext i32 %i to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %x
  %v = load float, ptr addrspace(1) %p
  %s1 = fadd float %s, %v
  %k1 = or disjoint i32 %k, 1
  %k1n = mul nsw i32 %k1, %n
  %j = add nsw i32 %k1n, %t
  %y = sext i32 %j to i64
  %q = getelementptr float, ptr addrspace(1) %a, i64 %y
  %w = load float, ptr addrspace(1) %q
  %s2 = fadd float %s1, %w
  %k2 = add nuw nsw i32 %k, 2
  %more = icmp slt i32 %k2, %m
  br i1 %more, label %loop, label %end
end:
  store float %s2, ptr addrspace(1) %c
  ret void
}
define void @rows(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %m) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k2, %loop ]
  %s = phi float [ 0.0, %entry ], [ %s2, %loop ]
  %kn = mul nuw nsw i32 %k, 96
  %i = add nuw nsw i32 %kn, %t
  %x = zext i32 %i to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %x
  %v = load float, ptr addrspace(1) %p
  %s1 = fadd float %s, %v
  %k1 = or disjoint i32 %k, 1
  %k1n = mul nuw nsw i32 %k1, 96
  %j = add nuw nsw i32 %k1n, %t
  %y = zext i32 %j to i64
  %q = getelementptr float, ptr addrspace(1) %a, i64 %y
  %w = load float, ptr addrspace(1) %q
  %s2 = fadd float %s1, %w
  %k2 = add nuw nsw i32 %k, 2
  %more = icmp slt i32 %k2, %m
  br i1 %more, label %loop, label %end
end:
  store float %s2, ptr addrspace(1) %c
  ret void
}
define void @wrapping(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n, i64 %m) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k2, %loop ]
  %h = phi i64 [ 0, %entry ], [ %h1, %loop ]
  %s = phi float [ 0.0, %entry ], [ %s2, %loop ]
  %kn = mul nsw i32 %k, %n
  %i = add nsw i32 %kn, %t
  %x = sext i32 %i to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %x
  %v = load float, ptr addrspace(1) %p
  %s1 = fadd float %s, %v
  %k1 = or disjoint i32 %k, 1
  %k1n = mul i32 %k1, %n
  %j = add nsw i32 %k1n, %t
  %y = sext i32 %j to i64
  %q = getelementptr float, ptr addrspace(1) %a, i64 %y
  %w = load float, ptr addrspace(1) %q
  %s2 = fadd float %s1, %w
  %k2 = add nuw nsw i32 %k, 2
  %h1 = add i64 %h, 1
  %more = icmp slt i64 %h1, %m
  br i1 %more, label %loop, label %end
end:
  store float %s2, ptr addrspace(1) %c
  ret void
}
define void @even(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = and i32 %n, -2
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k2, %loop ]
  %s = phi float [ 0.0, %entry ], [ %s1, %loop ]
  %y = sext i32 %k to i64
  %z = zext i32 %t to i64
  %i = add i64 %y, %z
  %q = getelementptr float, ptr addrspace(1) %a, i64 %i
  %w = load float, ptr addrspace(1) %q
  %s1 = fadd float %s, %w
  %k2 = add i32 %k, 2
  %done = icmp eq i32 %k2, %b
  br i1 %done, label %end, label %loop
end:
  store float %s1, ptr addrspace(1) %c
  ret void
}
define void @odd(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k2, %loop ]
  %s = phi float [ 0.0, %entry ], [ %s1, %loop ]
  %y = sext i32 %k to i64
  %z = zext i32 %t to i64
  %i = add i64 %y, %z
  %q = getelementptr float, ptr addrspace(1) %a, i64 %i
  %w = load float, ptr addrspace(1) %q
  %s1 = fadd float %s, %w
  %k2 = add i32 %k, 2
  %done = icmp eq i32 %k2, %n
  br i1 %done, label %end, label %loop
end:
  store float %s1, ptr addrspace(1) %c
  ret void
}
!nvvm.annotations = !{!0, !1, !2, !3, !4}
!0 = !{ptr @strided, !"kernel", i32 1}
!1 = !{ptr @rows, !"kernel", i32 1}
!2 = !{ptr @wrapping, !"kernel", i32 1}
!3 = !{ptr @even, !"kernel", i32 1}
!4 = !{ptr @odd, !"kernel", i32 1}
