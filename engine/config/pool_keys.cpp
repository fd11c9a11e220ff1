// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/config/pool_keys.h"

namespace carryover {

std::int64_t pool_key_bytes(PoolKeys format, std::int64_t head_dim, int bytes_per_value) {
  switch (format) {
    case PoolKeys::Model:
      break;
    case PoolKeys::BFloat16:
      return head_dim * 2;
    case PoolKeys::Int8:
      return head_dim + 4;
  }
  return head_dim * bytes_per_value;
}

}  // namespace carryover
