// Whose machine a sentence is about. Parts are believed to be the writer's where a label says so ("Setup: …",
// "配置：…"), where the first person does ("I have …", "meine …"), or where a line is nothing but a list of parts. A
// wrong figure is worse than none, so that a word of doubt anywhere in the line is enough to leave it.
#include <algorithm>
#include <cctype>
#include <initializer_list>

#include "probes/paste/stated.h"
#include "probes/text_lines.h"

namespace whyfail::probes::paste {
namespace {

// Whole words of an ASCII script, in lower case: questions, wishes, other people, prices, what is needed, what is not.
constexpr std::string_view doubtful_words[] = {
    "need",      "needs",      "needed",      "require",   "requires", "required",   "requirement", "requirements",
    "recommend", "recommends", "recommended", "minimum",   "should",   "would",      "could",       "can",
    "cannot",    "error",      "compatible",  "instead",   "try",      "vs",         "versus",      "than",
    "price",     "costs",      "cost",        "buy",       "buying",   "purchase",   "order",       "ordered",
    "sell",      "sold",       "selling",     "wish",      "if",       "unless",     "someone",     "somebody",
    "anyone",    "anybody",    "everyone",    "friend",    "friends",  "colleague",  "coworker",    "author",
    "authors",   "paper",      "readme",      "docs",      "blog",     "people",     "others",      "he",
    "she",       "they",       "his",         "her",       "their",    "your",       "you",         "upgrade",
    "upgraded",  "upgrading",  "plan",        "planning",  "thinking", "consider",   "considering", "without",
    "not",       "no",         "never",       "cant",      "dont",     "enough",     "better",      "tested",
    "trained",   "used",       "fits",        "fit",       "works",    "worked",     "supports",    "supported",
    "why",       "which",      "whether",     "like",      "kein",     "keine",      "keinen",      "ohne",
    "nicht",     "brauche",    "braucht",     "kaufen",    "freund",   "kollege",    "mindestens",  "pas",
    "sans",      "besoin",     "faut",        "acheter",   "necesito", "necesita",   "sin",         "amigo",
    "comprar",   "preciso",    "precisa",     "sem",       "non",      "serve",      "senza",       "comprare",
    "nie",       "bez",        "potrzebuje",  "geen",      "niet",     "nodig",      "zonder",      "yok",
    "gerek",     "gerekli",    "customer",    "client",    "example",  "benchmark",  "speed",       "want",
    "wants",     "wanted",     "wishlist",    "next",      "rented",   "previously", "died",        "old",
    "takes",     "took",       "had",         "estimated", "peak",     "everybody",  "nobody"};

// Possessives that are no person.
constexpr std::string_view short_forms[] = {"it's", "that's", "here's", "what's", "let's", "there's"};

// Anywhere in the line: scripts without blanks between words, and marks. Capitals are listed where they occur.
constexpr std::string_view doubtful_parts[] = {
    "?",           "？",         " > ",     " < ",      "$",       "€",      "at least", "e.g.",       "for example",
    "n't",         "n’t",        "não",     "нет",      "Нет",     " не ",   "нужн",     "требу",      "без ",
    "купи",        "друг",       "没有",    "沒有",     "需要",    "朋友",   "建议",     "建議",       "推荐",
    "推薦",        "最低",       "吗",      "嗎",       "買",      "买",     "必要",     "ない",       "なし",
    "友人",        "推奨",       "없",      "필요",     "권장",    "친구",   "추천",     "besser als", "needed",
    " the README", "model card", "used to", "works on", "runs on", "ran on", "run on",   "run this"};

// The first person, as whole words or (second list) as parts of scripts without blanks.
constexpr std::string_view own_words[] = {
    "i",   "i'm",  "i’m",   "im",     "i've",   "i’ve",   "my",    "mine",  "we",     "our",     "we're", "ours",
    "ich", "mein", "meine", "meiner", "meinem", "meinen", "wir",   "unser", "unsere", "unserem", "j'ai",  "j’ai",
    "je",  "mon",  "ma",    "mes",    "nous",   "notre",  "tengo", "mi",    "uso",    "tenho",   "meu",   "minha",
    "ho",  "mio",  "mia",   "mam",    "mój",    "mojej",  "ik",    "mijn",  "bende",  "benim"};
constexpr std::string_view own_parts[] = {"у меня", "У меня", "мой", "Мой", "моя",  "Моя",  "моей", "моём", "моем",
                                          "我",     "本机",   "私",  "僕",  "自分", "手元", "내 ",  "저는", "제 "};
// "Running on 2x RTX 4090", "Using an RTX 3090", "On a single A100", "with a 3090".
constexpr std::string_view own_openings[] = {"running ", "using ",  "on a ",  "on an ", "on one ",
                                             "on 1x ",   "on 2x ",  "on 4x ", "on 8x ", "with a ",
                                             "with an ", "single ", "dual ",  "one ",   "two "};
// What makes a list of parts a sentence about one of them.
constexpr std::string_view telling_words[] = {"is",   "was", "were", "does", "did", "will",    "went",
                                              "said", "has", "had",  "have", "for", "because", "but"};

template <std::size_t Count>
bool is_one_of(std::string_view word, const std::string_view (&words)[Count]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

template <std::size_t Count>
bool holds_one_of(std::string_view text, const std::string_view (&parts)[Count]) {
  return std::any_of(std::begin(parts), std::end(parts),
                     [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

bool is_word_byte(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return std::isalnum(byte) != 0 || byte >= 0x80 || letter == '\'';
}

template <typename Test>
bool any_word(std::string_view text, Test test) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word_byte(text[end])) ++end;
    if (end > at && test(text.substr(at, end - at))) return true;
    at = std::max(end, at + 1);
  }
  return false;
}

std::size_t count_words(std::string_view text) {
  std::size_t words = 0;
  any_word(text, [&](std::string_view) { return ++words, false; });
  return words;
}

// "Bob's", "my colleague's".
bool is_somebodys(std::string_view word) {
  return (word.ends_with("'s") || word.ends_with("’s")) && !is_one_of(word, short_forms);
}

// "Setup: ", "- GPU：", "My box: " in front of the first part; a clause in between belongs to the list.
bool has_label(std::string_view before) {
  std::size_t colon = before.find(':');
  for (std::string_view wide : {"：", "="}) colon = std::min(colon, before.find(wide));
  if (colon == std::string_view::npos) return false;
  return colon <= 40 && count_words(before.substr(0, colon)) <= 4;
}

}  // namespace

bool tells_own_machine(std::string_view line, std::size_t part, bool listed) {
  const std::string lower = lower_case(line);
  if (holds_one_of(lower, doubtful_parts) || holds_one_of(line, doubtful_parts)) return false;
  if (any_word(lower, [](std::string_view word) { return is_one_of(word, doubtful_words) || is_somebodys(word); })) {
    return false;
  }
  std::string_view before = trimmed(std::string_view(lower).substr(0, part));
  while (!before.empty() && std::string_view("-*>+#(").find(before.front()) != std::string_view::npos) {
    before = trimmed(before.substr(1));
  }
  if (has_label(before)) return true;
  if (any_word(before, [](std::string_view word) { return is_one_of(word, own_words); })) return true;
  if (holds_one_of(line.substr(0, part), own_parts)) return true;
  for (std::string_view opening : own_openings) {
    if ((std::string(before) + " ").starts_with(opening)) return true;
  }
  if (any_word(lower, [](std::string_view word) { return is_one_of(word, telling_words); })) return false;
  const std::size_t words = count_words(before);
  return words == 0 || (listed && words <= 3 && !before.starts_with("the "));
}

}  // namespace whyfail::probes::paste
