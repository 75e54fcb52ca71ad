// Engines for the anchor step side by side:  anchor_engines ANCHORS TEXT
// ANCHORS: one literal a line; TEXT: squeezed text. Prints for each engine what it takes to be ready, how large its
// form is, and what scanning costs, as times of what the table of matchers/anchors.h takes; the median of several
// rounds, the engines in turn.
#include <re2/filtered_re2.h>
#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "matchers/anchors.h"

#ifdef WITH_VECTORSCAN
#include <hs/hs.h>
#endif

namespace {

using whyfail::matchers::AnchorHit;
using Anchors = std::vector<std::string>;

constexpr std::size_t piece_bytes = 16 * 1024;  // about one island of a log
constexpr int rounds = 7;
constexpr std::int64_t most_memory = std::int64_t{2} << 30;

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// One engine: made ready from the anchors, then asked for the number of (piece, anchor) pairs in which the anchor
// stands.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual const char* name() const = 0;
  virtual bool prepare(const Anchors& anchors) = 0;  // what is done when the program starts; false: it cannot
  virtual std::size_t size() const = 0;              // bytes of its form, in the image or in memory
  virtual std::size_t anchors_in(std::string_view piece) = 0;
};

// The table lies in the image; only looking anchors up is left, which costs a query a hit.
class OwnTable : public Engine {
 public:
  explicit OwnTable(const Anchors& anchors) {
    std::vector<std::uint64_t> hashes;
    for (const std::string& anchor : anchors) {
      hashes.push_back(whyfail::matchers::anchor_hash(anchor));
      anchors_[hashes.back()].push_back(anchor);
    }
    image_ = whyfail::matchers::make_anchor_filter(hashes);
  }
  const char* name() const override { return "own table"; }
  bool prepare(const Anchors&) override { return true; }
  std::size_t size() const override { return image_.size(); }
  std::size_t anchors_in(std::string_view piece) override {
    std::vector<const std::string*> found;
    for (const AnchorHit& hit : whyfail::matchers::find_anchors(piece, 0, piece.size(), image_)) {
      const auto known = anchors_.find(hit.hash);
      if (known == anchors_.end()) continue;
      for (const std::string& anchor : known->second) {
        if (piece.substr(hit.position, anchor.size()) == anchor) found.push_back(&anchor);
      }
    }
    std::sort(found.begin(), found.end());
    return static_cast<std::size_t>(std::unique(found.begin(), found.end()) - found.begin());
  }

 private:
  std::string image_;
  std::unordered_map<std::uint64_t, std::vector<std::string>> anchors_;  // stands for the table in the image
};

RE2::Options literal_options() {
  RE2::Options options(RE2::Quiet);
  options.set_max_mem(most_memory);
  return options;
}

class Re2Set : public Engine {
 public:
  const char* name() const override { return "RE2::Set"; }
  bool prepare(const Anchors& anchors) override {
    set_ = std::make_unique<RE2::Set>(literal_options(), RE2::UNANCHORED);
    for (const std::string& anchor : anchors) {
      size_ += anchor.size();
      if (set_->Add(RE2::QuoteMeta(anchor), nullptr) < 0) return false;
    }
    return set_->Compile();
  }
  std::size_t size() const override { return size_; }
  std::size_t anchors_in(std::string_view piece) override {
    std::vector<int> found;
    RE2::Set::ErrorInfo error{};
    set_->Match(re2::StringPiece(piece.data(), piece.size()), &found, &error);
    return found.size();
  }

 private:
  std::unique_ptr<RE2::Set> set_;
  std::size_t size_ = 0;
};

// It leaves finding its atoms to whoever uses it: here RE2::Set.
class Filtered : public Engine {
 public:
  const char* name() const override { return "FilteredRE2"; }
  bool prepare(const Anchors& anchors) override {
    filter_ = std::make_unique<re2::FilteredRE2>(static_cast<int>(whyfail::matchers::kShortWindow));
    for (const std::string& anchor : anchors) {
      int number = 0;
      if (filter_->Add(RE2::QuoteMeta(anchor), literal_options(), &number) != RE2::NoError) return false;
      size_ += anchor.size();
    }
    std::vector<std::string> atoms;
    filter_->Compile(&atoms);
    return atoms_.prepare(atoms);
  }
  std::size_t size() const override { return size_ + atoms_.size(); }
  std::size_t anchors_in(std::string_view piece) override {
    // Atoms are in lower case.
    std::string lower(piece);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char sign) { return sign >= 'A' && sign <= 'Z' ? static_cast<char>(sign + 32) : sign; });
    std::vector<int> matched;
    filter_->AllMatches(re2::StringPiece(piece.data(), piece.size()), atoms_.found(lower), &matched);
    return matched.size();
  }

 private:
  class Atoms : public Re2Set {
   public:
    bool prepare(const Anchors& atoms) override {
      set_ = std::make_unique<RE2::Set>(literal_options(), RE2::UNANCHORED);
      for (const std::string& atom : atoms) set_->Add(RE2::QuoteMeta(atom), nullptr);
      return set_->Compile();
    }
    std::vector<int> found(std::string_view piece) const {
      std::vector<int> found;
      RE2::Set::ErrorInfo error{};
      set_->Match(re2::StringPiece(piece.data(), piece.size()), &found, &error);
      return found;
    }

   private:
    std::unique_ptr<RE2::Set> set_;
  };
  std::unique_ptr<re2::FilteredRE2> filter_;
  Atoms atoms_;
  std::size_t size_ = 0;
};

