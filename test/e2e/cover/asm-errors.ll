; Inline PTX that is not taken: the statement, what is wrong with it, and where.
; RUN: rm -rf %t && mkdir %t && cd %t && not %opt -load-pass-plugin=%plugin '-passes=heddle<o=x>' -disable-output %s 2>&1 | %FileCheck --implicit-check-not=k14 --implicit-check-not=k17 --implicit-check-not=k22 %s
; RUN: test ! -e x.hdo
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @k(ptr %p, i32 %x, i64 %w) {
; CHECK-DAG: inline assembly 'frobnicate.u32': unknown instruction
  %a = call i32 asm "frobnicate.u32 $0, $1;", "=r,r"(i32 %x)
  ret void
}
define ptx_kernel void @k2(ptr %p, i32 %x, i64 %w) {
; CHECK-DAG: inline assembly 'add.q.u32': '.q' is not supported here
  %a = call i32 asm "add.q.u32 $0, $1, $1;", "=r,r"(i32 %x)
  ret void
}
define ptx_kernel void @k3(ptr %p, i32 %x, i64 %w) {
; CHECK-DAG: inline assembly 'add.u32': expected 3 operands
  %a = call i32 asm "add.u32 $0, $1;", "=r,r"(i32 %x)
  ret void
}
define ptx_kernel void @k4(ptr %p, i32 %x, i64 %w) {
; CHECK-DAG: inline assembly 'add.u64': operand '$1' has 32 bits instead of 64
  %a = call i64 asm "add.u64 $0, $1, $1;", "=l,r"(i32 %x)
  ret void
}
define ptx_kernel void @k5(ptr %p, i32 %x, i64 %w) {
; CHECK-DAG: inline assembly 'mov.u32': division by zero
  call i32 asm "mov.u32 $0, 1/(2-2);", "=r"()
  ret void
}
define ptx_kernel void @k6(ptr %p, i32 %x, i64 %w) {
; CHECK-DAG: inline assembly 'mov.u32': unknown name '%ctaid.q'
  %a = call i32 asm "mov.u32 $0, %ctaid.q;", "=r"()
  ret void
}
define ptx_kernel void @k7(ptr %p, i32 %x, i64 %w) {
; CHECK-DAG: inline assembly: '{' without '}'
  call void asm sideeffect "{ .reg .u32 t; mov.u32 t, $0;", "r"(i32 %x)
  ret void
}
define ptx_kernel void @k8(ptr %p, i32 %x, i64 %w) {
; CHECK-DAG: inline assembly: '}' without '{'
  call void asm sideeffect "}", ""()
  ret void
}
define ptx_kernel void @k9(ptr %p, i32 %x, i64 %w) {
; CHECK-DAG: inline assembly 'mov.u32': expected an operand before ";"
  %a = call i32 asm "mov.u32 $0, ;", "=r"()
  ret void
}
define ptx_kernel void @k10(ptr %p, i32 %x, i64 %w) {
; CHECK-DAG: inline assembly 'ld.global.u32': expected an address in brackets
  %a = call i32 asm "ld.global.u32 $0, $1;", "=r,l"(i64 %w)
  ret void
}
define ptx_kernel void @k11(ptr %p, i32 %x, i64 %w) {
; CHECK-DAG: inline assembly 'lop3.b32': the table is not an 8-bit number
  %a = call i32 asm "lop3.b32 $0, $1, $1, $1, $1;", "=r,r"(i32 %x)
  ret void
}
define ptx_kernel void @k12(ptr %p, i32 %x, i64 %w) {
; CHECK-DAG: inline assembly 'mov.u32': the guard is not a predicate
  %a = call i32 asm "@$1 mov.u32 $0, 1;", "=r,r"(i32 %x)
  ret void
}
define ptx_kernel void @k13(ptr %p, i32 %x, i64 %w) {
; CHECK-DAG: inline assembly: '$0' is written, but it is only an input, and nothing gets the value, in 'k13'
  call void asm sideeffect "cvt.u64.u32 $0, $1;", "l,r"(i64 0, i32 %x)
  ret void
}
define ptx_kernel void @k14(ptr %p, i32 %x, i64 %w) {
  call void asm sideeffect "add.u64 $0, $0, 4; st.global.u32 [$0], $1;", "l,r"(i64 %w, i32 %x)
  ret void
}
; What later assembly of the block gets is taken, unless somebody else has the value too.
define ptx_kernel void @k15(ptr %p, i32 %x, i64 %w) {
; CHECK-DAG: inline assembly: '$0' is written, but it is only an input, and others read it too, in 'k15'
  call void asm sideeffect "cvt.u64.u32 $0, $1;", "l,r"(i64 %w, i32 %x)
  call void asm sideeffect "st.global.u32 [$0], $1;", "l,r"(i64 %w, i32 %x)
  store i64 %w, ptr %p
  ret void
}
define ptx_kernel void @k16(ptr %p, i32 %x, i64 %w) {
; CHECK-DAG: inline assembly: '$0' is written, but it is only an input, and nothing gets the value, in 'k16'
  call void asm sideeffect "cvt.u64.u32 $0, $1;", "l,r"(i64 0, i32 %x)
  br label %next
next:
  call void asm sideeffect "st.global.u32 [$0], $1;", "l,r"(i64 0, i32 %x)
  ret void
}
define ptx_kernel void @k17(ptr %p, i32 %x, i64 %w) {
  call void asm sideeffect "cvt.u64.u32 $0, $1;", "l,r"(i64 %w, i32 %x)
  call void asm sideeffect "st.global.u32 [$0], $1;", "l,r"(i64 %w, i32 %x)
  ret void
}
; Also where its own text reads the value.
define ptx_kernel void @k18(ptr %p, i32 %x, i64 %w) {
; CHECK-DAG: inline assembly: '$0' is written, but it is only an input, and others read it too, in 'k18'
  call void asm sideeffect "add.u64 $0, $0, 4; st.global.u32 [$0], $1;", "l,r"(i64 %w, i32 %x)
  store i64 %w, ptr %p
  call void asm sideeffect "st.global.u32 [$0], $1;", "l,r"(i64 %w, i32 %x)
  ret void
}
; In a loop ptxas counts on from iteration to iteration. What is made anew, or written before it is read, is taken.
define ptx_kernel void @k19(ptr %p, i32 %x, i64 %w) {
; CHECK-DAG: inline assembly: '$0' is written, but it is only an input, and the loop goes on with it, in 'k19'
entry:
  br label %loop
loop:
  %i = phi i32 [0, %entry], [%j, %loop]
  call void asm sideeffect "add.u64 $0, $0, 4;", "l"(i64 %w)
  call void asm sideeffect "st.global.u32 [$0], $1;", "l,r"(i64 %w, i32 %x)
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %x
  br i1 %more, label %loop, label %done
done:
  ret void
}
define ptx_kernel void @k20(ptr %p, i32 %x, i64 %w) {
; CHECK-DAG: inline assembly: '$0' is written, but it is only an input, and the loop goes on with it, in 'k20'
entry:
  br label %loop
loop:
  %i = phi i32 [0, %entry], [%j, %loop]
  call void asm sideeffect "add.u64 $0, $0, 4; st.global.u32 [$0], $1;", "l,r"(i64 %w, i32 %x)
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %x
  br i1 %more, label %loop, label %done
done:
  ret void
}
define ptx_kernel void @k21(ptr %p, i32 %x, i64 %w) {
; CHECK-DAG: inline assembly: '$0' is written, but it is only an input, and the loop goes on with it, in 'k21'
entry:
  br label %loop
loop:
  %i = phi i32 [0, %entry], [%j, %loop]
  call void asm sideeffect "st.global.u32 [$0], $1;", "l,r"(i64 %w, i32 %x)
  call void asm sideeffect "cvt.u64.u32 $0, $1;", "l,r"(i64 %w, i32 %x)
  call void asm sideeffect "st.global.u32 [$0], $1;", "l,r"(i64 %w, i32 %x)
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %x
  br i1 %more, label %loop, label %done
done:
  ret void
}
define ptx_kernel void @k22(ptr %p, i32 %x, i64 %w) {
entry:
  br label %loop
loop:
  %i = phi i32 [0, %entry], [%j, %loop]
  %v = zext i32 %i to i64
  call void asm sideeffect "add.u64 $0, $0, 4;", "l"(i64 %v)
  call void asm sideeffect "st.global.u32 [$0], $1;", "l,r"(i64 %v, i32 %x)
  call void asm sideeffect "cvt.u64.u32 $0, $1;", "l,r"(i64 0, i32 %x)
  call void asm sideeffect "st.global.u32 [$0], $1;", "l,r"(i64 0, i32 %x)
  call void asm sideeffect "add.u64 $0, $0, 4;", "l"(i64 0)
  call void asm sideeffect "st.global.u32 [$0], $1;", "l,r"(i64 0, i32 %x)
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %x
  br i1 %more, label %loop, label %done
done:
  ret void
}
!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7, !8, !9, !10, !11, !12, !13, !14, !15, !16, !17, !18, !19, !20, !21}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{ptr @k2, !"kernel", i32 1}
!2 = !{ptr @k3, !"kernel", i32 1}
!3 = !{ptr @k4, !"kernel", i32 1}
!4 = !{ptr @k5, !"kernel", i32 1}
!5 = !{ptr @k6, !"kernel", i32 1}
!6 = !{ptr @k7, !"kernel", i32 1}
!7 = !{ptr @k8, !"kernel", i32 1}
!8 = !{ptr @k9, !"kernel", i32 1}
!9 = !{ptr @k10, !"kernel", i32 1}
!10 = !{ptr @k11, !"kernel", i32 1}
!11 = !{ptr @k12, !"kernel", i32 1}
!12 = !{ptr @k13, !"kernel", i32 1}
!13 = !{ptr @k14, !"kernel", i32 1}
!14 = !{ptr @k15, !"kernel", i32 1}
!15 = !{ptr @k16, !"kernel", i32 1}
!16 = !{ptr @k17, !"kernel", i32 1}
!17 = !{ptr @k18, !"kernel", i32 1}
!18 = !{ptr @k19, !"kernel", i32 1}
!19 = !{ptr @k20, !"kernel", i32 1}
!20 = !{ptr @k21, !"kernel", i32 1}
!21 = !{ptr @k22, !"kernel", i32 1}
