// Other languages, releases and column orders of the forms that pastes state a machine in; whose machine prose is
// about; and the line that every figure is found in.
#include <gtest/gtest.h>

#include "probes/sources.h"

namespace whyfail::probes {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20U;
constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30U;

Machine read(const std::string& text) {
  matchers::Reading reading;
  reading.islands.emplace_back();
  reading.islands.back().append(text, 0, true);
  std::vector<std::uint64_t> starts;
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) starts.push_back(++at);
  reading.islands.back().set_lines(1, starts);
  return machine_in(reading);
}

TEST(PasteOrigin, NamesTheLine) {
  const Machine machine = read(
      "it fails\n- Platform: Linux-6.8.0-x86_64\n- System RAM: 62.00 GB\n"
      "name, memory.total [MiB]\nNVIDIA L4, 23034 MiB\n\ntorch==2.5.1\naccelerate==1.0.1\nnumpy==1.26.4\n"
      "Filesystem Size Used Avail Use% Mounted on\n/dev/sda1 100G 40G 60G 40% /\n");
  EXPECT_EQ(machine.os->origin, "paste: environment report, line 2");
  EXPECT_EQ(machine.memory.origin, "paste: environment report, line 3");
  EXPECT_EQ(machine.gpus.at(0).origin, "paste: nvidia-smi --query-gpu, line 5");
  EXPECT_EQ(machine.packages_origin, "paste: list of packages, line 7");
  EXPECT_EQ(machine.disks.at(0).origin, "paste: df, line 11");
  EXPECT_EQ(read("\n\nI have a 3090 and 64 gigs of RAM").memory.origin, "said in the paste, line 3");
}

TEST(NvidiaSmiVariants, ProcessesAreHolders) {
  for (const char* row : {"|    0   N/A  N/A      5678      C   python3      280MiB |",
                          "|    0      5678      C   python3      280MiB |"}) {
    const Machine machine = read(
        "|   0  GeForce GTX 108...  Off  | 00000000:01:00.0  On |                  N/A |\n"
        "| 23%   38C    P8    17W / 250W |    381MiB / 11175MiB |      0%      Default |\n" +
        std::string(row) + "\n");
    ASSERT_EQ(machine.gpus.size(), 1U);
    ASSERT_EQ(machine.gpus[0].holders.size(), 1U) << row;
    EXPECT_EQ(machine.gpus[0].holders[0].pid, 5678);
    EXPECT_EQ(machine.gpus[0].holders[0].bytes, 280 * mebibyte);
  }
}

TEST(NvidiaSmiVariants, UnifiedMemoryHasNoFigures) {
  const Machine machine =
      read("|   0  NVIDIA GB10   On  |   0000000F:01:00.0 Off |  N/A |\n| N/A   42C |   Not Supported  |  0% |\n");
  ASSERT_EQ(machine.gpus.size(), 1U);
  EXPECT_FALSE(machine.gpus[0].total_bytes);
}

TEST(NvidiaSmiVariants, ColumnsInAnyOrderAndWithOtherOptions) {
  EXPECT_EQ(
      read("memory.total [MiB], name, index, memory.free [MiB]\n24564 MiB, RTX, 0, 23000 MiB\n").gpus.at(0).free_bytes,
      23000 * mebibyte);
  EXPECT_EQ(read("nvidia-smi --query-gpu memory.total,memory.free --format csv,noheader,nounits\n24576, 24000\n")
                .gpus.at(0)
                .total_bytes,
            24576 * mebibyte);
  EXPECT_EQ(read("memory.total [MiB]\n24576 MiB\n").gpus.at(0).total_bytes, 24576 * mebibyte);
}

TEST(OutOfMemoryVariants, OldReleasesContainersAndOtherCards) {
  EXPECT_EQ(
      read("RuntimeError: CUDA out of memory. Tried to allocate 12.50 MiB (GPU 0; 11.00 GiB total capacity; 8.57 MiB "
           "already allocated; 9.00 GiB free; 512.00 MiB cached)\n")
          .gpus.at(0)
          .free_bytes,
      9 * gibibyte + 512 * mebibyte);
  EXPECT_EQ(read("torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of "
                 "16.00 GiB of "
                 "which 1.00 GiB is free. Of the allocated memory 12.00 GiB is allocated by PyTorch, and 512.00 MiB is "
                 "reserved by "
                 "PyTorch but unallocated.\n")
                .gpus.at(0)
                .free_bytes,
            13 * gibibyte + 512 * mebibyte);
}

