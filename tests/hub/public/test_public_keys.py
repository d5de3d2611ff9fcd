"""The keys of the tables in public: on the page of all tables, as JSON and on slips."""

from __future__ import annotations

from pathlib import Path

from helpers.hub_files import tournament_file
from helpers.hub_served import Served

from flagfall.link.keys import fingerprint


def test_a_fingerprint_is_twelve_letters_of_the_keys_digest() -> None:
    # By hand: SHA-256 of 32 zero bytes begins 66687aadf862bd776c8fc18b8e9f8e20.
    assert fingerprint(bytes(32)) == "csm7-nbfr-cayq"


async def test_the_list_of_tables_and_slips_show_the_keys_from_the_first_round_on(tmp_path: Path) -> None:
    served = Served(tmp_path)
    async with served as client:
        identity = await served.enroll("t1", 1)
        await served.create("open", tournament_file(4))
        await served.run("publish-round")
        await served.run("start-round")
        key = fingerprint(identity.public)
        listed = (await client.get("/t/open/tables.json")).json()
        assert listed == {"tables": [{"table": 1, "device": "t1", "key": key}]}
        page, slips = [
            (await client.get(address)).text for address in ("/t/open/tables", "/print/open/slips")
        ]
        assert page.count(key) == 1 and "Key of the table" in page
        assert slips.count(key) == slips.count('class="slip"') == 1
        # A key that is replaced is shown as it is now.
        again = await served.enroll("t1", 1, again=True)
        assert (await client.get("/t/open/tables.json")).json()["tables"][0]["key"] == fingerprint(
            again.public
        )
        assert again.public != identity.public
