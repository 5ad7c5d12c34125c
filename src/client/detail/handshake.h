#pragma once

#include <string>

#include "client/session.h"
#include "protocol/client_session.h"

namespace weighbridge::client::detail {

/// Takes the answer to initialize: the server introduces itself, or the error says why not
/// (ErrorCode::target; closed and interrupted stay what they are). `where` names the server.
Result<void> settle_handshake(protocol::ClientSession& session, const Reply& reply, bool negotiable,
                              const std::string& where);

/// Why `reply` is no answer: ErrorCode::target (closed and interrupted stay what they are) with
/// `what` was asked and what came back, and the words a person needs next.
Error explain_reply(const Reply& reply, const std::string& what, const std::string& where);

/// The URL for error messages: without its query, which may carry a credential.
std::string name_of(const transport::Url& url);

ServerIdentity identity_of(const protocol::Introduction& introduction);

}  // namespace weighbridge::client::detail
