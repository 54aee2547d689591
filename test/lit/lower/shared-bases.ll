; Accesses that are a constant apart have one address, where no sum or product can wrap where it is widened: copies of an
; unrolled loop, rows and columns of a stencil, products of which one has no flags. Where one may wrap, each has its own.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=shared-bases>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK-LABEL:       function copies
; CHECK-DAG:         LDG {{R[0-9]+}}, {{\[}}[[BASE:R[0-9]+]].64{{\]}}
; CHECK-DAG:         LDG {{R[0-9]+}}, {{\[}}[[BASE]].64+0x1000{{\]}}
; CHECK-DAG:         LDG {{R[0-9]+}}, {{\[}}[[BASE]].64+0x2000{{\]}}
; CHECK-LABEL:       function rows
; CHECK-DAG:         LDG {{R[0-9]+}}, {{\[}}[[AT:R[0-9]+]].64-0x4{{\]}}
; CHECK-DAG:         LDG {{R[0-9]+}}, {{\[}}[[AT]].64+0x4000{{\]}}
; CHECK-DAG:         LDG {{R[0-9]+}}, {{\[}}[[AT]].64+0x8004{{\]}}
; CHECK-LABEL:       function unsigned_rows
; CHECK-DAG:         LDG {{R[0-9]+}}, {{\[}}[[IN:R[0-9]+]].64{{\]}}
; CHECK-DAG:         LDG {{R[0-9]+}}, {{\[}}[[IN]].64+0x2004{{\]}}
; CHECK-LABEL:       function twins
; CHECK-DAG:         LDG {{R[0-9]+}}, {{\[}}[[TWO:R[0-9]+]].64{{\]}}
; CHECK-DAG:         LDG {{R[0-9]+}}, {{\[}}[[TWO]].64+0x2000{{\]}}
; CHECK-LABEL:       function fields
; CHECK-DAG:         LDG {{R[0-9]+}}, {{\[}}[[OF:R[0-9]+]].64+0x8{{\]}}
; CHECK-DAG:         LDG {{R[0-9]+}}, {{\[}}[[OF]].64-0xc{{\]}}
; CHECK-LABEL:       function wraps
; CHECK-DAG:         LDG {{R[0-9]+}}, {{\[}}[[A:R[0-9]+]].64{{\]}}
; CHECK-NOT:         LDG {{R[0-9]+}}, {{\[}}[[A]].64+
; CHECK-LABEL:       function other_object
; CHECK-NOT:         .64{{[-+]}}0x
; WITHOUT-LABEL:     function rows
; WITHOUT-COUNT-2:   IMAD.WIDE R
; WITHOUT-LABEL:     function unsigned_rows

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define float @copies(ptr addrspace(1) %x, i32 %k, i32 %j) {
  %k0 = shl nuw nsw i32 %k, 10
  %i0 = add nsw i32 %k0, %j
  %w0 = sext i32 %i0 to i64
  %p0 = getelementptr inbounds float, ptr addrspace(1) %x, i64 %w0
  %a = load float, ptr addrspace(1) %p0
  %n1 = or disjoint i32 %k, 1
  %k1 = shl nuw nsw i32 %n1, 10
  %i1 = add nsw i32 %k1, %j
  %w1 = sext i32 %i1 to i64
  %p1 = getelementptr inbounds float, ptr addrspace(1) %x, i64 %w1
  %b = load float, ptr addrspace(1) %p1
  %n2 = or disjoint i32 %k, 2
  %k2 = shl nuw nsw i32 %n2, 10
  %i2 = add nsw i32 %j, %k2
  %w2 = sext i32 %i2 to i64
  %p2 = getelementptr inbounds float, ptr addrspace(1) %x, i64 %w2
  %c = load float, ptr addrspace(1) %p2
  %ab = fadd float %a, %b
  %r = fadd float %ab, %c
  ret float %r
}

define float @rows(ptr addrspace(1) %x, i32 %i, i32 %j) {
  %up = add nsw i32 %i, -1
  %left = add nsw i32 %j, -1
  %m0 = mul nsw i32 %up, 4096
  %i0 = add nsw i32 %m0, %left
  %w0 = sext i32 %i0 to i64
  %p0 = getelementptr inbounds float, ptr addrspace(1) %x, i64 %w0
  %a = load float, ptr addrspace(1) %p0
  %m1 = mul nsw i32 %i, 4096
  %i1 = add nsw i32 %m1, %j
  %w1 = sext i32 %i1 to i64
  %p1 = getelementptr inbounds float, ptr addrspace(1) %x, i64 %w1
  %b = load float, ptr addrspace(1) %p1
  %down = add nsw i32 %i, 1
  %right = sub nsw i32 %j, -1
  %m2 = mul nsw i32 %down, 4096
  %i2 = add nsw i32 %m2, %right
  %w2 = sext i32 %i2 to i64
  %p2 = getelementptr inbounds float, ptr addrspace(1) %x, i64 %w2
  %c = load float, ptr addrspace(1) %p2
  %ab = fadd float %a, %b
  %r = fadd float %ab, %c
  ret float %r
}

; Known not to wrap as unsigned numbers alone, and not negative in the end.
define float @unsigned_rows(ptr addrspace(1) %x, i32 %i, i32 %j) {
  %m0 = mul nuw nsw i32 %i, 2049
  %i0 = add nuw nsw i32 %m0, %j
  %w0 = zext nneg i32 %i0 to i64
  %p0 = getelementptr inbounds float, ptr addrspace(1) %x, i64 %w0
  %a = load float, ptr addrspace(1) %p0
  %m1 = mul nuw i32 %i, 2049
  %s1 = add nuw i32 %m1, 2049
  %i1 = add nuw nsw i32 %s1, %j
  %w1 = zext nneg i32 %i1 to i64
  %p1 = getelementptr inbounds float, ptr addrspace(1) %x, i64 %w1
  %b = load float, ptr addrspace(1) %p1
  %r = fadd float %a, %b
  ret float %r
}

; The second product says nothing of itself: it is the first.
define float @twins(ptr addrspace(1) %x, i32 %i, i32 %j) {
  %m0 = shl nuw nsw i32 %i, 11
  %i0 = add nsw i32 %m0, %j
  %w0 = sext i32 %i0 to i64
  %p0 = getelementptr inbounds float, ptr addrspace(1) %x, i64 %w0
  %a = load float, ptr addrspace(1) %p0
  %m1 = shl i32 %i, 11
  %o1 = or disjoint i32 %m1, 2048
  %i1 = add nsw i32 %o1, %j
  %w1 = sext i32 %i1 to i64
  %p1 = getelementptr inbounds float, ptr addrspace(1) %x, i64 %w1
  %b = load float, ptr addrspace(1) %p1
  %r = fadd float %a, %b
  ret float %r
}

; 12 bytes an element: 3 elements forward and a field back.
define float @fields(ptr addrspace(1) %x, i64 %i) {
  %p0 = getelementptr { float, [2 x float] }, ptr addrspace(1) %x, i64 %i, i32 1, i64 1
  %a = load float, ptr addrspace(1) %p0
  %i1 = sub i64 %i, 1
  %p1 = getelementptr { float, [2 x float] }, ptr addrspace(1) %x, i64 %i1, i32 0
  %b = load float, ptr addrspace(1) %p1
  %r = fadd float %a, %b
  ret float %r
}

define float @wraps(ptr addrspace(1) %x, i32 %i) {
  %w0 = sext i32 %i to i64
  %p0 = getelementptr float, ptr addrspace(1) %x, i64 %w0
  %a = load float, ptr addrspace(1) %p0
  %i1 = add i32 %i, 7
  %w1 = sext i32 %i1 to i64
  %p1 = getelementptr float, ptr addrspace(1) %x, i64 %w1
  %b = load float, ptr addrspace(1) %p1
  %i2 = add nuw i32 %i, 9
  %w2 = sext i32 %i2 to i64
  %p2 = getelementptr float, ptr addrspace(1) %x, i64 %w2
  %c = load float, ptr addrspace(1) %p2
  %ab = fadd float %a, %b
  %r = fadd float %ab, %c
  ret float %r
}

define float @other_object(ptr addrspace(1) %x, ptr addrspace(1) %y, i64 %i, i64 %j) {
  %p0 = getelementptr float, ptr addrspace(1) %x, i64 %i
  %a = load float, ptr addrspace(1) %p0
  %p1 = getelementptr float, ptr addrspace(1) %y, i64 %i
  %b = load float, ptr addrspace(1) %p1
  %p2 = getelementptr float, ptr addrspace(1) %x, i64 %j
  %c = load float, ptr addrspace(1) %p2
  %ab = fadd float %a, %b
  %r = fadd float %ab, %c
  ret float %r
}
