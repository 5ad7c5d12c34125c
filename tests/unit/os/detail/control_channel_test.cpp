#include "os/detail/control_channel.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

namespace weighbridge::os::detail {
namespace {

class ControlChannel : public testing::Test {
 protected:
  ControlChannel() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) std::abort();
    left = Fd(ends[0]);
    right = Fd(ends[1]);
  }
  Fd left;
  Fd right;
};

TEST_F(ControlChannel, CarriesEveryWordOfASpawn) {
  SpawnRequest request;
  request.argv = {"server", "", "with space", std::string(200'000, 'x')};
  request.environment = {"A=1", "EMPTY="};
  request.directory = "/srv";
  request.cpus = {0, 3};
  request.max_descriptors = 0;
  const auto words = unpack(pack(request).value());
  ASSERT_TRUE(words);
  EXPECT_EQ(words->argv, request.argv);
  EXPECT_EQ(words->environment, request.environment);
  EXPECT_EQ(words->directory, request.directory);
  EXPECT_EQ(words->cpus, request.cpus);
  EXPECT_EQ(words->max_descriptors, request.max_descriptors);
}

TEST_F(ControlChannel, RefusesWordsThatAreCutShort) {
  SpawnRequest request;
  request.argv = {"server"};
  const Fd whole = pack(request).value();
  const off_t size = ::lseek(whole.get(), 0, SEEK_END);
  for (off_t cut = 0; cut < size; ++cut) {
    const Fd part = pack(request).value();
    ASSERT_EQ(::ftruncate(part.get(), cut), 0);
    EXPECT_FALSE(unpack(part)) << cut;
  }
  EXPECT_FALSE(unpack(pack({}).value())) << "a command without words";
  EXPECT_FALSE(unpack(Fd()));
}

TEST_F(ControlChannel, CarriesDescriptorsCloseOnExec) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const Fd read(ends[0]);
  Fd write(ends[1]);
  ASSERT_TRUE(send_packet(left.get(), Request{.kind = RequestKind::spawn}, {write.get()}));
  write.reset();
  Request request;
  std::vector<Fd> descriptors;
  ASSERT_TRUE(receive_packet(right.get(), request, descriptors));
  EXPECT_EQ(request.kind, RequestKind::spawn);
  ASSERT_EQ(descriptors.size(), 1U);
  EXPECT_NE(::fcntl(descriptors[0].get(), F_GETFD) & FD_CLOEXEC, 0);
  ASSERT_EQ(::write(descriptors[0].get(), "x", 1), 1);
  char byte = 0;
  EXPECT_EQ(::read(read.get(), &byte, 1), 1);
}

TEST_F(ControlChannel, CutsTheTextOfAReplyToItsRoom) {
  Reply reply{.kind = ReplyKind::survivor};
  reply.set_text(std::string(5000, 'x'));
  ASSERT_TRUE(send_packet(left.get(), reply));
  Reply received;
  ASSERT_TRUE(receive_packet(right.get(), received));
  EXPECT_EQ(std::strlen(received.text.data()), received.text.size() - 1);
}

TEST_F(ControlChannel, SaysWhenTheOtherSideIsGone) {
  right.reset();
  Reply reply;
  EXPECT_FALSE(send_packet(left.get(), Request{.kind = RequestKind::hello}));
  EXPECT_FALSE(receive_packet(left.get(), reply));
}

}  // namespace
}  // namespace weighbridge::os::detail
