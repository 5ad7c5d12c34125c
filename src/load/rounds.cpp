#include "load/rounds.h"

#include <utility>

#include "os/real_clock.h"

namespace weighbridge::load {
namespace {

using protocol::Verdict;

void count_media(MediaTally& tally, client::Media media) {
  switch (media) {
    case client::Media::stdio:
      ++tally.stdio;
      break;
    case client::Media::json:
      ++tally.json;
      break;
    case client::Media::sse:
      ++tally.sse;
      break;
    case client::Media::none:
      break;
  }
}

void settle_call(Outcome& outcome, const RoundsSpec& spec, Instant due,
                 const client::Reply& reply) {
  Verdict verdict =
      protocol::judge(reply.facts(spec.call.method == "tools/call"), spec.expect, spec.refusals);
  CallRecord record;
  record.due = due;
  // A call that never reached the kernel was as late as its end.
  record.sent = reply.sent == Instant{} ? reply.done : reply.sent;
  record.done = reply.done;
  record.outcome = verdict.outcome;
  record.message_bytes = reply.message.size();
  record.wire_bytes = reply.wire_bytes;
  outcome.add(record, std::move(verdict.reason));
  count_media(outcome.media, reply.media);
}

}  // namespace

Outcome run_rounds(os::Poller& poller, std::span<client::Session* const> sessions,
                   const RoundsSpec& spec, const std::function<bool()>& stopped,
                   const std::function<void()>& on_call) {
  Outcome outcome;
  for (int round = 0; round < spec.rounds && !stopped(); ++round) {
    std::size_t open = 0;
    Instant last_done{};
    const Instant release = os::now();
    const Instant deadline = release + spec.call_timeout;
    for (client::Session* session : sessions) {
      for (int slot = 0; slot < spec.parallel; ++slot) {
        ++open;
        session->start(spec.call, deadline, [&, release](client::Reply&& reply) {
          settle_call(outcome, spec, release, reply);
          last_done = reply.done;
          --open;
          on_call();
        });
      }
    }
    // Every call ends by its deadline at the latest, as hung; the loop's own limit only guards
    // against a session that breaks this promise, and must not fire first.
    poller.run_until([&] { return open == 0; }, deadline + 1h);
    outcome.wall += last_done - release;
  }
  return outcome;
}

}  // namespace weighbridge::load
