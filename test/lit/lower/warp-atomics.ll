; Lanes that have one address make one atomic operation, as in ptxas: a sum of one operand counts the lanes, and each gets
; what those below it add. Of other operands without a result sm_80 has REDUX, earlier processors five shuffles in a full
; warp; sums of them with a result are a scan. Others stay: addresses that differ, results of other operations, floats, and
; what one thread does; increments of shared memory on sm_80.
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %s 2>&1 | %FileCheck %s
; RUN: sed 's/sm_75/sm_80/' %s > %t.ll
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1>' -disable-output %t.ll 2>&1 | %FileCheck --check-prefix=NEW %s
; RUN: %opt -load-pass-plugin=%plugin -passes='print<heddle-code;check=1;without=warp-atomics>' -disable-output %s 2>&1 \
; RUN:     | %FileCheck --check-prefix=WITHOUT %s

; CHECK-LABEL:   kernel count:
; CHECK-DAG:     VOTE.ANY.HERE [[LANES:R[0-9]+]], PT
; CHECK-DAG:     S2R [[LANE:R[0-9]+]], SR_LANEID
; CHECK:         FLO.U32 [[LAST:R[0-9]+]], [[LANES]]
; CHECK-NEXT:    POPC [[COUNT:R[0-9]+]], [[LANES]]
; CHECK:         ISETP.EQ.U32.AND [[P:P[0-9]]], [[LANE]], [[LAST]], PT
; CHECK:         @[[P]] ATOMG.ADD.U32.GPU.RELAXED RZ, {{.*}}, [[COUNT]]
; CHECK-NEXT:    EXIT
; CHECK-LABEL:   kernel append:
; CHECK:         FLO.U32 [[LAST:R[0-9]+]]
; CHECK:         @{{P[0-9]}} ATOMG.ADD.U32.GPU.RELAXED [[OLD:R[0-9]+]], {{.*}}, [[OLD]]
; CHECK:         SHFL.IDX.HERE [[FIRST:R[0-9]+]], [[OLD]], [[LAST]], 0x1f
; CHECK:         IADD3 {{R[0-9]+}}, {{R[0-9]+}}, [[FIRST]], RZ
; CHECK-LABEL:   kernel twice:
; CHECK-COUNT-1: VOTE
; CHECK-NOT:     VOTE
; CHECK:         IMAD [[SEVEN:R[0-9]+]], {{R[0-9]+}}{{.*}}, 0x7, RZ
; CHECK-NOT:     VOTE
; CHECK-COUNT-2: @{{P[0-9]}} ATOMG
; CHECK-LABEL:   kernel wide:
; CHECK:         IMAD.WIDE.U32 {{R[0-9]+}}, {{R[0-9]+}}, 0x5, RZ
; CHECK:         @{{P[0-9]}} ATOMG.ADD.U64
; CHECK-COUNT-2: SHFL.IDX.HERE
; CHECK:         IMAD.WIDE.U32 {{R[0-9]+}}, {{R[0-9]+}}, 0x5,
; CHECK-LABEL:   kernel least:
; CHECK:         ISETP.EQ.U32.AND [[FULL:P[0-9]]], {{R[0-9]+}}, -0x1, PT
; CHECK:         @![[FULL]] BRA
; CHECK:         SHFL.BFLY.HERE {{R[0-9]+}}, {{R[0-9]+}}, 0x1, 0x1f
; CHECK-NEXT:    IMNMX.MIN
; CHECK-COUNT-4: SHFL.BFLY.HERE
; CHECK:         @{{P[0-9]}} ATOMG.MIN.S32
; CHECK:         {{^}}  {{[0-9a-f]+}}        ATOMG.MIN.S32
; CHECK-LABEL:   kernel parity:
; CHECK-NOT:     SHFL
; CHECK:         @{{P[0-9]}} ATOMG.XOR.U32.GPU.RELAXED RZ, {{.*}}, RZ
; CHECK-LABEL:   kernel scan:
; CHECK-COUNT-6: SHFL.UP.HERE
; CHECK:         @{{P[0-9]}} ATOMG.ADD.U32.GPU.RELAXED [[SUM:R[0-9]+]], {{.*}}, [[SUM]]
; CHECK:         SHFL.IDX.HERE {{R[0-9]+}}, [[SUM]], 0x1f, 0x1f
; CHECK-LABEL:   kernel hits:
; CHECK:         @{{P[0-9]}} ATOMS.ADD
; CHECK-LABEL:   kernel loaded:
; CHECK:         VOTE
; CHECK-LABEL:   kernel apart:
; CHECK-NOT:     VOTE
; CHECK-LABEL:   kernel waits:
; CHECK-NOT:     VOTE
; An atomic operation without a result, in a loop, is nothing to wait for.
; CHECK-LABEL:   kernel counted:
; CHECK:         VOTE.ANY.HERE
; CHECK:         @{{P[0-9]}} ATOMG.ADD.U32.GPU.RELAXED RZ
; CHECK-LABEL:   kernel others:
; CHECK-NOT:     VOTE
; CHECK-LABEL:   kernel one:
; CHECK-NOT:     VOTE
; CHECK-LABEL:   kernel one_behind:
; CHECK-NOT:     VOTE
; CHECK-LABEL:   kernel two:
; CHECK:         VOTE.ANY.HERE
; CHECK-LABEL:   kernel around:
; CHECK:         VOTE.ANY.HERE

