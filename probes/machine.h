// What a machine is, as far as placing weights goes. Measured, recorded, described or read from a paste: every group
// carries its origin; a missing value means not known, and `unknown` says why. All sizes are bytes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace whyfail::probes {

struct OperatingSystem {
  std::string name;  // "linux", "windows", "darwin"; empty: not recognised
  std::string version;
  std::string stated;  // the system's own words in a paste ("Fedora 40"); machine_json gives them as the name
  bool wsl = false;
  std::optional<std::string> container;  // "docker", "kubernetes", …
  std::string origin;
};

struct Holder {  // a process that holds memory of a GPU
  std::int64_t pid = 0;
  std::string name;
  std::optional<std::uint64_t> bytes;
};

struct Gpu {
  std::optional<int> index;  // the key that max_memory uses; with `mps` the key is "mps"; neither: it has no key
  bool mps = false;
  std::string name;
  std::string vendor;  // "nvidia", "amd", "intel", "apple"; empty: not known
  std::string uuid;
  std::optional<std::uint64_t> total_bytes;
  std::optional<std::uint64_t> free_bytes;
  std::optional<std::uint64_t> reserved_bytes;
  std::string compute_capability;           // "8.6"; empty: not known
  std::optional<std::string> driver_model;  // "wddm", "mcdm", "tcc"
  bool unified = false;
  bool mig = false;
  bool holders_known = false;  // true with an empty list: nobody holds memory of it
  std::vector<Holder> holders;
  std::optional<int> nvidia_index;
  std::string origin;
};

struct Memory {
  std::optional<std::uint64_t> total_bytes;
  std::optional<std::uint64_t> available_bytes;  // as psutil reports it: what accelerate will see
  std::optional<std::uint64_t> limit_bytes;      // cgroup
  std::string limit_origin;                      // "cgroup /a/b memory.max"
  std::optional<std::uint64_t> swap_free_bytes;
  std::optional<bool> swap_memory_backed;  // all swap is compressed memory (zram)
  std::optional<std::uint64_t> commit_free_bytes;
  std::optional<std::uint64_t> address_space_limit_bytes;
  std::optional<std::uint64_t> usable_bytes;  // what a process here can really take
  std::string origin;
};

struct Disk {
  std::string purpose;  // "offload", "cache", or empty
  std::string path;
  std::string filesystem;
  std::optional<std::uint64_t> total_bytes;
  std::optional<std::uint64_t> free_bytes;
  bool network = false;
  bool memory_backed = false;
  bool read_only = false;
  std::string origin;
};

struct Machine {
  std::optional<OperatingSystem> os;
  std::vector<Gpu> gpus;
  bool gpus_known = false;  // true with an empty list: there is none
  Memory memory;
  std::vector<Disk> disks;
  std::map<std::string, std::string> packages;  // names normalised as PEP 503 says
  std::string packages_origin;
  std::string python;
  std::string python_origin;
  std::map<std::string, std::string> environment;
  std::map<std::string, std::string> unknown;  // group → reason
};

}  // namespace whyfail::probes