TEST(ToolVariants, FreeInOtherLanguagesAndUnits) {
  struct Printed {
    const char* text;
    std::uint64_t total;
    std::uint64_t available;  // 0: not told
  };
  for (const Printed& printed :
       {Printed{"$ free -g\ntotal used free shared buff/cache available\nMem: 31 10 2 0 19 20\n", 31 * gibibyte,
                20 * gibibyte},
        Printed{"$ free -b\ntotal used free shared buff/cache available\nMem: 33566822400 1 2 3 4 21000000000\n",
                33566822400, 21000000000},
        Printed{"$ free -h --si\ntotal used free shared buff/cache available\nMem: 33G 11G 2.0G 300M 19G 21G\n",
                33000000000, 21000000000},
        Printed{"gesamt benutzt frei gemns. Puffer/Cache verfügbar\nSpeicher: 32011 1 2 3 4 21000\n", 32011 * mebibyte,
                21000 * mebibyte},
        Printed{"total utilisé libre partagé tamp/cache disponible\nMem: 125Gi 8,5Gi 3Gi 8Mi 12Gi 115Gi\n",
                125 * gibibyte, 115 * gibibyte},
        Printed{"total used free shared buffers cached\nMem: 32946060 1 2 0 500000 20000000\n",
                std::uint64_t{32946060} * 1024, 0},
        Printed{"total used free shared buff/cache availableMem: 32780100 1 2 3 4 21000000\n",
                std::uint64_t{32780100} * 1024, std::uint64_t{21000000} * 1024},
        Printed{"MemTotal:   65780000 kB\nMemFree:  1000000 kB\nMemAvailable:   60000000 kB\n",
                std::uint64_t{65780000} * 1024, std::uint64_t{60000000} * 1024}}) {
    const Machine machine = read(printed.text);
    EXPECT_EQ(machine.memory.total_bytes, printed.total) << printed.text;
    EXPECT_EQ(machine.memory.available_bytes.value_or(0), printed.available) << printed.text;
  }
}

TEST(ToolVariants, DfInOtherLanguagesAndForms) {
  for (const char* text :
       {"Dateisystem Größe Benutzt Verf. Verw% Eingehängt auf\n/dev/sda2 458G 191G 244G 44% /home\n",
        "文件系统 容量 已用 可用 已用% 挂载点\n/dev/sda2 458G 191G 244G 44% /home\n",
        "Filesystem Type Size Used Avail Use% Mounted on\n/dev/sda2 ext4 458G 191G 244G 44% /home\n",
        "note\nFilesystem Size Used Avail Capacity iused ifree %iused Mounted on\n/dev/disk3 458Gi 191Gi 244Gi 44% "
        "404k 2G 0% /home\n",
        "Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/sda2 480247808 200278016 255852544 44% /home\n"}) {
    const Machine machine = read(text);
    ASSERT_EQ(machine.disks.size(), 1U) << text;
    EXPECT_EQ(machine.disks[0].path, "/home");
    EXPECT_EQ(machine.disks[0].free_bytes, 244 * gibibyte) << text;
  }
  EXPECT_TRUE(read("a b c d 44% /x\nx 1 2 3 4% /y\n").disks.empty());
}

TEST(ReportVariants, CardsOfTheReports) {
  const Machine hub = read("- `transformers` version: 4.57.1\n- GPU type: NVIDIA GeForce RTX 4090\n");
  ASSERT_EQ(hub.gpus.size(), 1U);
  EXPECT_EQ(hub.gpus[0].total_bytes, 24 * gibibyte);
  EXPECT_FALSE(hub.gpus_known);  // there may be more
  const Machine diffusers = read(
      "- Accelerator: NVIDIA A100-SXM4-80GB, 81920 MiB\nNVIDIA A100-SXM4-80GB, 81920 MiB\n- xFormers version: 1.0\n");
  ASSERT_EQ(diffusers.gpus.size(), 2U);
  EXPECT_EQ(diffusers.gpus[1].index, 1);
  EXPECT_EQ(diffusers.gpus[1].total_bytes, 81920 * mebibyte);
}

TEST(PackageVariants, PoetryAndPrintedVersions) {
  EXPECT_EQ(read("$ poetry show\ntorch   2.5.1   Tensors and Dynamic neural networks in Python\n").packages.at("torch"),
            "2.5.1");
  EXPECT_EQ(read(">>> transformers.__version__\n'4.46.0'\n").packages.at("transformers"), "4.46.0");
  EXPECT_EQ(read("$ python -c 'import torch; print(torch.__version__)'\n2.5.1+cu124\n").packages.at("torch"),
            "2.5.1+cu124");
  EXPECT_TRUE(read("torch.__version__ is old\nhello\n").packages.empty());
}

