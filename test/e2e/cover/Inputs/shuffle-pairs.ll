; Shuffles that also say whether their source was within the bounds, and matches of all lanes: bit k of what a lane stores is
; set when form k gave both as PTX defines them.
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare {i32, i1} @llvm.nvvm.match.all.sync.i32p(i32, i32)
declare {i32, i1} @llvm.nvvm.match.all.sync.i64p(i32, i64)
declare {i32, i1} @llvm.nvvm.shfl.idx.i32p(i32, i32, i32)
declare {i32, i1} @llvm.nvvm.shfl.sync.idx.i32p(i32, i32, i32, i32)
declare {float, i1} @llvm.nvvm.shfl.idx.f32p(float, i32, i32)
declare {float, i1} @llvm.nvvm.shfl.sync.idx.f32p(i32, float, i32, i32)
declare {i32, i1} @llvm.nvvm.shfl.up.i32p(i32, i32, i32)
declare {i32, i1} @llvm.nvvm.shfl.sync.up.i32p(i32, i32, i32, i32)
declare {float, i1} @llvm.nvvm.shfl.up.f32p(float, i32, i32)
declare {float, i1} @llvm.nvvm.shfl.sync.up.f32p(i32, float, i32, i32)
declare {i32, i1} @llvm.nvvm.shfl.down.i32p(i32, i32, i32)
declare {i32, i1} @llvm.nvvm.shfl.sync.down.i32p(i32, i32, i32, i32)
declare {float, i1} @llvm.nvvm.shfl.down.f32p(float, i32, i32)
declare {float, i1} @llvm.nvvm.shfl.sync.down.f32p(i32, float, i32, i32)
declare {i32, i1} @llvm.nvvm.shfl.bfly.i32p(i32, i32, i32)
declare {i32, i1} @llvm.nvvm.shfl.sync.bfly.i32p(i32, i32, i32, i32)
declare {float, i1} @llvm.nvvm.shfl.bfly.f32p(float, i32, i32)
declare {float, i1} @llvm.nvvm.shfl.sync.bfly.f32p(i32, float, i32, i32)

