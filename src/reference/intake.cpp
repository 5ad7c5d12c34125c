#include "reference/intake.h"

#include <memory>
#include <utility>
#include <vector>

#include "reference/refusals.h"

namespace weighbridge::reference {
namespace {

using protocol::ClientMessage;
using protocol::Era;
using protocol::Refusal;

Handled refusal(std::string_view id, const Refusal& why) {
  return {.answered = true, .http_status = why.http_status, .body = Service::refuse(id, why).body};
}

Refusal bad_request(std::int64_t code, std::string message) {
  return {.code = code, .message = std::move(message), .data = {}, .http_status = 400};
}

const Era* negotiated_by(const Intake::Context& context) {
  return context.asker.conversation ? context.asker.conversation->era : nullptr;
}

/// Batches belong to 2025-03-26, which is also what a missing version header stands for.
bool may_batch(const Intake::Context& context) {
  if (const auto* const negotiated = negotiated_by(context)) return negotiated->batches;
  if (context.headers == nullptr) return false;
  const Era* const named =
      context.headers->version ? protocol::find_era(*context.headers->version) : nullptr;
  return named != nullptr ? named->batches : !context.headers->version;
}

/// Waits for the answers of a batch and joins them.
class Batch {
 public:
  Batch(std::size_t messages, Intake::Done done) : waiting_(messages), done_(std::move(done)) {}

  void add(Handled handled) {
    if (handled.answered) answers_.push_back(std::move(handled.body));
    if (--waiting_ > 0) return;
    Handled all{.answered = !answers_.empty(), .http_status = 200, .body = {}};
    for (const auto& answer : answers_) {
      all.body.add(std::string(&answer == &answers_.front() ? "[" : ","));
      for (const auto& piece : answer.pieces()) all.body.add(piece);
    }
    if (all.answered) all.body.add(std::string("]"));
    done_(std::move(all));
  }

 private:
  std::size_t waiting_;
  std::vector<transport::Body> answers_;
  Intake::Done done_;
};

}  // namespace

void Intake::take(std::string_view text, const Context& context, Done done) {
  const auto input = reader_.read(text);
  if (!input) {
    service_.stats().refused();
    return done(refusal("null", bad_request(protocol::kParseError, input.error().what)));
  }
  if (!(*input)->batch) return take_one((*input)->messages.front(), context, std::move(done));
  if (may_batch(context)) return take_batch(**input, context, std::move(done));
  service_.stats().refused();
  done(refusal("null", bad_request(protocol::kInvalidRequest,
                                   "batches are not part of this protocol version")));
}

void Intake::take_batch(const protocol::ClientInput& input, const Context& context, Done done) {
  const auto batch = std::make_shared<Batch>(input.messages.size(), std::move(done));
  for (const auto& message : input.messages) {
    if (message.method == "initialize") {
      service_.stats().refused();
      batch->add(refusal(message.id, bad_request(protocol::kInvalidRequest,
                                                 "initialize must not be part of a batch")));
      continue;
    }
    take_one(message, context, [batch](Handled handled) { batch->add(std::move(handled)); });
  }
}

void Intake::take_one(const ClientMessage& message, const Context& context, Done done) {
  auto& stats = service_.stats();
  if (message.kind == ClientMessage::Kind::invalid) {
    stats.refused();
    return done(
        refusal(message.id, bad_request(protocol::kInvalidRequest,
                                        "this is no request: " + std::string(message.trouble))));
  }
  if (message.kind == ClientMessage::Kind::response) {
    auto* const dialogue = service_.dialogue();
    if (dialogue == nullptr || !dialogue->take_response(message, context.asker.conversation.get()))
      ++stats.responses;
    return done({});
  }
  const auto chosen =
      protocol::route(message, context.headers, negotiated_by(context), service_.features());
  if (message.kind == ClientMessage::Kind::notification) {
    ++stats.notifications;
    if (chosen.refusal) return done(refusal("null", *chosen.refusal));
    simdjson::dom::element id;
    if (message.method == "notifications/cancelled" && context.on_cancelled && message.has_params &&
        message.params["requestId"].get(id) == simdjson::SUCCESS)
      context.on_cancelled(simdjson::minify(id));
    return done({});
  }
  if (chosen.refusal) {
    stats.request_began();
    stats.request_ended(message.method, Ending::error);
    return done(refusal(message.id, *chosen.refusal));
  }
  if (context.needs_session && chosen.era->handshake && message.method != "initialize") {
    stats.refused();
    return done(refusal(message.id, bad_request(protocol::kInvalidRequest,
                                                "the header Mcp-Session-Id is missing")));
  }
  take_request(message, *chosen.era, context, std::move(done));
}

void Intake::take_request(const ClientMessage& message, const Era& era, const Context& context,
                          Done done) {
  const Era* serving = &era;
  if (context.headers != nullptr && era.method_headers && service_.dialogue() != nullptr)
    if (const auto why = Dialogue::check_headers(message, *context.headers)) {
      service_.stats().request_began();
      service_.stats().request_ended(message.method, Ending::error);
      return done(refusal(message.id, *why));
    }
  if (message.method == "initialize") {
    if (context.asker.conversation) {
      service_.stats().request_began();
      service_.stats().request_ended(message.method, Ending::error);
      return done(
          refusal(message.id, bad_request(protocol::kInvalidRequest, "initialized already")));
    }
    if (context.sessions_full) {
      service_.stats().request_began();
      service_.stats().request_ended(message.method, Ending::refused);
      ++service_.stats().limits.busy;
      return done(refusal(message.id, busy_refusal()));
    }
    serving = &protocol::negotiate(message.text_param("protocolVersion"));
    const auto opened = std::make_shared<Conversation>(
        Conversation{.era = serving, .abilities = protocol::declared_abilities(message)});
    if (context.on_initialize) context.on_initialize(opened);
    if (service_.dialogue() != nullptr) service_.dialogue()->opened(opened);
  }
  const auto ticket =
      service_.serve(message, *serving, context.asker, [done = std::move(done)](Reply reply) {
        done({.answered = true, .http_status = reply.http_status, .body = std::move(reply.body)});
      });
  if (ticket != 0 && context.on_pending) context.on_pending(message.id, ticket);
}

}  // namespace weighbridge::reference
