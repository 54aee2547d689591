; to[i] = from[i] + from[i], as f16 and as i32
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @halves(ptr %from, ptr %to) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %source = getelementptr half, ptr %from, i32 %i
  %value = load half, ptr %source
  %sum = fadd half %value, %value
  %target = getelementptr half, ptr %to, i32 %i
  store half %sum, ptr %target
  ret void
}

define ptx_kernel void @words(ptr %from, ptr %to) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %source = getelementptr i32, ptr %from, i32 %i
  %value = load i32, ptr %source
  %sum = add i32 %value, %value
  %target = getelementptr i32, ptr %to, i32 %i
  store i32 %sum, ptr %target
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
