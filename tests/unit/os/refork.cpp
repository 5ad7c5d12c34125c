// A target that does not want to be caught: every millisecond it forks, and the child goes on in a
// session of its own while the parent ends. Ends by itself after a minute.
//
//   refork PREFIX   each generation calls itself PREFIX-…, so that a test can find it
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <string>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  ::signal(SIGCHLD, SIG_IGN);
  ::signal(SIGTERM, SIG_IGN);
  ::prctl(PR_SET_NAME, argv[1]);
  const timespec millisecond{.tv_sec = 0, .tv_nsec = 1'000'000};
  for (int generation = 0; generation < 60'000; ++generation) {
    const pid_t child = ::fork();
    if (child > 0) ::_exit(0);
    if (child == 0) ::setsid();
    ::nanosleep(&millisecond, nullptr);
  }
  return 0;
}
