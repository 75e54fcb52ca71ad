// Both walks go down the tree with the keys that can still matter there, and leave a subtree at once where only one or
// none can. Names are written into one buffer: a node's name begins with its parent's.
#include "fixer/placement/key_cover.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>

#include "fixer/placement/key_pattern.h"

namespace whyfail::fixer {

namespace {

struct Key {
  std::string_view text;
  EntryIndex entry;
};

// By text; of equal keys the last of the map.
std::vector<Key> sorted_keys(const ValueMap& map) {
  std::vector<Key> keys;
  keys.reserve(map.size());
  for (std::size_t i = map.size(); i-- > 0;) keys.push_back({map[i].first, static_cast<EntryIndex>(i)});
  std::stable_sort(keys.begin(), keys.end(), [](const Key& left, const Key& right) { return left.text < right.text; });
  const auto same = [](const Key& left, const Key& right) { return left.text == right.text; };
  keys.erase(std::unique(keys.begin(), keys.end(), same), keys.end());
  return keys;
}

using KeyIterator = std::vector<Key>::const_iterator;

KeyIterator first_from(KeyIterator begin, KeyIterator end, std::string_view text) {
  return std::lower_bound(begin, end, text, [](const Key& key, std::string_view sought) { return key.text < sought; });
}

// A module on the way down, with the keys that begin with its name and a ".".
struct Above {
  NodeIndex end;
  KeyIterator first;
  KeyIterator last;
  std::size_t length;  // of that beginning in the buffer
};

// Keys in the order in which the regular expression tries them.
std::vector<Key> keys_in_pattern_order(const ValueMap& map) {
  struct Rank {
    std::ptrdiff_t dots;
    Key key;
  };
  std::vector<Rank> ranks;
  ranks.reserve(map.size());
  for (std::size_t i = 0; i < map.size(); ++i) {
    const std::string& text = map[i].first;
    ranks.push_back({std::count(text.begin(), text.end(), '.'), {text, static_cast<EntryIndex>(i)}});
  }
  std::stable_sort(ranks.begin(), ranks.end(), [](const Rank& left, const Rank& right) {
    return std::pair(left.dots, left.key.text.size()) > std::pair(right.dots, right.key.text.size());
  });
  std::vector<Key> keys;
  keys.reserve(ranks.size());
  for (const Rank& rank : ranks) keys.push_back(rank.key);
  return keys;
}

// Whether `text` goes on from `begin` as the pattern says, as far as both go.
bool goes_on(std::string_view pattern, std::string_view text, std::size_t begin) {
  const std::size_t end = std::min(pattern.size(), text.size());
  for (std::size_t i = begin; i < end; ++i) {
    if (pattern[i] != '.' && pattern[i] != text[i]) return false;
  }
  return true;
}

// A module on the way down, with the patterns that can still match below it.
struct Open {
  NodeIndex end;
  std::size_t first;  // in PatternWalk::possible_
  std::size_t last;
  std::size_t length;  // of its name in the buffer, with a "." behind
};

constexpr std::size_t kMostSteps = 10'000'000;  // for keys with repetitions; a model has a few thousand names

class PatternWalk {
 public:
  PatternWalk(const FlatTree& tree, const ValueMap& map)
      : tree_(tree),
        patterns_(keys_in_pattern_order(map)),
        cover_{std::vector<EntryIndex>(tree.nodes().size(), kNoEntry), {}} {
    for (std::size_t i = 0; i < patterns_.size(); ++i) possible_.push_back(i);
  }

  PatternCover run() {
    open_.push_back({tree_.size(), 0, patterns_.size(), 0});
    for (NodeIndex index = 1; index < tree_.size();) {
      while (open_.back().end <= index) open_.pop_back();
      index = visit(index);
    }
    match_repetitions();
    return std::move(cover_);
  }

 private:
  NodeIndex visit(NodeIndex index);
  bool narrow(const Open& parent);
  void take(NodeIndex index, const Key& pattern);
  NodeIndex first_stored(NodeIndex begin, NodeIndex end) const;
  std::optional<EntryIndex> look_up(std::string_view matched, NodeIndex stored);
  void match_repetitions();

