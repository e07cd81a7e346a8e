// Hashes and signatures, by libcrypto.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weir_remote {

std::string sha256(std::string_view data);
std::string hmac_sha256(std::string_view key, std::string_view data);
std::string hex(std::string_view bytes);
std::string base64(std::string_view bytes);
// With - and _ and without padding, as in JSON web tokens.
std::string base64_url(std::string_view bytes);
// Nothing if `text` isn't base64.
std::optional<std::string> from_base64(std::string_view text);
// RSASSA-PKCS1-v1_5 with SHA-256 by a private key in PEM; nothing if the key can't be read.
std::optional<std::string> rsa_sha256(const std::string& pem, std::string_view data);

}  // namespace weir_remote
