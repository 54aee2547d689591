; With ipra, what lives across a call stays in scratch registers that the callee was seen not to write, and nothing is
; saved; a function that calls itself, and one called through a pointer, go by the convention.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;ipra>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK-LABEL: function leaf:
; CHECK-LABEL: function middle:
; CHECK-NOT:     callee-save
; CHECK:         CALL leaf
; CHECK-LABEL: function recurse:
; CHECK:         STL{{.*}}callee-save
; CHECK-LABEL: function through:
; CHECK:         STL{{.*}}callee-save
; CHECK-LABEL: kernel top: registers {{[0-9]|10}},
; CHECK-NOT:     R1{{[0-9]}}
; CHECK:         CALL middle
; WITHOUT-LABEL: function middle:
; WITHOUT:       STL{{.*}}R16{{.*}}callee-save
; WITHOUT-LABEL: kernel top: registers 2{{[0-9]}},

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define i32 @leaf(i32 %a) noinline {
  %b = mul i32 %a, 77
  ret i32 %b
}

define i32 @middle(i32 %a, i32 %b) noinline {
  %c = call i32 @leaf(i32 %a)
  %d = add i32 %b, %c
  ret i32 %d
}

define i32 @recurse(i32 %n, i32 %m) noinline {
  %done = icmp slt i32 %n, 2
  br i1 %done, label %end, label %again

again:
  %next = sub i32 %n, 1
  %r = call i32 @recurse(i32 %next, i32 %n)
  %s = add i32 %r, %m
  br label %end

end:
  %t = phi i32 [ %m, %0 ], [ %s, %again ]
  ret i32 %t
}

define i32 @through(ptr %f, i32 %a) noinline {
  %c = call i32 %f(i32 %a)
  %d = add i32 %a, %c
  ret i32 %d
}

define void @top(ptr addrspace(1) %p) {
  %a = load i32, ptr addrspace(1) %p
  %c = call i32 @middle(i32 %a, i32 5)
  %d = add i32 %a, %c
  store i32 %d, ptr addrspace(1) %p
  ret void
}

!nvvm.annotations = !{!0}
!0 = !{ptr @top, !"kernel", i32 1}
