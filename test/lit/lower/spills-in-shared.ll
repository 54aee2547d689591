; Spills of a kernel for blocks of 256 threads, 8 on an SM of 98,304 bytes: 32 registers, and 12,288 bytes for a block, 12 words of
; a thread. `fits` has no more than these: word w of a thread is at w * 1,024, beyond 4 times its number in the block, which R29,
; the last of the registers that code may name, holds. `much` keeps the rest on the stack. `area` has 12,280 bytes of its own, so
; that there is room for no word of all threads, `half` 6,144: six words, from 6,144 on. Kernels with calls of functions or
; dynamic shared memory spill to the stack alone, as do all without the option and those of modules that will be linked.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;spills=shared>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck --check-prefix=LOCAL %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;spills=shared;rdc>' -disable-output %s 2>&1 | %FileCheck --check-prefix=LOCAL %s

; CHECK:         kernel fits: registers 32, frame 0
; CHECK:         S2R R29, SR_TID.Z
; CHECK-NEXT:    S2R R2, SR_TID.Y
; CHECK-NEXT:    S2R R0, SR_TID.X
; CHECK-NEXT:    IMAD R2, R29, c[0x0][0x4], R2
; CHECK-NEXT:    IMAD R0, R2, c[0x0][0x0], R0
; CHECK-NEXT:    IMAD R29, R0, 0x4, RZ
; CHECK:         STS [R29], {{.*}}spill-store
; CHECK:         STS [R29+0x400], {{.*}}spill-store
; CHECK-NOT:     STL
; CHECK:         LDS {{R[0-9]+}}, [R29]{{.*}}spill-load
; CHECK-NOT:     LDL
; CHECK:         kernel much: registers 32, frame 40
; CHECK-COUNT-12: STS {{.*}}spill-store
; CHECK-NOT:     STS
; CHECK-COUNT-10: STL {{.*}}spill-store
; CHECK-NOT:     STL
; CHECK:         LDS {{R[0-9]+}}, [R29+0x2c00]{{.*}}spill-load
; CHECK:         kernel area: registers 32, frame 32
; CHECK-NOT:     [R29
; CHECK:         kernel half: registers 32, frame 32
; CHECK:         STS [R29+0x1800], {{.*}}spill-store
; CHECK:         STS [R29+0x2c00], {{.*}}spill-store
; CHECK-NOT:     STS
; CHECK:         STL [R1], {{.*}}spill-store
; CHECK:         kernel behind: registers 32, frame 32
; CHECK-NOT:     STS {{.*}}spill-store
; CHECK:         kernel calls: registers 32, frame 96
; CHECK-NOT:     STS {{.*}}spill-store
; CHECK:         STL {{.*}}spill-store

; LOCAL-NOT:     STS {{.*}}spill-store
; LOCAL:         kernel fits: registers 32, frame 32
; LOCAL-NOT:     STS {{.*}}spill-store
; LOCAL:         kernel calls: registers 32, frame 96

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@area_of = internal addrspace(3) global [3070 x i32] undef
@half_of = internal addrspace(3) global [1536 x i32] undef
@dynamic = external addrspace(3) global [0 x i32]

define void @fits(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
  %p0 = getelementptr i32, ptr addrspace(1) %in, i32 0
  %a0 = load volatile i32, ptr addrspace(1) %p0
  %p1 = getelementptr i32, ptr addrspace(1) %in, i32 1
  %a1 = load volatile i32, ptr addrspace(1) %p1
  %p2 = getelementptr i32, ptr addrspace(1) %in, i32 2
  %a2 = load volatile i32, ptr addrspace(1) %p2
  %p3 = getelementptr i32, ptr addrspace(1) %in, i32 3
  %a3 = load volatile i32, ptr addrspace(1) %p3
  %p4 = getelementptr i32, ptr addrspace(1) %in, i32 4
  %a4 = load volatile i32, ptr addrspace(1) %p4
  %p5 = getelementptr i32, ptr addrspace(1) %in, i32 5
  %a5 = load volatile i32, ptr addrspace(1) %p5
  %p6 = getelementptr i32, ptr addrspace(1) %in, i32 6
  %a6 = load volatile i32, ptr addrspace(1) %p6
  %p7 = getelementptr i32, ptr addrspace(1) %in, i32 7
  %a7 = load volatile i32, ptr addrspace(1) %p7
  %p8 = getelementptr i32, ptr addrspace(1) %in, i32 8
  %a8 = load volatile i32, ptr addrspace(1) %p8
  %p9 = getelementptr i32, ptr addrspace(1) %in, i32 9
  %a9 = load volatile i32, ptr addrspace(1) %p9
  %p10 = getelementptr i32, ptr addrspace(1) %in, i32 10
  %a10 = load volatile i32, ptr addrspace(1) %p10
  %p11 = getelementptr i32, ptr addrspace(1) %in, i32 11
  %a11 = load volatile i32, ptr addrspace(1) %p11
  %p12 = getelementptr i32, ptr addrspace(1) %in, i32 12
  %a12 = load volatile i32, ptr addrspace(1) %p12
  %p13 = getelementptr i32, ptr addrspace(1) %in, i32 13
  %a13 = load volatile i32, ptr addrspace(1) %p13
  %p14 = getelementptr i32, ptr addrspace(1) %in, i32 14
  %a14 = load volatile i32, ptr addrspace(1) %p14
  %p15 = getelementptr i32, ptr addrspace(1) %in, i32 15
  %a15 = load volatile i32, ptr addrspace(1) %p15
  %p16 = getelementptr i32, ptr addrspace(1) %in, i32 16
  %a16 = load volatile i32, ptr addrspace(1) %p16
  %p17 = getelementptr i32, ptr addrspace(1) %in, i32 17
  %a17 = load volatile i32, ptr addrspace(1) %p17
  %p18 = getelementptr i32, ptr addrspace(1) %in, i32 18
  %a18 = load volatile i32, ptr addrspace(1) %p18
  %p19 = getelementptr i32, ptr addrspace(1) %in, i32 19
  %a19 = load volatile i32, ptr addrspace(1) %p19
  %p20 = getelementptr i32, ptr addrspace(1) %in, i32 20
  %a20 = load volatile i32, ptr addrspace(1) %p20
  %p21 = getelementptr i32, ptr addrspace(1) %in, i32 21
  %a21 = load volatile i32, ptr addrspace(1) %p21
  %p22 = getelementptr i32, ptr addrspace(1) %in, i32 22
  %a22 = load volatile i32, ptr addrspace(1) %p22
  %p23 = getelementptr i32, ptr addrspace(1) %in, i32 23
  %a23 = load volatile i32, ptr addrspace(1) %p23
  %p24 = getelementptr i32, ptr addrspace(1) %in, i32 24
  %a24 = load volatile i32, ptr addrspace(1) %p24
  %p25 = getelementptr i32, ptr addrspace(1) %in, i32 25
  %a25 = load volatile i32, ptr addrspace(1) %p25
  %p26 = getelementptr i32, ptr addrspace(1) %in, i32 26
  %a26 = load volatile i32, ptr addrspace(1) %p26
  %p27 = getelementptr i32, ptr addrspace(1) %in, i32 27
  %a27 = load volatile i32, ptr addrspace(1) %p27
  %p28 = getelementptr i32, ptr addrspace(1) %in, i32 28
  %a28 = load volatile i32, ptr addrspace(1) %p28
  %p29 = getelementptr i32, ptr addrspace(1) %in, i32 29
  %a29 = load volatile i32, ptr addrspace(1) %p29
  %p30 = getelementptr i32, ptr addrspace(1) %in, i32 30
  %a30 = load volatile i32, ptr addrspace(1) %p30
  %p31 = getelementptr i32, ptr addrspace(1) %in, i32 31
  %a31 = load volatile i32, ptr addrspace(1) %p31
  %p32 = getelementptr i32, ptr addrspace(1) %in, i32 32
  %a32 = load volatile i32, ptr addrspace(1) %p32
  %p33 = getelementptr i32, ptr addrspace(1) %in, i32 33
  %a33 = load volatile i32, ptr addrspace(1) %p33
  %q0 = getelementptr i32, ptr addrspace(1) %out, i32 0
  store volatile i32 %a0, ptr addrspace(1) %q0
  %q1 = getelementptr i32, ptr addrspace(1) %out, i32 1
  store volatile i32 %a1, ptr addrspace(1) %q1
  %q2 = getelementptr i32, ptr addrspace(1) %out, i32 2
  store volatile i32 %a2, ptr addrspace(1) %q2
  %q3 = getelementptr i32, ptr addrspace(1) %out, i32 3
  store volatile i32 %a3, ptr addrspace(1) %q3
  %q4 = getelementptr i32, ptr addrspace(1) %out, i32 4
  store volatile i32 %a4, ptr addrspace(1) %q4
  %q5 = getelementptr i32, ptr addrspace(1) %out, i32 5
  store volatile i32 %a5, ptr addrspace(1) %q5
  %q6 = getelementptr i32, ptr addrspace(1) %out, i32 6
  store volatile i32 %a6, ptr addrspace(1) %q6
  %q7 = getelementptr i32, ptr addrspace(1) %out, i32 7
  store volatile i32 %a7, ptr addrspace(1) %q7
  %q8 = getelementptr i32, ptr addrspace(1) %out, i32 8
  store volatile i32 %a8, ptr addrspace(1) %q8
  %q9 = getelementptr i32, ptr addrspace(1) %out, i32 9
  store volatile i32 %a9, ptr addrspace(1) %q9
  %q10 = getelementptr i32, ptr addrspace(1) %out, i32 10
  store volatile i32 %a10, ptr addrspace(1) %q10
  %q11 = getelementptr i32, ptr addrspace(1) %out, i32 11
  store volatile i32 %a11, ptr addrspace(1) %q11
  %q12 = getelementptr i32, ptr addrspace(1) %out, i32 12
  store volatile i32 %a12, ptr addrspace(1) %q12
  %q13 = getelementptr i32, ptr addrspace(1) %out, i32 13
  store volatile i32 %a13, ptr addrspace(1) %q13
  %q14 = getelementptr i32, ptr addrspace(1) %out, i32 14
  store volatile i32 %a14, ptr addrspace(1) %q14
  %q15 = getelementptr i32, ptr addrspace(1) %out, i32 15
  store volatile i32 %a15, ptr addrspace(1) %q15
  %q16 = getelementptr i32, ptr addrspace(1) %out, i32 16
  store volatile i32 %a16, ptr addrspace(1) %q16
  %q17 = getelementptr i32, ptr addrspace(1) %out, i32 17
  store volatile i32 %a17, ptr addrspace(1) %q17
  %q18 = getelementptr i32, ptr addrspace(1) %out, i32 18
  store volatile i32 %a18, ptr addrspace(1) %q18
  %q19 = getelementptr i32, ptr addrspace(1) %out, i32 19
  store volatile i32 %a19, ptr addrspace(1) %q19
  %q20 = getelementptr i32, ptr addrspace(1) %out, i32 20
  store volatile i32 %a20, ptr addrspace(1) %q20
  %q21 = getelementptr i32, ptr addrspace(1) %out, i32 21
  store volatile i32 %a21, ptr addrspace(1) %q21
  %q22 = getelementptr i32, ptr addrspace(1) %out, i32 22
  store volatile i32 %a22, ptr addrspace(1) %q22
  %q23 = getelementptr i32, ptr addrspace(1) %out, i32 23
  store volatile i32 %a23, ptr addrspace(1) %q23
  %q24 = getelementptr i32, ptr addrspace(1) %out, i32 24
  store volatile i32 %a24, ptr addrspace(1) %q24
  %q25 = getelementptr i32, ptr addrspace(1) %out, i32 25
  store volatile i32 %a25, ptr addrspace(1) %q25
  %q26 = getelementptr i32, ptr addrspace(1) %out, i32 26
  store volatile i32 %a26, ptr addrspace(1) %q26
  %q27 = getelementptr i32, ptr addrspace(1) %out, i32 27
  store volatile i32 %a27, ptr addrspace(1) %q27
  %q28 = getelementptr i32, ptr addrspace(1) %out, i32 28
  store volatile i32 %a28, ptr addrspace(1) %q28
  %q29 = getelementptr i32, ptr addrspace(1) %out, i32 29
  store volatile i32 %a29, ptr addrspace(1) %q29
  %q30 = getelementptr i32, ptr addrspace(1) %out, i32 30
  store volatile i32 %a30, ptr addrspace(1) %q30
  %q31 = getelementptr i32, ptr addrspace(1) %out, i32 31
  store volatile i32 %a31, ptr addrspace(1) %q31
  %q32 = getelementptr i32, ptr addrspace(1) %out, i32 32
  store volatile i32 %a32, ptr addrspace(1) %q32
  %q33 = getelementptr i32, ptr addrspace(1) %out, i32 33
  store volatile i32 %a33, ptr addrspace(1) %q33
  ret void
}

define void @much(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
  %p0 = getelementptr i32, ptr addrspace(1) %in, i32 0
  %a0 = load volatile i32, ptr addrspace(1) %p0
  %p1 = getelementptr i32, ptr addrspace(1) %in, i32 1
  %a1 = load volatile i32, ptr addrspace(1) %p1
  %p2 = getelementptr i32, ptr addrspace(1) %in, i32 2
  %a2 = load volatile i32, ptr addrspace(1) %p2
  %p3 = getelementptr i32, ptr addrspace(1) %in, i32 3
  %a3 = load volatile i32, ptr addrspace(1) %p3
  %p4 = getelementptr i32, ptr addrspace(1) %in, i32 4
  %a4 = load volatile i32, ptr addrspace(1) %p4
  %p5 = getelementptr i32, ptr addrspace(1) %in, i32 5
  %a5 = load volatile i32, ptr addrspace(1) %p5
  %p6 = getelementptr i32, ptr addrspace(1) %in, i32 6
  %a6 = load volatile i32, ptr addrspace(1) %p6
  %p7 = getelementptr i32, ptr addrspace(1) %in, i32 7
  %a7 = load volatile i32, ptr addrspace(1) %p7
  %p8 = getelementptr i32, ptr addrspace(1) %in, i32 8
  %a8 = load volatile i32, ptr addrspace(1) %p8
  %p9 = getelementptr i32, ptr addrspace(1) %in, i32 9
  %a9 = load volatile i32, ptr addrspace(1) %p9
  %p10 = getelementptr i32, ptr addrspace(1) %in, i32 10
  %a10 = load volatile i32, ptr addrspace(1) %p10
  %p11 = getelementptr i32, ptr addrspace(1) %in, i32 11
  %a11 = load volatile i32, ptr addrspace(1) %p11
  %p12 = getelementptr i32, ptr addrspace(1) %in, i32 12
  %a12 = load volatile i32, ptr addrspace(1) %p12
  %p13 = getelementptr i32, ptr addrspace(1) %in, i32 13
  %a13 = load volatile i32, ptr addrspace(1) %p13
  %p14 = getelementptr i32, ptr addrspace(1) %in, i32 14
  %a14 = load volatile i32, ptr addrspace(1) %p14
  %p15 = getelementptr i32, ptr addrspace(1) %in, i32 15
  %a15 = load volatile i32, ptr addrspace(1) %p15
  %p16 = getelementptr i32, ptr addrspace(1) %in, i32 16
  %a16 = load volatile i32, ptr addrspace(1) %p16
  %p17 = getelementptr i32, ptr addrspace(1) %in, i32 17
  %a17 = load volatile i32, ptr addrspace(1) %p17
  %p18 = getelementptr i32, ptr addrspace(1) %in, i32 18
  %a18 = load volatile i32, ptr addrspace(1) %p18
  %p19 = getelementptr i32, ptr addrspace(1) %in, i32 19
  %a19 = load volatile i32, ptr addrspace(1) %p19
  %p20 = getelementptr i32, ptr addrspace(1) %in, i32 20
  %a20 = load volatile i32, ptr addrspace(1) %p20
  %p21 = getelementptr i32, ptr addrspace(1) %in, i32 21
  %a21 = load volatile i32, ptr addrspace(1) %p21
  %p22 = getelementptr i32, ptr addrspace(1) %in, i32 22
  %a22 = load volatile i32, ptr addrspace(1) %p22
  %p23 = getelementptr i32, ptr addrspace(1) %in, i32 23
  %a23 = load volatile i32, ptr addrspace(1) %p23
  %p24 = getelementptr i32, ptr addrspace(1) %in, i32 24
  %a24 = load volatile i32, ptr addrspace(1) %p24
  %p25 = getelementptr i32, ptr addrspace(1) %in, i32 25
  %a25 = load volatile i32, ptr addrspace(1) %p25
  %p26 = getelementptr i32, ptr addrspace(1) %in, i32 26
  %a26 = load volatile i32, ptr addrspace(1) %p26
  %p27 = getelementptr i32, ptr addrspace(1) %in, i32 27
  %a27 = load volatile i32, ptr addrspace(1) %p27
  %p28 = getelementptr i32, ptr addrspace(1) %in, i32 28
  %a28 = load volatile i32, ptr addrspace(1) %p28
  %p29 = getelementptr i32, ptr addrspace(1) %in, i32 29
  %a29 = load volatile i32, ptr addrspace(1) %p29
  %p30 = getelementptr i32, ptr addrspace(1) %in, i32 30
  %a30 = load volatile i32, ptr addrspace(1) %p30
  %p31 = getelementptr i32, ptr addrspace(1) %in, i32 31
  %a31 = load volatile i32, ptr addrspace(1) %p31
  %p32 = getelementptr i32, ptr addrspace(1) %in, i32 32
  %a32 = load volatile i32, ptr addrspace(1) %p32
  %p33 = getelementptr i32, ptr addrspace(1) %in, i32 33
  %a33 = load volatile i32, ptr addrspace(1) %p33
  %p34 = getelementptr i32, ptr addrspace(1) %in, i32 34
  %a34 = load volatile i32, ptr addrspace(1) %p34
  %p35 = getelementptr i32, ptr addrspace(1) %in, i32 35
  %a35 = load volatile i32, ptr addrspace(1) %p35
  %p36 = getelementptr i32, ptr addrspace(1) %in, i32 36
  %a36 = load volatile i32, ptr addrspace(1) %p36
  %p37 = getelementptr i32, ptr addrspace(1) %in, i32 37
  %a37 = load volatile i32, ptr addrspace(1) %p37
  %p38 = getelementptr i32, ptr addrspace(1) %in, i32 38
  %a38 = load volatile i32, ptr addrspace(1) %p38
  %p39 = getelementptr i32, ptr addrspace(1) %in, i32 39
  %a39 = load volatile i32, ptr addrspace(1) %p39
  %p40 = getelementptr i32, ptr addrspace(1) %in, i32 40
  %a40 = load volatile i32, ptr addrspace(1) %p40
  %p41 = getelementptr i32, ptr addrspace(1) %in, i32 41
  %a41 = load volatile i32, ptr addrspace(1) %p41
  %p42 = getelementptr i32, ptr addrspace(1) %in, i32 42
  %a42 = load volatile i32, ptr addrspace(1) %p42
  %p43 = getelementptr i32, ptr addrspace(1) %in, i32 43
  %a43 = load volatile i32, ptr addrspace(1) %p43
  %p44 = getelementptr i32, ptr addrspace(1) %in, i32 44
  %a44 = load volatile i32, ptr addrspace(1) %p44
  %p45 = getelementptr i32, ptr addrspace(1) %in, i32 45
  %a45 = load volatile i32, ptr addrspace(1) %p45
  %p46 = getelementptr i32, ptr addrspace(1) %in, i32 46
  %a46 = load volatile i32, ptr addrspace(1) %p46
  %p47 = getelementptr i32, ptr addrspace(1) %in, i32 47
  %a47 = load volatile i32, ptr addrspace(1) %p47
  %q0 = getelementptr i32, ptr addrspace(1) %out, i32 0
  store volatile i32 %a0, ptr addrspace(1) %q0
  %q1 = getelementptr i32, ptr addrspace(1) %out, i32 1
  store volatile i32 %a1, ptr addrspace(1) %q1
  %q2 = getelementptr i32, ptr addrspace(1) %out, i32 2
  store volatile i32 %a2, ptr addrspace(1) %q2
  %q3 = getelementptr i32, ptr addrspace(1) %out, i32 3
  store volatile i32 %a3, ptr addrspace(1) %q3
  %q4 = getelementptr i32, ptr addrspace(1) %out, i32 4
  store volatile i32 %a4, ptr addrspace(1) %q4
  %q5 = getelementptr i32, ptr addrspace(1) %out, i32 5
  store volatile i32 %a5, ptr addrspace(1) %q5
  %q6 = getelementptr i32, ptr addrspace(1) %out, i32 6
  store volatile i32 %a6, ptr addrspace(1) %q6
  %q7 = getelementptr i32, ptr addrspace(1) %out, i32 7
  store volatile i32 %a7, ptr addrspace(1) %q7
  %q8 = getelementptr i32, ptr addrspace(1) %out, i32 8
  store volatile i32 %a8, ptr addrspace(1) %q8
  %q9 = getelementptr i32, ptr addrspace(1) %out, i32 9
  store volatile i32 %a9, ptr addrspace(1) %q9
  %q10 = getelementptr i32, ptr addrspace(1) %out, i32 10
  store volatile i32 %a10, ptr addrspace(1) %q10
  %q11 = getelementptr i32, ptr addrspace(1) %out, i32 11
  store volatile i32 %a11, ptr addrspace(1) %q11
  %q12 = getelementptr i32, ptr addrspace(1) %out, i32 12
  store volatile i32 %a12, ptr addrspace(1) %q12
  %q13 = getelementptr i32, ptr addrspace(1) %out, i32 13
  store volatile i32 %a13, ptr addrspace(1) %q13
  %q14 = getelementptr i32, ptr addrspace(1) %out, i32 14
  store volatile i32 %a14, ptr addrspace(1) %q14
  %q15 = getelementptr i32, ptr addrspace(1) %out, i32 15
  store volatile i32 %a15, ptr addrspace(1) %q15
  %q16 = getelementptr i32, ptr addrspace(1) %out, i32 16
  store volatile i32 %a16, ptr addrspace(1) %q16
  %q17 = getelementptr i32, ptr addrspace(1) %out, i32 17
  store volatile i32 %a17, ptr addrspace(1) %q17
  %q18 = getelementptr i32, ptr addrspace(1) %out, i32 18
  store volatile i32 %a18, ptr addrspace(1) %q18
  %q19 = getelementptr i32, ptr addrspace(1) %out, i32 19
  store volatile i32 %a19, ptr addrspace(1) %q19
  %q20 = getelementptr i32, ptr addrspace(1) %out, i32 20
  store volatile i32 %a20, ptr addrspace(1) %q20
  %q21 = getelementptr i32, ptr addrspace(1) %out, i32 21
  store volatile i32 %a21, ptr addrspace(1) %q21
  %q22 = getelementptr i32, ptr addrspace(1) %out, i32 22
  store volatile i32 %a22, ptr addrspace(1) %q22
  %q23 = getelementptr i32, ptr addrspace(1) %out, i32 23
  store volatile i32 %a23, ptr addrspace(1) %q23
  %q24 = getelementptr i32, ptr addrspace(1) %out, i32 24
  store volatile i32 %a24, ptr addrspace(1) %q24
  %q25 = getelementptr i32, ptr addrspace(1) %out, i32 25
  store volatile i32 %a25, ptr addrspace(1) %q25
  %q26 = getelementptr i32, ptr addrspace(1) %out, i32 26
  store volatile i32 %a26, ptr addrspace(1) %q26
  %q27 = getelementptr i32, ptr addrspace(1) %out, i32 27
  store volatile i32 %a27, ptr addrspace(1) %q27
  %q28 = getelementptr i32, ptr addrspace(1) %out, i32 28
  store volatile i32 %a28, ptr addrspace(1) %q28
  %q29 = getelementptr i32, ptr addrspace(1) %out, i32 29
  store volatile i32 %a29, ptr addrspace(1) %q29
  %q30 = getelementptr i32, ptr addrspace(1) %out, i32 30
  store volatile i32 %a30, ptr addrspace(1) %q30
  %q31 = getelementptr i32, ptr addrspace(1) %out, i32 31
  store volatile i32 %a31, ptr addrspace(1) %q31
  %q32 = getelementptr i32, ptr addrspace(1) %out, i32 32
  store volatile i32 %a32, ptr addrspace(1) %q32
  %q33 = getelementptr i32, ptr addrspace(1) %out, i32 33
  store volatile i32 %a33, ptr addrspace(1) %q33
  %q34 = getelementptr i32, ptr addrspace(1) %out, i32 34
  store volatile i32 %a34, ptr addrspace(1) %q34
  %q35 = getelementptr i32, ptr addrspace(1) %out, i32 35
  store volatile i32 %a35, ptr addrspace(1) %q35
  %q36 = getelementptr i32, ptr addrspace(1) %out, i32 36
  store volatile i32 %a36, ptr addrspace(1) %q36
  %q37 = getelementptr i32, ptr addrspace(1) %out, i32 37
  store volatile i32 %a37, ptr addrspace(1) %q37
  %q38 = getelementptr i32, ptr addrspace(1) %out, i32 38
  store volatile i32 %a38, ptr addrspace(1) %q38
  %q39 = getelementptr i32, ptr addrspace(1) %out, i32 39
  store volatile i32 %a39, ptr addrspace(1) %q39
  %q40 = getelementptr i32, ptr addrspace(1) %out, i32 40
  store volatile i32 %a40, ptr addrspace(1) %q40
  %q41 = getelementptr i32, ptr addrspace(1) %out, i32 41
  store volatile i32 %a41, ptr addrspace(1) %q41
  %q42 = getelementptr i32, ptr addrspace(1) %out, i32 42
  store volatile i32 %a42, ptr addrspace(1) %q42
  %q43 = getelementptr i32, ptr addrspace(1) %out, i32 43
  store volatile i32 %a43, ptr addrspace(1) %q43
  %q44 = getelementptr i32, ptr addrspace(1) %out, i32 44
  store volatile i32 %a44, ptr addrspace(1) %q44
  %q45 = getelementptr i32, ptr addrspace(1) %out, i32 45
  store volatile i32 %a45, ptr addrspace(1) %q45
  %q46 = getelementptr i32, ptr addrspace(1) %out, i32 46
  store volatile i32 %a46, ptr addrspace(1) %q46
  %q47 = getelementptr i32, ptr addrspace(1) %out, i32 47
  store volatile i32 %a47, ptr addrspace(1) %q47
  ret void
}

define void @area(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
  %p0 = getelementptr i32, ptr addrspace(1) %in, i32 0
  %a0 = load volatile i32, ptr addrspace(1) %p0
  %p1 = getelementptr i32, ptr addrspace(1) %in, i32 1
  %a1 = load volatile i32, ptr addrspace(1) %p1
  %p2 = getelementptr i32, ptr addrspace(1) %in, i32 2
  %a2 = load volatile i32, ptr addrspace(1) %p2
  %p3 = getelementptr i32, ptr addrspace(1) %in, i32 3
  %a3 = load volatile i32, ptr addrspace(1) %p3
  %p4 = getelementptr i32, ptr addrspace(1) %in, i32 4
  %a4 = load volatile i32, ptr addrspace(1) %p4
  %p5 = getelementptr i32, ptr addrspace(1) %in, i32 5
  %a5 = load volatile i32, ptr addrspace(1) %p5
  %p6 = getelementptr i32, ptr addrspace(1) %in, i32 6
  %a6 = load volatile i32, ptr addrspace(1) %p6
  %p7 = getelementptr i32, ptr addrspace(1) %in, i32 7
  %a7 = load volatile i32, ptr addrspace(1) %p7
  %p8 = getelementptr i32, ptr addrspace(1) %in, i32 8
  %a8 = load volatile i32, ptr addrspace(1) %p8
  %p9 = getelementptr i32, ptr addrspace(1) %in, i32 9
  %a9 = load volatile i32, ptr addrspace(1) %p9
  %p10 = getelementptr i32, ptr addrspace(1) %in, i32 10
  %a10 = load volatile i32, ptr addrspace(1) %p10
  %p11 = getelementptr i32, ptr addrspace(1) %in, i32 11
  %a11 = load volatile i32, ptr addrspace(1) %p11
  %p12 = getelementptr i32, ptr addrspace(1) %in, i32 12
  %a12 = load volatile i32, ptr addrspace(1) %p12
  %p13 = getelementptr i32, ptr addrspace(1) %in, i32 13
  %a13 = load volatile i32, ptr addrspace(1) %p13
  %p14 = getelementptr i32, ptr addrspace(1) %in, i32 14
  %a14 = load volatile i32, ptr addrspace(1) %p14
  %p15 = getelementptr i32, ptr addrspace(1) %in, i32 15
  %a15 = load volatile i32, ptr addrspace(1) %p15
  %p16 = getelementptr i32, ptr addrspace(1) %in, i32 16
  %a16 = load volatile i32, ptr addrspace(1) %p16
  %p17 = getelementptr i32, ptr addrspace(1) %in, i32 17
  %a17 = load volatile i32, ptr addrspace(1) %p17
  %p18 = getelementptr i32, ptr addrspace(1) %in, i32 18
  %a18 = load volatile i32, ptr addrspace(1) %p18
  %p19 = getelementptr i32, ptr addrspace(1) %in, i32 19
  %a19 = load volatile i32, ptr addrspace(1) %p19
  %p20 = getelementptr i32, ptr addrspace(1) %in, i32 20
  %a20 = load volatile i32, ptr addrspace(1) %p20
  %p21 = getelementptr i32, ptr addrspace(1) %in, i32 21
  %a21 = load volatile i32, ptr addrspace(1) %p21
  %p22 = getelementptr i32, ptr addrspace(1) %in, i32 22
  %a22 = load volatile i32, ptr addrspace(1) %p22
  %p23 = getelementptr i32, ptr addrspace(1) %in, i32 23
  %a23 = load volatile i32, ptr addrspace(1) %p23
  %p24 = getelementptr i32, ptr addrspace(1) %in, i32 24
  %a24 = load volatile i32, ptr addrspace(1) %p24
  %p25 = getelementptr i32, ptr addrspace(1) %in, i32 25
  %a25 = load volatile i32, ptr addrspace(1) %p25
  %p26 = getelementptr i32, ptr addrspace(1) %in, i32 26
  %a26 = load volatile i32, ptr addrspace(1) %p26
  %p27 = getelementptr i32, ptr addrspace(1) %in, i32 27
  %a27 = load volatile i32, ptr addrspace(1) %p27
  %p28 = getelementptr i32, ptr addrspace(1) %in, i32 28
  %a28 = load volatile i32, ptr addrspace(1) %p28
  %p29 = getelementptr i32, ptr addrspace(1) %in, i32 29
  %a29 = load volatile i32, ptr addrspace(1) %p29
  %p30 = getelementptr i32, ptr addrspace(1) %in, i32 30
  %a30 = load volatile i32, ptr addrspace(1) %p30
  %p31 = getelementptr i32, ptr addrspace(1) %in, i32 31
  %a31 = load volatile i32, ptr addrspace(1) %p31
  %p32 = getelementptr i32, ptr addrspace(1) %in, i32 32
  %a32 = load volatile i32, ptr addrspace(1) %p32
  %p33 = getelementptr i32, ptr addrspace(1) %in, i32 33
  %a33 = load volatile i32, ptr addrspace(1) %p33
  store volatile i32 1, ptr addrspace(3) @area_of
  %q0 = getelementptr i32, ptr addrspace(1) %out, i32 0
  store volatile i32 %a0, ptr addrspace(1) %q0
  %q1 = getelementptr i32, ptr addrspace(1) %out, i32 1
  store volatile i32 %a1, ptr addrspace(1) %q1
  %q2 = getelementptr i32, ptr addrspace(1) %out, i32 2
  store volatile i32 %a2, ptr addrspace(1) %q2
  %q3 = getelementptr i32, ptr addrspace(1) %out, i32 3
  store volatile i32 %a3, ptr addrspace(1) %q3
  %q4 = getelementptr i32, ptr addrspace(1) %out, i32 4
  store volatile i32 %a4, ptr addrspace(1) %q4
  %q5 = getelementptr i32, ptr addrspace(1) %out, i32 5
  store volatile i32 %a5, ptr addrspace(1) %q5
  %q6 = getelementptr i32, ptr addrspace(1) %out, i32 6
  store volatile i32 %a6, ptr addrspace(1) %q6
  %q7 = getelementptr i32, ptr addrspace(1) %out, i32 7
  store volatile i32 %a7, ptr addrspace(1) %q7
  %q8 = getelementptr i32, ptr addrspace(1) %out, i32 8
  store volatile i32 %a8, ptr addrspace(1) %q8
  %q9 = getelementptr i32, ptr addrspace(1) %out, i32 9
  store volatile i32 %a9, ptr addrspace(1) %q9
  %q10 = getelementptr i32, ptr addrspace(1) %out, i32 10
  store volatile i32 %a10, ptr addrspace(1) %q10
  %q11 = getelementptr i32, ptr addrspace(1) %out, i32 11
  store volatile i32 %a11, ptr addrspace(1) %q11
  %q12 = getelementptr i32, ptr addrspace(1) %out, i32 12
  store volatile i32 %a12, ptr addrspace(1) %q12
  %q13 = getelementptr i32, ptr addrspace(1) %out, i32 13
  store volatile i32 %a13, ptr addrspace(1) %q13
  %q14 = getelementptr i32, ptr addrspace(1) %out, i32 14
  store volatile i32 %a14, ptr addrspace(1) %q14
  %q15 = getelementptr i32, ptr addrspace(1) %out, i32 15
  store volatile i32 %a15, ptr addrspace(1) %q15
  %q16 = getelementptr i32, ptr addrspace(1) %out, i32 16
  store volatile i32 %a16, ptr addrspace(1) %q16
  %q17 = getelementptr i32, ptr addrspace(1) %out, i32 17
  store volatile i32 %a17, ptr addrspace(1) %q17
  %q18 = getelementptr i32, ptr addrspace(1) %out, i32 18
  store volatile i32 %a18, ptr addrspace(1) %q18
  %q19 = getelementptr i32, ptr addrspace(1) %out, i32 19
  store volatile i32 %a19, ptr addrspace(1) %q19
  %q20 = getelementptr i32, ptr addrspace(1) %out, i32 20
  store volatile i32 %a20, ptr addrspace(1) %q20
  %q21 = getelementptr i32, ptr addrspace(1) %out, i32 21
  store volatile i32 %a21, ptr addrspace(1) %q21
  %q22 = getelementptr i32, ptr addrspace(1) %out, i32 22
  store volatile i32 %a22, ptr addrspace(1) %q22
  %q23 = getelementptr i32, ptr addrspace(1) %out, i32 23
  store volatile i32 %a23, ptr addrspace(1) %q23
  %q24 = getelementptr i32, ptr addrspace(1) %out, i32 24
  store volatile i32 %a24, ptr addrspace(1) %q24
  %q25 = getelementptr i32, ptr addrspace(1) %out, i32 25
  store volatile i32 %a25, ptr addrspace(1) %q25
  %q26 = getelementptr i32, ptr addrspace(1) %out, i32 26
  store volatile i32 %a26, ptr addrspace(1) %q26
  %q27 = getelementptr i32, ptr addrspace(1) %out, i32 27
  store volatile i32 %a27, ptr addrspace(1) %q27
  %q28 = getelementptr i32, ptr addrspace(1) %out, i32 28
  store volatile i32 %a28, ptr addrspace(1) %q28
  %q29 = getelementptr i32, ptr addrspace(1) %out, i32 29
  store volatile i32 %a29, ptr addrspace(1) %q29
  %q30 = getelementptr i32, ptr addrspace(1) %out, i32 30
  store volatile i32 %a30, ptr addrspace(1) %q30
  %q31 = getelementptr i32, ptr addrspace(1) %out, i32 31
  store volatile i32 %a31, ptr addrspace(1) %q31
  %q32 = getelementptr i32, ptr addrspace(1) %out, i32 32
  store volatile i32 %a32, ptr addrspace(1) %q32
  %q33 = getelementptr i32, ptr addrspace(1) %out, i32 33
  store volatile i32 %a33, ptr addrspace(1) %q33
  ret void
}

define void @half(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
  %p0 = getelementptr i32, ptr addrspace(1) %in, i32 0
  %a0 = load volatile i32, ptr addrspace(1) %p0
  %p1 = getelementptr i32, ptr addrspace(1) %in, i32 1
  %a1 = load volatile i32, ptr addrspace(1) %p1
  %p2 = getelementptr i32, ptr addrspace(1) %in, i32 2
  %a2 = load volatile i32, ptr addrspace(1) %p2
  %p3 = getelementptr i32, ptr addrspace(1) %in, i32 3
  %a3 = load volatile i32, ptr addrspace(1) %p3
  %p4 = getelementptr i32, ptr addrspace(1) %in, i32 4
  %a4 = load volatile i32, ptr addrspace(1) %p4
  %p5 = getelementptr i32, ptr addrspace(1) %in, i32 5
  %a5 = load volatile i32, ptr addrspace(1) %p5
  %p6 = getelementptr i32, ptr addrspace(1) %in, i32 6
  %a6 = load volatile i32, ptr addrspace(1) %p6
  %p7 = getelementptr i32, ptr addrspace(1) %in, i32 7
  %a7 = load volatile i32, ptr addrspace(1) %p7
  %p8 = getelementptr i32, ptr addrspace(1) %in, i32 8
  %a8 = load volatile i32, ptr addrspace(1) %p8
  %p9 = getelementptr i32, ptr addrspace(1) %in, i32 9
  %a9 = load volatile i32, ptr addrspace(1) %p9
  %p10 = getelementptr i32, ptr addrspace(1) %in, i32 10
  %a10 = load volatile i32, ptr addrspace(1) %p10
  %p11 = getelementptr i32, ptr addrspace(1) %in, i32 11
  %a11 = load volatile i32, ptr addrspace(1) %p11
  %p12 = getelementptr i32, ptr addrspace(1) %in, i32 12
  %a12 = load volatile i32, ptr addrspace(1) %p12
  %p13 = getelementptr i32, ptr addrspace(1) %in, i32 13
  %a13 = load volatile i32, ptr addrspace(1) %p13
  %p14 = getelementptr i32, ptr addrspace(1) %in, i32 14
  %a14 = load volatile i32, ptr addrspace(1) %p14
  %p15 = getelementptr i32, ptr addrspace(1) %in, i32 15
  %a15 = load volatile i32, ptr addrspace(1) %p15
  %p16 = getelementptr i32, ptr addrspace(1) %in, i32 16
  %a16 = load volatile i32, ptr addrspace(1) %p16
  %p17 = getelementptr i32, ptr addrspace(1) %in, i32 17
  %a17 = load volatile i32, ptr addrspace(1) %p17
  %p18 = getelementptr i32, ptr addrspace(1) %in, i32 18
  %a18 = load volatile i32, ptr addrspace(1) %p18
  %p19 = getelementptr i32, ptr addrspace(1) %in, i32 19
  %a19 = load volatile i32, ptr addrspace(1) %p19
  %p20 = getelementptr i32, ptr addrspace(1) %in, i32 20
  %a20 = load volatile i32, ptr addrspace(1) %p20
  %p21 = getelementptr i32, ptr addrspace(1) %in, i32 21
  %a21 = load volatile i32, ptr addrspace(1) %p21
  %p22 = getelementptr i32, ptr addrspace(1) %in, i32 22
  %a22 = load volatile i32, ptr addrspace(1) %p22
  %p23 = getelementptr i32, ptr addrspace(1) %in, i32 23
  %a23 = load volatile i32, ptr addrspace(1) %p23
  %p24 = getelementptr i32, ptr addrspace(1) %in, i32 24
  %a24 = load volatile i32, ptr addrspace(1) %p24
  %p25 = getelementptr i32, ptr addrspace(1) %in, i32 25
  %a25 = load volatile i32, ptr addrspace(1) %p25
  %p26 = getelementptr i32, ptr addrspace(1) %in, i32 26
  %a26 = load volatile i32, ptr addrspace(1) %p26
  %p27 = getelementptr i32, ptr addrspace(1) %in, i32 27
  %a27 = load volatile i32, ptr addrspace(1) %p27
  %p28 = getelementptr i32, ptr addrspace(1) %in, i32 28
  %a28 = load volatile i32, ptr addrspace(1) %p28
  %p29 = getelementptr i32, ptr addrspace(1) %in, i32 29
  %a29 = load volatile i32, ptr addrspace(1) %p29
  %p30 = getelementptr i32, ptr addrspace(1) %in, i32 30
  %a30 = load volatile i32, ptr addrspace(1) %p30
  %p31 = getelementptr i32, ptr addrspace(1) %in, i32 31
  %a31 = load volatile i32, ptr addrspace(1) %p31
  %p32 = getelementptr i32, ptr addrspace(1) %in, i32 32
  %a32 = load volatile i32, ptr addrspace(1) %p32
  %p33 = getelementptr i32, ptr addrspace(1) %in, i32 33
  %a33 = load volatile i32, ptr addrspace(1) %p33
  %p34 = getelementptr i32, ptr addrspace(1) %in, i32 34
  %a34 = load volatile i32, ptr addrspace(1) %p34
  %p35 = getelementptr i32, ptr addrspace(1) %in, i32 35
  %a35 = load volatile i32, ptr addrspace(1) %p35
  %p36 = getelementptr i32, ptr addrspace(1) %in, i32 36
  %a36 = load volatile i32, ptr addrspace(1) %p36
  %p37 = getelementptr i32, ptr addrspace(1) %in, i32 37
  %a37 = load volatile i32, ptr addrspace(1) %p37
  %p38 = getelementptr i32, ptr addrspace(1) %in, i32 38
  %a38 = load volatile i32, ptr addrspace(1) %p38
  %p39 = getelementptr i32, ptr addrspace(1) %in, i32 39
  %a39 = load volatile i32, ptr addrspace(1) %p39
  store volatile i32 1, ptr addrspace(3) @half_of
  %q0 = getelementptr i32, ptr addrspace(1) %out, i32 0
  store volatile i32 %a0, ptr addrspace(1) %q0
  %q1 = getelementptr i32, ptr addrspace(1) %out, i32 1
  store volatile i32 %a1, ptr addrspace(1) %q1
  %q2 = getelementptr i32, ptr addrspace(1) %out, i32 2
  store volatile i32 %a2, ptr addrspace(1) %q2
  %q3 = getelementptr i32, ptr addrspace(1) %out, i32 3
  store volatile i32 %a3, ptr addrspace(1) %q3
  %q4 = getelementptr i32, ptr addrspace(1) %out, i32 4
  store volatile i32 %a4, ptr addrspace(1) %q4
  %q5 = getelementptr i32, ptr addrspace(1) %out, i32 5
  store volatile i32 %a5, ptr addrspace(1) %q5
  %q6 = getelementptr i32, ptr addrspace(1) %out, i32 6
  store volatile i32 %a6, ptr addrspace(1) %q6
  %q7 = getelementptr i32, ptr addrspace(1) %out, i32 7
  store volatile i32 %a7, ptr addrspace(1) %q7
  %q8 = getelementptr i32, ptr addrspace(1) %out, i32 8
  store volatile i32 %a8, ptr addrspace(1) %q8
  %q9 = getelementptr i32, ptr addrspace(1) %out, i32 9
  store volatile i32 %a9, ptr addrspace(1) %q9
  %q10 = getelementptr i32, ptr addrspace(1) %out, i32 10
  store volatile i32 %a10, ptr addrspace(1) %q10
  %q11 = getelementptr i32, ptr addrspace(1) %out, i32 11
  store volatile i32 %a11, ptr addrspace(1) %q11
  %q12 = getelementptr i32, ptr addrspace(1) %out, i32 12
  store volatile i32 %a12, ptr addrspace(1) %q12
  %q13 = getelementptr i32, ptr addrspace(1) %out, i32 13
  store volatile i32 %a13, ptr addrspace(1) %q13
  %q14 = getelementptr i32, ptr addrspace(1) %out, i32 14
  store volatile i32 %a14, ptr addrspace(1) %q14
  %q15 = getelementptr i32, ptr addrspace(1) %out, i32 15
  store volatile i32 %a15, ptr addrspace(1) %q15
  %q16 = getelementptr i32, ptr addrspace(1) %out, i32 16
  store volatile i32 %a16, ptr addrspace(1) %q16
  %q17 = getelementptr i32, ptr addrspace(1) %out, i32 17
  store volatile i32 %a17, ptr addrspace(1) %q17
  %q18 = getelementptr i32, ptr addrspace(1) %out, i32 18
  store volatile i32 %a18, ptr addrspace(1) %q18
  %q19 = getelementptr i32, ptr addrspace(1) %out, i32 19
  store volatile i32 %a19, ptr addrspace(1) %q19
  %q20 = getelementptr i32, ptr addrspace(1) %out, i32 20
  store volatile i32 %a20, ptr addrspace(1) %q20
  %q21 = getelementptr i32, ptr addrspace(1) %out, i32 21
  store volatile i32 %a21, ptr addrspace(1) %q21
  %q22 = getelementptr i32, ptr addrspace(1) %out, i32 22
  store volatile i32 %a22, ptr addrspace(1) %q22
  %q23 = getelementptr i32, ptr addrspace(1) %out, i32 23
  store volatile i32 %a23, ptr addrspace(1) %q23
  %q24 = getelementptr i32, ptr addrspace(1) %out, i32 24
  store volatile i32 %a24, ptr addrspace(1) %q24
  %q25 = getelementptr i32, ptr addrspace(1) %out, i32 25
  store volatile i32 %a25, ptr addrspace(1) %q25
  %q26 = getelementptr i32, ptr addrspace(1) %out, i32 26
  store volatile i32 %a26, ptr addrspace(1) %q26
  %q27 = getelementptr i32, ptr addrspace(1) %out, i32 27
  store volatile i32 %a27, ptr addrspace(1) %q27
  %q28 = getelementptr i32, ptr addrspace(1) %out, i32 28
  store volatile i32 %a28, ptr addrspace(1) %q28
  %q29 = getelementptr i32, ptr addrspace(1) %out, i32 29
  store volatile i32 %a29, ptr addrspace(1) %q29
  %q30 = getelementptr i32, ptr addrspace(1) %out, i32 30
  store volatile i32 %a30, ptr addrspace(1) %q30
  %q31 = getelementptr i32, ptr addrspace(1) %out, i32 31
  store volatile i32 %a31, ptr addrspace(1) %q31
  %q32 = getelementptr i32, ptr addrspace(1) %out, i32 32
  store volatile i32 %a32, ptr addrspace(1) %q32
  %q33 = getelementptr i32, ptr addrspace(1) %out, i32 33
  store volatile i32 %a33, ptr addrspace(1) %q33
  %q34 = getelementptr i32, ptr addrspace(1) %out, i32 34
  store volatile i32 %a34, ptr addrspace(1) %q34
  %q35 = getelementptr i32, ptr addrspace(1) %out, i32 35
  store volatile i32 %a35, ptr addrspace(1) %q35
  %q36 = getelementptr i32, ptr addrspace(1) %out, i32 36
  store volatile i32 %a36, ptr addrspace(1) %q36
  %q37 = getelementptr i32, ptr addrspace(1) %out, i32 37
  store volatile i32 %a37, ptr addrspace(1) %q37
  %q38 = getelementptr i32, ptr addrspace(1) %out, i32 38
  store volatile i32 %a38, ptr addrspace(1) %q38
  %q39 = getelementptr i32, ptr addrspace(1) %out, i32 39
  store volatile i32 %a39, ptr addrspace(1) %q39
  ret void
}

define void @behind(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
  %p0 = getelementptr i32, ptr addrspace(1) %in, i32 0
  %a0 = load volatile i32, ptr addrspace(1) %p0
  %p1 = getelementptr i32, ptr addrspace(1) %in, i32 1
  %a1 = load volatile i32, ptr addrspace(1) %p1
  %p2 = getelementptr i32, ptr addrspace(1) %in, i32 2
  %a2 = load volatile i32, ptr addrspace(1) %p2
  %p3 = getelementptr i32, ptr addrspace(1) %in, i32 3
  %a3 = load volatile i32, ptr addrspace(1) %p3
  %p4 = getelementptr i32, ptr addrspace(1) %in, i32 4
  %a4 = load volatile i32, ptr addrspace(1) %p4
  %p5 = getelementptr i32, ptr addrspace(1) %in, i32 5
  %a5 = load volatile i32, ptr addrspace(1) %p5
  %p6 = getelementptr i32, ptr addrspace(1) %in, i32 6
  %a6 = load volatile i32, ptr addrspace(1) %p6
  %p7 = getelementptr i32, ptr addrspace(1) %in, i32 7
  %a7 = load volatile i32, ptr addrspace(1) %p7
  %p8 = getelementptr i32, ptr addrspace(1) %in, i32 8
  %a8 = load volatile i32, ptr addrspace(1) %p8
  %p9 = getelementptr i32, ptr addrspace(1) %in, i32 9
  %a9 = load volatile i32, ptr addrspace(1) %p9
  %p10 = getelementptr i32, ptr addrspace(1) %in, i32 10
  %a10 = load volatile i32, ptr addrspace(1) %p10
  %p11 = getelementptr i32, ptr addrspace(1) %in, i32 11
  %a11 = load volatile i32, ptr addrspace(1) %p11
  %p12 = getelementptr i32, ptr addrspace(1) %in, i32 12
  %a12 = load volatile i32, ptr addrspace(1) %p12
  %p13 = getelementptr i32, ptr addrspace(1) %in, i32 13
  %a13 = load volatile i32, ptr addrspace(1) %p13
  %p14 = getelementptr i32, ptr addrspace(1) %in, i32 14
  %a14 = load volatile i32, ptr addrspace(1) %p14
  %p15 = getelementptr i32, ptr addrspace(1) %in, i32 15
  %a15 = load volatile i32, ptr addrspace(1) %p15
  %p16 = getelementptr i32, ptr addrspace(1) %in, i32 16
  %a16 = load volatile i32, ptr addrspace(1) %p16
  %p17 = getelementptr i32, ptr addrspace(1) %in, i32 17
  %a17 = load volatile i32, ptr addrspace(1) %p17
  %p18 = getelementptr i32, ptr addrspace(1) %in, i32 18
  %a18 = load volatile i32, ptr addrspace(1) %p18
  %p19 = getelementptr i32, ptr addrspace(1) %in, i32 19
  %a19 = load volatile i32, ptr addrspace(1) %p19
  %p20 = getelementptr i32, ptr addrspace(1) %in, i32 20
  %a20 = load volatile i32, ptr addrspace(1) %p20
  %p21 = getelementptr i32, ptr addrspace(1) %in, i32 21
  %a21 = load volatile i32, ptr addrspace(1) %p21
  %p22 = getelementptr i32, ptr addrspace(1) %in, i32 22
  %a22 = load volatile i32, ptr addrspace(1) %p22
  %p23 = getelementptr i32, ptr addrspace(1) %in, i32 23
  %a23 = load volatile i32, ptr addrspace(1) %p23
  %p24 = getelementptr i32, ptr addrspace(1) %in, i32 24
  %a24 = load volatile i32, ptr addrspace(1) %p24
  %p25 = getelementptr i32, ptr addrspace(1) %in, i32 25
  %a25 = load volatile i32, ptr addrspace(1) %p25
  %p26 = getelementptr i32, ptr addrspace(1) %in, i32 26
  %a26 = load volatile i32, ptr addrspace(1) %p26
  %p27 = getelementptr i32, ptr addrspace(1) %in, i32 27
  %a27 = load volatile i32, ptr addrspace(1) %p27
  %p28 = getelementptr i32, ptr addrspace(1) %in, i32 28
  %a28 = load volatile i32, ptr addrspace(1) %p28
  %p29 = getelementptr i32, ptr addrspace(1) %in, i32 29
  %a29 = load volatile i32, ptr addrspace(1) %p29
  %p30 = getelementptr i32, ptr addrspace(1) %in, i32 30
  %a30 = load volatile i32, ptr addrspace(1) %p30
  %p31 = getelementptr i32, ptr addrspace(1) %in, i32 31
  %a31 = load volatile i32, ptr addrspace(1) %p31
  %p32 = getelementptr i32, ptr addrspace(1) %in, i32 32
  %a32 = load volatile i32, ptr addrspace(1) %p32
  %p33 = getelementptr i32, ptr addrspace(1) %in, i32 33
  %a33 = load volatile i32, ptr addrspace(1) %p33
  store volatile i32 1, ptr addrspace(3) @dynamic
  %q0 = getelementptr i32, ptr addrspace(1) %out, i32 0
  store volatile i32 %a0, ptr addrspace(1) %q0
  %q1 = getelementptr i32, ptr addrspace(1) %out, i32 1
  store volatile i32 %a1, ptr addrspace(1) %q1
  %q2 = getelementptr i32, ptr addrspace(1) %out, i32 2
  store volatile i32 %a2, ptr addrspace(1) %q2
  %q3 = getelementptr i32, ptr addrspace(1) %out, i32 3
  store volatile i32 %a3, ptr addrspace(1) %q3
  %q4 = getelementptr i32, ptr addrspace(1) %out, i32 4
  store volatile i32 %a4, ptr addrspace(1) %q4
  %q5 = getelementptr i32, ptr addrspace(1) %out, i32 5
  store volatile i32 %a5, ptr addrspace(1) %q5
  %q6 = getelementptr i32, ptr addrspace(1) %out, i32 6
  store volatile i32 %a6, ptr addrspace(1) %q6
  %q7 = getelementptr i32, ptr addrspace(1) %out, i32 7
  store volatile i32 %a7, ptr addrspace(1) %q7
  %q8 = getelementptr i32, ptr addrspace(1) %out, i32 8
  store volatile i32 %a8, ptr addrspace(1) %q8
  %q9 = getelementptr i32, ptr addrspace(1) %out, i32 9
  store volatile i32 %a9, ptr addrspace(1) %q9
  %q10 = getelementptr i32, ptr addrspace(1) %out, i32 10
  store volatile i32 %a10, ptr addrspace(1) %q10
  %q11 = getelementptr i32, ptr addrspace(1) %out, i32 11
  store volatile i32 %a11, ptr addrspace(1) %q11
  %q12 = getelementptr i32, ptr addrspace(1) %out, i32 12
  store volatile i32 %a12, ptr addrspace(1) %q12
  %q13 = getelementptr i32, ptr addrspace(1) %out, i32 13
  store volatile i32 %a13, ptr addrspace(1) %q13
  %q14 = getelementptr i32, ptr addrspace(1) %out, i32 14
  store volatile i32 %a14, ptr addrspace(1) %q14
  %q15 = getelementptr i32, ptr addrspace(1) %out, i32 15
  store volatile i32 %a15, ptr addrspace(1) %q15
  %q16 = getelementptr i32, ptr addrspace(1) %out, i32 16
  store volatile i32 %a16, ptr addrspace(1) %q16
  %q17 = getelementptr i32, ptr addrspace(1) %out, i32 17
  store volatile i32 %a17, ptr addrspace(1) %q17
  %q18 = getelementptr i32, ptr addrspace(1) %out, i32 18
  store volatile i32 %a18, ptr addrspace(1) %q18
  %q19 = getelementptr i32, ptr addrspace(1) %out, i32 19
  store volatile i32 %a19, ptr addrspace(1) %q19
  %q20 = getelementptr i32, ptr addrspace(1) %out, i32 20
  store volatile i32 %a20, ptr addrspace(1) %q20
  %q21 = getelementptr i32, ptr addrspace(1) %out, i32 21
  store volatile i32 %a21, ptr addrspace(1) %q21
  %q22 = getelementptr i32, ptr addrspace(1) %out, i32 22
  store volatile i32 %a22, ptr addrspace(1) %q22
  %q23 = getelementptr i32, ptr addrspace(1) %out, i32 23
  store volatile i32 %a23, ptr addrspace(1) %q23
  %q24 = getelementptr i32, ptr addrspace(1) %out, i32 24
  store volatile i32 %a24, ptr addrspace(1) %q24
  %q25 = getelementptr i32, ptr addrspace(1) %out, i32 25
  store volatile i32 %a25, ptr addrspace(1) %q25
  %q26 = getelementptr i32, ptr addrspace(1) %out, i32 26
  store volatile i32 %a26, ptr addrspace(1) %q26
  %q27 = getelementptr i32, ptr addrspace(1) %out, i32 27
  store volatile i32 %a27, ptr addrspace(1) %q27
  %q28 = getelementptr i32, ptr addrspace(1) %out, i32 28
  store volatile i32 %a28, ptr addrspace(1) %q28
  %q29 = getelementptr i32, ptr addrspace(1) %out, i32 29
  store volatile i32 %a29, ptr addrspace(1) %q29
  %q30 = getelementptr i32, ptr addrspace(1) %out, i32 30
  store volatile i32 %a30, ptr addrspace(1) %q30
  %q31 = getelementptr i32, ptr addrspace(1) %out, i32 31
  store volatile i32 %a31, ptr addrspace(1) %q31
  %q32 = getelementptr i32, ptr addrspace(1) %out, i32 32
  store volatile i32 %a32, ptr addrspace(1) %q32
  %q33 = getelementptr i32, ptr addrspace(1) %out, i32 33
  store volatile i32 %a33, ptr addrspace(1) %q33
  ret void
}

define internal void @callee(ptr addrspace(1) %p) noinline #0 {
  store volatile i32 7, ptr addrspace(1) %p
  ret void
}

