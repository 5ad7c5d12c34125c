#include "protocol/detection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "protocol/foreign_text.h"
#include "protocol/json_text.h"
#include "protocol/message.h"

namespace weighbridge::protocol {
namespace {

using Verdict = EraRuling::Verdict;

constexpr std::int64_t kHeaderMismatch = -32020;
constexpr std::int64_t kMissingClientCapability = -32021;
constexpr std::int64_t kUnsupportedVersion = -32022;

/// The newest revision of the table that is named; nullptr when none is.
const Era* newest_common(const std::vector<std::string>& versions, bool handshake) {
  for (const Era& candidate : eras() | std::views::reverse)
    if (candidate.handshake == handshake &&
        std::ranges::find(versions, candidate.name) != versions.end())
      return &candidate;
  return nullptr;
}

/// Statuses by which a gateway or a limiter speaks, not the server: no sign of an era.
bool says_nothing(int status) {
  return status >= 500 || status == 401 || status == 403 || status == 429 ||
         (status >= 300 && status < 400);
}

EraRuling rule_on_versions(const std::vector<std::string>& versions, Verdict if_stateless,
                           std::string what) {
  if (const Era* era = newest_common(versions, false)) return {if_stateless, era, {}, what};
  if (const Era* era = newest_common(versions, true))
    return {Verdict::handshake, era, {}, std::move(what)};
  return {Verdict::nothing_in_common, nullptr, {}, std::move(what)};
}

EraRuling rule_on_error(const Envelope& envelope, std::string what) {
  const std::string_view message = envelope.error_message;
  if (envelope.error_code == kHeaderMismatch || envelope.error_code == kMissingClientCapability)
    return {Verdict::request_refused, &newest_era(), {}, std::move(what)};
  if (envelope.error_code == kUnsupportedVersion) {
    if (const auto versions = supported_versions(envelope.error_data); !versions.empty())
      return rule_on_versions(versions, Verdict::ask_again,
                              fmt::format("error {}: {}; it supports {}", envelope.error_code,
                                          message, fmt::join(versions, ", ")));
  }
  return {Verdict::handshake, nullptr, {}, std::move(what)};
}

}  // namespace

bool is_stateless_error(std::int64_t code) {
  return code == kHeaderMismatch || code == kMissingClientCapability || code == kUnsupportedVersion;
}

EraRuling rule_on_discover(const DiscoverEvidence& evidence) {
  const std::string status =
      evidence.http_status == 0 ? "" : fmt::format("HTTP {} ", evidence.http_status);
  if (!evidence.trouble.empty())
    return {evidence.stdio ? Verdict::handshake : Verdict::no_evidence,
            nullptr,
            {},
            first_words(evidence.trouble)};
  if (says_nothing(evidence.http_status))
    return {
        Verdict::no_evidence, nullptr, {}, first_words(status + text_of_body(evidence.message))};

  const Envelope envelope = read_message(evidence.message);
  if (envelope.kind == Envelope::Kind::error)
    return rule_on_error(envelope,
                         first_words(fmt::format("{}error {}: {}", status, envelope.error_code,
                                                 envelope.error_message)));
  if (envelope.kind == Envelope::Kind::response) {
    if (auto server = read_discover_result(envelope.result)) {
      EraRuling ruling = rule_on_versions(
          server->versions, Verdict::use,
          fmt::format("{}supportedVersions {}", status, fmt::join(server->versions, ", ")));
      ruling.server = std::move(*server);
      return ruling;
    }
  }
  return {Verdict::handshake, nullptr, {}, first_words(status + text_of_body(evidence.message))};
}

}  // namespace weighbridge::protocol
