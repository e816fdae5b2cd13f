"""Runs cases and judges the answers."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from security.cases import Case, Judge, Operation, arguments, cases_of
from security.people import PEOPLE, Person
from security.world import World


@dataclass
class Report:
    cases: int = 0
    failures: list[str] = field(default_factory=list)
    idle: list[str] = field(default_factory=list)
    """Operations that gave nobody a result, so that their refusals prove nothing."""


def everything(case: Case) -> bool:
    """Selects all cases."""
    return True


def one_in(n: int) -> Callable[[Case], bool]:
    """Selects one in `n` cases, and all cases of owners and officers in their own matters, so that every operation works once."""

    def wanted(case: Case) -> bool:
        own = case.person.name in ("owner", "conflicts officer", "tenant admin") and set(case.places.values()) <= {"main"}
        return own or not case.places or any_in(n)(case)

    return wanted


def any_in(n: int) -> Callable[[Case], bool]:
    """Selects one in `n` cases, always the same ones."""
    return lambda case: zlib.crc32(str(case).encode()) % n == 0


async def run(
    world: World,
    operations: Iterable[Operation],
    *,
    people: Iterable[Person] = PEOPLE,
    wanted: Callable[[Case], bool] = everything,
    first_failure: bool = False,
) -> Report:
    """`wanted`: selects cases. `first_failure`: stop at the first failure."""
    judge, report = Judge(world), Report()
    people, operations = list(people), list(operations)
    for operation in operations:
        for person in people:
            for case in filter(wanted, cases_of(operation, person)):
                report.cases += 1
                verdict = judge.verdict(case, await operation.invoke(person, arguments(world, case)))
                if verdict is not None:
                    report.failures.append(f"{case} {verdict}")
                    if first_failure:
                        return report
    report.idle = sorted({o.name for o in operations} - {title.partition("(")[0] for title in judge.worked})
    return report
