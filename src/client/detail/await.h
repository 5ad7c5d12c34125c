#pragma once

#include <functional>

#include "client/session.h"

namespace weighbridge::client::detail {

/// Begins something that answers exactly once and runs the poller until it has. An interrupt ends
/// the wait at once: the reply then carries ErrorCode::interrupted, and the real one, when it
/// comes, is dropped.
Reply await(os::Poller& poller, Instant deadline,
            const std::function<void(Session::OnReply)>& begin);

/// Answers a call that cannot be sent any more, from within the poller as every call is answered.
void refuse_later(os::Poller& poller, std::string id, const Error& why, Session::OnReply on_reply);

}  // namespace weighbridge::client::detail
