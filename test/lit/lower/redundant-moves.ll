; A move into a register that holds the same on all ways there goes: the constant-bank word that is read in three blocks,
; and the sum's start that is made in front of each test of the loop. A call leaves nothing known.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=redundant-moves>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK-LABEL:     kernel sum
; CHECK-COUNT-1:   MOV R{{[0-9]+}}, c[0x0][0x174]
; CHECK-NOT:       c[0x0][0x174]
; CHECK-COUNT-1:   MOV R{{[0-9]+}}, RZ
; CHECK-NOT:       MOV R{{[0-9]+}}, RZ
; CHECK-LABEL:     function twice
; CHECK:           MOV R4, 0x7
; CHECK-NEXT:      CALL
; CHECK-NEXT:      MOV R4, 0x7
; CHECK-NEXT:      CALL
; WITHOUT-LABEL:   kernel sum
; WITHOUT-COUNT-2: MOV R{{[0-9]+}}, c[0x0][0x174]
; WITHOUT-LABEL:   function twice

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @sum(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %start, i32 %n) {
entry:
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %some, label %done
some:
  %few = icmp ult i32 %n, 4
  br i1 %few, label %done, label %loop
loop:
  %s = phi float [0.0, %some], [%t, %loop]
  %i = phi i32 [%start, %some], [%j, %loop]
  %p = getelementptr float, ptr addrspace(1) %in, i32 %i
  %x = load volatile float, ptr addrspace(1) %p
  %t = fadd float %s, %x
  %j = add i32 %i, %start
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %done
done:
  %r = phi float [0.0, %entry], [0.0, %some], [%t, %loop]
  store float %r, ptr addrspace(1) %out
  ret void
}

define internal void @use(i32 %x) noinline {
  call void asm sideeffect "membar.gl;", ""()
  ret void
}

define void @twice() {
  call void @use(i32 7)
  call void @use(i32 7)
  ret void
}