; NEW-LABEL:     kernel least:
; NEW:           REDUX.MIN.S32 [[ALL:R[0-9]+]], {{R[0-9]+}}
; NEW:           @{{P[0-9]}} ATOMG.MIN.S32.GPU.RELAXED RZ, {{.*}}, [[ALL]]
; NEW-NOT:       BRA
; NEW-LABEL:     kernel parity:
; NEW:           REDUX.XOR.U32
; NEW-LABEL:     kernel scan:
; NEW-COUNT-6:   SHFL.UP.HERE
; NEW-LABEL:     kernel hits:
; NEW-NOT:       VOTE
; NEW:           ATOMS.ADD
; NEW-LABEL:     kernel loaded:
; WITHOUT-NOT:   {{VOTE|SHFL|REDUX}}

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
@hit = internal addrspace(3) global i32 undef, align 4

define ptx_kernel void @count(ptr addrspace(1) %p) #0 {
  %old = atomicrmw add ptr addrspace(1) %p, i32 1 seq_cst
  ret void
}
define ptx_kernel void @append(ptr addrspace(1) %p, ptr addrspace(1) %q) #0 {
  %old = atomicrmw add ptr addrspace(1) %p, i32 1 seq_cst
  %at = getelementptr i32, ptr addrspace(1) %q, i32 %old
  store i32 1, ptr addrspace(1) %at
  ret void
}
define ptx_kernel void @twice(ptr addrspace(1) %p) #0 {
  %q = getelementptr i32, ptr addrspace(1) %p, i32 1
  %old = atomicrmw add ptr addrspace(1) %p, i32 1 seq_cst
  %other = atomicrmw add ptr addrspace(1) %q, i32 7 seq_cst
  ret void
}
define ptx_kernel void @wide(ptr addrspace(1) %p, ptr addrspace(1) %q) #0 {
  %old = atomicrmw add ptr addrspace(1) %p, i64 5 seq_cst
  store i64 %old, ptr addrspace(1) %q
  ret void
}
define ptx_kernel void @least(ptr addrspace(1) %p) #0 {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %old = atomicrmw min ptr addrspace(1) %p, i32 %i seq_cst
  ret void
}
define ptx_kernel void @parity(ptr addrspace(1) %p) #0 {
  %old = atomicrmw xor ptr addrspace(1) %p, i32 9 seq_cst
  ret void
}
define ptx_kernel void @scan(ptr addrspace(1) %p, ptr addrspace(1) %q) #0 {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %old = atomicrmw add ptr addrspace(1) %p, i32 %i seq_cst
  %at = getelementptr i32, ptr addrspace(1) %q, i32 %i
  store i32 %old, ptr addrspace(1) %at
  ret void
}
define ptx_kernel void @hits() #0 {
  %old = atomicrmw add ptr addrspace(3) @hit, i32 1 seq_cst
  ret void
}
; A loaded address is the same where no lane runs ahead of another.
define ptx_kernel void @loaded(ptr addrspace(1) %p) #0 {
  %q = load ptr addrspace(1), ptr addrspace(1) %p
  %old = atomicrmw add ptr addrspace(1) %q, i32 1 seq_cst
  ret void
}
define ptx_kernel void @apart(ptr addrspace(1) %p) #0 {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %old = atomicrmw add ptr addrspace(1) %q, i32 1 seq_cst
  ret void
}
; In a loop in which one lane may wait for another they may be in different turns.
define ptx_kernel void @waits(ptr addrspace(1) %p, ptr addrspace(1) %lock) #0 {
entry:
  br label %loop