struct Own {
  const char* text;
  std::size_t gpus;
  std::uint64_t gpu_gibibytes;
  std::uint64_t memory_gibibytes;
};

TEST(Ownership, WhatTheWriterHas) {
  for (const Own& own :
       {Own{"I have 2x 3090 and 128GB of RAM", 2, 24, 128}, Own{"My machine has a 3090 and 64 gigs of RAM", 1, 24, 64},
        Own{"2x RTX 3090, 128 GB RAM, Ubuntu 22.04", 2, 24, 128}, Own{"RTX 3090, 64 GB RAM", 1, 24, 64},
        Own{"GPU: NVIDIA GeForce RTX 3090", 1, 24, 0}, Own{"32GB RAM", 0, 0, 32}, Own{"16 Go de RAM", 0, 0, 16},
        Own{"16 ГБ ОЗУ", 0, 0, 16}, Own{"RAM 32 GB", 0, 0, 32}, Own{"Arbeitsspeicher: 32 GB", 0, 0, 32},
        Own{"Specs: Ryzen 9 5950X, 64GB DDR4, RTX 3090", 1, 24, 64},
        Own{"AWS g5.2xlarge (A10G 24GB, 32 GB RAM)", 1, 24, 32},
        Own{"J'ai une RTX 3060 de 12 Go et 16 Go de RAM", 1, 12, 16},
        Own{"Ich habe eine RTX 3090 (24 GB) und 64 GB RAM", 1, 24, 64},
        Own{"Tengo una RTX 3060 de 12 GB y 32 GB de RAM", 1, 12, 32}, Own{"running on a single A100 80GB", 1, 80, 0}}) {
    const Machine machine = read(own.text);
    ASSERT_EQ(machine.gpus.size(), own.gpus) << own.text;
    for (const Gpu& gpu : machine.gpus) EXPECT_EQ(gpu.total_bytes, own.gpu_gibibytes * gibibyte) << own.text;
    EXPECT_EQ(machine.memory.total_bytes.value_or(0), own.memory_gibibytes * gibibyte) << own.text;
  }
}

TEST(Ownership, WhatSomebodyElseHasIsNeededOrAskedFor) {
  for (const char* text : {"the 24GB model does not load",
                           "1TB SSD, 500 GB free",
                           "It costs $1600 for an RTX 4090 24GB",
                           "This needs 80 GB VRAM",
                           "I don't have an RTX 3090 with 24GB VRAM",
                           "someone with a 4090 24GB can run it",
                           "would a 24 GB card be enough?",
                           "Is an RTX 3090 24GB enough?",
                           "My friend has an RTX 4090 24GB and 64 GB RAM",
                           "thinking about buying an RTX 5090 32GB",
                           "The README says it runs on an A100 80GB",
                           "I used to have an RTX 3090 24GB",
                           "I sold my RTX 3090 24GB",
                           "ich habe keine RTX 3090 24GB",
                           "je n'ai pas de RTX 3090 24 Go",
                           "no tengo una RTX 3090 de 24 GB",
                           "我没有 RTX 3090 24GB",
                           "У меня нет RTX 3090 24 ГБ",
                           "Tested by the authors on 8x H100 80GB",
                           "RTX 4090 24GB vs RTX 3090 24GB",
                           "upgrade from RTX 3060 12GB to RTX 3090 24GB",
                           "the RTX 3090 24GB is sold out",
                           "loading takes 32 GB of RAM",
                           "it uses 30GB RAM",
                           "RAM: 64 GB recommended",
                           "Requirements: RTX 3090 24GB, 64GB RAM",
                           "GPU: RTX 3090 or better",
                           "the memory bandwidth is 936 GB/s",
                           "Model memory: 14 GB",
                           "peak memory: 30 GB",
                           "Free memory: 3 GB",
                           "Bob's machine: RTX 3090 24GB",
                           "my colleague's RTX 3090 24GB",
                           "I want an RTX 5090 32GB",
                           "Example: RTX 3090 24GB",
                           "On an RTX 3090 24GB it takes 10s"}) {
    const Machine machine = read(text);
    EXPECT_TRUE(machine.gpus.empty()) << text;
    EXPECT_FALSE(machine.memory.total_bytes) << text;
  }
}

}  // namespace
}  // namespace whyfail::probes