define ptx_kernel void @k(ptr addrspace(1) %out) {
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %value = mul i32 %lane, 10
  %real = uitofp i32 %value to float
  %by = and i32 %lane, 7
  %other = add i32 %by, 16
  %idx.in = icmp ule i32 %other, 20
  %up = sub i32 %lane, %by
  %up.in = icmp uge i32 %lane, %by
  %down = add i32 %lane, %by
  %down.in = icmp ule i32 %down, 31
  %bfly = xor i32 %lane, %other
  %bfly.in = icmp ule i32 %bfly, 20
  %idx.from = select i1 %idx.in, i32 %other, i32 %lane
  %up.from = select i1 %up.in, i32 %up, i32 %lane
  %down.from = select i1 %down.in, i32 %down, i32 %lane
  %bfly.from = select i1 %bfly.in, i32 %bfly, i32 %lane
  %r0 = call {i32, i1} @llvm.nvvm.shfl.idx.i32p(i32 %value, i32 %other, i32 20)
  %v0 = extractvalue {i32, i1} %r0, 0
  %p0 = extractvalue {i32, i1} %r0, 1
  %x0 = mul i32 %idx.from, 10
  %e0 = icmp eq i32 %v0, %x0
  %f0 = icmp eq i1 %p0, %idx.in
  %g0 = and i1 %e0, %f0
  %b0 = select i1 %g0, i32 1, i32 0
  %r1 = call {i32, i1} @llvm.nvvm.shfl.sync.idx.i32p(i32 -1, i32 %value, i32 %other, i32 20)
  %v1 = extractvalue {i32, i1} %r1, 0
  %p1 = extractvalue {i32, i1} %r1, 1
  %x1 = mul i32 %idx.from, 10
  %e1 = icmp eq i32 %v1, %x1
  %f1 = icmp eq i1 %p1, %idx.in
  %g1 = and i1 %e1, %f1
  %b1 = select i1 %g1, i32 2, i32 0
  %r2 = call {float, i1} @llvm.nvvm.shfl.idx.f32p(float %real, i32 %other, i32 20)
  %v2 = extractvalue {float, i1} %r2, 0
  %p2 = extractvalue {float, i1} %r2, 1
  %w2 = fptoui float %v2 to i32
  %x2 = mul i32 %idx.from, 10
  %e2 = icmp eq i32 %w2, %x2
  %f2 = icmp eq i1 %p2, %idx.in
  %g2 = and i1 %e2, %f2
  %b2 = select i1 %g2, i32 4, i32 0
  %r3 = call {float, i1} @llvm.nvvm.shfl.sync.idx.f32p(i32 -1, float %real, i32 %other, i32 20)
  %v3 = extractvalue {float, i1} %r3, 0
  %p3 = extractvalue {float, i1} %r3, 1
  %w3 = fptoui float %v3 to i32
  %x3 = mul i32 %idx.from, 10
  %e3 = icmp eq i32 %w3, %x3
  %f3 = icmp eq i1 %p3, %idx.in
  %g3 = and i1 %e3, %f3
  %b3 = select i1 %g3, i32 8, i32 0
  %r4 = call {i32, i1} @llvm.nvvm.shfl.up.i32p(i32 %value, i32 %by, i32 0)
  %v4 = extractvalue {i32, i1} %r4, 0
  %p4 = extractvalue {i32, i1} %r4, 1
  %x4 = mul i32 %up.from, 10
  %e4 = icmp eq i32 %v4, %x4
  %f4 = icmp eq i1 %p4, %up.in
  %g4 = and i1 %e4, %f4
  %b4 = select i1 %g4, i32 16, i32 0
  %r5 = call {i32, i1} @llvm.nvvm.shfl.sync.up.i32p(i32 -1, i32 %value, i32 %by, i32 0)
  %v5 = extractvalue {i32, i1} %r5, 0
  %p5 = extractvalue {i32, i1} %r5, 1
  %x5 = mul i32 %up.from, 10
  %e5 = icmp eq i32 %v5, %x5
  %f5 = icmp eq i1 %p5, %up.in
  %g5 = and i1 %e5, %f5
  %b5 = select i1 %g5, i32 32, i32 0
  %r6 = call {float, i1} @llvm.nvvm.shfl.up.f32p(float %real, i32 %by, i32 0)
  %v6 = extractvalue {float, i1} %r6, 0
  %p6 = extractvalue {float, i1} %r6, 1
  %w6 = fptoui float %v6 to i32
  %x6 = mul i32 %up.from, 10
  %e6 = icmp eq i32 %w6, %x6
  %f6 = icmp eq i1 %p6, %up.in
  %g6 = and i1 %e6, %f6
  %b6 = select i1 %g6, i32 64, i32 0
  %r7 = call {float, i1} @llvm.nvvm.shfl.sync.up.f32p(i32 -1, float %real, i32 %by, i32 0)
  %v7 = extractvalue {float, i1} %r7, 0
  %p7 = extractvalue {float, i1} %r7, 1
  %w7 = fptoui float %v7 to i32
  %x7 = mul i32 %up.from, 10
  %e7 = icmp eq i32 %w7, %x7
  %f7 = icmp eq i1 %p7, %up.in
  %g7 = and i1 %e7, %f7
  %b7 = select i1 %g7, i32 128, i32 0
  %r8 = call {i32, i1} @llvm.nvvm.shfl.down.i32p(i32 %value, i32 %by, i32 31)
  %v8 = extractvalue {i32, i1} %r8, 0
  %p8 = extractvalue {i32, i1} %r8, 1
  %x8 = mul i32 %down.from, 10
  %e8 = icmp eq i32 %v8, %x8
  %f8 = icmp eq i1 %p8, %down.in
  %g8 = and i1 %e8, %f8
  %b8 = select i1 %g8, i32 256, i32 0
  %r9 = call {i32, i1} @llvm.nvvm.shfl.sync.down.i32p(i32 -1, i32 %value, i32 %by, i32 31)
  %v9 = extractvalue {i32, i1} %r9, 0
  %p9 = extractvalue {i32, i1} %r9, 1
  %x9 = mul i32 %down.from, 10
  %e9 = icmp eq i32 %v9, %x9
  %f9 = icmp eq i1 %p9, %down.in
  %g9 = and i1 %e9, %f9
  %b9 = select i1 %g9, i32 512, i32 0
  %r10 = call {float, i1} @llvm.nvvm.shfl.down.f32p(float %real, i32 %by, i32 31)
  %v10 = extractvalue {float, i1} %r10, 0
  %p10 = extractvalue {float, i1} %r10, 1
  %w10 = fptoui float %v10 to i32
  %x10 = mul i32 %down.from, 10
  %e10 = icmp eq i32 %w10, %x10
  %f10 = icmp eq i1 %p10, %down.in
  %g10 = and i1 %e10, %f10
  %b10 = select i1 %g10, i32 1024, i32 0
  %r11 = call {float, i1} @llvm.nvvm.shfl.sync.down.f32p(i32 -1, float %real, i32 %by, i32 31)
  %v11 = extractvalue {float, i1} %r11, 0
  %p11 = extractvalue {float, i1} %r11, 1
  %w11 = fptoui float %v11 to i32
  %x11 = mul i32 %down.from, 10
  %e11 = icmp eq i32 %w11, %x11
  %f11 = icmp eq i1 %p11, %down.in
  %g11 = and i1 %e11, %f11
  %b11 = select i1 %g11, i32 2048, i32 0
  %r12 = call {i32, i1} @llvm.nvvm.shfl.bfly.i32p(i32 %value, i32 %other, i32 20)
  %v12 = extractvalue {i32, i1} %r12, 0
  %p12 = extractvalue {i32, i1} %r12, 1
  %x12 = mul i32 %bfly.from, 10
  %e12 = icmp eq i32 %v12, %x12
  %f12 = icmp eq i1 %p12, %bfly.in
  %g12 = and i1 %e12, %f12
  %b12 = select i1 %g12, i32 4096, i32 0
  %r13 = call {i32, i1} @llvm.nvvm.shfl.sync.bfly.i32p(i32 -1, i32 %value, i32 %other, i32 20)
  %v13 = extractvalue {i32, i1} %r13, 0
  %p13 = extractvalue {i32, i1} %r13, 1
  %x13 = mul i32 %bfly.from, 10
  %e13 = icmp eq i32 %v13, %x13
  %f13 = icmp eq i1 %p13, %bfly.in
  %g13 = and i1 %e13, %f13
  %b13 = select i1 %g13, i32 8192, i32 0
  %r14 = call {float, i1} @llvm.nvvm.shfl.bfly.f32p(float %real, i32 %other, i32 20)
  %v14 = extractvalue {float, i1} %r14, 0
  %p14 = extractvalue {float, i1} %r14, 1
  %w14 = fptoui float %v14 to i32
  %x14 = mul i32 %bfly.from, 10
  %e14 = icmp eq i32 %w14, %x14
  %f14 = icmp eq i1 %p14, %bfly.in
  %g14 = and i1 %e14, %f14
  %b14 = select i1 %g14, i32 16384, i32 0
  %r15 = call {float, i1} @llvm.nvvm.shfl.sync.bfly.f32p(i32 -1, float %real, i32 %other, i32 20)
  %v15 = extractvalue {float, i1} %r15, 0
  %p15 = extractvalue {float, i1} %r15, 1
  %w15 = fptoui float %v15 to i32
  %x15 = mul i32 %bfly.from, 10
  %e15 = icmp eq i32 %w15, %x15
  %f15 = icmp eq i1 %p15, %bfly.in
  %g15 = and i1 %e15, %f15
  %b15 = select i1 %g15, i32 32768, i32 0
  %same = udiv i32 %lane, 32
  %odd = and i32 %lane, 1
  %wide = zext i32 %odd to i64
  %high = shl i64 %wide, 40
  %r16 = call {i32, i1} @llvm.nvvm.match.all.sync.i32p(i32 -1, i32 %same)
  %v16 = extractvalue {i32, i1} %r16, 0
  %p16 = extractvalue {i32, i1} %r16, 1
  %e16 = icmp eq i32 %v16, -1
  %f16 = icmp eq i1 %p16, true
  %g16 = and i1 %e16, %f16
  %b16 = select i1 %g16, i32 65536, i32 0
  %r17 = call {i32, i1} @llvm.nvvm.match.all.sync.i32p(i32 -1, i32 %odd)
  %v17 = extractvalue {i32, i1} %r17, 0
  %p17 = extractvalue {i32, i1} %r17, 1
  %e17 = icmp eq i32 %v17, 0
  %f17 = icmp eq i1 %p17, false
  %g17 = and i1 %e17, %f17
  %b17 = select i1 %g17, i32 131072, i32 0
  %r18 = call {i32, i1} @llvm.nvvm.match.all.sync.i64p(i32 -1, i64 %high)
  %v18 = extractvalue {i32, i1} %r18, 0
  %p18 = extractvalue {i32, i1} %r18, 1
  %e18 = icmp eq i32 %v18, 0
  %f18 = icmp eq i1 %p18, false
  %g18 = and i1 %e18, %f18
  %b18 = select i1 %g18, i32 262144, i32 0
  %r19 = call {i32, i1} @llvm.nvvm.match.all.sync.i64p(i32 -1, i64 77)
  %v19 = extractvalue {i32, i1} %r19, 0
  %p19 = extractvalue {i32, i1} %r19, 1
  %e19 = icmp eq i32 %v19, -1
  %f19 = icmp eq i1 %p19, true
  %g19 = and i1 %e19, %f19
  %b19 = select i1 %g19, i32 524288, i32 0
  %all1 = or i32 %b0, %b1
  %all2 = or i32 %all1, %b2
  %all3 = or i32 %all2, %b3
  %all4 = or i32 %all3, %b4
  %all5 = or i32 %all4, %b5
  %all6 = or i32 %all5, %b6
  %all7 = or i32 %all6, %b7
  %all8 = or i32 %all7, %b8
  %all9 = or i32 %all8, %b9
  %all10 = or i32 %all9, %b10
  %all11 = or i32 %all10, %b11
  %all12 = or i32 %all11, %b12
  %all13 = or i32 %all12, %b13
  %all14 = or i32 %all13, %b14
  %all15 = or i32 %all14, %b15
  %all16 = or i32 %all15, %b16
  %all17 = or i32 %all16, %b17
  %all18 = or i32 %all17, %b18
  %all19 = or i32 %all18, %b19
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %lane
  store i32 %all19, ptr addrspace(1) %at
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