define void @calls(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
  %p0 = getelementptr i32, ptr addrspace(1) %in, i32 0
  %a0 = load volatile i32, ptr addrspace(1) %p0
  %p1 = getelementptr i32, ptr addrspace(1) %in, i32 1
  %a1 = load volatile i32, ptr addrspace(1) %p1
  %p2 = getelementptr i32, ptr addrspace(1) %in, i32 2
  %a2 = load volatile i32, ptr addrspace(1) %p2
  %p3 = getelementptr i32, ptr addrspace(1) %in, i32 3
  %a3 = load volatile i32, ptr addrspace(1) %p3
  %p4 = getelementptr i32, ptr addrspace(1) %in, i32 4
  %a4 = load volatile i32, ptr addrspace(1) %p4
  %p5 = getelementptr i32, ptr addrspace(1) %in, i32 5
  %a5 = load volatile i32, ptr addrspace(1) %p5
  %p6 = getelementptr i32, ptr addrspace(1) %in, i32 6
  %a6 = load volatile i32, ptr addrspace(1) %p6
  %p7 = getelementptr i32, ptr addrspace(1) %in, i32 7
  %a7 = load volatile i32, ptr addrspace(1) %p7
  %p8 = getelementptr i32, ptr addrspace(1) %in, i32 8
  %a8 = load volatile i32, ptr addrspace(1) %p8
  %p9 = getelementptr i32, ptr addrspace(1) %in, i32 9
  %a9 = load volatile i32, ptr addrspace(1) %p9
  %p10 = getelementptr i32, ptr addrspace(1) %in, i32 10
  %a10 = load volatile i32, ptr addrspace(1) %p10
  %p11 = getelementptr i32, ptr addrspace(1) %in, i32 11
  %a11 = load volatile i32, ptr addrspace(1) %p11
  %p12 = getelementptr i32, ptr addrspace(1) %in, i32 12
  %a12 = load volatile i32, ptr addrspace(1) %p12
  %p13 = getelementptr i32, ptr addrspace(1) %in, i32 13
  %a13 = load volatile i32, ptr addrspace(1) %p13
  %p14 = getelementptr i32, ptr addrspace(1) %in, i32 14
  %a14 = load volatile i32, ptr addrspace(1) %p14
  %p15 = getelementptr i32, ptr addrspace(1) %in, i32 15
  %a15 = load volatile i32, ptr addrspace(1) %p15
  %p16 = getelementptr i32, ptr addrspace(1) %in, i32 16
  %a16 = load volatile i32, ptr addrspace(1) %p16
  %p17 = getelementptr i32, ptr addrspace(1) %in, i32 17
  %a17 = load volatile i32, ptr addrspace(1) %p17
  %p18 = getelementptr i32, ptr addrspace(1) %in, i32 18
  %a18 = load volatile i32, ptr addrspace(1) %p18
  %p19 = getelementptr i32, ptr addrspace(1) %in, i32 19
  %a19 = load volatile i32, ptr addrspace(1) %p19
  %p20 = getelementptr i32, ptr addrspace(1) %in, i32 20
  %a20 = load volatile i32, ptr addrspace(1) %p20
  %p21 = getelementptr i32, ptr addrspace(1) %in, i32 21
  %a21 = load volatile i32, ptr addrspace(1) %p21
  %p22 = getelementptr i32, ptr addrspace(1) %in, i32 22
  %a22 = load volatile i32, ptr addrspace(1) %p22
  %p23 = getelementptr i32, ptr addrspace(1) %in, i32 23
  %a23 = load volatile i32, ptr addrspace(1) %p23
  %p24 = getelementptr i32, ptr addrspace(1) %in, i32 24
  %a24 = load volatile i32, ptr addrspace(1) %p24
  %p25 = getelementptr i32, ptr addrspace(1) %in, i32 25
  %a25 = load volatile i32, ptr addrspace(1) %p25
  %p26 = getelementptr i32, ptr addrspace(1) %in, i32 26
  %a26 = load volatile i32, ptr addrspace(1) %p26
  %p27 = getelementptr i32, ptr addrspace(1) %in, i32 27
  %a27 = load volatile i32, ptr addrspace(1) %p27
  %p28 = getelementptr i32, ptr addrspace(1) %in, i32 28
  %a28 = load volatile i32, ptr addrspace(1) %p28
  %p29 = getelementptr i32, ptr addrspace(1) %in, i32 29
  %a29 = load volatile i32, ptr addrspace(1) %p29
  %p30 = getelementptr i32, ptr addrspace(1) %in, i32 30
  %a30 = load volatile i32, ptr addrspace(1) %p30
  %p31 = getelementptr i32, ptr addrspace(1) %in, i32 31
  %a31 = load volatile i32, ptr addrspace(1) %p31
  %p32 = getelementptr i32, ptr addrspace(1) %in, i32 32
  %a32 = load volatile i32, ptr addrspace(1) %p32
  %p33 = getelementptr i32, ptr addrspace(1) %in, i32 33
  %a33 = load volatile i32, ptr addrspace(1) %p33
  call void @callee(ptr addrspace(1) %out)
  %q0 = getelementptr i32, ptr addrspace(1) %out, i32 0
  store volatile i32 %a0, ptr addrspace(1) %q0
  %q1 = getelementptr i32, ptr addrspace(1) %out, i32 1
  store volatile i32 %a1, ptr addrspace(1) %q1
  %q2 = getelementptr i32, ptr addrspace(1) %out, i32 2
  store volatile i32 %a2, ptr addrspace(1) %q2
  %q3 = getelementptr i32, ptr addrspace(1) %out, i32 3
  store volatile i32 %a3, ptr addrspace(1) %q3
  %q4 = getelementptr i32, ptr addrspace(1) %out, i32 4
  store volatile i32 %a4, ptr addrspace(1) %q4
  %q5 = getelementptr i32, ptr addrspace(1) %out, i32 5
  store volatile i32 %a5, ptr addrspace(1) %q5
  %q6 = getelementptr i32, ptr addrspace(1) %out, i32 6
  store volatile i32 %a6, ptr addrspace(1) %q6
  %q7 = getelementptr i32, ptr addrspace(1) %out, i32 7
  store volatile i32 %a7, ptr addrspace(1) %q7
  %q8 = getelementptr i32, ptr addrspace(1) %out, i32 8
  store volatile i32 %a8, ptr addrspace(1) %q8
  %q9 = getelementptr i32, ptr addrspace(1) %out, i32 9
  store volatile i32 %a9, ptr addrspace(1) %q9
  %q10 = getelementptr i32, ptr addrspace(1) %out, i32 10
  store volatile i32 %a10, ptr addrspace(1) %q10
  %q11 = getelementptr i32, ptr addrspace(1) %out, i32 11
  store volatile i32 %a11, ptr addrspace(1) %q11
  %q12 = getelementptr i32, ptr addrspace(1) %out, i32 12
  store volatile i32 %a12, ptr addrspace(1) %q12
  %q13 = getelementptr i32, ptr addrspace(1) %out, i32 13
  store volatile i32 %a13, ptr addrspace(1) %q13
  %q14 = getelementptr i32, ptr addrspace(1) %out, i32 14
  store volatile i32 %a14, ptr addrspace(1) %q14
  %q15 = getelementptr i32, ptr addrspace(1) %out, i32 15
  store volatile i32 %a15, ptr addrspace(1) %q15
  %q16 = getelementptr i32, ptr addrspace(1) %out, i32 16
  store volatile i32 %a16, ptr addrspace(1) %q16
  %q17 = getelementptr i32, ptr addrspace(1) %out, i32 17
  store volatile i32 %a17, ptr addrspace(1) %q17
  %q18 = getelementptr i32, ptr addrspace(1) %out, i32 18
  store volatile i32 %a18, ptr addrspace(1) %q18
  %q19 = getelementptr i32, ptr addrspace(1) %out, i32 19
  store volatile i32 %a19, ptr addrspace(1) %q19
  %q20 = getelementptr i32, ptr addrspace(1) %out, i32 20
  store volatile i32 %a20, ptr addrspace(1) %q20
  %q21 = getelementptr i32, ptr addrspace(1) %out, i32 21
  store volatile i32 %a21, ptr addrspace(1) %q21
  %q22 = getelementptr i32, ptr addrspace(1) %out, i32 22
  store volatile i32 %a22, ptr addrspace(1) %q22
  %q23 = getelementptr i32, ptr addrspace(1) %out, i32 23
  store volatile i32 %a23, ptr addrspace(1) %q23
  %q24 = getelementptr i32, ptr addrspace(1) %out, i32 24
  store volatile i32 %a24, ptr addrspace(1) %q24
  %q25 = getelementptr i32, ptr addrspace(1) %out, i32 25
  store volatile i32 %a25, ptr addrspace(1) %q25
  %q26 = getelementptr i32, ptr addrspace(1) %out, i32 26
  store volatile i32 %a26, ptr addrspace(1) %q26
  %q27 = getelementptr i32, ptr addrspace(1) %out, i32 27
  store volatile i32 %a27, ptr addrspace(1) %q27
  %q28 = getelementptr i32, ptr addrspace(1) %out, i32 28
  store volatile i32 %a28, ptr addrspace(1) %q28
  %q29 = getelementptr i32, ptr addrspace(1) %out, i32 29
  store volatile i32 %a29, ptr addrspace(1) %q29
  %q30 = getelementptr i32, ptr addrspace(1) %out, i32 30
  store volatile i32 %a30, ptr addrspace(1) %q30
  %q31 = getelementptr i32, ptr addrspace(1) %out, i32 31
  store volatile i32 %a31, ptr addrspace(1) %q31
  %q32 = getelementptr i32, ptr addrspace(1) %out, i32 32
  store volatile i32 %a32, ptr addrspace(1) %q32
  %q33 = getelementptr i32, ptr addrspace(1) %out, i32 33
  store volatile i32 %a33, ptr addrspace(1) %q33
  ret void
}

