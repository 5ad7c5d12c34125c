#include "reference/verifier.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "os/real_clock.h"

namespace weighbridge::reference {
namespace {

constexpr int kUserStep = 0;
constexpr int kScopesStep = 2;

std::string_view target_of(int step, Credential::Kind kind) {
  if (step == kUserStep) return "/user";
  if (step < kScopesStep) return "/version";
  return kind == Credential::Kind::bearer ? "/oauth/token/info" : "/personal_access_tokens/self";
}

}  // namespace

Verifier::Verifier(os::Poller& poller, Upstream& upstream, LimitStats& stats)
    : poller_(poller), upstream_(upstream), stats_(stats), gate_(poller, kSlots, unseen_) {}

Verifier::~Verifier() {
  for (auto& [number, check] : checks_) {
    poller_.cancel(check.timer);
    upstream_.cancel(check.call);
  }
}

void Verifier::verify(const Credential& credential, CallerPool::OnStanding on_standing) {
  const auto number = next_++;
  auto& check = checks_[number];
  check.credential = credential;
  check.on_standing = std::move(on_standing);
  if (gate_.is_open()) return begin(number, gate_.enter());
  check.waiter =
      gate_.wait([this, number](CallGate::Place place) { begin(number, std::move(place)); });
  check.timer = poller_.at(os::now() + kWait, [this, number] {
    gate_.leave(checks_[number].waiter);
    finish(number, Standing::busy);
  });
}

void Verifier::begin(std::uint64_t number, CallGate::Place place) {
  auto& check = checks_[number];
  poller_.cancel(check.timer);
  check.place = std::move(place);
  stats_.most_probes = std::max(stats_.most_probes, ++asking_);
  ask(number);
}

void Verifier::ask(std::uint64_t number) {
  auto& check = checks_[number];
  const bool bearer = check.credential.kind == Credential::Kind::bearer;
  ++stats_.probes;
  check.call = upstream_.call(
      {.method = "GET",
       .target = std::string(target_of(check.step, check.credential.kind)),
       .content_type = {},
       .body = {},
       .beside_api = check.step == kScopesStep && bearer},
      check.credential,
      [this, number](const Result<UpstreamAnswer>& answer) { answered(number, answer); });
}

void Verifier::answered(std::uint64_t number, const Result<UpstreamAnswer>& answer) {
  auto& check = checks_[number];
  if (check.step == kUserStep && answer && (answer->status == 401 || answer->status == 403)) {
    --asking_;
    return finish(number, Standing::refused);
  }
  if (answer && check.step++ < kScopesStep) return ask(number);
  --asking_;
  finish(number, Standing::good);
}

void Verifier::finish(std::uint64_t number, Standing standing) {
  auto node = checks_.extract(number);
  node.mapped().on_standing(standing);
}

}  // namespace weighbridge::reference
