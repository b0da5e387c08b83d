"""A table of named plug-ins: refuses duplicates, explains unknown names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

from madm2.errors import unknown_name

T = TypeVar("T")


class Registry(Generic[T]):
    """Named entries of one kind (pruner, method, engine, dataset)."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._entries: dict[str, T] = {}

    def add(self, name: str, entry: T) -> T:
        """Register an entry; a second one of the same name is a programming error."""
        if name in self._entries:
            raise ValueError(f"{self.kind} {name!r} is registered twice")
        self._entries[name] = entry
        return entry

    def __getitem__(self, name: str) -> T:
        """Look an entry up; UserError with the valid names when there is none."""
        if name not in self._entries:
            raise unknown_name(self.kind, name, self._entries)
        return self._entries[name]

    def __contains__(self, name: object) -> bool:
        """Whether the name is registered."""
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        """Names in order of registration."""
        return iter(self._entries)