attributes #0 = { "target-cpu"="sm_70" }

!nvvm.annotations = !{!0, !1, !2, !3, !4, !5, !6, !7, !8, !9, !10, !11, !12, !13, !14, !15, !16, !17}
!0 = !{ptr @fits, !"kernel", i32 1}
!1 = !{ptr @fits, !"maxntidx", i32 256}
!2 = !{ptr @fits, !"minctasm", i32 8}
!3 = !{ptr @much, !"kernel", i32 1}
!4 = !{ptr @much, !"maxntidx", i32 256}
!5 = !{ptr @much, !"minctasm", i32 8}
!6 = !{ptr @area, !"kernel", i32 1}
!7 = !{ptr @area, !"maxntidx", i32 256}
!8 = !{ptr @area, !"minctasm", i32 8}
!9 = !{ptr @half, !"kernel", i32 1}
!10 = !{ptr @half, !"maxntidx", i32 256}
!11 = !{ptr @half, !"minctasm", i32 8}
!12 = !{ptr @behind, !"kernel", i32 1}
!13 = !{ptr @behind, !"maxntidx", i32 256}
!14 = !{ptr @behind, !"minctasm", i32 8}
!15 = !{ptr @calls, !"kernel", i32 1}
!16 = !{ptr @calls, !"maxntidx", i32 256}
!17 = !{ptr @calls, !"minctasm", i32 8}
