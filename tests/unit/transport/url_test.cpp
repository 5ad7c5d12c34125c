#include "transport/url.h"

#include <gtest/gtest.h>

namespace weighbridge::transport {
namespace {

TEST(Url, TakesAUrlApart) {
  const auto url = parse_url("http://127.0.0.1:8080/mcp?session=1");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->scheme, "http");
  EXPECT_EQ(url->host, "127.0.0.1");
  EXPECT_EQ(url->port, 8080);
  EXPECT_EQ(url->target, "/mcp?session=1");
  EXPECT_EQ(url->authority(), "127.0.0.1:8080");
}

TEST(Url, FillsInPortAndPath) {
  EXPECT_EQ(parse_url("http://example.org")->port, 80);
  EXPECT_EQ(parse_url("http://example.org")->target, "/");
  EXPECT_EQ(parse_url("HTTPS://example.org")->scheme, "https");
  EXPECT_EQ(parse_url("https://example.org")->port, 443);
  EXPECT_EQ(parse_url("http://example.org:/x")->port, 80);
  EXPECT_EQ(parse_url("http://example.org?q")->target, "/?q");
}

TEST(Url, LeavesTheDefaultPortOutOfTheAuthority) {
  EXPECT_EQ(parse_url("http://example.org:80/")->authority(), "example.org");
  EXPECT_EQ(parse_url("https://example.org:443/")->authority(), "example.org");
  EXPECT_EQ(parse_url("https://example.org:80/")->authority(), "example.org:80");
}

TEST(Url, BracketsIpv6OnlyInTheAuthority) {
  const auto url = parse_url("http://[::1]:3000/sse");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->host, "::1");
  EXPECT_EQ(url->port, 3000);
  EXPECT_EQ(url->authority(), "[::1]:3000");
}

TEST(Url, DropsTheFragment) {
  EXPECT_EQ(parse_url("http://a/b?c#d/e?f")->target, "/b?c");
  EXPECT_EQ(parse_url("http://a#d")->target, "/");
}

class RefusedUrl : public ::testing::TestWithParam<const char*> {};

TEST_P(RefusedUrl, IsAUsageError) {
  const auto url = parse_url(GetParam());
  ASSERT_FALSE(url) << GetParam();
  EXPECT_EQ(url.error().code, ErrorCode::usage);
  EXPECT_FALSE(url.error().what.empty());
}

INSTANTIATE_TEST_SUITE_P(, RefusedUrl,
                         ::testing::Values("", "127.0.0.1:8080", "/mcp", "ftp://a/", "http:/a",
                                           "http://", "http:///x", "http://:80/", "http://a:0/",
                                           "http://a:65536/", "http://a:x/", "http://a:1x/",
                                           "http://[::1/", "http://[::1]x/", "http://a b/",
                                           "http://a/b c", "http://a/\n",
                                           "http://127.0.0.1:{port}/mcp", "http://a/\xc3\xa4",
                                           "http://user@a/"));

TEST(Url, NeverQuotesACredentialBack) {
  const auto url = parse_url("http://user:hunter2@host/");
  ASSERT_FALSE(url);
  EXPECT_EQ(describe(url.error()).find("hunter2"), std::string::npos);
}

/// RFC 3986, 5.4.1 and 5.4.2, on the base http://a/b/c/d;p?q; only what keeps to http and leaves
/// fragments aside.
struct Example {
  const char* reference;
  const char* host;
  const char* target;
};
class Rfc3986 : public ::testing::TestWithParam<Example> {};

TEST_P(Rfc3986, ResolvesAsItsExamplesSay) {
  const auto base = parse_url("http://a/b/c/d;p?q");
  ASSERT_TRUE(base);
  const auto url = resolve(*base, GetParam().reference);
  ASSERT_TRUE(url) << GetParam().reference;
  EXPECT_EQ(url->host, GetParam().host) << GetParam().reference;
  EXPECT_EQ(url->target, GetParam().target) << GetParam().reference;
}

INSTANTIATE_TEST_SUITE_P(
    Normal, Rfc3986,
    ::testing::Values(Example{"g", "a", "/b/c/g"}, Example{"./g", "a", "/b/c/g"},
                      Example{"g/", "a", "/b/c/g/"}, Example{"/g", "a", "/g"},
                      Example{"//g", "g", "/"}, Example{"?y", "a", "/b/c/d;p?y"},
                      Example{"g?y", "a", "/b/c/g?y"}, Example{"#s", "a", "/b/c/d;p?q"},
                      Example{"g#s", "a", "/b/c/g"}, Example{"g?y#s", "a", "/b/c/g?y"},
                      Example{";x", "a", "/b/c/;x"}, Example{"g;x", "a", "/b/c/g;x"},
                      Example{"g;x?y#s", "a", "/b/c/g;x?y"}, Example{"", "a", "/b/c/d;p?q"},
                      Example{".", "a", "/b/c/"}, Example{"./", "a", "/b/c/"},
                      Example{"..", "a", "/b/"}, Example{"../", "a", "/b/"},
                      Example{"../g", "a", "/b/g"}, Example{"../..", "a", "/"},
                      Example{"../../", "a", "/"}, Example{"../../g", "a", "/g"}));

INSTANTIATE_TEST_SUITE_P(
    Abnormal, Rfc3986,
    ::testing::Values(Example{"../../../g", "a", "/g"}, Example{"../../../../g", "a", "/g"},
                      Example{"/./g", "a", "/g"}, Example{"/../g", "a", "/g"},
                      Example{"g.", "a", "/b/c/g."}, Example{".g", "a", "/b/c/.g"},
                      Example{"g..", "a", "/b/c/g.."}, Example{"..g", "a", "/b/c/..g"},
                      Example{"./../g", "a", "/b/g"}, Example{"./g/.", "a", "/b/c/g/"},
                      Example{"g/./h", "a", "/b/c/g/h"}, Example{"g/../h", "a", "/b/c/h"},
                      Example{"g;x=1/./y", "a", "/b/c/g;x=1/y"},
                      Example{"g;x=1/../y", "a", "/b/c/y"}, Example{"g?y/./x", "a", "/b/c/g?y/./x"},
                      Example{"g?y/../x", "a", "/b/c/g?y/../x"}));

TEST(Url, ResolvesAnotherServersAddressWithItsPort) {
  const auto url = resolve(*parse_url("http://a:1/sse"), "http://b:2/messages/../m?s=1");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->authority(), "b:2");
  EXPECT_EQ(url->target, "/m?s=1");
}

TEST(Url, KeepsThePortForAReferenceWithoutOne) {
  EXPECT_EQ(resolve(*parse_url("http://a:1/sse"), "/message?sessionId=2")->authority(), "a:1");
}

TEST(Url, RefusesAReferenceInAnotherScheme) {
  EXPECT_FALSE(resolve(*parse_url("http://a/"), "g:h"));
  EXPECT_FALSE(resolve(*parse_url("http://a/"), "mailto:x"));
  EXPECT_FALSE(resolve(*parse_url("http://a/"), "a b"));
}

}  // namespace
}  // namespace weighbridge::transport
