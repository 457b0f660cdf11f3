"""Lists that come in pages."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from headwater.client.call import Call

Item = TypeVar("Item")
Page = TypeVar("Page")

PER_PAGE = 500


@dataclass(frozen=True)
class Pages(Generic[Page, Item]):
    """A list, all of whose pages are asked for, one after the other."""

    call: Call[Page]
    items: Callable[[Page], list[Item]]

    def page(self, offset: int, limit: int = PER_PAGE) -> Call[Page]:
        return replace(self.call, params={**self.call.params, "limit": limit, "offset": offset})
