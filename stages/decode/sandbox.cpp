#include "stages/decode/sandbox.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <vector>

namespace lookalike {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr unsigned kArchitecture = 0;  // sanitizers need more calls
#elif defined(__x86_64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr unsigned kArchitecture = 0;
#endif

// What computing takes: memory, threads, clocks, and reading and writing open descriptors.
constexpr std::array kAllowed = {
    SYS_brk,
    SYS_mmap,
    SYS_munmap,
    SYS_mremap,
    SYS_mprotect,
    SYS_madvise,  //
    SYS_memfd_create,
    SYS_ftruncate,
    SYS_read,
    SYS_write,
    SYS_pread64,
    SYS_readv,
    SYS_writev,  //
    SYS_lseek,
    SYS_close,
    SYS_fstat,
    SYS_fcntl,
    SYS_dup,
    SYS_sendmsg,
    SYS_recvmsg,
    SYS_ppoll,  //
    SYS_futex,
    SYS_set_robust_list,
    SYS_rseq,
    SYS_set_tid_address,
    SYS_sched_yield,  //
    SYS_sched_getaffinity,
    SYS_sched_getparam,
    SYS_sched_getscheduler,
    SYS_getcpu,  //
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,  //
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_gettimeofday,  //
    SYS_getrandom,
    SYS_getpid,
    SYS_gettid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getrusage,
    SYS_sysinfo,  //
    SYS_uname,
    SYS_exit,
    SYS_exit_group,
    SYS_restart_syscall,
#ifdef SYS_poll
    SYS_poll,
#endif
#ifdef SYS_time
    SYS_time,
#endif
#ifdef SYS_arch_prctl
    SYS_arch_prctl,
#endif
};

// Builds the filter: a program of the kernel's classic BPF, whose input is seccomp_data.
class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    unless_equal(kArchitecture, SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
    for (const long call : kAllowed) if_equal(static_cast<unsigned>(call), SECCOMP_RET_ALLOW);
    // The C library falls back to clone(), whose flags can be examined.
    if_equal(SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
    // Threads, not processes.
    steps_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3));
    load(offsetof(seccomp_data, args));
    steps_.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1));
    give(SECCOMP_RET_ALLOW);
    give(SECCOMP_RET_ERRNO | EPERM);
  }

  bool apply() {
    sock_fprog program{.len = static_cast<unsigned short>(steps_.size()), .filter = steps_.data()};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  }

 private:
  void load(std::size_t place) {
    steps_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(place)));
  }
  void give(unsigned result) { steps_.push_back(BPF_STMT(BPF_RET | BPF_K, result)); }
  void if_equal(unsigned value, unsigned result) {
    steps_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
    give(result);
  }
  void unless_equal(unsigned value, unsigned result) {
    steps_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0));
    give(result);
  }

  std::vector<sock_filter> steps_;
};

}  // namespace

bool confine_process() {
  return kArchitecture != 0 && Filter().apply();
}

}  // namespace lookalike
