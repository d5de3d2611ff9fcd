"""The page of languages says honestly who has read the texts."""

from __future__ import annotations

from pathlib import Path

from helpers.hub_served import Served

from flagfall.base.words import all_words
from hub.desk.accounts import Role


async def test_everybody_sees_which_languages_nobody_has_read(tmp_path: Path) -> None:
    served = Served(tmp_path)
    async with served:
        looker, _ = await served.entered(Role.VIEWER)
        assert 'href="/desk/languages"' in (await looker.get("/desk")).text
        page = (await looker.get("/desk/languages")).text
    catalogues = all_words().values()
    assert all(catalogue.own_name in page for catalogue in catalogues)
    assert page.count("not yet") == sum(catalogue.is_unreviewed for catalogue in catalogues) > 0
