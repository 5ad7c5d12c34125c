#include <array>

#include "reference/detail/flag.h"

namespace weighbridge::reference {
namespace {

Result<void> read_count(std::string_view text, std::size_t least, std::size_t most,
                        std::size_t& value) {
  WB_CHECK(read_number(text, value));
  if (value < least || value > most)
    return wrong(fmt::format("\"{}\" is not between {} and {}", text, least, most));
  return {};
}

Result<void> read_rate(std::string_view text, double most, double& value) {
  WB_CHECK(read_number(text, value));
  // Also refuses what is no number at all.
  if (!(value >= 0 && value <= most))
    return wrong(fmt::format("\"{}\" is not between 0 and {}", text, most));
  return {};
}

constexpr std::array kLimitFlags{
    Flag{"--verify", "",
         "Ask GitLab who a new credential is (user, version, scopes) before it is served; what "
         "GitLab does not know is answered 401. HTTP only",
         [](Given text, Options& options) { return read_bool(text, options.verify); }},
    Flag{"--max-http-clients", "N",
         "Credentials to keep; the least recently used one goes when there are more (1 to 10000). "
         "Default: 100",
         [](Given text, Options& options) {
           return read_count(*text, 1, 10'000, options.callers.most);
         }},
    Flag{"--pool-idle-timeout", "TIME",
         "Credentials that have not come for so long are forgotten. Default: 1h",
         [](Given text, Options& options) {
           return read_duration(*text, options.callers.idle_timeout);
         }},
    Flag{"--rate-limit-rps", "N",
         "tools/call and resources/read that one credential may make a second, and ten times as "
         "seldom tools/list (0 to 1000). Default: 0, any number",
         [](Given text, Options& options) {
           return read_rate(*text, 1000, options.callers.limit.rps);
         }},
    Flag{"--rate-limit-burst", "N", "The same at once (1 to 10000). Default: 40",
         [](Given text, Options& options) -> Result<void> {
           std::size_t burst = 0;
           WB_CHECK(read_count(*text, 1, 10'000, burst));
           options.callers.limit.burst = static_cast<double>(burst);
           options.callers.limit.told = true;
           return {};
         }},
    Flag{"--rate-limit-scope", "NAME",
         "credential: each has its own. process: all share one, so that a noisy caller starves the "
         "quiet. Default: credential",
         [](Given text, Options& options) -> Result<void> {
           if (*text != "credential" && *text != "process")
             return wrong(fmt::format("\"{}\" is neither credential nor process", *text));
           options.callers.limit.of_process = *text == "process";
           options.callers.limit.told = true;
           return {};
         }},
    Flag{"--rate-limit-listed", "RATE/BURST",
         "Tools that tools/list may list a second, and at once, for all callers together, while "
         "there is a rate limit. Default: 3000/48000",
         [](Given text, Options& options) -> Result<void> {
           const auto slash = text->find('/');
           if (slash == std::string_view::npos)
             return wrong(fmt::format("\"{}\" is no rate with a burst", *text), "Give 1000/10000");
           WB_CHECK(read_rate(text->substr(0, slash), 1e9, options.callers.limit.listed_rps));
           WB_CHECK(read_rate(text->substr(slash + 1), 1e9, options.callers.limit.listed_burst));
           options.callers.limit.told = true;
           return {};
         }},
    Flag{"--max-held-calls", "N",
         "Calls that may wait for GitLab at once; more are told that the server is busy. Default: "
         "(D - D/8 - 512) / 2 of the hard limit on descriptors",
         [](Given text, Options& options) {
           return read_count(*text, 1, 10'000'000, options.held_calls);
         }},
    Flag{"--max-sessions", "N", "Sessions at once. Default: half as many",
         [](Given text, Options& options) {
           return read_count(*text, 1, 10'000'000, options.sessions);
         }},
};

}  // namespace

std::span<const Flag> limit_flags() {
  return kLimitFlags;
}

}  // namespace weighbridge::reference
