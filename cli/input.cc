// Files through system calls: no stream has to be set up for a paste of a few kilobytes.
#include "cli/input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cli/commands.h"
#include "cli/output.h"

namespace whyfail::cli {
namespace {

class File {
 public:
  explicit File(int number) : number_(number) {}
  File(File&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  File& operator=(File&&) = delete;
  ~File() {
    if (number_ > STDERR_FILENO) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

class FileSource : public matchers::ByteSource {
 public:
  FileSource(File file, std::string name) : file_(std::move(file)), name_(std::move(name)) {}

  std::size_t read(char* buffer, std::size_t size) override {
    for (;;) {
      const ssize_t count = ::read(file_.number(), buffer, size);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) throw Failure(name_ + ": cannot be read: " + std::strerror(errno));
    }
  }

 private:
  File file_;
  std::string name_;
};

[[noreturn]] void refuse(const std::string& file, const char* what) {
  throw Failure(file + ": " + what + ": " + std::strerror(errno));
}

void write_all(const File& file, const std::string& text, const std::string& name) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(file.number(), text.data() + done, text.size() - done);
    if (count < 0 && errno != EINTR) refuse(name, "cannot be written");
    if (count > 0) done += static_cast<std::size_t>(count);
  }
}

constexpr off_t largest_text = off_t{16} << 20;

}  // namespace

std::unique_ptr<matchers::ByteSource> open_paste(const std::string& file) {
  if (file == "-") {
    if (::isatty(STDIN_FILENO) == 1) print_error("reading the traceback from the terminal; end with Ctrl-D");
    return std::make_unique<FileSource>(File(STDIN_FILENO), "standard input");
  }
  File opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (opened.number() < 0) refuse(file, "cannot be read");
  struct stat status {};
  if (::fstat(opened.number(), &status) == 0 && S_ISDIR(status.st_mode))
    throw Failure(file + ": is a folder; give a file");
  return std::make_unique<FileSource>(std::move(opened), file);
}

std::optional<std::string> read_text_file(const std::string& file) {
  File opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (opened.number() < 0 || ::fstat(opened.number(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (status.st_size > largest_text) return std::nullopt;
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const ssize_t count = ::read(opened.number(), text.data() + have, text.size() - have);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    have += static_cast<std::size_t>(count);
  }
  text.resize(have);
  return text;
}

void replace_file(const std::string& file, const std::string& text) {
  // A link is followed: the file that it names is replaced, not the link.
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(file, error);
  if (error) throw Failure(file + ": cannot be found: " + error.message());
  struct stat status {};
  if (::stat(real.c_str(), &status) != 0) refuse(file, "cannot be read");
  // A file beside it could be put in its place all the same: that this user may not write it was somebody's wish.
  if (::access(real.c_str(), W_OK) != 0)
    throw Failure(file + ": is read-only; make it writable (chmod u+w) if it may be changed");
  std::string beside = real.string() + ".XXXXXX";
  const File made(::mkstemp(beside.data()));
  if (made.number() < 0) refuse(file, "no file can be made beside it");
  try {
    write_all(made, text, beside);
    if (::fchmod(made.number(), status.st_mode & 07777U) != 0) refuse(beside, "its mode cannot be set");
    // Best effort: the owner changes only where a privileged user edits somebody else's file.
    if (::fchown(made.number(), status.st_uid, status.st_gid) != 0) errno = 0;
    if (::fsync(made.number()) != 0) refuse(beside, "cannot be written");
    if (::rename(beside.c_str(), real.c_str()) != 0) refuse(file, "cannot be replaced");
  } catch (const Failure&) {
    ::unlink(beside.c_str());
    throw;
  }
}

}  // namespace whyfail::cli
