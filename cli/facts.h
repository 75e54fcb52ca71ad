// Which machine and which releases a paste is about: from the options, then the paste, then what was measured. A paste
// from another machine is never mixed with this one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/knowledge.h"
#include "cli/options.h"
#include "kb/release.h"
#include "matchers/reading.h"
#include "probes/machine.h"

namespace whyfail::cli {

// What is known of one package's release (contract: "environment" of the report).
struct PackageReleases {
  std::string value;                    // as written; empty: not known, or several are possible
  std::vector<kb::Release> candidates;  // all that fit, oldest first
  std::string origin;                   // "option", "paste", "frames", "message", "probe"; empty: not known
  std::optional<kb::Release> assumed;   // accelerate only, when not known: what was current with transformers
};

struct Facts {
  probes::Machine machine;
  bool machine_is_elsewhere = false;  // the paste describes another machine than this one: nothing was measured for it
  PackageReleases transformers;
  PackageReleases accelerate;
  bool edited_source = false;  // frames of transformers fit no release: edited or unreleased
};

// Throws Failure if --machine can't be read. `pattern`: the wording that was recognised.
Facts gather_facts(const Options& options, const matchers::Reading& reading, std::optional<std::int64_t> pattern,
                   const Knowledge& knowledge);

// The machine that --machine names, or this one; without a paste.
probes::Machine machine_for(const Options& options);

}  // namespace whyfail::cli
