// The answer of `whyfail plan` for people: the machine, a table and a bar a device, the call, what else would do.
#include <algorithm>
#include <array>
#include <cmath>

#include "cli/mask.h"
#include "cli/report.h"
#include "cli/report_parts.h"

namespace whyfail::cli {
namespace {

constexpr std::size_t bar_width = 50;

std::string bar_legend(std::uint64_t context) {
  const std::string tokens = context != 0 ? " of " + std::to_string(context) + " tokens" : "";
  return "# weights   + cache and logits" + tokens + "   - context and reserves   . left";
}

using Cells = std::array<std::string, 6>;

// Bytes of a device by what they are for; they add up to what is free.
struct Shares {
  std::uint64_t weights = 0;
  std::uint64_t cache = 0;
  std::uint64_t reserves = 0;
  std::uint64_t left = 0;
};

Shares shares_of(const fixer::DeviceBudget& device) {
  Shares shares{device.read_in_place ? 0 : device.weights_bytes, device.cache_bytes, 0, 0};
  shares.reserves = device.reserve_bytes - std::min(device.reserve_bytes, device.cache_bytes);
  const std::uint64_t used = shares.weights + shares.cache + shares.reserves;
  shares.left = device.free_bytes - std::min(device.free_bytes, used);
  return shares;
}

// Shares end where their sum ends, so that the bar shows what is left as it is; one that is not nothing is seen.
std::string bar_of(const Shares& shares) {
  const std::uint64_t all = std::max<std::uint64_t>(shares.weights + shares.cache + shares.reserves + shares.left, 1);
  const std::array<std::pair<std::uint64_t, char>, 3> parts = {
      {{shares.weights, '#'}, {shares.cache, '+'}, {shares.reserves, '-'}}};
  auto following = static_cast<std::size_t>(
      std::count_if(parts.begin(), parts.end(), [](const auto& part) { return part.first != 0; }));
  std::string bar;
  double sum = 0;
  for (const auto& [bytes, sign] : parts) {
    if (bytes == 0) continue;
    sum += static_cast<double>(bytes);
    const auto end = static_cast<std::size_t>(std::lround(sum / static_cast<double>(all) * bar_width));
    bar.resize(std::max(bar.size() + 1, std::min(end, bar_width - --following)), sign);
  }
  bar.resize(bar_width, shares.left != 0 || bar.empty() ? '.' : bar.back());
  return "[" + bar + "]";
}

std::string span_of(const std::vector<std::string>& modules) {
  if (modules.empty()) return "";
  const auto name = [](const std::string& module) { return module.empty() ? std::string("the whole model") : module; };
  if (modules.size() == 1) return name(modules.front());
  return name(modules.front()) + " - " + name(modules.back());
}

Cells cells_of(const fixer::DeviceBudget& device) {
  const Shares shares = shares_of(device);
  return {device_text(device.device),      device.budget_bytes ? size_text(*device.budget_bytes) : "no limit",
          size_text(device.weights_bytes), shares.cache != 0 ? size_text(shares.cache) : "-",
          size_text(shares.left),          span_of(device.modules)};
}

std::string padded(const Cells& cells, const std::array<std::size_t, 6>& widths) {
  std::string line = "  ";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    line += cells.at(i);
    if (i + 1 < cells.size()) line.append(widths.at(i) + 2 - columns(cells.at(i)), ' ');
  }
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

bool takes_part(const fixer::DeviceBudget& device) { return device.weights_bytes != 0 || device.budget_bytes; }

void write_table(Page& page, const fixer::Fix& fix, const char* title) {
  std::vector<Cells> lines = {{"device", "budget", "weights", "cache", "headroom", "modules"}};
  std::vector<std::string> bars;
  bool in_place = false;
  for (const fixer::DeviceBudget& device : fix.devices) {
    if (!takes_part(device)) continue;
    in_place = in_place || device.read_in_place;
    lines.push_back(cells_of(device));
    bars.push_back(device_text(device.device) +
                   std::string(9 - std::min<std::size_t>(8, device_text(device.device).size()), ' ') +
                   bar_of(shares_of(device)) + " of " + size_text(device.free_bytes) + " free");
  }
  if (bars.empty()) return;
  std::array<std::size_t, 6> widths{};
  for (const Cells& cells : lines) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths.at(i) = std::max(widths.at(i), columns(cells.at(i)));
  }
  page.heading(title);
  for (const Cells& cells : lines) page.line(padded(cells, widths));
  if (in_place) page.line("  What stays on the disk is read from the checkpoint's own files.", Style::faint);
  page.blank();
  for (const std::string& bar : bars) page.line("  " + bar);
  page.line("  " + bar_legend(fix.context), Style::faint);
}

// Told where it is more than a sixteenth above what stays.
void write_load_peaks(Page& page, const fixer::Fix& fix) {
  for (const fixer::DeviceBudget& device : fix.devices) {
    if (device.load_peak_bytes <= device.weights_bytes + device.weights_bytes / 16) continue;
    page.paragraph("While it loads, " + device_text(device.device) + " holds " +
                       (device.load_peak_certain ? "" : "up to ") + size_text(device.load_peak_bytes) + ": " +
                       device.load_peak_why +
                       (device.load_peak_measured ? "." : " (read in the library's source, not measured)."),
                   2);
  }
}

void write_boundaries(Page& page, const fixer::Fix& fix) {
  page.heading("Why each device ends where it does");
  for (const fixer::PassedOver& passed : fix.passed_over) {
    std::string says = passed.module + " needs " + size_text(passed.needs_bytes) + "; " + size_text(passed.left_bytes) +
                       " left on " + device_text(passed.device);
    if (passed.kept_bytes != 0) says += ", where " + size_text(passed.kept_bytes) + " are kept for the largest layer";
    page.paragraph("- " + says, 2);
  }
  if (fix.passed_over.empty()) page.paragraph("Everything fits on the first device that it was offered to.", 2);
  for (const fixer::DeviceBudget& device : fix.devices) {
    if (!takes_part(device) || device.terms.empty()) continue;
    std::string says = size_text(device.free_bytes) + " free";
    for (const auto& [name, bytes] : device.terms) says += ", less " + size_text(bytes) + " " + name;
    page.row({device_text(device.device), says});
  }
}

// The total against the room there is, for a model whose modules are not known.
void write_estimate(Page& page, const Diagnosis& diagnosis) {
  const fixer::Fix& fix = diagnosis.fix;
  if (!fix.model || fix.status != fixer::FixStatus::none) return;
  page.heading("Where it goes");
  if (fix.model->bytes == 0) {
    page.paragraph("That cannot be told: " + fix.model->note + ".", 2);
    return;
  }
  page.paragraph("About " + size_text(fix.model->bytes) +
                     " of weights; which module goes where cannot be told without the model's config.json. Give its "
                     "folder: whyfail plan FOLDER",
                 2);
}

void write_answer(Page& page, const fixer::Fix& fix, bool explain) {
  if (fix.status == fixer::FixStatus::ready) {
    write_table(page, fix, "Where it goes");
    write_load_peaks(page, fix);
    if (explain) write_boundaries(page, fix);
    write_call(page, fix, "Call");
    write_terms(page, fix);
    for (const fixer::Fix& other : fix.alternatives) {
      write_call(page, other, "Or");
      page.paragraph("Cost: " + other.cost + ".", 2);
    }
  } else if (fix.status == fixer::FixStatus::no_fit) {
    page.heading("Nothing fits");
    page.paragraph(fix.short_of, 2);
    write_table(page, fix, "The nearest that was tried");
    write_load_peaks(page, fix);
    if (explain) write_boundaries(page, fix);
  }
  write_needs(page, fix);
}

std::string plan_page(const Diagnosis& diagnosis, const std::string& model, bool color, bool explain) {
  Page page(color);
  page.line("What fits " + model + " here", Style::heading);
  page.paragraph(releases_words(diagnosis.facts), 0, Style::faint);
  write_machine(page, diagnosis);
  write_estimate(page, diagnosis);
  write_answer(page, diagnosis.fix, explain);
  return page.take();
}

}  // namespace

std::string report_plan(const Diagnosis& diagnosis, const std::string& model, Format format, bool color, bool explain) {
  if (format == Format::json) return report_json(diagnosis);
  if (format != Format::markdown) return plan_page(diagnosis, model, color, explain);
  return "```text\n" + plan_page(diagnosis, model, false, explain) + "```\n";
}

}  // namespace whyfail::cli
