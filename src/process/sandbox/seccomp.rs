//! System calls that a confined command is refused.
//!
//! A filter sees numbers and not what pointers point at, so what depends on a path is Landlock's or a mount's. Calls that
//! are refused fail like a missing permission; a program of another architecture is ended.

use std::collections::BTreeMap;

use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};

use super::{Confinement, Metadata};

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Added to a number of a system call, it names the same call of a second calling convention.
#[cfg(target_arch = "x86_64")]
const X32: i64 = 0x4000_0000;

/// Calls that make a socket which leads anywhere, or make one without a call of their own.
const SOCKETS: [i64; 6] = [
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];
/// The kinds of a socket pair whose ends can be led elsewhere: datagrams, and what the kernel makes datagrams of.
const LOOSE_PAIRS: [i32; 2] = [libc::SOCK_DGRAM, libc::SOCK_RAW];
/// The bits of a socket's kind without its flags.
const SOCKET_KIND: u64 = 0xf;

/// Calls that change the rights, owner, times or attributes of a file. Numbers are of calls that are younger than the
/// bindings; they are the same on every architecture.
const METADATA: &[i64] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SETXATTRAT,
    REMOVEXATTRAT,
    FILE_SETATTR,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
];
const FCHMODAT2: i64 = 452;
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;
const FILE_SETATTR: i64 = 469;

/// Requests to a file that change its attributes: `FS_IOC_SETFLAGS`, its form of 32 bits, and `FS_IOC_FSSETXATTR`.
const ATTRIBUTE_REQUESTS: [u64; 3] = [0x4008_6602, 0x4004_6602, 0x401c_5820];

/// Calls by which a command that only reads would look into other processes, leave its place, or execute what no rule
/// about files can speak of.
const APART: &[i64] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_memfd_create,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
];

/// Calls by which a command with the rights to would take mounts back that keep something, or open files past them.
/// Landlock refuses the older ones and knows nothing of these.
const MOUNTING: &[i64] = &[
    libc::SYS_mount_setattr,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    OPEN_TREE_ATTR,
    libc::SYS_open_by_handle_at,
];
const OPEN_TREE_ATTR: i64 = 467;

/// Refuses what the confinement forbids to this thread and what it starts.
pub(super) fn refuse(confinement: &Confinement) -> Result<(), seccompiler::Error> {
    let mut rules = Rules::new();
    if !confinement.network {
        refuse_sockets(&mut rules)?;
    }
    if confinement.metadata == Metadata::Refused {
        rules.extend(always(METADATA));
        for request in ATTRIBUTE_REQUESTS {
            let rule = when(1, SeccompCmpOp::Eq, request)?;
            rules.entry(libc::SYS_ioctl).or_default().push(rule);
        }
    }
    if confinement.is_reading() {
        rules.extend(always(APART));
    }
    rules.extend(always(MOUNTING));
    // A limit, of processor time above all, ends a process. Of itself a command asks for them as process 0.
    let of_others = when(0, SeccompCmpOp::Ne, 0)?;
    rules.insert(libc::SYS_prlimit64, vec![of_others]);
    #[cfg(target_arch = "x86_64")]
    for (call, rules_of_call) in rules.clone() {
        rules.insert(call | X32, rules_of_call);
    }
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let refusal = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refusal, arch)?;
    seccompiler::apply_filter(&BpfProgram::try_from(filter)?)
}

fn refuse_sockets(rules: &mut Rules) -> Result<(), seccompiler::Error> {
    rules.extend(always(&SOCKETS));
    let pairs = LOOSE_PAIRS
        .into_iter()
        .map(|kind| when(1, SeccompCmpOp::MaskedEq(SOCKET_KIND), kind.unsigned_abs().into()));
    rules.insert(libc::SYS_socketpair, pairs.collect::<Result<_, _>>()?);
    Ok(())
}

fn always(calls: &[i64]) -> impl Iterator<Item = (i64, Vec<SeccompRule>)> {
    calls.iter().map(|call| (*call, Vec::new()))
}

fn when(argument: u8, is: SeccompCmpOp, value: u64) -> Result<SeccompRule, seccompiler::Error> {
    let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, is, value)?;
    Ok(SeccompRule::new(vec![condition])?)
}
