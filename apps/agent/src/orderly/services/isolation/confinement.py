"""What a child process may reach: on Linux, programs and temporary files to read, and nothing to write or to connect to.

Landlock (landlock(7)) limits files, TCP and, on newer kernels, signals, and keeps the memory of other processes out of reach.
A filter of system calls (seccomp(2)) refuses what Landlock does not cover: sockets, as that of the database; owners, modes,
times and attributes of files; limits of other processes; and what older kernels lack, truncation of files and signals.
"""

from __future__ import annotations

import ctypes
import mimetypes
import os
import platform
import struct
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1
_PATH_BENEATH = 1
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 38, 22, 2

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_FILE_RIGHTS_BY_VERSION = {1: 13, 2: 14, 3: 15, 4: 15}
"""Number of rights on files that a version of Landlock knows; all of them are refused where no rule gives them."""
_MOST_FILE_RIGHTS = 16
_TCP, _TCP_SINCE = 0b11, 4
_SIGNALS_AND_ABSTRACT_SOCKETS, _SCOPES_SINCE = 0b11, 6

_MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""Machine -> its name in a filter."""
_REFUSED_CALLS = {
    "x86_64": (
        *(41, 53),  # socket, socketpair
        *(90, 91, 268, 92, 93, 94, 260),  # chmod, fchmod, fchmodat, chown, fchown, lchown, fchownat
        *(132, 235, 261, 280),  # utime, utimes, futimesat, utimensat
        *(188, 189, 190, 197, 198, 199),  # setxattr, removexattr and their kin
        *(76, 200),  # truncate, tkill
    ),
    "aarch64": (
        *(198, 199),  # socket, socketpair
        *(52, 53, 54, 55),  # fchmod, fchmodat, fchownat, fchown
        88,  # utimensat
        *(5, 6, 7, 14, 15, 16),  # setxattr, removexattr and their kin
        *(45, 130),  # truncate, tkill
    ),
}
_REFUSED_EVERYWHERE = (
    425,  # io_uring_setup: could open sockets past the filter
    *(452, 463, 466, 469),  # fchmodat2, setxattrat, removexattrat, file_setattr
    424,  # pidfd_send_signal
)
_CALLS_ON_ITSELF = {"x86_64": (302, 62, 234, 129, 297), "aarch64": (261, 129, 131, 138, 240)}
"""Machine -> its numbers of prlimit64, kill, tgkill, rt_sigqueueinfo and rt_tgsigqueueinfo, which a process may call on itself:
the reader limits its own time, and abort(3) ends it.
"""
_X32_CALLS = 0x40000000
_LOAD, _JUMP_IF_EQUAL, _JUMP_IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | 13  # EACCES
_MACHINE, _CALL, _FIRST_ARGUMENT = 4, 0, 16
"""Where they stand in what a filter reads; of the argument, the lower half, as process ids have 32 bits."""

_SYSTEM = (
    *("/usr", "/lib", "/lib32", "/lib64", "/bin", "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu"),
    *("/etc/ld.so.cache", "/etc/fonts", "/etc/localtime", "/dev/zero", "/dev/random", "/dev/urandom"),
)


class Unconfined(Exception):
    """The system does not offer the confinement; the text says what is missing."""


def confine_access(temporary: str) -> None:
    """Confines this process for good. It reads programs, and the files below `temporary` of which it is given the path.

    It cannot list `temporary`, where the folders of other files have names that cannot be guessed.

    Raises Unconfined or OSError, after which a part of the confinement may apply.
    """
    if sys.platform != "linux":
        raise Unconfined("it needs Linux")
    if len(os.listdir("/proc/self/task")) > 1:
        raise Unconfined("other threads of the process are running")
    libc = ctypes.CDLL(None, use_errno=True)
    _refuse_files(libc, temporary)
    _refuse_calls(libc)


def _refuse_files(libc: ctypes.CDLL, temporary: str) -> None:
    version = libc.syscall(_CREATE_RULESET, None, 0, _VERSION)
    if version < 1:
        raise Unconfined("the kernel has no Landlock")
    rights = (1 << _FILE_RIGHTS_BY_VERSION.get(version, _MOST_FILE_RIGHTS)) - 1
    refused = struct.pack(
        "=QQQ", rights, _TCP if version >= _TCP_SINCE else 0, _SIGNALS_AND_ABSTRACT_SOCKETS if version >= _SCOPES_SINCE else 0
    )
    rules = _checked(libc.syscall(_CREATE_RULESET, refused, len(refused), 0))
    for path, given in _readable(temporary):
        _allow(libc, rules, path, given)
    _checked(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _checked(libc.syscall(_RESTRICT_SELF, rules, 0))
    os.close(rules)


def _readable(temporary: str) -> Iterator[tuple[str, int]]:
    programs = (*_SYSTEM, *(str(path) for path in mimetypes.knownfiles), sys.prefix, sys.base_prefix, *sys.path)
    yield from ((path, _EXECUTE | _READ_FILE | _READ_DIR) for path in _existing(programs))
    yield temporary, _READ_FILE
    yield os.devnull, _READ_FILE | _WRITE_FILE  # Tesseract crashes where it cannot write its messages there


def _existing(paths: Iterable[str]) -> Iterator[str]:
    return (path for path in dict.fromkeys(paths) if path and Path(path).exists())


def _allow(libc: ctypes.CDLL, rules: int, path: str, rights: int) -> None:
    opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        given = rights if Path(path).is_dir() else rights & ~_READ_DIR
        _checked(libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, struct.pack("=Qi", given, opened), 0))
    finally:
        os.close(opened)


def _refuse_calls(libc: ctypes.CDLL) -> None:
    machine = platform.machine()
    if machine not in _MACHINES:
        raise Unconfined(f"system calls are not refused on {machine}")
    program = _program(_MACHINES[machine], (*_REFUSED_CALLS[machine], *_REFUSED_EVERYWHERE), _CALLS_ON_ITSELF[machine])
    steps = ctypes.create_string_buffer(b"".join(program))
    described = struct.pack("@HP", len(program), ctypes.addressof(steps))
    _checked(libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, described, 0, 0))


def _program(machine: int, refused: tuple[int, ...], on_itself: tuple[int, ...]) -> list[bytes]:
    """A filter that refuses calls, and some only where their first argument is neither 0 nor this process."""
    to_refusal = len(refused) + len(on_itself) + 4  # steps from the first comparison of the call
    return [
        _step(_LOAD, _MACHINE),
        _step(_JUMP_IF_EQUAL, machine, no=to_refusal + 2),
        _step(_LOAD, _CALL),
        _step(_JUMP_IF_AT_LEAST, _X32_CALLS, yes=to_refusal),
        *(_step(_JUMP_IF_EQUAL, call, yes=to_refusal - 1 - n) for n, call in enumerate(refused)),
        *(_step(_JUMP_IF_EQUAL, call, yes=len(on_itself) - n) for n, call in enumerate(on_itself)),
        _step(_RETURN, _ALLOW),
        _step(_LOAD, _FIRST_ARGUMENT),
        _step(_JUMP_IF_EQUAL, 0, yes=2),
        _step(_JUMP_IF_EQUAL, os.getpid(), yes=1),
        _step(_RETURN, _REFUSE),
        _step(_RETURN, _ALLOW),
    ]


def _step(code: int, value: int, *, yes: int = 0, no: int = 0) -> bytes:
    """An instruction of a filter. `yes`, `no`: steps to skip after a jump's comparison."""
    return struct.pack("=HBBI", code, yes, no, value)


def _checked(result: int) -> int:
    if result < 0:
        raise Unconfined(os.strerror(ctypes.get_errno()))
    return result
