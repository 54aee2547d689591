; Multi-write registers (r2d2-isca23 3.1.2) and shared linear registers (3.1.4, Figure 8).
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-affine;without=address-passes+loop-unrolling>' -disable-output %s 2>&1 | %FileCheck %s

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()

declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

; A linear register for each path, and the move at the end of its block.
; CHECK-LABEL: linear values of paths
; CHECK:      %tr0: 4, 0, 0
; CHECK:      %tr1: 8, 0, 0
; CHECK:      %lr0: %tr{{.*}} + {P{{.*}} i64, 1 uses
; CHECK-NEXT: %lr1: %tr{{.*}} + {P{{.*}} i64, 1 uses
; CHECK-DAG:  use %lr{{[01]}} i64 as operand 0 ; %p = phi
; CHECK-DAG:  use %lr{{[01]}} i64 as operand 1 ; %p = phi
define void @paths(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %sign = load volatile i32, ptr addrspace(1) %a
  %side = icmp slt i32 %sign, 0
  br i1 %side, label %left, label %right
left:
  %ml = mul nsw i32 %c, %d
  %il = add nsw i32 %ml, %t
  %wl = sext i32 %il to i64
  %pl = getelementptr i32, ptr addrspace(1) %a, i64 %wl
  br label %join
right:
  %mr = mul nsw i32 %c, %n
  %ir = add nsw i32 %mr, %t
  %wr = sext i32 %ir to i64
  %pr = getelementptr i64, ptr addrspace(1) %b, i64 %wr
  br label %join
join:
  %p = phi ptr addrspace(1) [ %pl, %left ], [ %pr, %right ]
  %x = load volatile i32, ptr addrspace(1) %p
  ret void
}

; A register that the loop moves on by a constant or by a launch constant is the register of the first iteration and an
; offset, the same for all threads: one for both arrays that walk alike, each of which has its own register. One that moves on by what it finds is moved to a
; general register.
; CHECK-LABEL: linear values of steps
; CHECK-DAG:  {P0+32*i0, 4, 0, 0, 4*ntid.x, 0, 0} i64 {{.*}}; %fixed = phi
; CHECK-DAG:  {P1+32*i0, 4, 0, 0, 4*ntid.x, 0, 0} i64 {{.*}}; %other = phi
; CHECK-DAG:  {P0+4*P3*i0, 4, 0, 0, 4*ntid.x, 0, 0} i64 {{.*}}; %uniform = phi
; CHECK-DAG:  {P1+4*P3*i0, 4, 0, 0, 4*ntid.x, 0, 0} i64 {{.*}}; %alike = phi
; CHECK:      %lr{{[0-9]}}: %tr0 + {P0, 4*ntid.x, 0, 0} i64, 2 uses
; CHECK:      %lr{{[0-9]}}: %tr0 + {P1, 4*ntid.x, 0, 0} i64, 2 uses
; CHECK:      %lr[[#HEAD:]]: %tr0 + {P0, 4*P2, 0, 0} i64, 1 uses
; CHECK:      %cr{{[0-9]}}: P3
; CHECK-DAG:  offset[[#FIXED:]]: loop i0, step 32
; CHECK-DAG:  offset[[#UNIFORM:]]: loop i0, step 4*P3
; CHECK-DAG:  use %lr[[#HEAD]] i64 as operand 0 ; %chased = phi
; CHECK-DAG:  use %lr{{[0-9]}}+offset[[#FIXED]] i64 as operand 0 ; %x = load
; CHECK-DAG:  use %lr{{[0-9]}}+offset[[#FIXED]] i64 as operand 0 ; %y = load
; CHECK-DAG:  use %lr{{[0-9]}}+offset[[#UNIFORM]] i64 as operand 0 ; %u = load
; CHECK-DAG:  use %lr{{[0-9]}}+offset[[#UNIFORM]] i64 as operand 0 ; %v = load
define void @steps(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n, i32 %m) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %base = mul nsw i32 %c, %d
  %i = add nsw i32 %base, %t
  %w = sext i32 %i to i64
  %mw = sext i32 %m to i64
  %start = getelementptr i32, ptr addrspace(1) %a, i64 %w
  %begin = getelementptr i32, ptr addrspace(1) %b, i64 %w
  %row = mul nsw i32 %c, %n
  %cell = add nsw i32 %row, %t
  %wide = sext i32 %cell to i64
  %head = getelementptr i32, ptr addrspace(1) %a, i64 %wide
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %fixed = phi ptr addrspace(1) [ %start, %entry ], [ %fixed1, %loop ]
  %other = phi ptr addrspace(1) [ %begin, %entry ], [ %other1, %loop ]
  %uniform = phi ptr addrspace(1) [ %start, %entry ], [ %uniform1, %loop ]
  %alike = phi ptr addrspace(1) [ %begin, %entry ], [ %alike1, %loop ]
  %chased = phi ptr addrspace(1) [ %head, %entry ], [ %chased1, %loop ]
  %x = load volatile i32, ptr addrspace(1) %fixed
  %y = load volatile i32, ptr addrspace(1) %other
  %u = load volatile i32, ptr addrspace(1) %uniform
  %v = load volatile i32, ptr addrspace(1) %alike
  %z = load volatile i32, ptr addrspace(1) %chased
  %zw = sext i32 %z to i64
  %fixed1 = getelementptr i32, ptr addrspace(1) %fixed, i64 8
  %other1 = getelementptr i32, ptr addrspace(1) %other, i64 8
  %uniform1 = getelementptr i32, ptr addrspace(1) %uniform, i64 %mw
  %alike1 = getelementptr i32, ptr addrspace(1) %alike, i64 %mw
  %chased1 = getelementptr i32, ptr addrspace(1) %chased, i64 %zw
  %k1 = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k1, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Figure 8: addresses that differ by launch constants share the linear register of the first; the differences stand in
; coefficient registers.
; CHECK-LABEL: linear values of cfd
; CHECK-DAG:  {P0, 4, 0, 0, 768, 0, 0} i64 {{.*}}; %rd17 =
; CHECK-DAG:  {P0+4*P1, 4, 0, 0, 768, 0, 0} i64 {{.*}}; %rd19 =
; CHECK-DAG:  {P0+8*P1, 4, 0, 0, 768, 0, 0} i64 {{.*}}; %rd20 =
; CHECK-DAG:  {P0+12*P1, 4, 0, 0, 768, 0, 0} i64 {{.*}}; %rd21 =
; CHECK:      %tr0: 4, 0, 0
; CHECK-NEXT: %lr0: %tr0 + {P0, 768, 0, 0} i64, 5 uses
; CHECK-DAG:  %cr[[#ONE:]]: 4*P1
; CHECK-DAG:  %cr[[#TWO:]]: 8*P1
; CHECK-DAG:  %cr[[#THREE:]]: 12*P1
; CHECK:      use %lr0+%cr[[#ONE]] i64 as operand 0 ; %f1 = load
; CHECK-NEXT: use %lr0 i64 as operand 0 ; %f2 = load
; CHECK-NEXT: use %lr0+%cr[[#TWO]] i64 as operand 0 ; %f3 = load
; CHECK-NEXT: use %lr0+%cr[[#THREE]] i64 as operand 0 ; %f4 = load
define void @cfd(ptr addrspace(1) %a, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = mul nuw nsw i32 %c, 192
  %r9 = add nuw nsw i32 %base, %t
  %w = zext i32 %r9 to i64
  %nw = sext i32 %n to i64
  %rd17 = getelementptr float, ptr addrspace(1) %a, i64 %w
  %rd19 = getelementptr float, ptr addrspace(1) %rd17, i64 %nw
  %rd20 = getelementptr float, ptr addrspace(1) %rd19, i64 %nw
  %rd21 = getelementptr float, ptr addrspace(1) %rd20, i64 %nw
  %f1 = load volatile float, ptr addrspace(1) %rd19
  %f2 = load volatile float, ptr addrspace(1) %rd17
  %f121 = fdiv float %f1, %f2
  %f3 = load volatile float, ptr addrspace(1) %rd20
  %f122 = fdiv float %f3, %f2
  %f4 = load volatile float, ptr addrspace(1) %rd21
  %f123 = fdiv float %f4, %f2
  %s = fadd float %f121, %f122
  %r = fadd float %s, %f123
  store volatile float %r, ptr addrspace(1) %rd17
  ret void
}

!nvvm.annotations = !{!0, !1, !2}
!0 = !{ptr @paths, !"kernel", i32 1}
!1 = !{ptr @steps, !"kernel", i32 1}
!2 = !{ptr @cfd, !"kernel", i32 1}
