#pragma once

#include "kernels/session/session.h"

namespace lookalike {

// Whether the matrix kernel works on the session's device: one of NVIDIA's that compiles its PTX
// and finds the right words. Tried once a session.
bool has_matrix_units(OpenClSession& session);

}  // namespace lookalike
