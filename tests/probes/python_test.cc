// Which Python, and which packages, from metadata files alone.
#include <gtest/gtest.h>

#include "recording.h"

namespace whyfail::probes {
namespace {

std::string metadata(const std::string& name, const std::string& version) {
  return "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version + "\n\nVersion: 0.0.0 in the description\n";
}

const std::string venv = "/v/lib/python3.11/site-packages/";

Recording& in_venv(Recording& recording) {
  return recording.environment(R"({"HOME": "/root", "VIRTUAL_ENV": "/v"})")
      .file("/v/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.9\n")
      .file(venv + "huggingface_hub-0.24.6.dist-info/METADATA", metadata("huggingface_hub", "0.24.6"));
}

TEST(Python, ReadsDistInfoOfTheActiveEnvironment) {
  Recording recording;
  const Machine machine = in_venv(recording).machine();
  EXPECT_EQ(machine.packages.at("huggingface-hub"), "0.24.6");
  EXPECT_EQ(machine.python, "3.11.9");
  EXPECT_FALSE(machine.packages_origin.empty());
  EXPECT_FALSE(machine.unknown.contains("packages"));
}

TEST(Python, TakesNameAndVersionFromTheFolderWhereMetadataFails) {
  Recording recording;
  in_venv(recording)
      .file(venv + "torch-2.3.1+cu121.dist-info/RECORD", "")
      .file(venv + "foo_bar-1.0.dist-info/METADATA", "Name: Foo.Bar\n")
      .file(venv + "safetensors.dist-info/METADATA", "Name: safetensors\n")
      .file(venv + "~ransformers-4.0.dist-info/METADATA", metadata("transformers", "4.0"));
  Machine machine = recording.machine();
  EXPECT_EQ(machine.packages.at("torch"), "2.3.1+cu121");
  EXPECT_EQ(machine.packages.at("foo-bar"), "1.0");
  EXPECT_FALSE(machine.packages.contains("safetensors"));
  EXPECT_FALSE(machine.packages.contains("transformers"));
  EXPECT_NE(machine.unknown.at("packages").find("safetensors"), std::string::npos);
  recording.part("unreadable.json",
                 R"({"/v/lib/python3.11/site-packages/huggingface_hub-0.24.6.dist-info/METADATA": "EACCES"})");
  EXPECT_EQ(recording.machine().packages.at("huggingface-hub"), "0.24.6");
  recording.part("unreadable.json", R"({"/v/lib/python3.11/site-packages/peft-0.9.0.dist-info/METADATA": "EIO"})");
  EXPECT_EQ(recording.machine().packages.at("peft"), "0.9.0");  // there, although no file of it is in the recording
}

TEST(Python, HeadersEndAtTheFirstEmptyLine) {
  Recording recording;
  in_venv(recording).file(
      venv + "torch-0.dist-info/METADATA",
      "Name: torch\r\nLicense: first\r\n  \r\n  Version: 9\r\nVersion: 2.1.0\r\n\r\nVersion: 7\r\n");
  EXPECT_EQ(recording.machine().packages.at("torch"), "2.1.0");
}

TEST(Python, ReadsEggs) {
  Recording recording;
  in_venv(recording)
      .file(venv + "transformers-4.30.2-py3.10.egg-info/PKG-INFO", metadata("transformers", "4.30.2"))
      .file(venv + "accelerate-0.20.3.egg-info", metadata("accelerate", "0.20.3"))
      .file(venv + "my-tool.egg-link", "/src/tool\n.\n")
      .file("/src/tool/my_tool.egg-info/PKG-INFO", metadata("my-tool", "1.dev0"))
      .file(venv + "lost.egg-link", "/nowhere\n");
  const Machine machine = recording.machine();
  EXPECT_EQ(machine.packages.at("transformers"), "4.30.2");
  EXPECT_EQ(machine.packages.at("accelerate"), "0.20.3");
  EXPECT_EQ(machine.packages.at("my-tool"), "1.dev0");
  EXPECT_NE(machine.unknown.at("packages").find("lost"), std::string::npos);
}

TEST(Python, DoesNotChooseBetweenTwoVersions) {
  Recording recording;
  in_venv(recording)
      .file(venv + "peft-0.9.0.dist-info/METADATA", metadata("peft", "0.9.0"))
      .file(venv + "peft-0.10.0.dist-info/METADATA", metadata("peft", "0.10.0"));
  const Machine machine = recording.machine();
  EXPECT_FALSE(machine.packages.contains("peft"));
  EXPECT_NE(machine.unknown.at("packages").find("peft"), std::string::npos);
}

TEST(Python, OfTwoEnvironmentsTakesTheFirstInPath) {
  Recording recording;
  in_venv(recording)
      .file("/c/conda-meta/python-dateutil-2.9.0-py_0.json", "{}")
      .file("/c/conda-meta/python-3.10.14-hd12c33a_0_cpython.json", "{}")
      .file("/c/lib/python3.10/site-packages/torch-2.0.dist-info/METADATA", metadata("torch", "2.0"))
      .environment(R"({"VIRTUAL_ENV": "/v", "CONDA_PREFIX": "/c", "PATH": "/c/bin:/v/bin"})");
  EXPECT_EQ(recording.machine().python, "3.10.14");
  EXPECT_EQ(recording.machine().packages.at("torch"), "2.0");
  recording.environment(R"({"VIRTUAL_ENV": "/v", "CONDA_PREFIX": "/c", "PATH": "/v/bin:/c/bin"})");
  EXPECT_EQ(recording.machine().python, "3.11.9");
}

TEST(Python, WithoutAnEnvironmentTheFirstFolderWithAPackageWins) {
  Recording recording;
  recording.file("/root/.local/lib/python3.12/site-packages/readme.txt", "")
      .file("/usr/local/lib/python3.10/dist-packages/torch-2.1.dist-info/METADATA", metadata("torch", "2.1"))
      .file("/usr/lib/python3/dist-packages/peft-0.9.0.dist-info/METADATA", metadata("peft", "0.9.0"));
  const Machine machine = recording.machine();
  EXPECT_EQ(machine.packages.at("torch"), "2.1");
  EXPECT_FALSE(machine.packages.contains("peft"));
  EXPECT_EQ(machine.python, "3.10");
}

TEST(Python, SaysThatThereIsNone) {
  const Machine machine = Recording().machine();
  EXPECT_TRUE(machine.packages.empty());
  EXPECT_TRUE(machine.python.empty());
  EXPECT_NE(machine.unknown.at("packages").find("no Python"), std::string::npos);
}

TEST(Python, ReadsWindowsFoldersInAnyCase) {
  Recording recording;
  recording.part("windows.json", R"({"version": "Windows 11"})")
      .environment(R"({"VIRTUAL_ENV": "C:\\proj\\venv", "PATH": "C:\\proj\\venv\\Scripts;C:\\Windows"})")
      .file("/C/proj/venv/pyvenv.cfg", "version_info = 3.12.4.final.0\n")
      .file("/C/proj/venv/Lib/site-packages/torch-2.4.0+cu124.dist-info/METADATA", metadata("torch", "2.4.0+cu124"));
  EXPECT_EQ(recording.machine().packages.at("torch"), "2.4.0+cu124");
  EXPECT_EQ(recording.machine().python, "3.12.4");
}

TEST(Python, PrefersTheFoldersThatATracebackNames) {
  Recording recording;
  in_venv(recording).file("/other/lib/python3.9/site-packages/torch-1.13.dist-info/METADATA",
                          metadata("torch", "1.13"));
  ProbeRequest request;
  request.site_packages = {"/missing/site-packages", "/other/lib/python3.9/site-packages"};
  const Machine machine = measured(*recording.system(), request);
  EXPECT_EQ(machine.packages.at("torch"), "1.13");
  EXPECT_FALSE(machine.packages.contains("huggingface-hub"));
  EXPECT_EQ(machine.python, "3.9");
}

}  // namespace
}  // namespace whyfail::probes
