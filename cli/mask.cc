// One pass over the text; at each place every kind of secret is tried, from the most to the least telling.
#include "cli/mask.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

namespace whyfail::cli {
namespace {

// A secret found at a place: the bytes up to `keep` stay, those up to `end` are replaced by `word`.
struct Secret {
  std::size_t keep;
  std::size_t end;
  std::string_view word;
};
using Found = std::optional<Secret>;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_name(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
bool is_token(char c) { return is_name(c) || c == '-'; }
bool is_bearer(char c) { return is_token(c) || c == '.' || c == '~' || c == '+' || c == '/' || c == '='; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }
bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

char at(std::string_view text, std::size_t i) { return i < text.size() ? text[i] : '\0'; }

// No secret is longer; bounds the work on text that looks like the beginning of one again and again.
constexpr std::size_t longest_secret = 8192;

template <typename Accept>
std::size_t end_of(std::string_view text, std::size_t from, Accept accept) {
  const std::size_t limit = std::min(text.size(), from + longest_secret);
  while (from < limit && accept(text[from])) ++from;
  return from;
}

bool has_digit(std::string_view text) { return std::any_of(text.begin(), text.end(), is_digit); }

bool same_letters(std::string_view text, std::string_view lower_case) {
  return text.size() == lower_case.size() &&
         std::equal(text.begin(), text.end(), lower_case.begin(), [](char a, char b) { return lower(a) == b; });
}

bool starts_with_letters(std::string_view text, std::size_t from, std::string_view lower_case) {
  return from <= text.size() && same_letters(text.substr(from, lower_case.size()), lower_case);
}

struct TokenForm {
  std::string_view beginning;
  std::size_t shortest;  // of what follows
};
constexpr std::array<TokenForm, 18> token_forms = {{{"hf_", 20},
                                                    {"api_org_", 20},
                                                    {"sk-", 20},
                                                    {"AKIA", 12},
                                                    {"ASIA", 12},
                                                    {"github_pat_", 20},
                                                    {"ghp_", 20},
                                                    {"gho_", 20},
                                                    {"ghu_", 20},
                                                    {"ghs_", 20},
                                                    {"ghr_", 20},
                                                    {"glpat-", 12},
                                                    {"xoxb-", 12},
                                                    {"xoxp-", 12},
                                                    {"gsk_", 20},
                                                    {"nvapi-", 20},
                                                    {"AIza", 30},
                                                    {"pypi-", 30}}};

Found known_token(std::string_view text, std::size_t begin) {
  for (const TokenForm& form : token_forms) {
    if (text.substr(begin, form.beginning.size()) != form.beginning) continue;
    const std::size_t body = begin + form.beginning.size();
    const std::size_t end = end_of(text, body, is_token);
    if (end - body >= form.shortest && has_digit(text.substr(body, end - body))) return Secret{begin, end, "<token>"};
  }
  return std::nullopt;
}

// Three parts of base64 joined by dots; the first begins as '{"' does.
Found web_token(std::string_view text, std::size_t begin) {
  if (text.substr(begin, 3) != "eyJ") return std::nullopt;
  const std::size_t end = end_of(text, begin, is_bearer);
  const std::string_view token = text.substr(begin, end - begin);
  if (token.size() < 20 || token.find('.') == std::string_view::npos) return std::nullopt;
  return Secret{begin, end, "<token>"};
}

Found bearer(std::string_view text, std::size_t begin) {
  std::string_view scheme = "bearer";
  if (!starts_with_letters(text, begin, scheme)) {
    scheme = "basic";
    if (!starts_with_letters(text, begin, scheme)) return std::nullopt;
  }
  const std::size_t after = begin + scheme.size();
  const std::size_t token = end_of(text, after, is_blank);
  if (token == after) return std::nullopt;
  const std::size_t end = end_of(text, token, is_bearer);
  const std::string_view value = text.substr(token, end - token);
  if (value.size() < 8 || (!has_digit(value) && value.size() < 24)) return std::nullopt;
  return Secret{token, end, "<token>"};
}

// https://user:password@host
Found url_password(std::string_view text, std::size_t begin) {
  if (text.substr(begin, 3) != "://") return std::nullopt;
  const std::size_t name = begin + 3;
  const std::size_t end =
      end_of(text, name, [](char c) { return !is_blank(c) && !is_quote(c) && c != '/' && c != '<'; });
  const std::size_t sign = text.substr(name, end - name).rfind('@');
  if (sign == std::string_view::npos || sign == 0) return std::nullopt;
  return Secret{name, name + sign, "<password>"};
}

bool is_address(char c) { return is_token(c) || c == '.' || c == '%' || c == '+'; }

Found mail_address(std::string_view text, std::size_t begin) {
  const std::size_t sign = end_of(text, begin, is_address);
  if (sign == begin || at(text, sign) != '@') return std::nullopt;
  std::size_t end = end_of(text, sign + 1, [](char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '-'; });
  while (end > sign && (text[end - 1] == '.' || text[end - 1] == '-')) --end;
  const std::string_view host = text.substr(sign + 1, end - std::min(end, sign + 1));
  const std::size_t dot = host.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || host.size() - dot < 3) return std::nullopt;
  if (!std::all_of(host.begin() + static_cast<std::ptrdiff_t>(dot) + 1, host.end(), is_letter)) return std::nullopt;
  return Secret{begin, end, "<e-mail>"};
}

constexpr std::array<std::string_view, 14> nobodies = {"user",     "root",   "ubuntu",   "runner", "jovyan",
                                                       "username", "app",    "ec2-user", "vscode", "public",
                                                       "default",  "shared", "<user>",   "..."};

Found home_folder(std::string_view text, std::size_t begin) {
  const char separator = text[begin];
  if (separator != '/' && separator != '\\') return std::nullopt;
  const std::size_t folder = end_of(text, begin, [separator](char c) { return c == separator; });
  std::size_t after = folder;
  for (const std::string_view name : {"home", "users", "documents and settings"}) {
    if (starts_with_letters(text, folder, name)) after = folder + name.size();
  }
  if (after == folder || at(text, after) != separator) return std::nullopt;
  const std::size_t name = end_of(text, after, [separator](char c) { return c == separator; });
  const auto in_name = [separator](char c) {
    return c != '/' && c != '\\' && c != '\n' && c != '\r' && c != ':' && c != ',' && c != ')' && c != '<' &&
           c != '>' && c != '|' && !is_quote(c) && (separator == '\\' || !is_blank(c));
  };
  std::size_t end = end_of(text, name, in_name);
  // A Windows name may hold blanks, but only a separator can show that it goes on behind one.
  if (at(text, end) != separator) end = end_of(text, name, [&](char c) { return in_name(c) && !is_blank(c); });
  const std::string_view person = text.substr(name, end - name);
  if (person.empty() || person.size() > 64 || person.front() == '$' || person.front() == '{') return std::nullopt;
  for (const std::string_view nobody : nobodies) {
    if (same_letters(person, nobody)) return std::nullopt;
  }
  return Secret{name, end, "<user>"};
}

constexpr std::array<std::string_view, 11> secret_names = {"password",   "passwd",     "passphrase", "secret",
                                                           "secret_key", "access_key", "api_key",    "apikey",
                                                           "token",      "auth_token", "private_key"};

// "AWS_SECRET_ACCESS_KEY", "hf_token", "password"; not "pad_token": names in lower case must be the whole word.
bool names_a_secret(std::string_view name) {
  const bool upper = std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  for (const std::string_view secret : secret_names) {
    if (same_letters(name, secret)) return true;
    if (name.size() <= secret.size() || !same_letters(name.substr(name.size() - secret.size()), secret)) continue;
    const std::string_view before = name.substr(0, name.size() - secret.size());
    if (upper && before.back() == '_') return true;
    for (const std::string_view known :
         {"hf_", "hub_", "use_auth_", "access_", "github_", "openai_", "aws_", "secret_"}) {
      if (same_letters(before, known)) return true;
    }
  }
  return false;
}

// NAME=value, "name": "value", name = 'value'
Found named_value(std::string_view text, std::size_t begin) {
  const std::size_t name_end = end_of(text, begin, is_name);
  if (name_end == begin || !names_a_secret(text.substr(begin, name_end - begin))) return std::nullopt;
  std::size_t value = name_end;
  if (is_quote(at(text, value))) ++value;
  while (at(text, value) == ' ') ++value;
  if (at(text, value) != '=' && at(text, value) != ':') return std::nullopt;
  ++value;
  while (at(text, value) == ' ') ++value;
  const bool quoted = is_quote(at(text, value));
  if (quoted) ++value;
  const auto in_value = [](char c) {
    return !is_blank(c) && !is_quote(c) && c != ',' && c != ';' && c != ')' && c != '<' && c != '>' && c != '&';
  };
  // Its beginning tells whether it is one; only then all of it is read.
  const std::string_view beginning = text.substr(0, std::min(text.size(), value + 64));
  const std::string_view secret = beginning.substr(value, end_of(beginning, value, in_value) - value);
  if (secret.size() < 6 || (!quoted && !has_digit(secret))) return std::nullopt;
  return Secret{value, end_of(text, value, in_value), "<token>"};
}

Found secret_at(std::string_view text, std::size_t begin) {
  const char before = begin > 0 ? text[begin - 1] : ' ';
  if (text[begin] == ':') return url_password(text, begin);
  if (text[begin] == '/' || text[begin] == '\\') {
    return before == text[begin] ? std::nullopt : home_folder(text, begin);
  }
  if (!is_name(before)) {
    if (!is_token(before)) {
      if (const Found found = known_token(text, begin)) return found;
    }
    for (const auto& kind : {web_token, bearer, named_value}) {
      if (const Found found = kind(text, begin)) return found;
    }
  }
  if (!is_address(before)) return mail_address(text, begin);
  return std::nullopt;
}

// Bytes of a character that must not reach a terminal: controls, and marks that change the direction of writing.
std::size_t unprintable_at(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t offset) { return static_cast<unsigned char>(at(text, i + offset)); };
  if ((byte(0) < 0x20 && text[i] != '\n' && text[i] != '\t') || byte(0) == 0x7F) return 1;
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0) return 2;
  if (byte(0) == 0xE2 && byte(1) == 0x80 && byte(2) >= 0xAA && byte(2) <= 0xAE) return 3;
  if (byte(0) == 0xE2 && byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9) return 3;
  return 0;
}

std::string printable(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t skipped = unprintable_at(text, i);
    if (skipped == 0) clean += text[i++];
    i += skipped;
  }
  return clean;
}

}  // namespace

std::string masked(std::string_view raw) {
  const std::string text = printable(raw);
  std::string safe;
  safe.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const Found secret = secret_at(text, i);
    if (secret) {
      safe.append(text, i, secret->keep - i).append(secret->word);
      i = secret->end;
    } else {
      safe += text[i++];
    }
  }
  return safe;
}

}  // namespace whyfail::cli
