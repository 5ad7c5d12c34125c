// A process that uses known amounts, word by word:
//
//   burn MS          spin until the clock of this thread has moved by MS
//   threads N MS     N threads that each burn MS
//   hold MIB         touch that much memory and keep it
//   peak MIB MS      the same, given back after MS
//   reap-nothing     ignore SIGCHLD
//   hide             become non-dumpable: /proc shows strangers less
//   start WORDS,…    run these words (with commas for spaces, and within them with plus signs) in a
//                    child, and do not wait for it
//   run WORDS,…      the same, and wait
//   listen N         listen on 127.0.0.1 and connect to it N times
//   say              write a line
//   hear             wait for a line
//   stay             wait to be killed
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

long long thread_nanoseconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

void burn(long long milliseconds) {
  const long long end = thread_nanoseconds() + milliseconds * 1'000'000;
  while (thread_nanoseconds() < end) {
  }
}

void* touch(std::size_t bytes) {
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::memset(memory, 1, bytes);
  return memory;
}

void peak(std::size_t mebibytes, int milliseconds) {
  void* const memory = touch(mebibytes << 20);
  ::usleep(static_cast<useconds_t>(milliseconds) * 1000);
  ::munmap(memory, mebibytes << 20);
}

void listen_and_connect(int connections) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), length) != 0) ::_exit(1);
  ::listen(listener, 128);
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length);
  for (int i = 0; i < connections; ++i) {
    const int client = ::socket(AF_INET, SOCK_STREAM, 0);
    if (::connect(client, reinterpret_cast<sockaddr*>(&address), length) != 0) ::_exit(1);
    if (::accept(listener, nullptr, nullptr) < 0) ::_exit(1);
  }
}

int perform(const std::vector<std::string>& words);

pid_t start(const std::string& script) {
  const char separator = script.find(',') != std::string::npos ? ',' : '+';
  std::vector<std::string> words{""};
  for (const char character : script) {
    if (character == separator)
      words.emplace_back();
    else
      words.back() += character;
  }
  const pid_t child = ::fork();
  if (child == 0) ::_exit(perform(words));
  return child;
}

int perform(const std::vector<std::string>& words) {
  std::size_t at = 0;
  const auto next = [&] { return words.at(at++); };
  const auto number = [&] { return std::stoi(next()); };
  while (at < words.size()) {
    const std::string word = next();
    if (word == "burn") {
      burn(number());
    } else if (word == "threads") {
      std::vector<std::thread> threads(static_cast<std::size_t>(number()));
      const int milliseconds = number();
      for (std::thread& each : threads) each = std::thread([=] { burn(milliseconds); });
      for (std::thread& each : threads) each.join();
    } else if (word == "hold") {
      touch(static_cast<std::size_t>(number()) << 20);
    } else if (word == "peak") {
      const int mebibytes = number();
      peak(static_cast<std::size_t>(mebibytes), number());
    } else if (word == "reap-nothing") {
      ::signal(SIGCHLD, SIG_IGN);
    } else if (word == "hide") {
      ::prctl(PR_SET_DUMPABLE, 0UL);
    } else if (word == "start") {
      start(next());
    } else if (word == "run") {
      ::waitpid(start(next()), nullptr, 0);
    } else if (word == "listen") {
      listen_and_connect(number());
    } else if (word == "say") {
      if (::write(STDOUT_FILENO, "\n", 1) != 1) return 1;
    } else if (word == "hear") {
      char byte = 0;
      while (::read(STDIN_FILENO, &byte, 1) == 1 && byte != '\n') {
      }
    } else if (word == "stay") {
      for (;;) ::pause();
    } else {
      return 2;
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return perform({argv + 1, argv + argc});
}