loop:
  %k = phi i32 [0, %entry], [%next, %loop]
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %k
  %other = atomicrmw add ptr addrspace(1) %q, i32 1 seq_cst
  %next = add i32 %k, 1
  %pair = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 seq_cst seq_cst
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %end, label %loop
end:
  ret void
}
define ptx_kernel void @counted(ptr addrspace(1) %p, i32 %n) #0 {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %k
  %old = atomicrmw add ptr addrspace(1) %at, i32 3 seq_cst
  %next = add i32 %k, 1
  %done = icmp sge i32 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret void
}
define ptx_kernel void @others(ptr addrspace(1) %p, ptr addrspace(1) %q) #0 {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %sum = atomicrmw fadd ptr addrspace(1) %p, float 1.0 seq_cst
  %a = atomicrmw max ptr addrspace(1) %p, i32 %i seq_cst
  store i32 %a, ptr addrspace(1) %q
  %b = atomicrmw xchg ptr addrspace(1) %p, i32 5 seq_cst
  %w = zext i32 %i to i64
  %c = atomicrmw add ptr addrspace(1) %p, i64 %w seq_cst
  %d = atomicrmw uinc_wrap ptr addrspace(1) %p, i32 9 seq_cst
  ret void
}
define ptx_kernel void @one(ptr addrspace(1) %p) #0 {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %i, 0
  br i1 %first, label %side, label %end
side:
  %old = atomicrmw add ptr addrspace(1) %p, i32 7 seq_cst
  br label %end
end:
  ret void
}
; Behind a loop and a join under the test of the index it is still that thread.
define ptx_kernel void @one_behind(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) #0 {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %others = icmp ne i32 %i, 0
  br i1 %others, label %end, label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %first = atomicrmw add ptr addrspace(1) %p, i32 3 seq_cst
  %next = add i32 %k, 1
  %done = icmp sge i32 %next, %n
  br i1 %done, label %choice, label %loop
choice:
  %large = icmp sgt i32 %n, 7
  br i1 %large, label %left, label %right
left:
  store volatile i32 1, ptr addrspace(1) %q
  br label %join
right:
  store volatile i32 %n, ptr addrspace(1) %q
  br label %join
join:
  %old = atomicrmw add ptr addrspace(1) %p, i32 7 seq_cst
  br label %end
end:
  ret void
}
; Threads of two indices come to the join.
define ptx_kernel void @two(ptr addrspace(1) %p) #0 {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %i, 0
  br i1 %first, label %side, label %more
more:
  %second = icmp eq i32 %i, 1
  br i1 %second, label %side, label %end
side:
  %old = atomicrmw add ptr addrspace(1) %p, i32 7 seq_cst
  br label %end
end:
  ret void
}
; The others come around the loop.
define ptx_kernel void @around(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) #0 {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %again ]
  %first = icmp eq i32 %i, 0
  br i1 %first, label %side, label %again
side:
  store volatile i32 %k, ptr addrspace(1) %q
  br label %again
again:
  %old = atomicrmw add ptr addrspace(1) %p, i32 7 seq_cst
  %next = add i32 %k, 1
  %done = icmp sge i32 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret void
}
attributes #0 = { "target-cpu"="sm_75" }
