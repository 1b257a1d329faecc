// The size of the heap of malloc in kernels.
#include "sema_case.hpp"

namespace quern::lang {
namespace {

uint64_t heap_size(const std::vector<std::pair<std::string, std::string>>& defines) {
  CompileOptions options;
  options.defines = defines;
  const Compilation c =
      compile("test.cu", "__global__ void k(int* p) { int* q = new int(3); p[0] = *q; delete q; }", options);
  EXPECT_TRUE(c.ok) << c.rendered;
  const ir::Global* heap = c.module.find_global("__lib_heap");
  return heap != nullptr ? heap->object->size : 0;
}

TEST(Heap, ADefineSetsItsSize) {
  EXPECT_EQ(heap_size({}), 8U << 20);
  EXPECT_EQ(heap_size({{"QUERN_HEAP_BYTES", "65536"}}), 65536U);
  EXPECT_EQ(heap_size({{"QUERN_HEAP_BYTES", "0x1004"}}), 0x1000U);
  EXPECT_EQ(heap_size({{"QUERN_HEAP_BYTES", "0"}}), 16U);
  EXPECT_EQ(heap_size({{"QUERN_HEAP_BYTES", "999999999999"}}), 256U << 20);
}

TEST(Heap, KernelsThatDoNotUseItHaveNone) {
  const Compilation c = compile("test.cu", "__global__ void k(int* p) { p[0] = 1; }");
  EXPECT_EQ(c.module.find_global("__lib_heap"), nullptr);
}

}  // namespace
}  // namespace quern::lang
