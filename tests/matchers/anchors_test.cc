// The anchor filter and the choice of anchors.
#include "matchers/anchors.h"

#include <algorithm>

#include "tests/matchers/written_patterns.h"

namespace whyfail::matchers {
namespace {

TEST(Anchors, FilterHasOneSizeWhateverIsInIt) {
  std::vector<std::uint64_t> hashes;
  const std::size_t empty = make_anchor_filter(hashes).size();
  for (std::uint64_t i = 0; i < 30000; ++i) hashes.push_back(i * 0x9e3779b97f4a7c15ULL);
  EXPECT_EQ(make_anchor_filter(hashes).size(), empty);
}

TEST(Anchors, EveryAnchorIsFound) {
  const WrittenPatterns patterns({{"one", text_wording("The device_map had weights offloaded to the disk")},
                                  {"two", text_wording("Killed", {})},
                                  {"three", text_wording("", {"MemoryError"})}});
  for (const Pattern& pattern : patterns.patterns()) {
    const std::string text = "xyz" + pattern.anchor + "...";
    const auto hits = find_anchors(text, 0, text.size(), patterns.anchor_filter());
    EXPECT_TRUE(std::any_of(hits.begin(), hits.end(), [&](const AnchorHit& hit) {
      return hit.position == 3 && hit.hash == anchor_hash(pattern.anchor);
    })) << pattern.anchor;
  }
}

TEST(Anchors, ABeginningThatManyShareIsNotChosen) {
  std::vector<WrittenPatterns::Entry> entries;
  for (const char* method : {"AWQ", "FP8", "HIGGS", "BitNet"}) {
    entries.push_back({method, text_wording(std::string("You are attempting to load a model of the kind ") + method)});
  }
  const WrittenPatterns patterns(entries);
  for (const Pattern& pattern : patterns.patterns())
    EXPECT_EQ(patterns.patterns_with(anchor_hash(pattern.anchor)).size(), 1U);
}

TEST(Anchors, AWordingOfHolesAloneHasNone) {
  std::vector<Pattern> patterns(1);
  EXPECT_EQ(choose_anchors(patterns), std::vector<std::size_t>{0});
}

TEST(Anchors, AForeignFilterFindsNothing) {
  EXPECT_TRUE(find_anchors("some text that is long enough", 0, 29, "not a filter").empty());
}

TEST(Anchors, RandomTextRarelyAsksForPatterns) {
  std::vector<std::uint64_t> hashes;
  std::uint64_t state = 1;
  const auto next = [&] { return state = state * 6364136223846793005ULL + 1442695040888963407ULL; };
  for (int i = 0; i < 30000; ++i) hashes.push_back(next());
  const std::string filter = make_anchor_filter(hashes);
  std::string text;
  for (int i = 0; i < 100000; ++i) text.push_back(static_cast<char>('a' + (next() >> 40U) % 26));
  EXPECT_LT(find_anchors(text, 0, text.size(), filter).size(), 1000U);
}

}  // namespace
}  // namespace whyfail::matchers
