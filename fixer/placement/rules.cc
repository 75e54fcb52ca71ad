// Which release behaves how. Sources: the packages' own files in the releases named; "seen" means run with the first
// listed release, the change lying between it and the release before it in the reference list (4.30.2/0.20.3,
// 4.33.3/0.23.0, 4.36.2/0.25.0, 4.40.2/0.29.3, 4.44.2/0.33.0, 4.46.3/1.1.1, 4.48.3/1.3.0, 4.51.3/1.6.0, 4.53.3/1.8.1,
// 4.57.6/1.12.0, 5.0.0/1.12.0, 5.5.0/1.13.0, 5.10.0/1.14.0, 5.16.0/1.14.0, 5.23.0/1.15.0).
#include "fixer/placement/rules.h"

namespace whyfail::fixer {

namespace {

using kb::Release;

// accelerate/utils/modeling.py
void accelerate_rules(const Release& accelerate, Rules& rules) {
  const auto before = [&](int major, int minor) { return accelerate < Release{major, minor, 0}; };
  rules.whole_number_sizes = before(0, 21);
  rules.zero_size_refused = !before(0, 21) && before(0, 27);
  rules.budgets_sorted_and_checked = !before(0, 21);
  rules.unusable_gpu_is_error = before(0, 30);
  rules.integrated_gpu_takes_ram = !before(1, 15);
  rules.integers_keep_width = !before(0, 27);
  rules.balanced_devices = before(0, 21)   ? BalancedDevices::cuda_or_nothing
                           : before(1, 6)  ? BalancedDevices::cuda
                           : before(1, 15) ? BalancedDevices::cuda_or_mps
                                           : BalancedDevices::numbers_or_mps;
  rules.engine = before(1, 2) ? Engine::size_first : Engine::ties_first;
  rules.ties_by_plain_substring = before(0, 27);
  rules.bare_buffer_must_fit = before(0, 27);
  rules.disk_is_main_device = before(0, 21);
  rules.warns_of_buffers = !before(0, 28);
}

}  // namespace

Rules rules_for(const Release& transformers, const Release& accelerate) {
  Rules rules;
  rules.transformers = transformers;
  rules.accelerate = accelerate;
  accelerate_rules(accelerate, rules);
  const auto from = [&](int major, int minor) { return transformers >= Release{major, minor, 0}; };
  rules.own_allocator = from(5, 0);
  if (rules.own_allocator) {
    rules.engine = from(5, 13) ? Engine::split_always : Engine::ties_first;
    rules.ties_by_plain_substring = false;
    rules.disk_is_main_device = false;
    rules.bare_buffer_must_fit = false;
    rules.warns_of_buffers = false;
  }
  rules.own_max_memory = from(5, 3);
  rules.ties_before_balancing = from(4, 50);
  rules.sequential_takes_given = !from(4, 31);
  rules.cpu_share = from(5, 3) ? CpuShare::in_max_memory : from(5, 0) ? CpuShare::after_balancing : CpuShare::none;
  rules.unused_memory = from(5, 3)    ? UnusedMemory::in_max_memory
                        : from(4, 52) ? UnusedMemory::after_balancing
                                      : UnusedMemory::ignored;
  rules.block_is_largest_instance = from(5, 14);
  rules.leaf_is_largest = from(5, 17);
  return rules;
}

}  // namespace whyfail::fixer
