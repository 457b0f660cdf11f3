"""Which clusters a server knows, and whether it may change anything there."""

import pytest

from headwater.connect.clusters import Clusters
from headwater.errors import BadRequest, NotAllowed, NotFound


def test_each_has_the_name_of_its_namespace() -> None:
    known = Clusters("east=http://a:8083, west=https://b", allowed=False)
    assert [each.name for each in known] == ["east", "west"]
    assert known.find("west").name == "west"


def test_one_without_a_name_has_the_watchers_default() -> None:
    assert Clusters("http://a:8083/?x=1", allowed=False).find("kafka-connect").name == "kafka-connect"


@pytest.mark.parametrize("setting", ["east", "east=", "=http://a", "east=a:8083", "east=ftp://a"])
def test_what_is_no_address_is_refused(setting: str) -> None:
    with pytest.raises(BadRequest, match="NAME=URL"):
        Clusters(setting, allowed=False)


def test_two_of_one_name_are_refused() -> None:
    with pytest.raises(BadRequest, match="two clusters are named 'a'"):
        Clusters("a=http://x,a=http://y", allowed=False)


def test_a_name_that_is_not_known_is_answered_with_those_that_are() -> None:
    with pytest.raises(NotFound, match="'east'"):
        Clusters("east=http://a", allowed=True).to_change("wets")
    with pytest.raises(NotFound, match="--connect"):
        Clusters("", allowed=True).find("any")


def test_nothing_may_be_changed_unless_it_is_allowed() -> None:
    with pytest.raises(NotAllowed, match="--operate"):
        Clusters("east=http://a", allowed=False).to_change("east")
    assert Clusters("east=http://a", allowed=True).to_change("east").name == "east"
