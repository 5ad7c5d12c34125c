#include "reference/event_stream.h"

#include <gtest/gtest.h>

#include "recorder.h"
#include "reference/session_streams.h"

namespace weighbridge::reference {
namespace {

using testing::ReplyRecorder;

std::shared_ptr<ReplyRecorder> attach(EventStream& stream, std::uint64_t after = 0) {
  auto reply = std::make_shared<ReplyRecorder>();
  stream.attach(reply, after);
  return reply;
}

TEST(EventStream, IsPlainWithoutANumber) {
  const auto stream = std::make_shared<EventStream>();
  const auto reply = attach(*stream);
  stream->send(std::string("{}"));
  stream->finish();
  EXPECT_EQ(reply->text, "event: message\ndata: {}\n\n");
  EXPECT_TRUE(reply->ended);
}

TEST(EventStream, BeginsWithAnEventThatHasAnIdAndNoData) {
  const auto stream = std::make_shared<EventStream>(3, true);
  const auto reply = attach(*stream);
  EXPECT_EQ(reply->text, "id: 3-0\nretry: 500\ndata: \n\n");
  EXPECT_EQ(attach(*std::make_shared<EventStream>(3, false))->text, "")
      << "clients before 2025-11-25 would take it for a message";
}

TEST(EventStream, SendsWhatWasMissedAndThenGoesOn) {
  const auto stream = std::make_shared<EventStream>(1, false);
  const auto first = attach(*stream);
  stream->send(std::string("1"));
  stream->let_go();
  EXPECT_TRUE(first->ended);
  stream->send(std::string("2"));
  const auto second = attach(*stream, 1);
  EXPECT_EQ(second->text, "id: 1-2\nevent: message\ndata: 2\n\n");
  stream->send(std::string("3"));
  EXPECT_TRUE(second->text.ends_with("id: 1-3\nevent: message\ndata: 3\n\n"));
}

TEST(EventStream, EndsAtOnceForWhoComesBackAfterTheLastEvent) {
  const auto stream = std::make_shared<EventStream>(1, false);
  stream->send(std::string("1"));
  stream->finish();
  const auto reply = attach(*stream, 0);
  EXPECT_EQ(reply->text, "id: 1-1\nevent: message\ndata: 1\n\n");
  EXPECT_TRUE(reply->ended);
}

TEST(EventStream, GoesToTheNewestConnectionOnly) {
  const auto stream = std::make_shared<EventStream>(1, false);
  const auto old = attach(*stream);
  const auto now = attach(*stream);
  EXPECT_TRUE(old->ended);
  old->leave();
  stream->send(std::string("1"));
  EXPECT_EQ(old->text, "");
  EXPECT_NE(now->text, "") << "the old one's going must not take the new one with it";
}

TEST(EventStream, NoticesThatItsClientHasGone) {
  const auto stream = std::make_shared<EventStream>();
  int lost = 0;
  stream->on_lost([&] { ++lost; });
  const auto reply = attach(*stream);
  reply->leave();
  EXPECT_EQ(lost, 1);
  EXPECT_FALSE(stream->attached());
  stream->send(std::string("1"));
  EXPECT_EQ(reply->text, "");
}

TEST(EventStream, KeepsABoundedPastForAClientThatDoesNotComeBack) {
  const auto stream = std::make_shared<EventStream>(1, false);
  for (int i = 0; i < 300; ++i) stream->send(std::string("x"));
  EXPECT_FALSE(stream->can_resume_after(0));
  EXPECT_TRUE(stream->can_resume_after(299));
  EXPECT_FALSE(stream->can_resume_after(301)) << "that has not been yet";
  stream->send(std::string(2 << 20, 'x'));
  EXPECT_FALSE(stream->can_resume_after(299));
  EXPECT_TRUE(stream->can_resume_after(300)) << "the newest is kept whatever its size";
}

TEST(EventIds, AreReadOnlyWhenTheyAreOurs) {
  const auto at = EventStream::read_id("12-34");
  ASSERT_TRUE(at);
  EXPECT_EQ(at->stream, 12U);
  EXPECT_EQ(at->event, 34U);
  for (const auto* foreign : {"", "-", "1", "1-", "-1", "0-1", "a-1", "1-b", "1-2-3", " 1-2",
                              "99999999999999999999-1", "e3b0c442-98fc-1c14"})
    EXPECT_FALSE(EventStream::read_id(foreign)) << foreign;
}

TEST(SessionStreams, ForgetTheOldestOfMany) {
  SessionStreams streams;
  for (int i = 0; i < 17; ++i) streams.open(false);
  EXPECT_EQ(streams.find(1), nullptr);
  EXPECT_NE(streams.find(2), nullptr);
  EXPECT_EQ(streams.find(18), nullptr);
  streams.standing = std::make_shared<EventStream>(99, false);
  EXPECT_EQ(streams.find(99), streams.standing);
}

}  // namespace
}  // namespace weighbridge::reference
