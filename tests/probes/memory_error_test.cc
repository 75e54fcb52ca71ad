// torch's out-of-memory messages of every form, figure by figure.
#include "probes/memory_error.h"

#include <gtest/gtest.h>

#include <string>

namespace whyfail::probes {
namespace {

constexpr std::uint64_t MiB = 1ULL << 20;
constexpr std::uint64_t GiB = 1ULL << 30;

TEST(MemoryError, ReadsTheFormTo20) {
  const auto error = memory_error(
      "CUDA out of memory. Tried to allocate 500.00 MiB (GPU 3; 12.00 GiB total capacity; 9.00 GiB already allocated; "
      "256.00 MiB free; 10.00 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try setting "
      "max_split_size_mb to avoid fragmentation.");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->requested_bytes, 500 * MiB);
  EXPECT_EQ(error->gpu, 3);
  EXPECT_EQ(error->total_bytes, 12 * GiB);
  EXPECT_EQ(error->free_bytes, 256 * MiB);
  EXPECT_EQ(error->own_bytes, 10 * GiB);
  EXPECT_EQ(error->allocated_bytes, 9 * GiB);
  EXPECT_EQ(error->unallocated_bytes, 1 * GiB);
}

TEST(MemoryError, ReadsTheFormFrom21) {
  const auto error = memory_error(
      "HIP out of memory. Tried to allocate 1.50 GiB. GPU 0 has a total capacty of 8.00 GiB of which 96.00 MiB is "
      "free. "
      "Process 31224 has 1.00 GiB memory in use. Including non-PyTorch memory, this process has 6.50 GiB memory in "
      "use. "
      "Of the allocated memory 5.75 GiB is allocated by PyTorch, and 44.00 MiB is reserved by PyTorch but "
      "unallocated.");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->requested_bytes, 1536 * MiB);
  EXPECT_EQ(error->total_bytes, 8 * GiB);
  EXPECT_EQ(error->free_bytes, 96 * MiB);
  EXPECT_EQ(error->own_bytes, 6656 * MiB);
  EXPECT_EQ(error->allocated_bytes, 5888 * MiB);
  EXPECT_EQ(error->unallocated_bytes, 44 * MiB);
}

TEST(MemoryError, ReadsTheFormTo13) {
  const auto error = memory_error(
      "CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 11.00 GiB total capacity; 10.00 GiB already allocated; "
      "25.00 MiB free; 148.50 KiB cached)");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->unallocated_bytes, 152064U);
}

TEST(MemoryError, WithoutFiguresThereIsNone) {
  for (const char* message :
       {"", "CUDA out of memory.", "CUDA error: out of memory", "CUDA out of memory. Tried to allocate",
        "CUDA out of memory. Tried to allocate 20.00 MiB", "CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; ",
        "CUDA out of memory. Tried to allocate lots. GPU 0 has a total capacity of 8.00 GiB of which 1 GiB is free.",
        "CUDA out of memory. Tried to allocate 2 MiB. GPU 99999999999999999999 has a total capacity of 8.00 GiB"}) {
    EXPECT_FALSE(memory_error(message)) << message;
  }
}

}  // namespace
}  // namespace whyfail::probes
