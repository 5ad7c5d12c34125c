#include "transport/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/words.h"

namespace weighbridge::transport {
namespace {

constexpr std::string_view kExample = "Write for example \"http://127.0.0.1:8080/mcp\"";

bool is_alpha(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// What RFC 3986 lets stand unescaped. Strict on purpose: a placeholder that nobody replaced
/// ("{port}") is found here and not by the server.
bool is_url_character(char c) {
  return c > ' ' && c < 0x7f && std::string_view("\"<>\\^`{|}").find(c) == std::string_view::npos;
}

std::uint16_t default_port(std::string_view scheme) {
  return scheme == "https" ? 443 : 80;
}

std::string_view without_fragment(std::string_view text) {
  return text.substr(0, text.find('#'));
}

/// The scheme of a reference, if it has one: letters, digits, + - . before the first colon, and
/// that before any of / ? (RFC 3986, 3.1).
std::optional<std::string_view> scheme_of(std::string_view reference) {
  const std::size_t colon = reference.find(':');
  if (colon == std::string_view::npos || colon == 0 || !is_alpha(reference[0])) return std::nullopt;
  const std::string_view scheme = reference.substr(0, colon);
  const bool well_formed = std::ranges::all_of(scheme, [](char c) {
    return is_alpha(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
  });
  return well_formed ? std::optional(scheme) : std::nullopt;
}

/// RFC 3986, 5.2.4, on an absolute path: drops "." and lets ".." take its parent with it.
std::string remove_dot_segments(std::string_view path) {
  std::string output;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/', 1), path.size());
    const std::string_view segment = path.substr(0, end);  // with its leading slash
    const bool last = end == path.size();
    if (segment == "/." || segment == "/..") {
      if (segment == "/..") output.erase(std::min(output.rfind('/'), output.size()));
      if (last) output += '/';
    } else {
      output += segment;
    }
    path.remove_prefix(end);
  }
  return output;
}

struct Authority {
  std::string host;
  std::uint16_t port = 0;
};

Result<std::uint16_t> parse_port(std::string_view digits, std::uint16_t absent) {
  if (digits.empty()) return absent;
  unsigned port = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (code != std::errc() || end != digits.data() + digits.size() || port == 0 || port > 65535) {
    return fail(ErrorCode::usage,
                fmt::format("the URL's port \"{}\" is not a number from 1 to 65535", digits));
  }
  return static_cast<std::uint16_t>(port);
}

Result<Authority> parse_authority(std::string_view text, std::uint16_t absent_port) {
  if (text.find('@') != std::string_view::npos) {
    // The text is not quoted: what stands before the @ is a secret.
    return fail(ErrorCode::usage, "the URL carries a user name or password", {},
                "Give the credential as a header instead");
  }
  std::string_view host = text;
  std::string_view after;
  if (text.starts_with('[')) {
    const std::size_t bracket = text.find(']');
    if (bracket == std::string_view::npos)
      return fail(ErrorCode::usage, "the URL's IPv6 address has no closing bracket");
    host = text.substr(1, bracket - 1);
    after = text.substr(bracket + 1);
    if (!after.empty() && after[0] != ':')
      return fail(ErrorCode::usage, "the URL has text between its IPv6 address and its port");
  } else if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    host = text.substr(0, colon);
    after = text.substr(colon);
  }
  if (host.empty()) return fail(ErrorCode::usage, "the URL has no host", {}, std::string(kExample));
  if (!after.empty()) after.remove_prefix(1);
  WB_TRY(const std::uint16_t port, parse_port(after, absent_port));
  return Authority{std::string(host), port};
}

}  // namespace

std::string Url::authority() const {
  std::string text = host.find(':') == std::string::npos ? host : "[" + host + "]";
  if (port != default_port(scheme)) text += ":" + std::to_string(port);
  return text;
}

Result<Url> parse_url(std::string_view text) {
  if (!std::ranges::all_of(text, is_url_character)) {
    return fail(ErrorCode::usage, "the URL holds a character that has to be percent-encoded", {},
                "Look for spaces, braces and letters outside ASCII");
  }
  const std::size_t separator = text.find("://");
  const bool http = separator != std::string_view::npos &&
                    equals_ignoring_case(text.substr(0, separator), "http");
  const bool https = separator != std::string_view::npos &&
                     equals_ignoring_case(text.substr(0, separator), "https");
  if (!http && !https) {
    return fail(ErrorCode::usage, "the URL begins with neither http:// nor https://", {},
                std::string(kExample));
  }
  Url url;
  url.scheme = https ? "https" : "http";
  const std::string_view rest = without_fragment(text.substr(separator + 3));
  const std::size_t authority_end = std::min(rest.find_first_of("/?"), rest.size());
  WB_TRY(Authority authority,
         parse_authority(rest.substr(0, authority_end), default_port(url.scheme)));
  url.host = std::move(authority.host);
  url.port = authority.port;
  url.target = rest.substr(authority_end);
  if (!url.target.starts_with('/')) url.target.insert(0, "/");
  return url;
}

Result<Url> resolve(const Url& base, std::string_view reference) {
  reference = without_fragment(reference);
  const auto path_and_query = [](std::string_view target) {
    const std::size_t query = std::min(target.find('?'), target.size());
    return std::pair{target.substr(0, query), target.substr(query)};
  };
  const auto [base_path, base_query] = path_and_query(base.target);

  if (scheme_of(reference) || reference.starts_with("//")) {
    const std::string absolute = reference.starts_with("//")
                                     ? base.scheme + ":" + std::string(reference)
                                     : std::string(reference);
    WB_TRY(Url url, parse_url(absolute));
    const auto [path, query] = path_and_query(url.target);
    url.target = remove_dot_segments(path) + std::string(query);
    return url;
  }
  if (!std::ranges::all_of(reference, is_url_character)) {
    return fail(ErrorCode::usage,
                "the URL reference holds a character that has to be percent-encoded");
  }
  Url url = base;
  const auto [path, query] = path_and_query(reference);
  if (path.empty()) {
    url.target = std::string(base_path) + std::string(query.empty() ? base_query : query);
    return url;
  }
  const std::string merged =
      path.starts_with('/')
          ? std::string(path)
          : std::string(base_path.substr(0, base_path.rfind('/') + 1)) + std::string(path);
  url.target = remove_dot_segments(merged) + std::string(query);
  return url;
}

}  // namespace weighbridge::transport
