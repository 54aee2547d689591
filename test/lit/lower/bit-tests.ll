; Whether bits are set is a result of the LOP3 that masks them, beside the masked value or alone. A comparison with zero
; whose opposite would be needed where no reader can be turned round stays.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=bit-tests>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK-LABEL:   function alone
; CHECK:         LOP3 RZ, P{{[0-6]}}, R4, 0x8, RZ, 0xc0
; CHECK-NOT:     ISETP
; CHECK-LABEL:   function both
; CHECK:         LOP3 R{{[0-9]+}}, P{{[0-6]}}, R4, 0x7f, RZ, 0xc0
; CHECK-NOT:     ISETP
; CHECK-LABEL:   function carried
; CHECK:         ISETP.EQ
; WITHOUT-LABEL: function alone
; WITHOUT:       ISETP
; WITHOUT-LABEL: function both
; WITHOUT:       ISETP
; WITHOUT-LABEL: function carried

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define i32 @alone(i32 %x, i32 %y, i32 %z) {
  %bit = and i32 %x, 8
  %clear = icmp eq i32 %bit, 0
  %r = select i1 %clear, i32 %y, i32 %z
  ret i32 %r
}

define i32 @both(i32 %x, i32 %y) {
  %bits = and i32 %x, 127
  %any = icmp ne i32 %bits, 0
  %r = select i1 %any, i32 %bits, i32 %y
  ret i32 %r
}

define i32 @carried(i32 %n, ptr %p) {
entry:
  br label %loop
loop:
  %i = phi i32 [0, %entry], [%j, %loop]
  %before = phi i1 [true, %entry], [%even, %loop]
  %v = zext i1 %before to i32
  store volatile i32 %v, ptr %p
  %x = load volatile i32, ptr %p
  %low = and i32 %x, 2
  %even = icmp eq i32 %low, 0
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %done
done:
  ret i32 %j
}
