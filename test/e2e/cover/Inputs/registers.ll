; Special registers in a grid and blocks of three dimensions: each thread stores what it reads at the place that they give.
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.w()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.w()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.read.ptx.sreg.warpid()

define void @k(ptr addrspace(1) %out) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %tz = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %nx = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %ny = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %nz = call i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
  %cx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %cy = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %cz = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %mx = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %my = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %mz = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.z()
  %nw = call i32 @llvm.nvvm.read.ptx.sreg.ntid.w()
  %mw = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.w()
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %warp = call i32 @llvm.nvvm.read.ptx.sreg.warpid()
  ; thread of the block, block of the grid, thread of the grid
  %t1 = mul i32 %tz, %ny
  %t2 = add i32 %t1, %ty
  %t3 = mul i32 %t2, %nx
  %t = add i32 %t3, %tx
  %c1 = mul i32 %cz, %my
  %c2 = add i32 %c1, %cy
  %c3 = mul i32 %c2, %mx
  %c = add i32 %c3, %cx
  %n1 = mul i32 %nx, %ny
  %n = mul i32 %n1, %nz
  %m1 = mul i32 %mx, %my
  %m = mul i32 %m1, %mz
  %g1 = mul i32 %c, %n
  %g = add i32 %g1, %t
  ; the same thread by its warp and lane
  %w = mul i32 %warp, 32
  %l = add i32 %w, %lane
  %d = sub i32 %l, %t
  %s1 = mul i32 %n, 1000
  %s2 = mul i32 %m, 1000000
  %s3 = add i32 %s1, %s2
  %s4 = add i32 %s3, %d
  %s5 = add i32 %s4, %nw
  %s6 = add i32 %s5, %mw
  %s = add i32 %s6, %g
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %g
  store i32 %s, ptr addrspace(1) %at
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
