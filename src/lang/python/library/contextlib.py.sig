"""Context managers. Written for floorplan; types only."""

from typing import Generic

_T = TypeVar("_T")


class closing(Generic[_T]):
    def __init__(self, thing: _T): ...
    def __enter__(self) -> _T: ...


class nullcontext(Generic[_T]):
    def __init__(self, thing: _T = None): ...
    def __enter__(self) -> _T: ...


class ExitStack:
    def enter_context(self, thing: AbstractContextManager[_T]) -> _T: ...


class AbstractContextManager(Generic[_T]):
    def __enter__(self) -> _T: ...
