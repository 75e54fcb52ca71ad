// What torch's out-of-memory message says about the card, in bytes. Three forms (c10/cuda/CUDACachingAllocator.cpp):
//   to 1.3   "(GPU 0; 11.17 GiB total capacity; 10.66 GiB already allocated; 25.56 MiB free; 148.50 KiB cached)"
//   to 2.0   the same with "10.10 GiB reserved in total by PyTorch"
//   from 2.1 "GPU 0 has a total capacity of 8.00 GiB of which 98.19 MiB is free. Process 31224 has 1.69 GiB memory in
//            use. Including non-PyTorch memory, this process has 6.22 GiB memory in use. Of the allocated memory 5.74
//            GiB is allocated by PyTorch, and 44.00 MiB is reserved by PyTorch but unallocated."
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace whyfail::probes {

struct MemoryError {
  std::uint64_t requested_bytes = 0;
  int gpu = 0;
  std::uint64_t total_bytes = 0;
  std::uint64_t free_bytes = 0;
  std::optional<std::uint64_t> own_bytes;          // held by the process that failed, as the driver counts
  std::optional<std::uint64_t> allocated_bytes;    // of it in tensors
  std::optional<std::uint64_t> unallocated_bytes;  // of it kept by torch's allocator and not in use
};

// nullopt: no such sentence, or one without figures.
std::optional<MemoryError> memory_error(std::string_view message);

}  // namespace whyfail::probes
