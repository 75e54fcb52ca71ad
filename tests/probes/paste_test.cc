// What pastes state of their machine, form by form, and what must not be read out of them.
#include <gtest/gtest.h>

#include "probes/known_cards.h"
#include "probes/sources.h"

namespace whyfail::probes {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20U;
constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30U;

matchers::Reading reading_of(const std::string& text) {
  matchers::Reading reading;
  reading.islands.emplace_back();
  reading.islands.back().append(text, 0, true);
  return reading;
}

Machine read(const std::string& text) { return machine_in(reading_of(text)); }

const std::string smi =
    "| NVIDIA-SMI 535.104   Driver Version: 535.104   CUDA Version: 12.2     |\n"
    "| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |\n"
    "|   0  Tesla T4            Off  | 00000000:01:00.0 Off |                  N/A |\n"
    "| 46%   51C    P2     36W /  70W |  14136MiB / 15360MiB |     56%      Default |\n"
    "|                               |                      |                  N/A |\n"
    "|   1  Tesla T4            Off  | 00000000:04:00.0 Off |                  N/A |\n"
    "| 39%   50C    P8     81W /  70W |      3MiB / 15360MiB |      0%      Default |\n";

TEST(NvidiaSmi, TableGivesCardsAndWhatIsFree) {
  const Machine machine = read(smi);
  ASSERT_EQ(machine.gpus.size(), 2U);
  EXPECT_EQ(machine.gpus[0].name, "Tesla T4");
  EXPECT_EQ(machine.gpus[0].total_bytes, 15360 * mebibyte);
  EXPECT_EQ(machine.gpus[0].free_bytes, (15360 - 14136) * mebibyte);
  EXPECT_EQ(machine.gpus[1].index, 1);
  EXPECT_EQ(machine.gpus[1].free_bytes, 15357 * mebibyte);
}

TEST(NvidiaSmi, WindowsTableNamesTheDriverModel) {
  const Machine machine = read(
      "|   0  NVIDIA GeForce RTX 4070...   WDDM  |   00000000:01:00.0  On |                  N/A |\n"
      "| 41%   46C    P2             31W /   80W |    3996MiB /   8188MiB |     31%      Default |\n");
  EXPECT_EQ(machine.gpus.at(0).name, "NVIDIA GeForce RTX 4070...");
  EXPECT_EQ(machine.gpus[0].driver_model, "wddm");
}

TEST(NvidiaSmi, DoesNotNumberDifferentCards) {
  const Machine machine = read(
      "|   0  Tesla T4   Off  | 00000000:01:00.0 Off |  N/A |\n| 46%  |  1MiB / 15360MiB |  0% |\n"
      "|   1  Tesla P40  Off  | 00000000:02:00.0 Off |  N/A |\n| 46%  |  1MiB / 24576MiB |  0% |\n");
  ASSERT_EQ(machine.gpus.size(), 2U);
  EXPECT_FALSE(machine.gpus[0].index);
  EXPECT_EQ(machine.gpus[1].nvidia_index, 1);
}

TEST(NvidiaSmi, MigDevicesTakeTheKey) {
  const Machine machine = read(
      "|   0  NVIDIA A100-SXM4-40GB  On  | 00000000:01:00.0 Off |  On |\n"
      "| N/A   31C    P0  45W / 400W |  25MiB / 40960MiB |  N/A   Default |\n"
      "|                             |                   |        Enabled |\n"
      "| MIG devices:                                                     |\n"
      "|  0    1   0   0  |     12MiB / 19968MiB  | 42      0 |\n");
  ASSERT_EQ(machine.gpus.size(), 2U);
  EXPECT_FALSE(machine.gpus[0].index);
  EXPECT_TRUE(machine.gpus[1].mig);
  EXPECT_EQ(machine.gpus[1].index, 0);
  EXPECT_EQ(machine.gpus[1].free_bytes, (19968 - 12) * mebibyte);
}

TEST(NvidiaSmi, ListAndCsv) {
  const Machine list =
      read("GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-44)\n  MIG 3g.20gb     Device  0: (UUID: MIG-e3)\n");
  ASSERT_EQ(list.gpus.size(), 2U);
  EXPECT_EQ(list.gpus[1].uuid, "MIG-e3");
  const Machine csv = read("index, name, memory.total [MiB], memory.used [MiB]\n0, NVIDIA L4, 23034 MiB, 34 MiB\n");
  ASSERT_EQ(csv.gpus.size(), 1U);
  EXPECT_EQ(csv.gpus[0].free_bytes, 23000 * mebibyte);
  const Machine bare =
      read("$ nvidia-smi --query-gpu=name,memory.free --format=csv,noheader,nounits\nNVIDIA L4, 22000\n");
  EXPECT_EQ(bare.gpus.at(0).free_bytes, 22000 * mebibyte);
}

TEST(OutOfMemory, FreesWhatTheFailedProcessHeld) {
  const Machine old = read(
      "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 86.00 MiB (GPU 0; 23.50 GiB total capacity; "
      "23.20 GiB already allocated; 32.00 MiB free; 23.25 GiB reserved in total by PyTorch) If reserved memory is "
      ">>\n");
  ASSERT_EQ(old.gpus.size(), 1U);
  EXPECT_EQ(old.gpus[0].total_bytes, 47 * gibibyte / 2);
  EXPECT_EQ(old.gpus[0].free_bytes, 93 * gibibyte / 4 + 32 * mebibyte);
  const Machine recent = read(
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 172.00 MiB. GPU 1 has a total capacity of 11.50 "
      "GiB "
      "of which 64.00 MiB is free. Process 31172 has 2.00 GiB memory in use. Including non-PyTorch memory, this "
      "process\n"
      "has 9.50 GiB memory in use. Of the allocated memory 9.17 GiB is allocated by PyTorch\n");
  ASSERT_EQ(recent.gpus.size(), 1U);
  EXPECT_EQ(recent.gpus[0].index, 1);
  EXPECT_FALSE(recent.gpus_known);  // nothing is said of GPU 0
  EXPECT_EQ(recent.gpus[0].free_bytes, 19 * gibibyte / 2 + 64 * mebibyte);
  ASSERT_EQ(recent.gpus[0].holders.size(), 1U);
  EXPECT_EQ(recent.gpus[0].holders[0].pid, 31172);
}

TEST(OutOfMemory, CompletesATableOfTheSameCard) {
  const Machine machine =
      read(smi +
           "\nRuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacty of "
           "14.57 GiB of which 512.00 MiB is free. Including non-PyTorch memory, this process has 13.00 "
           "GiB memory in use.\n");
  ASSERT_EQ(machine.gpus.size(), 2U);
  EXPECT_EQ(machine.gpus[0].total_bytes, 15360 * mebibyte);
  EXPECT_EQ(machine.gpus[0].free_bytes, 13 * gibibyte + 512 * mebibyte);
}

TEST(Programs, TotalVramLine) {
  const Machine machine = read(
      "** Platform: Windows\n** Python version: 3.11.9 (tags/v3.11.9:de54cf5)\nTotal VRAM 11264 MB, total RAM 65277 "
      "MB\n"
      "pytorch version: 2.5.1+cu124\nDevice: cuda:0 NVIDIA GeForce RTX 2080 Ti : cudaMallocAsync\n");
  EXPECT_EQ(machine.gpus.at(0).total_bytes, 11264 * mebibyte);
  EXPECT_EQ(machine.gpus[0].name, "NVIDIA GeForce RTX 2080 Ti");
  EXPECT_EQ(machine.memory.total_bytes, 65277 * mebibyte);
  EXPECT_EQ(machine.os->name, "windows");
  EXPECT_EQ(machine.packages.at("torch"), "2.5.1+cu124");
  EXPECT_EQ(machine.python, "3.11.9");
}

TEST(Tools, FreeAndDf) {
  const Machine units = read(
      "               total        used        free      shared  buff/cache   available\n"
      "Mem:            23Gi       7.8Gi       3.8Gi       8.8Mi        12Gi        15Gi\nSwap: 2.0Gi 1.0Gi 1.0Gi\n");
  EXPECT_EQ(units.memory.total_bytes, 23 * gibibyte);
  EXPECT_EQ(units.memory.available_bytes, 15 * gibibyte);
  EXPECT_EQ(units.memory.swap_free_bytes, gibibyte);
  EXPECT_EQ(read("              total        used        free\nMem:       65843188    1 1 1 1 1\n").memory.total_bytes,
            std::uint64_t{65843188} * 1024);
  EXPECT_EQ(read("$ free -m\n total used free\nMem: 16000 1 1\n").memory.total_bytes, 16000 * mebibyte);
  const Machine disk = read(
      "Filesystem      Size  Used Avail Use% Mounted on\n/dev/sda1       100G   40G   60G  40% /\n"
      "tmpfs            16G     0   16G   0% /dev/shm\n");
  ASSERT_EQ(disk.disks.size(), 2U);
  EXPECT_EQ(disk.disks[0].free_bytes, 60 * gibibyte);
  EXPECT_TRUE(disk.disks[1].memory_backed);
}

TEST(Windows, TaskManagerAndSysteminfoInAnyLanguage) {
  const Machine manager = read(
      "  Arbeitsspeicher  19,1/31,9 GB (60%)\n"
      "  GPU 0   NVIDIA GeForce RTX 4070 Laptop GPU   Dedizierter GPU-Speicher 7,5/8,0 GB   Freigegeben 0,4/15,9 GB\n");
  EXPECT_EQ(manager.memory.total_bytes, 319 * gibibyte / 10 + 1);
  ASSERT_EQ(manager.gpus.size(), 1U);
  EXPECT_EQ(manager.gpus[0].free_bytes, gibibyte / 2);
  for (const char* line : {"Total Physical Memory:     16,310 MB", "Gesamter physischer Speicher:  16.310 MB",
                           "Mémoire physique totale:    16\u00a0310 Mo", "物理内存总量:     16,310 MB",
                           "Полный объем физической памяти: 16 310 МБ"}) {
    EXPECT_EQ(read(line).memory.total_bytes, 16310 * mebibyte) << line;
  }
  const Machine info = read("OS 名称:          Microsoft Windows 11 Pro\n");
  EXPECT_EQ(info.os->stated, "Microsoft Windows 11 Pro");
  EXPECT_EQ(info.os->name, "windows");
}

TEST(Reports, EnvironmentsOfTheLibraries) {
  const Machine hub = read(
      "- `transformers` version: 4.40.2\n- Platform: Linux-6.8-x86_64-with-glibc2.36\n- Python version: 3.11.7\n"
      "- Huggingface_hub version: 0.36.2\n- PyTorch version (GPU?): 2.5.1+cu124 (False)\n"
      "- Tensorflow version (GPU?): not installed (NA)\n- System RAM: 31.25 GB\n");
  EXPECT_EQ(hub.packages.at("transformers"), "4.40.2");
  EXPECT_EQ(hub.packages.at("huggingface-hub"), "0.36.2");
  EXPECT_EQ(hub.packages.at("huggingface_hub"), "0.36.2");
  EXPECT_EQ(hub.packages.at("torch"), "2.5.1+cu124");
  EXPECT_FALSE(hub.packages.contains("tensorflow"));
  EXPECT_EQ(hub.python, "3.11.7");
  EXPECT_EQ(hub.os->name, "linux");
  EXPECT_EQ(hub.memory.total_bytes, 125 * gibibyte / 4);
  const Machine torch = read(
      "PyTorch version: 2.5.1+cu124\nOS: Debian GNU/Linux 12 (bookworm) (x86_64)\nPython version: 3.11.7 (main)\n"
      "GPU models and configuration: No CUDA\n[pip3] numpy==1.26.4\n[pip3] torch==2.5.1\n[conda] Could not collect\n");
  EXPECT_TRUE(torch.gpus_known);
  EXPECT_TRUE(torch.gpus.empty());
  EXPECT_EQ(torch.packages.at("torch"), "2.5.1+cu124");
  EXPECT_EQ(torch.packages.at("numpy"), "1.26.4");
  const Machine cards =
      read("GPU models and configuration: \nGPU 0: NVIDIA A100\nGPU 1: NVIDIA A100\n\nNvidia driver\n");
  EXPECT_EQ(cards.gpus.size(), 2U);
}

TEST(Packages, ListsOfPipAndConda) {
  EXPECT_EQ(read("Package      Version\n------------ -------\ntorch        2.5.1\nJinja2       3.1.6\n")
                .packages.at("jinja2"),
            "3.1.6");
  EXPECT_EQ(read("$ pip list | grep torch\ntorch                     2.5.1\n").packages.at("torch"), "2.5.1");
  EXPECT_EQ(read("accelerate==0.29.3\nbitsandbytes==0.43.3\ntorch==2.5.1\n").packages.at("accelerate"), "0.29.3");
  EXPECT_EQ(read("Name: torch\nVersion: 2.5.1\nSummary: x\n").packages.at("torch"), "2.5.1");
  EXPECT_EQ(read("# packages in environment at /opt/conda:\n#\n# Name  Version  Build  Channel\n"
                 "pytorch                   2.1.0           py3.11_cuda12.1_cudnn8.9.2_0    pytorch\n")
                .packages.at("torch"),
            "2.1.0");
  EXPECT_TRUE(read("pip install transformers==4.40.2\n").packages.empty());
  EXPECT_TRUE(read("layer  12.5\n").packages.empty());
}

struct Said {
  const char* text;
  std::size_t gpus;
  std::uint64_t gpu_gibibytes;
  std::uint64_t memory_gibibytes;
  const char* system;
};

class Prose : public testing::TestWithParam<Said> {};

TEST_P(Prose, StatesWhatItSays) {
  const Said& said = GetParam();
  const Machine machine = read(said.text);
  ASSERT_EQ(machine.gpus.size(), said.gpus) << said.text;
  for (const Gpu& gpu : machine.gpus) {
    EXPECT_EQ(gpu.total_bytes, said.gpu_gibibytes * gibibyte) << said.text;
    EXPECT_EQ(gpu.origin.rfind("said in the paste", 0), 0U) << gpu.origin;  // and where a size not said is from
  }
  EXPECT_EQ(machine.memory.total_bytes.value_or(0), said.memory_gibibytes * gibibyte) << said.text;
  EXPECT_EQ(machine.os ? machine.os->stated : "", said.system) << said.text;
}

INSTANTIATE_TEST_SUITE_P(
    Statements, Prose,
    testing::Values(
        Said{"My box: RTX 3060 12GB, 64 GB RAM, Debian 12.", 1, 12, 64, "Debian 12"},
        Said{"Setup: 2x RTX 4090 (24 GB each), 128GB system memory, Ubuntu 24.04", 2, 24, 128, "Ubuntu 24.04"},
        Said{"配置：RTX 4060 Ti 16GB 显存，内存 128GB，系统 Fedora 40", 1, 16, 128, "Fedora 40"},
        Said{"環境: RX 7900 XTX 24GB / メモリ 32GB / Ubuntu 22.04", 1, 24, 32, "Ubuntu 22.04"},
        Said{"Конфиг: Tesla P40 24 ГБ, ОЗУ 64 ГБ, Arch Linux", 1, 24, 64, "Arch Linux"},
        Said{"Equipo: RTX 5090 de 32 GB, 128 GB de RAM, Windows 11", 1, 32, 128, "Windows 11"},
        Said{"Hardware: RTX 3090 24G / 16G RAM / Windows 10", 1, 24, 16, "Windows 10"},
        Said{"I run an A100-SXM4-80GB with 80GB VRAM and 512 GB of RAM", 1, 80, 512, ""},
        Said{"RTX3090 (24GB), RAM: 32GB", 1, 24, 32, ""}, Said{"I have a 24GB RTX 3090.", 1, 24, 0, ""},
        Said{"Rechner: RTX 3090 mit 24 GB, 64 GB Arbeitsspeicher, Ubuntu 22.04", 1, 24, 64, "Ubuntu 22.04"},
        Said{"Config : RTX 4090, 24 Go, 64 Go de RAM, Windows 11", 1, 24, 64, "Windows 11"},
        Said{"PC: RTX 3060 com 12 GB, 32 GB de memória, Fedora 40", 1, 12, 32, "Fedora 40"},
        Said{"사양: RTX 4090 24GB, 램 64GB, Ubuntu 24.04", 1, 24, 64, "Ubuntu 24.04"},
        Said{"У меня RTX 3060 на 12 ГБ, 32 ГБ ОЗУ, Windows 10", 1, 12, 32, "Windows 10"},
        Said{"配置: 2张 RTX 3090 24GB 显存, 内存 128GB", 2, 24, 128, ""},
        Said{"Machine: dual RTX 3090 (2x24GB), 128GB DDR4", 2, 24, 128, ""},
        Said{"8×H100 80GB, 2TB RAM", 8, 80, 2048, ""},
        Said{"Loading mixtral on my 2x3090 box (64GB RAM)", 2, 24, 64, ""},
        Said{"I have two RTX 3090s and 64 GB of RAM", 2, 24, 64, ""}, Said{"we have 4 RTX 4090 GPUs", 4, 24, 0, ""},
        Said{"My rig: 2 3090s, 64GB RAM", 2, 24, 64, ""}, Said{"Setup: 4xA100 80GB, 1TB RAM", 4, 80, 1024, ""},
        Said{"I'm on three 3090 Tis, 128GB DDR4", 3, 24, 128, ""}, Said{"using a 3080 Ti here", 1, 12, 0, ""},
        Said{"I run eight H100s 80GB", 8, 80, 0, ""}, Said{"I have a pair of RTX A6000s", 2, 48, 0, ""},
        Said{"RAM: 64 GB", 0, 0, 64, ""}, Said{"OS: Ubuntu 22.04", 0, 0, 0, "Ubuntu 22.04"}));

INSTANTIATE_TEST_SUITE_P(
    NotStatements, Prose,
    testing::Values(Said{"I have 24 GB of VRAM, what now", 0, 0, 0, ""},
                    Said{"Tesla P40 with CUDA capability sm_61 is not compatible with this PyTorch", 0, 0, 0, ""},
                    Said{"You need at least an RTX 3090 24GB and 64 GB RAM", 0, 0, 0, ""},
                    Said{"    gpu = \"RTX 3090 24GB\"", 0, 0, 0, ""},
                    Said{"   4090 if device_map is not None:", 0, 0, 0, ""},
                    Said{"I have a 4060 token prompt", 0, 0, 0, ""},
                    Said{"my script takes 12 RTX 3090 hours", 0, 0, 0, ""},
                    Said{"Loading weights: 97%| 98/101 [00:00<00:00, 3090.17it/s]", 0, 0, 0, ""},
                    Said{"max_memory={0: '20GiB', 'cpu': '60GiB'}", 0, 0, 0, ""}));

TEST(KnownCards, TellSizeAndCapability) {
  EXPECT_GE(known_cards(), 150U);
  const auto sizes = [](std::string_view name) {
    const auto card = known_card(name);
    return card ? card->bytes : std::vector<std::uint64_t>{};
  };
  using Sizes = std::vector<std::uint64_t>;
  EXPECT_EQ(sizes("NVIDIA GeForce RTX 3090"), (Sizes{24 * gibibyte}));
  EXPECT_EQ(sizes("RTX3090"), (Sizes{24 * gibibyte}));
  EXPECT_EQ(sizes("NVIDIA GeForce RTX 4070 Laptop GPU"), (Sizes{8 * gibibyte}));
  EXPECT_EQ(sizes("NVIDIA A100-SXM4-80GB"), (Sizes{80 * gibibyte}));
  EXPECT_EQ(sizes("A100"), (Sizes{40 * gibibyte, 80 * gibibyte}));
  EXPECT_EQ(sizes("NVIDIA RTX 6000 Ada Generation"), (Sizes{48 * gibibyte}));
  EXPECT_EQ(sizes("Intel(R) Arc(TM) A580 Graphics"), (Sizes{8 * gibibyte}));
  EXPECT_EQ(sizes("NVIDIA GeForce RTX 4070..."), Sizes{});
  EXPECT_EQ(sizes("RTX 3099"), Sizes{});
  EXPECT_EQ(known_card("Tesla T4")->compute_capability, "7.5");
  EXPECT_EQ(read("GPU 0: NVIDIA GeForce RTX 3090 (UUID: GPU-9b)\n").gpus.at(0).total_bytes, 24 * gibibyte);
}

TEST(Prose, VersionsOnALineOfTheirOwn) {
  const Machine machine = read("transformers 4.48.3, torch 2.5.1\n");
  EXPECT_EQ(machine.packages.at("transformers"), "4.48.3");
  EXPECT_EQ(machine.packages.at("torch"), "2.5.1");
  EXPECT_EQ(read("Env: transformers 4.44.2 / torch 2.4.0\n").packages.at("torch"), "2.4.0");
  EXPECT_EQ(read("transformers==4.44.2, torch==2.4.0\n").packages.at("transformers"), "4.44.2");
  EXPECT_EQ(read("Setup: RTX 4090 24GB, Ubuntu 24.04, torch 2.4.1\n").packages.at("torch"), "2.4.1");
  EXPECT_TRUE(read("it broke with transformers 4.48.3, not before\n").packages.empty());
  EXPECT_TRUE(read("layer 4.48, head 2.5\n").packages.empty());
}

TEST(Paths, TellTheSystem) {
  const auto system = [](std::vector<std::string> files) {
    matchers::Reading reading;
    reading.chains.emplace_back();
    reading.chains[0].raised.emplace_back();
    for (std::string& file : files) {
      reading.chains[0].raised[0].frames.emplace_back();
      reading.chains[0].raised[0].frames.back().file = std::move(file);
    }
    const Machine machine = machine_in(reading);
    return (machine.os ? machine.os->name : "") + " " + machine.python;
  };
  EXPECT_EQ(system({"C:\\Users\\u\\run.py", "C:\\Python311\\Lib\\x.py"}), "windows 3.11");
  EXPECT_EQ(system({"/home/u/v/lib/python3.10/site-packages/t.py"}), "linux 3.10");
  EXPECT_EQ(system({"/Users/u/run.py"}), "darwin ");
  EXPECT_EQ(system({"run.py"}), " ");
  EXPECT_EQ(system({"/home/u/a.py", "C:\\b.py"}), " ");
}

TEST(Paste, LongLinesAreReadInLinearTime) {
  for (const char* part :
       {"GPU 0: ", "Process 1 has 1 GiB memory in use ", "1/1 GB ", "RTX 3090 ", "2x ", "9", "| ", "(GPU 0; "}) {
    std::string text = "CUDA out of memory. ";
    while (text.size() < 400000) text += part;
    read(text);
    read(text + "\nMem: " + text);
  }
}

}  // namespace
}  // namespace whyfail::probes
