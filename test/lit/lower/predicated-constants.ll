; Sides of branches that read a table of constants run under predicates, in one block and with their reads under way
; together; what addresses share is computed once. A side that stores, too, is left to if-conversion. A loop of several blocks whose number of turns is known becomes straight code.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=predicated-constants>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;maxrregcount=16>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=FEW %s

; CHECK-LABEL:     function sides:
; CHECK:           IMAD.WIDE
; CHECK-NOT:       {{BRA|RET}}
; CHECK:           @[[P:P[0-9]]] LDCX [[A:R[0-9]+]], {{\[}}[[B:R[0-9]+]].64
; CHECK-NOT:       LOP3 {{R[0-9]+}}, [[A]]
; CHECK:           @[[Q:P[0-9]]] LDCX [[C:R[0-9]+]], {{\[}}[[B]].64+0x4]
; CHECK:           @[[P]] LOP3 [[R:R[0-9]+]], [[A]]
; CHECK:           @[[Q]] LOP3 [[R]], [[C]]
; CHECK-LABEL:     function stores:
; CHECK:           LDCX
; CHECK:           STG
; CHECK-LABEL:     function turns:
; CHECK-COUNT-6:   @{{!?}}P{{[0-9]}} LDCX
; CHECK-NOT:       {{LDCX|BRA}}
; CHECK:           RET
; WITHOUT-LABEL:   function sides:
; WITHOUT:         @[[P:P[0-9]]] LDCX [[A:R[0-9]+]]
; WITHOUT-NEXT:    @[[P]] LOP3 {{R[0-9]+}}, [[A]]
; WITHOUT-LABEL:   function stores:
; FEW-LABEL:       function turns:
; FEW-COUNT-6:     LDCX
; FEW-NOT:         LDCX

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@table = addrspace(4) externally_initialized global [64 x i32] zeroinitializer, align 4

define void @sides(ptr addrspace(1) %out, i32 %bits, i32 %at, i32 %start) {
entry:
  %wide = zext i32 %at to i64
  %one = and i32 %bits, 1
  %first = icmp eq i32 %one, 0
  br i1 %first, label %middle, label %left
left:
  %p = getelementptr inbounds [64 x i32], ptr addrspace(4) @table, i64 0, i64 %wide
  %v = load i32, ptr addrspace(4) %p
  %x = xor i32 %v, %start
  br label %middle
middle:
  %r = phi i32 [ %start, %entry ], [ %x, %left ]
  %two = and i32 %bits, 2
  %second = icmp eq i32 %two, 0
  br i1 %second, label %end, label %right
right:
  %next = add nuw nsw i64 %wide, 1
  %q = getelementptr inbounds [64 x i32], ptr addrspace(4) @table, i64 0, i64 %next
  %w = load i32, ptr addrspace(4) %q
  %y = xor i32 %w, %r
  br label %end
end:
  %s = phi i32 [ %r, %middle ], [ %y, %right ]
  store i32 %s, ptr addrspace(1) %out
  ret void
}

define void @stores(ptr addrspace(1) %out, i32 %bits, i64 %at) {
entry:
  %c = icmp eq i32 %bits, 0
  br i1 %c, label %end, label %side
side:
  %p = getelementptr inbounds [64 x i32], ptr addrspace(4) @table, i64 0, i64 %at
  %v = load i32, ptr addrspace(4) %p
  store i32 %v, ptr addrspace(1) %out
  br label %end
end:
  ret void
}

define void @turns(ptr addrspace(1) %out, i32 %bits) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %r = phi i32 [ 0, %entry ], [ %s, %latch ]
  %b = phi i32 [ %bits, %entry ], [ %less, %latch ]
  %one = and i32 %b, 1
  %c = icmp eq i32 %one, 0
  br i1 %c, label %latch, label %side
side:
  %wide = zext i32 %i to i64
  %p = getelementptr inbounds [64 x i32], ptr addrspace(4) @table, i64 0, i64 %wide
  %v = load i32, ptr addrspace(4) %p
  %x = xor i32 %v, %r
  br label %latch
latch:
  %s = phi i32 [ %r, %loop ], [ %x, %side ]
  %less = lshr i32 %b, 1
  %next = add nuw nsw i32 %i, 1
  %done = icmp eq i32 %next, 6
  br i1 %done, label %end, label %loop
end:
  store i32 %s, ptr addrspace(1) %out
  ret void
}