#ifdef WITH_VECTORSCAN
class Vectorscan : public Engine {
 public:
  ~Vectorscan() override {
    hs_free_scratch(scratch_);
    hs_free_database(database_);
  }
  const char* name() const override { return "vectorscan"; }
  bool prepare(const Anchors& anchors) override {
    std::vector<const char*> texts;
    std::vector<std::size_t> lengths;
    std::vector<unsigned> flags(anchors.size(), HS_FLAG_SINGLEMATCH), ids;
    for (const std::string& anchor : anchors) {
      texts.push_back(anchor.data());
      lengths.push_back(anchor.size());
      ids.push_back(static_cast<unsigned>(ids.size()));
    }
    hs_compile_error_t* error = nullptr;
    const auto count = static_cast<unsigned>(anchors.size());
    if (hs_compile_lit_multi(texts.data(), flags.data(), ids.data(), lengths.data(), count, HS_MODE_BLOCK, nullptr,
                             &database_, &error) != HS_SUCCESS) {
      hs_free_compile_error(error);
      return false;
    }
    return hs_alloc_scratch(database_, &scratch_) == HS_SUCCESS;
  }
  std::size_t size() const override {
    std::size_t bytes = 0;
    hs_database_size(database_, &bytes);
    return bytes;
  }
  std::size_t anchors_in(std::string_view piece) override {
    std::size_t found = 0;
    const auto count = [](unsigned, unsigned long long, unsigned long long, unsigned, void* total) {
      ++*static_cast<std::size_t*>(total);
      return 0;
    };
    hs_scan(database_, piece.data(), static_cast<unsigned>(piece.size()), 0, scratch_, count, &found);
    return found;
  }

 private:
  hs_database_t* database_ = nullptr;
  hs_scratch_t* scratch_ = nullptr;
};
#endif

std::size_t scan(Engine& engine, std::string_view text) {
  std::size_t found = 0;
  for (std::size_t at = 0; at < text.size(); at += piece_bytes)
    found += engine.anchors_in(text.substr(at, piece_bytes));
  return found;
}

std::string content_of(const char* file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

Anchors lines_of(const std::string& content) {
  Anchors lines;
  for (std::size_t begin = 0; begin < content.size();) {
    const std::size_t end = std::min(content.find('\n', begin), content.size());
    if (end > begin) lines.push_back(content.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 3) {
    std::fputs("usage: anchor_engines ANCHORS TEXT\n", stderr);
    return 2;
  }
  const Anchors anchors = lines_of(content_of(arguments[1]));
  const std::string text = content_of(arguments[2]);
  std::vector<std::unique_ptr<Engine>> engines;
  engines.push_back(std::make_unique<OwnTable>(anchors));
  engines.push_back(std::make_unique<Re2Set>());
  engines.push_back(std::make_unique<Filtered>());
#ifdef WITH_VECTORSCAN
  engines.push_back(std::make_unique<Vectorscan>());
#else
  std::puts("vectorscan: skipped, libvectorscan-dev was not installed when this was built");
#endif
  std::printf("%zu anchors, %zu KiB of text\n", anchors.size(), text.size() / 1024);
  std::vector<std::vector<double>> costs(engines.size());
  std::vector<double> ready;
  std::vector<bool> usable;
  for (const auto& engine : engines) {
    bool can = false;
    ready.push_back(seconds_of([&] { can = engine->prepare(anchors); }));
    usable.push_back(can);
  }
  std::vector<std::size_t> found(engines.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < engines.size(); ++i) {
      if (usable[i]) costs[i].push_back(seconds_of([&] { found[i] = scan(*engines[i], text); }));
    }
  }
  const double own = median(costs.front());
  for (std::size_t i = 0; i < engines.size(); ++i) {
    if (!usable[i]) {
      std::printf("%-12s cannot hold them\n", engines[i]->name());
      continue;
    }
    std::printf("%-12s ready after %8.2f ms, %8zu KiB, scan %7.2f times own (%zu found)\n", engines[i]->name(),
                ready[i] * 1e3, engines[i]->size() / 1024, median(costs[i]) / own, found[i]);
  }
  return 0;
}
