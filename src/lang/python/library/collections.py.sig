"""Containers. Written for floorplan; types only."""

from builtins import dict, list

_T = TypeVar("T")
_K = TypeVar("K")
_V = TypeVar("V")


class OrderedDict(dict[_K, _V]): ...


class defaultdict(dict[_K, _V]): ...


class Counter(dict[_K, _V]): ...


class ChainMap(dict[_K, _V]): ...


class deque(list[_T]):
    def popleft(self) -> _T: ...
