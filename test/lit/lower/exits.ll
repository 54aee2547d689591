; Early returns of a kernel, nested in an if and in a loop, keep the other threads of the warp from nothing: they meet
; behind the if, in the loop and behind the loop. In a function, where the lanes wait behind the call, they do not.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: printf '[launch]\ngrid = 1\nblock = 32\n[arg0]\nkind = buffer\ntype = i32\ncount = 32\nprint = 32\n' > %t.ini
; RUN: %heddle run --verify --quiet --kernel k --launch %t.ini %s | %FileCheck --check-prefix=RESULT %s
; RESULT: arg0 = 5 59 5 65 5 71 5 77 5 83 5 89 5 95 5 101 5 107 5 113 5 -1 5 -1 5 -1 5 -1 5 -1 5 -1

; The if's branch meets at the rest, the nested one behind the return, the loop's at its latch and behind it.
; CHECK-LABEL: kernel k:
; CHECK: 0060 {{.*}}BRA 0xe0 to .B{{[0-9]+}}, reconv 0xe0 .B{{[0-9]+}}
; CHECK: 0080 {{.*}}BRA 0xc0 to .B{{[0-9]+}}, reconv 0xc0 .B{{[0-9]+}}
; CHECK: 0110 {{.*}}BRA 0x180 to .B{{[0-9]+}}, reconv 0x120 .B{{[0-9]+}}
; CHECK: 0160 {{.*}}BRA 0xf0 to .B{{[0-9]+}}, reconv 0x170 .B{{[0-9]+}}
; CHECK: 0180 EXIT

; Every way ends in the one return of the function.
; CHECK-LABEL: function f:
; CHECK: BRA {{0x[0-9a-f]+}} to .B{{[0-9]+}}, reconv 0x[[END:[0-9a-f]+]] .B
; CHECK: BRA {{0x[0-9a-f]+}} to .B{{[0-9]+}}, reconv 0x[[END]] .B
; CHECK: 00[[END]] RET

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; if (t & 1) { if (t > 20) { p[t] = -1; return; } x = t * 3 } else x = 5; for (i < 8) { if (x + i == 13) return; x += 7 } p[t] = x
define ptx_kernel void @k(ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = trunc i32 %t to i1
  %at = getelementptr i32, ptr %p, i32 %t
  br i1 %odd, label %a, label %m
a:
  %big = icmp ugt i32 %t, 20
  br i1 %big, label %w, label %z
w:
  store i32 -1, ptr %at
  ret void
z:
  %y = mul i32 %t, 3
  store volatile i32 %y, ptr %at
  br label %m
m:
  %x0 = phi i32 [5, %0], [%y, %z]
  br label %loop
loop:
  %i = phi i32 [0, %m], [%j, %next]
  %x = phi i32 [%x0, %m], [%xn, %next]
  %s = add i32 %x, %i
  %hit = icmp eq i32 %s, 13
  br i1 %hit, label %gone, label %next
gone:
  ret void
next:
  store volatile i32 %x, ptr %at
  %xn = add i32 %x, 7
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, 8
  br i1 %more, label %loop, label %done
done:
  store i32 %xn, ptr %at
  ret void
}

define void @f(ptr %p, i32 %t) noinline {
  %odd = trunc i32 %t to i1
  br i1 %odd, label %a, label %m
a:
  %big = icmp ugt i32 %t, 20
  br i1 %big, label %w, label %z
w:
  store i32 -1, ptr %p
  ret void
z:
  store volatile i32 %t, ptr %p
  br label %m
m:
  store volatile i32 5, ptr %p
  ret void
}