  const FlatTree& tree_;
  std::vector<Key> patterns_;
  PatternCover cover_;
  std::unordered_map<std::string_view, EntryIndex> by_text_;     // the keys; filled when it is asked for
  NodeIndex failed_at_ = std::numeric_limits<NodeIndex>::max();  // the tensor of matched_no_key
  std::vector<std::size_t> possible_;  // places in patterns_, one range after the other for the modules in open_
  std::vector<Open> open_;
  std::string text_;
};

// Adds the parent's patterns that can still match under the longer text, up to the first that has matched in full;
// tells whether there is one.
bool PatternWalk::narrow(const Open& parent) {
  for (std::size_t i = parent.first; i < parent.last; ++i) {
    const std::size_t place = possible_[i];
    const std::string_view pattern = patterns_[place].text;
    if (!goes_on(pattern, text_, parent.length)) continue;
    possible_.push_back(place);
    if (pattern.size() <= text_.size()) return true;
  }
  return false;
}

// Returns the node to visit next: after the subtree where nothing is left to decide in it.
NodeIndex PatternWalk::visit(NodeIndex index) {
  const Open parent = open_.back();
  const Node& node = tree_[index];
  const bool module = node.kind == NodeKind::module;
  text_.resize(parent.length);
  text_ += node.name;
  if (module) text_ += '.';
  possible_.resize(parent.last);
  const bool matched = narrow(parent);
  const std::size_t left = possible_.size() - parent.last;
  if (module && left > (matched ? 1U : 0U)) {
    open_.push_back({node.end, parent.last, possible_.size(), text_.size()});
    return index + 1;
  }
  if (matched) take(index, patterns_[possible_.back()]);
  return node.end;
}

// The whole subtree falls under the pattern. The map is asked for the text that was matched.
void PatternWalk::take(NodeIndex index, const Key& pattern) {
  const NodeIndex end = tree_[index].end;
  EntryIndex entry = pattern.entry;
  const std::string_view matched = std::string_view(text_).substr(0, pattern.text.size());
  if (matched != pattern.text) entry = look_up(matched, first_stored(index, end)).value_or(pattern.entry);
  std::fill(cover_.entries.begin() + index, cover_.entries.begin() + end, entry);
}

// The entry with this key; where there is none, the error is the one of the first tensor that is `stored`.
std::optional<EntryIndex> PatternWalk::look_up(std::string_view matched, NodeIndex stored) {
  if (by_text_.empty()) {
    for (const Key& key : patterns_) by_text_[key.text] = key.entry;
  }
  const auto known = by_text_.find(matched);
  if (known != by_text_.end()) return known->second;
  if (stored != kNoNode && stored < failed_at_) {
    failed_at_ = stored;
    cover_.matched_no_key = std::string(matched);
  }
  return std::nullopt;
}

// The first node of these that the checkpoint has.
NodeIndex PatternWalk::first_stored(NodeIndex begin, NodeIndex end) const {
  for (NodeIndex node = begin; node < end; ++node) {
    if (tree_[node].kind == NodeKind::parameter) return node;
    if (tree_[node].kind == NodeKind::buffer && tree_[node].persistent) return node;
  }
  return kNoNode;
}

// Keys like "model.layers.*", where no other key that comes before them takes the name.
void PatternWalk::match_repetitions() {
  std::vector<std::size_t> repeating;
  for (std::size_t place = 0; place < patterns_.size(); ++place) {
    if (repeats_characters(patterns_[place].text)) repeating.push_back(place);
  }
  if (repeating.empty()) return;
  std::vector<std::size_t> place_of(patterns_.size());
  for (std::size_t place = 0; place < patterns_.size(); ++place) {
    place_of[static_cast<std::size_t>(patterns_[place].entry)] = place;
  }
  std::size_t steps = kMostSteps;
  for (NodeIndex node = 1; node < tree_.size() && steps > 0; ++node) {
    if (tree_.is_module(node)) continue;
    const EntryIndex taken = cover_.entries[static_cast<std::size_t>(node)];
    const std::size_t before = taken == kNoEntry ? patterns_.size() : place_of[static_cast<std::size_t>(taken)];
    const std::string name = tree_.full_name(node);
    for (const std::size_t place : repeating) {
      if (place > before || steps == 0) break;
      --steps;
      const std::optional<std::size_t> length = matched_length(patterns_[place].text, name, steps);
      if (!length) continue;
      cover_.entries[static_cast<std::size_t>(node)] =
          look_up(std::string_view(name).substr(0, *length), first_stored(node, node + 1))
              .value_or(patterns_[place].entry);
      break;
    }
  }
}

}  // namespace

KeyCover key_cover(const FlatTree& tree, const ValueMap& map) {
  const std::size_t count = tree.nodes().size();
  KeyCover cover{std::vector<EntryIndex>(count, kNoEntry), std::vector<EntryIndex>(count, kNoEntry)};
  const std::vector<Key> keys = sorted_keys(map);
  KeyIterator key = keys.begin();
  if (key != keys.end() && key->text.empty()) cover.exactly[0] = cover.by_prefix[0] = (key++)->entry;
  std::vector<Above> above{{tree.size(), key, keys.end(), 0}};
  std::string text;
  for (NodeIndex index = 1; index < tree.size();) {
    while (above.back().end <= index) above.pop_back();
    const Above parent = above.back();
    const Node& node = tree[index];
    EntryIndex entry = cover.by_prefix[static_cast<std::size_t>(node.parent)];
    text.resize(parent.length);
    text += node.name;
    key = first_from(parent.first, parent.last, text);
    if (key != parent.last && key->text == text) cover.exactly[static_cast<std::size_t>(index)] = entry = key->entry;
    text += '.';
    const KeyIterator first = first_from(key, parent.last, text);
    text.back() = '.' + 1;
    const KeyIterator last = first_from(first, parent.last, text);
    text.back() = '.';
    const bool open = node.kind == NodeKind::module && first != last;
    const NodeIndex next = open ? index + 1 : node.end;
    std::fill(cover.by_prefix.begin() + index, cover.by_prefix.begin() + next, entry);
    if (open) above.push_back({node.end, first, last, text.size()});
    index = next;
  }
  return cover;
}

PatternCover pattern_cover(const FlatTree& tree, const ValueMap& map) { return PatternWalk(tree, map).run(); }

}  // namespace whyfail::fixer
