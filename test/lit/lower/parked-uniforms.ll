; Values that all lanes of a warp share go to uniform registers where registers are short, on processors that have them:
; constants by UMOV, others by R2UR, and instructions read them there. What differs among lanes stays, and so does what is
; written where lanes are apart, though each writes the same. Where a loop may wait for another lane, that one may run
; ahead of the others: all stay.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;maxrregcount=16>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;maxrregcount=16;without=parked-uniforms>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;maxrregcount=16;uniform=never>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;uniform=always>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=ALWAYS %s

; CHECK-LABEL: kernel sums:
; CHECK-NOT: spill
; CHECK:     UMOV UR[[U:[0-9]+]],
; CHECK:     F{{FMA|ADD|MUL}} {{.*}}UR
; CHECK:     R2UR UR
; CHECK-NOT: spill
; CHECK-LABEL: kernel volta:
; CHECK-NOT: UR
; CHECK:     spill-store
; WITHOUT-LABEL: kernel sums:
; WITHOUT-NOT: UR
; WITHOUT:     spill-store
; ALWAYS-LABEL: kernel apart:
; ALWAYS-NOT: R2UR
; ALWAYS:     EXIT
; ALWAYS-LABEL: kernel waits:
; ALWAYS-NOT: UR
; Behind the point where paths meet all lanes are there, unless some may wait at an operation among lanes before it.
; ALWAYS-LABEL: kernel joined:
; ALWAYS:     STG
; ALWAYS:     UMOV UR{{[0-9]+}}, c[0x0][0x160]
; ALWAYS:     EXIT
; ALWAYS-LABEL: kernel meets:
; ALWAYS:     SHFL
; ALWAYS-NOT: UR
; ALWAYS:     EXIT

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @sums(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #0 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %s0 = phi float [ 0.0, %entry ], [ %t0, %loop ]
  %s1 = phi float [ 1.0, %entry ], [ %t1, %loop ]
  %s2 = phi float [ 2.0, %entry ], [ %t2, %loop ]
  %s3 = phi float [ 3.0, %entry ], [ %t3, %loop ]
  %s4 = phi float [ 4.0, %entry ], [ %t4, %loop ]
  %s5 = phi float [ 5.0, %entry ], [ %t5, %loop ]
  %s6 = phi float [ 6.0, %entry ], [ %t6, %loop ]
  %s7 = phi float [ 7.0, %entry ], [ %t7, %loop ]
  %s8 = phi float [ 8.0, %entry ], [ %t8, %loop ]
  %s9 = phi float [ 9.0, %entry ], [ %t9, %loop ]
  %s10 = phi float [ 10.0, %entry ], [ %t10, %loop ]
  %s11 = phi float [ 11.0, %entry ], [ %t11, %loop ]
  %s12 = phi float [ 12.0, %entry ], [ %t12, %loop ]
  %s13 = phi float [ 13.0, %entry ], [ %t13, %loop ]
  %p = getelementptr float, ptr addrspace(1) %in, i32 %k
  %x = load float, ptr addrspace(1) %p
  %m0 = fmul contract float %s0, %x
  %t0 = fadd contract float %m0, %s1
  %m1 = fmul contract float %s1, %x
  %t1 = fadd contract float %m1, %s2
  %m2 = fmul contract float %s2, %x
  %t2 = fadd contract float %m2, %s3
  %m3 = fmul contract float %s3, %x
  %t3 = fadd contract float %m3, %s4
  %m4 = fmul contract float %s4, %x
  %t4 = fadd contract float %m4, %s5
  %m5 = fmul contract float %s5, %x
  %t5 = fadd contract float %m5, %s6
  %m6 = fmul contract float %s6, %x
  %t6 = fadd contract float %m6, %s7
  %m7 = fmul contract float %s7, %x
  %t7 = fadd contract float %m7, %s8
  %m8 = fmul contract float %s8, %x
  %t8 = fadd contract float %m8, %s9
  %m9 = fmul contract float %s9, %x
  %t9 = fadd contract float %m9, %s10
  %m10 = fmul contract float %s10, %x
  %t10 = fadd contract float %m10, %s11
  %m11 = fmul contract float %s11, %x
  %t11 = fadd contract float %m11, %s12
  %m12 = fmul contract float %s12, %x
  %t12 = fadd contract float %m12, %s13
  %m13 = fmul contract float %s13, %x
  %t13 = fadd contract float %m13, %s0
  %k1 = add i32 %k, 1
  %more = icmp slt i32 %k1, %n
  br i1 %more, label %loop, label %end

end:
  %u1 = fadd float %t0, %t1
  %u2 = fadd float %u1, %t2
  %u3 = fadd float %u2, %t3
  %u4 = fadd float %u3, %t4
  %u5 = fadd float %u4, %t5
  %u6 = fadd float %u5, %t6
  %u7 = fadd float %u6, %t7
  %u8 = fadd float %u7, %t8
  %u9 = fadd float %u8, %t9
  %u10 = fadd float %u9, %t10
  %u11 = fadd float %u10, %t11
  %u12 = fadd float %u11, %t12
  %u13 = fadd float %u12, %t13
  %q = getelementptr float, ptr addrspace(1) %out, i32 %tid
  store float %u13, ptr addrspace(1) %q
  ret void
}

