// Hooks are taken off and put on in the order in which they came.
#include "fixer/placement/hook_chain.h"

#include <string>

namespace whyfail::fixer {

LibraryError no_value(std::string_view tensor) {
  return library_error("ValueError",
                       std::string(tensor) + " is on the meta device, we need a `value` to put in on cpu.");
}

std::optional<LibraryError> HookChain::to_cpu(bool own_key) {
  if (meta_) return no_value("weight");
  if (own_key || hooks_.empty()) hooks_ = {Hook{}};
  return std::nullopt;
}

std::optional<LibraryError> HookChain::take_off() {
  bool lost = false;
  for (const Hook& hook : hooks_) {
    if (hook.to_disk && hook.had_data) {
      if (lost) return library_error("AttributeError", "'NoneType' object has no attribute '_parameters'");
      if (meta_ && !hook.stored) return no_value("weight");
      meta_ = false;
    }
    lost = detach_loses_module_;
  }
  return std::nullopt;
}

std::optional<LibraryError> HookChain::to_disk(bool stored) {
  if (std::optional<LibraryError> error = take_off()) return error;
  hooks_.push_back({true, stored, false});
  for (Hook& hook : hooks_) {
    if (!hook.to_disk) {
      if (meta_) return no_value("weight");
      continue;
    }
    hook.had_data = !meta_;
    meta_ = true;
  }
  return std::nullopt;
}

}  // namespace whyfail::fixer
