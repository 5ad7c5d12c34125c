#include "reference/listing.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "protocol/server_json.h"
#include "reference/fixed_tools.h"
#include "reference/prose.h"
#include "reference/schema.h"

namespace weighbridge::reference {
namespace {

using namespace std::string_view_literals;
using protocol::append_quoted;

constexpr std::array kSurfaces{"dynamic"sv, "meta"sv, "individual"sv};

/// What the tools of all surfaces weigh, nearly: growing a string of megabytes by doubling would
/// touch twice its size.
constexpr std::array<std::size_t, 3> kExpectedBytes{14'000, 680'000, 3'500'000};

struct Hints {
  bool read_only = false;
  bool destructive = false;
  bool idempotent = false;
};

void append_annotations(std::string& out, std::string_view title, Hints hints) {
  out += R"("annotations":{"title":)";
  append_quoted(out, title);
  fmt::format_to(
      std::back_inserter(out),
      FMT_COMPILE(
          R"(,"readOnlyHint":{},"destructiveHint":{},"idempotentHint":{},"openWorldHint":true}})"),
      hints.read_only, hints.destructive, hints.idempotent);
}

Hints hints_of(const Operation& operation) {
  const bool reads = operation.method == Method::get;
  return {
      .read_only = reads,
      .destructive = operation.method == Method::remove,
      .idempotent = reads || operation.method == Method::put || operation.method == Method::remove};
}

class ListingWriter {
 public:
  explicit ListingWriter(const Catalogue& catalogue) : catalogue_(catalogue), schemas_(catalogue) {}

  void reserve(std::size_t bytes) { listing_.tools.reserve(bytes); }

  void add(std::string_view tool) {
    begin();
    listing_.tools += tool;
    end();
  }

  void add(const Operation& operation) {
    begin();
    auto& out = listing_.tools;
    out.append(R"({"name":")").append(tool_name(operation)).append(R"(","title":)");
    append_quoted(out, operation.title);
    scratch_.clear();
    append_description(scratch_, catalogue_, operation);
    out += R"(,"description":)";
    append_quoted(out, scratch_);
    out += R"(,"inputSchema":)";
    schemas_.append_input(out, operation, SchemaWriter::Dialect::named);
    out += R"(,"outputSchema":)";
    schemas_.append_output(out, operation);
    out += ',';
    append_annotations(out, operation.title, hints_of(operation));
    out += '}';
    end();
  }

  /// A tool for a group of domains: which action, and its parameters by action.
  void add(const Words::Entry& group, const std::vector<const Operation*>& operations) {
    begin();
    auto& out = listing_.tools;
    out.append(R"({"name":"gitlab_)").append(group.key).append(R"(","title":)");
    append_quoted(out, group.columns[0]);
    out += R"(,"description":)";
    append_quoted(out, fmt::format("{} Choose one of the {} actions and give its parameters in "
                                   "params; each alternative of params carries the action's name "
                                   "as its title. Answers status and data of GitLab's reply.",
                                   group.columns[1], operations.size()));
    out += R"(,"inputSchema":{"type":"object","properties":{"action":{"type":"string",)"
           R"("description":"Which action to carry out.","enum":[)";
    for (const auto* operation : operations) {
      if (operation != operations.front()) out += ',';
      append_quoted(out, operation->id);
    }
    out += R"(]},"params":{"description":"Parameters of the action.","anyOf":[)";
    for (const auto* operation : operations) {
      if (operation != operations.front()) out += ',';
      append_alternative(*operation);
    }
    out += R"(]}},"required":["action"],"additionalProperties":false},)";
    append_annotations(out, group.columns[0], hints_of_group(operations));
    out += '}';
    end();
  }

  Listing take() { return std::move(listing_); }

 private:
  void begin() {
    if (!listing_.tool_ends.empty()) listing_.tools += ',';
  }
  void end() { listing_.tool_ends.push_back(static_cast<std::uint32_t>(listing_.tools.size())); }

  /// The input schema with the action's id and title set into its front.
  void append_alternative(const Operation& operation) {
    auto& out = listing_.tools;
    out.append(R"({"title":")").append(operation.id).append(R"(","description":)");
    append_quoted(out, operation.title);
    out += ',';
    const auto brace = out.size();
    schemas_.append_input(out, operation, SchemaWriter::Dialect::implied);
    out.erase(brace, 1);
  }

  static Hints hints_of_group(const std::vector<const Operation*>& operations) {
    Hints all{.read_only = true, .destructive = false, .idempotent = true};
    for (const auto* operation : operations) {
      const Hints one = hints_of(*operation);
      all.read_only &= one.read_only;
      all.destructive |= one.destructive;
      all.idempotent &= one.idempotent;
    }
    return all;
  }

  const Catalogue& catalogue_;
  SchemaWriter schemas_;
  Listing listing_;
  std::string scratch_;
};

void add_groups(ListingWriter& writer, const Catalogue& catalogue) {
  const auto groups = catalogue.words().all(Words::Kind::group);
  std::vector<std::vector<const Operation*>> members(groups.size() + 1);
  for (const auto& operation : catalogue.operations())
    members[operation.group].push_back(&operation);
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (!members[i + 1].empty()) writer.add(groups[i], members[i + 1]);
}

}  // namespace

std::string_view to_string(Surface surface) {
  return kSurfaces[static_cast<std::size_t>(surface)];
}

std::optional<Surface> find_surface(std::string_view name) {
  const auto* const found = std::ranges::find(kSurfaces, name);
  if (found == kSurfaces.end()) return std::nullopt;
  return static_cast<Surface>(found - kSurfaces.begin());
}

Listing render_listing(Surface surface, const Catalogue& catalogue) {
  ListingWriter writer(catalogue);
  writer.reserve(kExpectedBytes[static_cast<std::size_t>(surface)]);
  switch (surface) {
    case Surface::dynamic:
      writer.add(find_action_tool(catalogue));
      writer.add(execute_action_tool());
      break;
    case Surface::meta:
      add_groups(writer, catalogue);
      break;
    case Surface::individual:
      for (const auto& operation : catalogue.operations()) writer.add(operation);
      break;
  }
  writer.add(server_status_tool());
  writer.add(null_tool());
  return writer.take();
}

}  // namespace weighbridge::reference
