#include "transport/openssl_tls.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <utility>

#include "transport/detail/certificate.h"
#include "transport/detail/proxy_tunnel.h"
#include "transport/detail/socket_bio.h"

namespace weighbridge::transport {
namespace {

using detail::Ssl;

struct ContextDeleter {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using Context = std::unique_ptr<SSL_CTX, ContextDeleter>;

class OpensslStream final : public SecureStream {
 public:
  OpensslStream(Ssl ssl, std::string server, std::optional<detail::ProxyTunnel> tunnel)
      : ssl_(std::move(ssl)), server_(std::move(server)), tunnel_(std::move(tunnel)) {
    SSL_set_app_data(ssl_.get(), &refused_);
  }

  Step open() override {
    if (tunnel_) {
      const Step step = tunnel_->open(error_);
      if (step != Step::done) return step;
      tunnel_.reset();
    }
    ERR_clear_error();
    const int result = SSL_connect(ssl_.get());
    if (result == 1) return Step::done;
    const Step step = step_of(result);
    if (step == Step::ended || step == Step::failed) error_ = why_not_open(step);
    return step;
  }

  Step read(char* into, std::size_t size, std::size_t& count) override {
    ERR_clear_error();
    const int result = SSL_read_ex(ssl_.get(), into, size, &count);
    return result == 1 ? Step::done : settle(step_of(result));
  }

  Step write(std::string_view bytes, std::size_t& count) override {
    ERR_clear_error();
    const int result = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &count);
    return result == 1 ? Step::done : settle(step_of(result));
  }

  void say_goodbye() override {
    if (SSL_is_init_finished(ssl_.get()) == 0) return;
    ERR_clear_error();
    (void)SSL_shutdown(ssl_.get());  // one way; what the peer says to it, nobody waits for
  }

  [[nodiscard]] const Error& error() const override { return error_; }

 private:
  Step step_of(int result) const {
    switch (SSL_get_error(ssl_.get(), result)) {
      case SSL_ERROR_WANT_READ:
        return Step::want_read;
      case SSL_ERROR_WANT_WRITE:
        return Step::want_write;
      case SSL_ERROR_ZERO_RETURN:
        return Step::ended;
      default:
        return Step::failed;
    }
  }

  Step settle(Step step) {
    if (step == Step::failed)
      error_ = {
          ErrorCode::closed, fmt::format("{} broke off TLS: {}", server_, reason()), {}, {}, 0};
    return step;
  }

  static std::string reason() {
    const char* const words = ERR_reason_error_string(ERR_peek_error());
    return words != nullptr ? words : "the connection was reset";
  }

  [[nodiscard]] Error why_not_open(Step step) const {
    if (auto refused = detail::why_refused(ssl_.get(), refused_, server_))
      return *std::move(refused);
    const unsigned long code = ERR_peek_error();
    const int why = ERR_GET_REASON(code);
    const std::string plain = "If it speaks plain HTTP, write http:// in the URL";
    if (code != 0 && (why == SSL_R_WRONG_VERSION_NUMBER || why == SSL_R_HTTP_REQUEST ||
                      why == SSL_R_PACKET_LENGTH_TOO_LONG))
      return {ErrorCode::malformed, fmt::format("{} does not speak TLS", server_), {}, plain, 0};
    if (step == Step::ended || code == 0)
      return {ErrorCode::closed,
              fmt::format("{} closed the connection amid the TLS handshake", server_),
              {},
              plain,
              0};
    return {ErrorCode::target, fmt::format("no TLS with {}: {}", server_, reason()), {}, {}, 0};
  }

  Ssl ssl_;
  std::string server_;  // for messages
  std::optional<detail::ProxyTunnel> tunnel_;
  Error error_;
  detail::Refused refused_;
};

bool is_address(const std::string& host) {
  return host.find(':') != std::string::npos ||
         host.find_first_not_of("0123456789.") == std::string::npos;
}

class OpensslTls final : public Tls {
 public:
  explicit OpensslTls(Context context) : context_(std::move(context)) {}

  [[nodiscard]] std::unique_ptr<SecureStream> over(int socket, const Url& server,
                                                   bool through_proxy) const override {
    Ssl ssl(SSL_new(context_.get()));
    BIO* const bio = detail::socket_bio(socket);
    SSL_set_bio(ssl.get(), bio, bio);
    // A name is sent along (SNI) and checked; an address is only checked.
    if (is_address(server.host)) {
      X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl.get()), server.host.c_str());
    } else {
      SSL_set_tlsext_host_name(ssl.get(), server.host.c_str());
      SSL_set1_host(ssl.get(), server.host.c_str());
    }
    std::optional<detail::ProxyTunnel> tunnel;
    if (through_proxy) tunnel.emplace(socket, server);
    return std::make_unique<OpensslStream>(std::move(ssl), server.authority(), std::move(tunnel));
  }

 private:
  Context context_;
};

}  // namespace

Result<std::shared_ptr<const Tls>> open_tls(const TlsOptions& options) {
  Context context(SSL_CTX_new(TLS_client_method()));
  if (!context) return fail(ErrorCode::system, "OpenSSL cannot be set up");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  // As send() does: what was taken is told, and the rest may come from elsewhere.
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                      SSL_MODE_RELEASE_BUFFERS);
  // Many servers hang up without the farewell that TLS asks for. HTTP's own framing tells whether a
  // reply was whole.
  SSL_CTX_set_options(context.get(), SSL_OP_IGNORE_UNEXPECTED_EOF);
  static constexpr unsigned char kHttp11[] = "\x08http/1.1";
  SSL_CTX_set_alpn_protos(context.get(), kHttp11, sizeof kHttp11 - 1);
  if (!options.insecure) {
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, detail::keep_refused);
    SSL_CTX_set_default_verify_paths(context.get());
  }
  if (!options.ca_file.empty() &&
      SSL_CTX_load_verify_locations(context.get(), options.ca_file.c_str(), nullptr) != 1)
    return fail(ErrorCode::plan, "no certificate can be read from the file of authorities",
                options.ca_file, "Name a PEM file: it begins with -----BEGIN CERTIFICATE-----");
  return std::make_shared<const OpensslTls>(std::move(context));
}

}  // namespace weighbridge::transport
