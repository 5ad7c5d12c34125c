#include "standin/detail/recorder.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/words.h"

namespace weighbridge::standin::detail {
namespace {

constexpr std::array<std::string_view, 6> kCredentialHeaders{
    "authorization", "private-token", "job-token", "cookie", "x-api-key", "proxy-authorization"};
constexpr std::array<std::string_view, 3> kCredentialParameters{"private_token", "access_token",
                                                                "job_token"};

bool is_credential_header(std::string_view name) {
  return std::ranges::any_of(kCredentialHeaders, [&](std::string_view known) {
    return equals_ignoring_case(name, known);
  });
}

bool is_credential_parameter(std::string_view parameter) {
  const std::string_view name = parameter.substr(0, parameter.find('='));
  return std::ranges::find(kCredentialParameters, name) != kCredentialParameters.end();
}

}  // namespace

RecordedRequest record_request(const transport::HttpRequest& request) {
  RecordedRequest recorded{.method = request.method,
                           .path = std::string(request.path()),
                           .query = {},
                           .body = request.body,
                           .header_names = {}};
  for (const transport::Header& header : request.headers) {
    recorded.header_names.push_back(header.name);
    if (is_credential_header(header.name)) recorded.had_credential = true;
  }
  if (request.query().empty()) return recorded;
  for (std::string& parameter : split(request.query(), '&')) {
    if (is_credential_parameter(parameter)) {
      recorded.had_credential = true;
      parameter.resize(std::min(parameter.find('='), parameter.size()));
      parameter += "=***";
    }
    if (!recorded.query.empty()) recorded.query += '&';
    recorded.query += parameter;
  }
  return recorded;
}

std::string_view token_of(const transport::Headers& headers) {
  if (const auto token = transport::find_header(headers, "private-token")) return *token;
  const auto authorization = transport::find_header(headers, "authorization");
  if (!authorization) return {};
  const std::size_t space = authorization->find(' ');
  if (space == std::string_view::npos ||
      !equals_ignoring_case(authorization->substr(0, space), "bearer"))
    return {};
  return trim(authorization->substr(space + 1));
}

}  // namespace weighbridge::standin::detail
