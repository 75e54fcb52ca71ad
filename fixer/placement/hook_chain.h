// The hooks that dispatch hangs on one module which has several names in the tree: T5's embedding in transformers 4.
// Each name that falls under a key adds a hook; a disk hook takes those before it off first, and that needs the data.
// accelerate/hooks.py add_hook_to_module, AlignDevicesHook, SequentialHook.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "fixer/placement/budgets.h"

namespace whyfail::fixer {

// A tensor without data is asked for on the CPU.
LibraryError no_value(std::string_view tensor);

class HookChain {
 public:
  // `meta`: the tensor has no data once it is loaded. `detach_loses_module`: Rules.
  HookChain(bool meta, bool detach_loses_module) : meta_(meta), detach_loses_module_(detach_loses_module) {}

  bool meta() const { return meta_; }

  // `own_key`: the key is one of the module's own names; else it is that of a module above.
  std::optional<LibraryError> to_cpu(bool own_key);

  // `stored`: the disk holds the tensor under this name.
  std::optional<LibraryError> to_disk(bool stored);

 private:
  struct Hook {
    bool to_disk = false;
    bool stored = false;
    bool had_data = false;  // what the hook gives back when it is taken off
  };

  std::optional<LibraryError> take_off();

  bool meta_;
  bool detach_loses_module_;
  std::vector<Hook> hooks_;
};

}  // namespace whyfail::fixer
