"""Commands on the desk's own data beside the events: accounts, the list of players, rulebooks, the seal of backups."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta

from hub.commands.desk import Desk, Fields
from hub.desk.accounts import LONGEST_TEXT
from hub.desk.backup_seal import check_seal, keep_seal
from hub.desk.own_rules import new_rulebook_text
from hub.fields import Raw
from hub.model.players import Player
from hub.role import ROLES
from hub.rulebook import CHOSEN_TIES
from hub.running import Hub
from hub.text import Refused


class NewAccount(Fields, frozen=True, kw_only=True):
    name: Annotated[str, Meta(min_length=1, max_length=64)]
    role: Literal["viewer", "assistant", "director"]
    password: Raw = ""


class OfAccount(Fields, frozen=True, kw_only=True):
    name: Raw = ""


class NewPassword(Fields, frozen=True, kw_only=True):
    old: Raw = ""
    password: Raw = ""


class WorldPlayers(Fields, frozen=True, kw_only=True):
    players: tuple[Player, ...]


class PastedRulebook(Fields, frozen=True, kw_only=True):
    """A rulebook as it was pasted."""

    text: Raw  # TOML


class ChangedRulebook(Fields, frozen=True, kw_only=True):
    """A rulebook that ships with another time."""

    based_on: str
    title: Annotated[str, Meta(min_length=1, max_length=80)]
    minutes: Annotated[int, Meta(ge=1, le=600)]
    flag: str
    extension_s: Annotated[int, Meta(ge=0, le=3600)] = 0
    empties: str = ""
    tie_break: Literal["", "bq", "disc-difference"] = ""
    bye_discs: Annotated[int, Meta(ge=0, le=64)] | None = None
    young_age: Annotated[int, Meta(ge=0, le=150)] | None = None
    young_on: Literal["", "first day"] = ""

    @property
    def tournament(self) -> dict[str, object]:
        """The fields of the table `tournament`."""
        fields = {
            "ties": CHOSEN_TIES.get(self.tie_break),
            "bye_discs": self.bye_discs,
            "young_age": self.young_age,
            "young_on": self.young_on or None,
        }
        return {name: value for name, value in fields.items() if value is not None}


NewRulebook: TypeAlias = PastedRulebook | ChangedRulebook


class OfRulebook(Fields, frozen=True, kw_only=True):
    id: Raw = ""


class BackupSeal(Fields, frozen=True, kw_only=True):
    """A phrase or a public key; an empty one for no seal any more."""

    seal: Raw = ""


async def set_backup_seal(desk: Desk, given: BackupSeal) -> None:
    """Seal the backups that this hub's card writes to a stick, or give none any more."""
    keep_seal(desk.hub.config.state_dir, check_seal(given.seal) if given.seal.strip() else None)


async def put_account(desk: Desk, account: NewAccount) -> None:
    """Make a new account, or give an old one another role and password. Its sessions end, except the one that asks."""
    name = desk.hub.accounts.spelled(account.name)
    await in_password_thread(desk.hub, desk.hub.accounts.put, name, ROLES[account.role], account.password)
    desk.hub.sessions.end_sessions(name, but=desk.session)


async def remove_account(desk: Desk, account: OfAccount) -> None:
    """Remove an account other than one's own; its sessions end."""
    if account.name == desk.who:
        raise Refused("expected an account other than your own", field="name")
    desk.hub.accounts.remove(account.name)
    desk.hub.sessions.end_sessions(account.name)


async def change_password(desk: Desk, password: NewPassword) -> None:
    """Change one's own password; the other sessions of this name end."""
    hub, old = desk.hub, password.old
    fits = len(old) <= LONGEST_TEXT and await in_password_thread(
        hub, hub.accounts.password_fits, desk.who, old
    )
    if not fits:
        raise Refused("expected your present password", field="old")
    await in_password_thread(hub, hub.accounts.put, desk.who, desk.role, password.password)
    hub.sessions.end_sessions(desk.who, but=desk.session)


async def in_password_thread(hub: Hub, work: Callable[..., Any], *arguments: object) -> Any:
    """Run password work in one thread, one password at a time, because each needs 19 MB; the loop does not wait."""
    return await asyncio.get_running_loop().run_in_executor(hub.hashing, work, *arguments)


async def keep_world_list(desk: Desk, read: WorldPlayers) -> None:
    """Store the world list of players."""
    if not read.players:
        raise Refused("expected players, got none", field="list")
    try:
        await asyncio.to_thread(desk.hub.world_list.replace, read.players)
    except OSError as fault:
        raise Refused("the disk refuses it: {why}", field="list", why=str(fault.strerror or fault)) from None


async def make_rulebook(desk: Desk, new: NewRulebook) -> None:
    """Store a rulebook of this hub that was pasted, or made from one that ships."""
    rulebooks = desk.hub.own_rules
    if isinstance(new, PastedRulebook):
        rulebooks.keep(new.text)
        return
    text = new_rulebook_text(
        new.based_on,
        new.title,
        new.minutes,
        flag=new.flag,
        extension_s=new.extension_s,
        empties=new.empties,
        tournament=new.tournament,
        taken=rulebooks.texts,
    )
    if _without_id(text) not in map(
        _without_id, rulebooks.texts.values()
    ):  # the form was not sent a second time
        rulebooks.keep(text)


def _without_id(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith("id = "))


async def remove_rulebook(desk: Desk, rulebook: OfRulebook) -> None:
    """Remove a rulebook of this hub; events that use it keep it."""
    desk.hub.own_rules.remove(rulebook.id)
