; A parameter that is said never to be undefined, and is: the test around the atomic operation stays, in the code that the
; plugin makes of IR that nothing has optimized, and where LLVM's optimizer runs with the plugin loaded.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='default<O0>' -S %s | %FileCheck --check-prefix=MARKS %s
; RUN: sed 's/noinline optnone//' %s | %opt -load-pass-plugin=%plugin -passes='default<O2>' -S | %FileCheck --check-prefix=LLVM %s
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32) convergent

; MARKS-NOT: noundef %
; MARKS-NOT: !noundef
define internal i32 @broadcast(i32 noundef %value) noinline convergent {
  %all = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %value, i32 0, i32 31)
  ret i32 %all
}

; CHECK-LABEL: queue
; CHECK: {{@!P[0-6] BRA|@P[0-6] ATOM}}
; CHECK: CALL
; LLVM-LABEL: define {{.*}}@queue(
; LLVM: br i1
; LLVM: atomicrmw
; LLVM: phi i32 {{.*}}[ undef,
define void @queue(ptr %counter, ptr %out) noinline optnone {
  %slot = alloca i32
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %leader = icmp eq i32 %tid, 0
  br i1 %leader, label %one, label %all
one:
  %taken = atomicrmw add ptr %counter, i32 1 seq_cst
  store i32 %taken, ptr %slot
  br label %all
all:
  %mine = load i32, ptr %slot, !noundef !1
  %first = call i32 @broadcast(i32 noundef %mine)
  store i32 %first, ptr %out
  ret void
}

; What a freeze reads is one value: zero where PHIs have nothing. Without it the registers are left as they are.
; CHECK-LABEL: frozen
; CHECK: MOV [[ANY:R[0-9]+]], RZ
; CHECK: @P0 LDG.VOLATILE [[ANY]],
define void @frozen(i1 %set, i32 %value, ptr %out) {
  br i1 %set, label %some, label %end
some:
  %found = load volatile i32, ptr %out
  br label %end
end:
  %any = phi i32 [ %found, %some ], [ undef, %0 ]
  %more = add i32 %any, 7
  %one = freeze i32 %more
  %two = xor i32 %one, %any
  store volatile i32 %one, ptr %out
  store volatile i32 %two, ptr %out
  ret void
}

; CHECK-LABEL: anything
; CHECK-NOT: MOV {{R[0-9]+}}, RZ
; CHECK: EXIT
define void @anything(i1 %set, i32 %value, ptr %out) {
  br i1 %set, label %some, label %end
some:
  %found = load volatile i32, ptr %out
  br label %end
end:
  %any = phi i32 [ %found, %some ], [ undef, %0 ]
  %more = add i32 %any, 7
  store volatile i32 %more, ptr %out
  ret void
}

!nvvm.annotations = !{!0, !2, !3}
!0 = !{ptr @queue, !"kernel", i32 1}
!1 = !{}
!2 = !{ptr @frozen, !"kernel", i32 1}
!3 = !{ptr @anything, !"kernel", i32 1}
