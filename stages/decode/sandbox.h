#pragma once

namespace lookalike {

// Restricts this process, and threads that it starts later, to computing and to the descriptors
// that are open: system calls that open, connect, execute or signal fail (EPERM). Permanent. False,
// with nothing changed, where the kernel or the processor has no such filter (seccomp(2)).
bool confine_process();

}  // namespace lookalike
