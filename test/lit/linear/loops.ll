; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-linear;without=loop-unrolling>' -disable-output %s 2>&1 | %FileCheck %s
;
; Loop offsets (R2D2 3.1.2): a uniform register that grows by the step, one multiplication and addition an iteration
; where the step is a 32-bit launch constant times a number. Addresses of two arrays that move alike share it, and have a
; linear register each; b's address has no index in it. Nothing here wraps, so that
; no condition on the launch is left.
;
; CHECK: linear version of rows: registers {{[0-9]+}}, linear 3, {{.*}}, conditions 0
; CHECK: main{{$}}
; CHECK: LDG {{R[0-9]+}}, [%lr0+[[O:R[0-9]+]].64]
; CHECK: LDG {{R[0-9]+}}, [%lr1+[[O]].64]
; CHECK: IMAD.WIDE [[O]], %cr{{[0-9]+}}, 0x4, [[O]]
; CHECK: BRA
; CHECK: STG [%lr2], {{R[0-9]+}}
; CHECK: EXIT
;
; A column: the step is 4 * n bytes.
; CHECK: linear version of columns:
; CHECK: main{{$}}
; CHECK: LDG {{R[0-9]+}}, [%lr{{[0-9]+}}+[[C:R[0-9]+]].64]
; CHECK: IMAD.WIDE [[C]], %cr{{[0-9]+}}, 0x4, [[C]]
; CHECK: EXIT
;
; The kernel's own counter is the offset of the tile's address.
; CHECK: linear version of tile:
; CHECK: main{{$}}
; CHECK: LDS {{R[0-9]+}}, [%lr{{[0-9]+}}+[[I:R[0-9]+]]]
; CHECK: IADD3 [[I]], [[I]], 0x4, RZ
; CHECK-NOT: IADD3
; CHECK: EXIT
target triple = "nvptx64-nvidia-cuda"
@tile_data = internal addrspace(3) global [1024 x i32] undef, align 4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
define void @rows(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %m = shl nsw i32 %w, 6
  %i = add nsw i32 %m, %t
  %row = mul nsw i32 %i, %n
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %j1, %loop ]
  %s = phi float [ 0.0, %entry ], [ %s1, %loop ]
  %ij = add nsw i32 %row, %j
  %x = sext i32 %ij to i64
  %pa = getelementptr float, ptr addrspace(1) %a, i64 %x
  %va = load float, ptr addrspace(1) %pa
  %y = zext nneg i32 %j to i64
  %pb = getelementptr float, ptr addrspace(1) %b, i64 %y
  %vb = load float, ptr addrspace(1) %pb
  %v = fmul float %va, %vb
  %s1 = fadd float %s, %v
  %j1 = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %j1, %n
  br i1 %more, label %loop, label %end
end:
  %z = sext i32 %i to i64
  %pc = getelementptr float, ptr addrspace(1) %c, i64 %z
  store float %s1, ptr addrspace(1) %pc
  ret void
}
define void @columns(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %m = shl nsw i32 %w, 6
  %i = add nsw i32 %m, %t
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %j1, %loop ]
  %s = phi float [ 0.0, %entry ], [ %s1, %loop ]
  %row = mul nsw i32 %j, %n
  %ij = add nsw i32 %row, %i
  %x = sext i32 %ij to i64
  %pa = getelementptr float, ptr addrspace(1) %a, i64 %x
  %va = load float, ptr addrspace(1) %pa
  %s1 = fadd float %s, %va
  %j1 = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %j1, %n
  br i1 %more, label %loop, label %end
end:
  %z = sext i32 %i to i64
  %pc = getelementptr float, ptr addrspace(1) %c, i64 %z
  store float %s1, ptr addrspace(1) %pc
  ret void
}
define void @tile(ptr addrspace(1) %c, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = shl nuw nsw i32 %t, 6
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %j1, %loop ]
  %s = phi i32 [ 0, %entry ], [ %s1, %loop ]
  %at = add nuw nsw i32 %m, %j
  %p = getelementptr i8, ptr addrspace(3) @tile_data, i32 %at
  %v = load i32, ptr addrspace(3) %p
  %s1 = xor i32 %s, %v
  %j1 = add nuw nsw i32 %j, 4
  %more = icmp slt i32 %j1, %n
  br i1 %more, label %loop, label %end
end:
  %z = zext i32 %t to i64
  %pc = getelementptr i32, ptr addrspace(1) %c, i64 %z
  store i32 %s1, ptr addrspace(1) %pc
  ret void
}
!nvvm.annotations = !{!0, !1, !2}
!0 = !{ptr @rows, !"kernel", i32 1}
!1 = !{ptr @columns, !"kernel", i32 1}
!2 = !{ptr @tile, !"kernel", i32 1}
