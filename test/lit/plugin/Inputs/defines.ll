target triple = "nvptx64-nvidia-cuda"

@offset = addrspace(1) global i32 5

define i32 @twice(i32 %x) {
  %result = shl i32 %x, 1
  ret i32 %result
}