define ptx_kernel void @volta(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #1 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %s0 = phi float [ 0.0, %entry ], [ %t0, %loop ]
  %s1 = phi float [ 1.0, %entry ], [ %t1, %loop ]
  %s2 = phi float [ 2.0, %entry ], [ %t2, %loop ]
  %s3 = phi float [ 3.0, %entry ], [ %t3, %loop ]
  %s4 = phi float [ 4.0, %entry ], [ %t4, %loop ]
  %s5 = phi float [ 5.0, %entry ], [ %t5, %loop ]
  %s6 = phi float [ 6.0, %entry ], [ %t6, %loop ]
  %s7 = phi float [ 7.0, %entry ], [ %t7, %loop ]
  %s8 = phi float [ 8.0, %entry ], [ %t8, %loop ]
  %s9 = phi float [ 9.0, %entry ], [ %t9, %loop ]
  %s10 = phi float [ 10.0, %entry ], [ %t10, %loop ]
  %s11 = phi float [ 11.0, %entry ], [ %t11, %loop ]
  %s12 = phi float [ 12.0, %entry ], [ %t12, %loop ]
  %s13 = phi float [ 13.0, %entry ], [ %t13, %loop ]
  %p = getelementptr float, ptr addrspace(1) %in, i32 %k
  %x = load float, ptr addrspace(1) %p
  %m0 = fmul contract float %s0, %x
  %t0 = fadd contract float %m0, %s1
  %m1 = fmul contract float %s1, %x
  %t1 = fadd contract float %m1, %s2
  %m2 = fmul contract float %s2, %x
  %t2 = fadd contract float %m2, %s3
  %m3 = fmul contract float %s3, %x
  %t3 = fadd contract float %m3, %s4
  %m4 = fmul contract float %s4, %x
  %t4 = fadd contract float %m4, %s5
  %m5 = fmul contract float %s5, %x
  %t5 = fadd contract float %m5, %s6
  %m6 = fmul contract float %s6, %x
  %t6 = fadd contract float %m6, %s7
  %m7 = fmul contract float %s7, %x
  %t7 = fadd contract float %m7, %s8
  %m8 = fmul contract float %s8, %x
  %t8 = fadd contract float %m8, %s9
  %m9 = fmul contract float %s9, %x
  %t9 = fadd contract float %m9, %s10
  %m10 = fmul contract float %s10, %x
  %t10 = fadd contract float %m10, %s11
  %m11 = fmul contract float %s11, %x
  %t11 = fadd contract float %m11, %s12
  %m12 = fmul contract float %s12, %x
  %t12 = fadd contract float %m12, %s13
  %m13 = fmul contract float %s13, %x
  %t13 = fadd contract float %m13, %s0
  %k1 = add i32 %k, 1
  %more = icmp slt i32 %k1, %n
  br i1 %more, label %loop, label %end

end:
  %u1 = fadd float %t0, %t1
  %u2 = fadd float %u1, %t2
  %u3 = fadd float %u2, %t3
  %u4 = fadd float %u3, %t4
  %u5 = fadd float %u4, %t5
  %u6 = fadd float %u5, %t6
  %u7 = fadd float %u6, %t7
  %u8 = fadd float %u7, %t8
  %u9 = fadd float %u8, %t9
  %u10 = fadd float %u9, %t10
  %u11 = fadd float %u10, %t11
  %u12 = fadd float %u11, %t12
  %u13 = fadd float %u12, %t13
  %q = getelementptr float, ptr addrspace(1) %out, i32 %tid
  store float %u13, ptr addrspace(1) %q
  ret void
}

define ptx_kernel void @apart(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %tid, 1
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %some, label %others

some:
  %a = load volatile float, ptr addrspace(1) %in
  %a2 = fmul float %a, 3.0
  br label %join

others:
  %p = getelementptr float, ptr addrspace(1) %in, i32 1
  %b = load volatile float, ptr addrspace(1) %p
  %b2 = fmul float %b, 5.0
  br label %join

join:
  %v = phi float [ %a2, %some ], [ %b2, %others ]
  %q = getelementptr float, ptr addrspace(1) %out, i32 %tid
  store float %v, ptr addrspace(1) %q
  ret void
}

define ptx_kernel void @waits(ptr addrspace(1) %lock, ptr addrspace(1) %out, i32 %n) #0 {
entry:
  %uniform = mul i32 %n, 77
  br label %loop

loop:
  %old = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 monotonic monotonic
  %mine = extractvalue { i32, i1 } %old, 1
  br i1 %mine, label %end, label %loop

end:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr i32, ptr addrspace(1) %out, i32 %tid
  store i32 %uniform, ptr addrspace(1) %q
  store atomic i32 0, ptr addrspace(1) %lock release, align 4
  ret void
}

define ptx_kernel void @joined(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %tid, 1
  %q = getelementptr float, ptr addrspace(1) %out, i32 %tid
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %some, label %join

some:
  store volatile float 1.0, ptr addrspace(1) %q
  br label %join

join:
  call void @llvm.nvvm.barrier0()
  %a = load volatile float, ptr addrspace(1) %in
  %a2 = fmul float %a, 3.0
  store volatile float %a2, ptr addrspace(1) %q
  ret void
}

define ptx_kernel void @meets(ptr addrspace(1) %in, ptr addrspace(1) %out) #0 {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %tid, 1
  %q = getelementptr float, ptr addrspace(1) %out, i32 %tid
  %c = icmp eq i32 %odd, 0
  br i1 %c, label %some, label %join

some:
  %v = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %tid, i32 1, i32 31)
  store volatile i32 %v, ptr addrspace(1) %q
  br label %join

join:
  call void @llvm.nvvm.barrier0()
  %a = load volatile float, ptr addrspace(1) %in
  %a2 = fmul float %a, 3.0
  store volatile float %a2, ptr addrspace(1) %q
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
declare void @llvm.nvvm.barrier0()

attributes #0 = { "target-cpu"="sm_75" }
attributes #1 = { "target-cpu"="sm_70" }
