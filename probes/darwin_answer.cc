// sysctl, host_statistics64 and Metal. Metal is opened at run time and asked through the Objective-C runtime, so that
// no framework is linked.
#include "probes/darwin_answer.h"

#include <dlfcn.h>
#include <mach/mach.h>
#include <sys/sysctl.h>

#include <cstdint>

namespace whyfail::probes {
namespace {

Figure number(const char* name) {
  std::uint64_t value = 0;
  std::size_t size = sizeof value;
  if (sysctlbyname(name, &value, &size, nullptr, 0) != 0) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

std::string text(const char* name) {
  char value[256] = {};
  std::size_t size = sizeof value - 1;
  return sysctlbyname(name, value, &size, nullptr, 0) == 0 ? std::string(value) : std::string();
}

// The "free" of vm_stat is without speculative pages.
void read_pages(DarwinAnswer& answer) {
  vm_statistics64_data_t pages{};
  mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
  if (host_statistics64(mach_host_self(), HOST_VM_INFO64, reinterpret_cast<host_info64_t>(&pages), &count) !=
      KERN_SUCCESS) {
    return;
  }
  answer.page_size = number("hw.pagesize");
  answer.free_pages = static_cast<std::int64_t>(pages.free_count) - static_cast<std::int64_t>(pages.speculative_count);
  answer.inactive_pages = static_cast<std::int64_t>(pages.inactive_count);
}

void read_swap(DarwinAnswer& answer) {
  xsw_usage usage{};
  std::size_t size = sizeof usage;
  if (sysctlbyname("vm.swapusage", &usage, &size, nullptr, 0) != 0) return;
  answer.swap_total = static_cast<std::int64_t>(usage.xsu_total);
  answer.swap_used = static_cast<std::int64_t>(usage.xsu_used);
}

void read_metal(DarwinAnswer& answer) {
  void* metal = dlopen("/System/Library/Frameworks/Metal.framework/Metal", RTLD_LAZY);
  void* runtime = dlopen("/usr/lib/libobjc.A.dylib", RTLD_LAZY);
  if (metal == nullptr || runtime == nullptr) return;
  const auto create = reinterpret_cast<void* (*)()>(dlsym(metal, "MTLCreateSystemDefaultDevice"));
  const auto selector = reinterpret_cast<void* (*)(const char*)>(dlsym(runtime, "sel_registerName"));
  void* send = dlsym(runtime, "objc_msgSend");
  void* device = create == nullptr ? nullptr : create();
  if (device == nullptr || selector == nullptr || send == nullptr) return;
  const auto object = reinterpret_cast<void* (*)(void*, void*)>(send);
  const auto size = reinterpret_cast<std::uint64_t (*)(void*, void*)>(send);
  const auto characters = reinterpret_cast<const char* (*)(void*, void*)>(send);
  void* name = object(device, selector("name"));
  const char* plain = name == nullptr ? nullptr : characters(name, selector("UTF8String"));
  answer.metal_name = plain == nullptr ? "Apple GPU" : plain;
  answer.metal_working_set = static_cast<std::int64_t>(size(device, selector("recommendedMaxWorkingSetSize")));
}

}  // namespace

DarwinAnswer ask_darwin() {
  DarwinAnswer answer;
  answer.version = "macOS " + text("kern.osproductversion") + " (" + text("kern.osversion") + ")";
  answer.memory_size = number("hw.memsize");
  read_pages(answer);
  read_swap(answer);
  read_metal(answer);
  return answer;
}

}  // namespace whyfail::probes
