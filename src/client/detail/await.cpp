#include "client/detail/await.h"

#include <memory>
#include <optional>

#include "os/interrupt.h"
#include "os/real_clock.h"

namespace weighbridge::client::detail {

Reply await(os::Poller& poller, Instant deadline,
            const std::function<void(Session::OnReply)>& begin) {
  // Shared, because after an interrupt the callback outlives this frame.
  const auto answer = std::make_shared<std::optional<Reply>>();
  begin([answer](Reply&& reply) { *answer = std::move(reply); });
  const auto over = [&] { return answer->has_value() || os::interrupted(); };
  // Not run_until: it stops at the deadline, and the reply comes at the latest with the deadline's
  // own timer, in the round behind it.
  while (!over()) poller.run_once(deadline);
  if (answer->has_value()) return std::move(**answer);
  Reply reply;
  reply.error =
      Error{ErrorCode::interrupted, "interrupted while waiting for the server", {}, {}, 0};
  return reply;
}

void refuse_later(os::Poller& poller, std::string id, const Error& why, Session::OnReply on_reply) {
  Reply reply;
  reply.id = std::move(id);
  reply.error = why;
  reply.sent = reply.done = os::now();
  poller.at(reply.done, [reply = std::move(reply), on_reply = std::move(on_reply)]() mutable {
    on_reply(std::move(reply));
  });
}

}  // namespace weighbridge::client::detail
