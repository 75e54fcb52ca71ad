// Counts the rows of the image and writes them as tables.
#include "kb/build/coverage.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace whyfail::kb {
namespace {

// Folders of data/failures.
constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kFamilies = {{
    {"1", "no device map can be made"},
    {"1a", "a device map that does not cover the model; budgets that are not understood"},
    {"1b", "a model class that cannot be split"},
    {"1c", "offload folders"},
    {"1d", "weights without a value"},
    {"1e", "meta tensors later on"},
    {"2", "bitsandbytes refuses modules on CPU or disk"},
    {"2b", "other quantizers refuse CPU or disk"},
    {"3", "device map and device arguments"},
    {"3b", "training and several processes"},
    {"3c", "moving and saving what is placed or quantized"},
    {"4", "packages missing or too old, quantization settings"},
    {"5", "bitsandbytes and its CUDA library"},
    {"6", "memory of GPU and host, disk"},
    {"7", "checkpoints, configs and the hub"},
    {"8", "devices, drivers and kernels at run time"},
}};

std::string_view family_name(std::string_view family) {
  for (const auto& [known, name] : kFamilies) {
    if (known == family) return name;
  }
  return "";
}

std::string count(const Database& database, const std::string& what) {
  Statement query(database, "SELECT " + what);
  return query.step() ? std::to_string(query.number(0)) : "0";
}

void add_row(std::string& text, Statement& row, int columns) {
  for (int column = 0; column < columns; ++column) text += "| " + row.text(column) + ' ';
  text += "|\n";
}

std::string totals(const Database& database) {
  const std::string entries = count(database, "count(*) FROM failure");
  const std::string warnings = count(database, "count(*) FROM failure WHERE severity = 'warning'");
  const std::string wordings = count(database, "count(*) FROM pattern");
  const std::string ranged = count(database, "count(*) FROM pattern WHERE releases <> ''");
  const std::string samples = count(database, "count(*) FROM sample WHERE kind = 'sample'");
  const std::string near = count(database, "count(*) FROM sample WHERE kind = 'near'");
  return "**" + entries + " entries** (" + warnings + " of them warnings) with **" + wordings + " wordings**, " +
         ranged + " of which name the releases that say exactly this; **" + samples +
         " samples** that have to match and " + near + " texts that look alike and must not.\n";
}

std::string packages(const Database& database) {
  std::string text =
      "\n| package | releases whose frames are known | oldest | newest | wordings that are its own |\n"
      "| --- | ---: | --- | --- | ---: |\n";
  Statement row(
      database,
      "SELECT known.package, ifnull(read.number, '–'), ifnull(read.oldest, '–'), ifnull(read.newest, '–'), "
      "  known.wordings "
      "FROM (SELECT package, count(*) AS wordings FROM pattern WHERE package <> '' GROUP BY package) AS known "
      "LEFT JOIN (SELECT package, count(*) AS number, "
      "  (SELECT release FROM package_release AS first WHERE first.package = one.package "
      "   ORDER BY position LIMIT 1) AS oldest, "
      "  (SELECT release FROM package_release AS last WHERE last.package = one.package "
      "   ORDER BY position DESC LIMIT 1) AS newest "
      "  FROM package_release AS one GROUP BY package) AS read ON read.package = known.package "
      "ORDER BY known.wordings DESC, known.package");
  while (row.step()) add_row(text, row, 5);
  return text;
}

std::string families(const Database& database) {
  std::string text =
      "\n| family | about | entries | wordings | with releases | samples | near |\n"
      "| --- | --- | ---: | ---: | ---: | ---: | ---: |\n";
  // failures/<family>/<id>.toml
  Statement row(database,
                "WITH placed AS (SELECT id, CASE WHEN instr(substr(file, 10), '/') > 0 "
                "  THEN substr(file, 10, instr(substr(file, 10), '/') - 1) ELSE '' END AS family FROM failure) "
                "SELECT family, count(DISTINCT placed.id), count(pattern.id), sum(ifnull(pattern.releases, '') <> ''), "
                "  sum((SELECT count(*) FROM sample WHERE pattern = pattern.id AND kind = 'sample')), "
                "  sum((SELECT count(*) FROM sample WHERE pattern = pattern.id AND kind = 'near')) "
                "FROM placed LEFT JOIN pattern ON pattern.failure = placed.id GROUP BY family ORDER BY family");
  while (row.step()) {
    text += "| " + row.text(0) + " | " + std::string(family_name(row.view(0)));
    for (int column = 1; column < 6; ++column) text += " | " + row.text(column);
    text += " |\n";
  }
  return text;
}

}  // namespace

std::string coverage_text(const Database& database) {
  return "# What is covered\n\n"
         "Written by `whyfail-kb-build --coverage data docs/coverage.md`; a test fails where it is out of date.\n\n" +
         totals(database) + packages(database) + families(database);
}

}  // namespace whyfail::kb
