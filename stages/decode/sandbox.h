#pragma once

namespace lookalike {

// Leaves this process, and threads that it starts later, nothing but to compute and to use the
// descriptors that it has: system calls that open, connect, execute or signal fail (EPERM). False
// where the kernel or the processor has no such filter (seccomp(2)); then nothing has changed.
// Permanent.
bool confine_process();

}  // namespace lookalike
