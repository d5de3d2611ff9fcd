"""Entry point of `flagfall-hub`, which chooses the command; a command's modules are imported only when it runs."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

from flagfall.base.command_line import Parser, ran

COMMANDS = {
    "rank": ("hub.cli.tournament:rank", "standings of a tournament file"),
    "pair": ("hub.cli.tournament:pair", "the next round of a tournament file"),
    "finals": ("hub.cli.tournament:finals", "all final lists as they stand, and what is due next"),
    "season": ("hub.cli.tournament:season", "the Grand Prix standings of several tournament files"),
    "check": ("hub.cli.tournament:check", "every round of the file against the best one possible"),
    "entry": ("hub.cli.tournament:entry", "the entries held against the rulebook, with its clauses"),
    "import": (
        "hub.cli.files:import_files",
        "a tournament file from .ELO, Papp, .wtb, .xlsx, CSV or Flip the Disc",
    ),
    "export": (
        "hub.cli.files:export",
        ".ELO, WTHOR, GGF, CSV, transcripts or the final list of a tournament file",
    ),
    "run": ("hub.service:run", "the hub itself: broker, ledger, page"),
    "account": ("hub.cli.accounts:account", "who may use the console"),
    "update": ("hub.cli.update:update", "the version that tables are to run"),
    "venue": ("hub.cli.venue:venue_command", "a venue's own broker, certificates and tables"),
    "cards": ("hub.cli.cards:cards_command", "one settings file for each card of a room"),
    "key": ("hub.cli.proof:key_command", "the hub's public key, with which others check its results"),
    "checkpoint": ("hub.cli.proof:checkpoint_command", "the signed head of an event's record"),
    "proof": ("hub.cli.proof:proof_command", "a game's result in a file that anybody can check"),
    "verify": (
        "hub.cli.record:verify_command",
        "the ledger end to end, and the receipts that tables keep; or a proof",
    ),
    "witness": ("hub.cli.witness:witness_command", "a witness of other hubs' records"),
    "support": (
        "hub.cli.support:support_command",
        "one file for whoever helps: log, versions, checks, no secrets",
    ),
    "backup": ("hub.cli.record:backup_command", "ledger, devices and keys in one file, while the hub runs"),
    "restore": ("hub.cli.record:restore_command", "a hub from a backup"),
}


# Commands whose second word is the action; options before it must not be taken for it.
_WITH_ACTIONS = ("account", "venue", "witness")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; exit status 0: done; 1: the answer is no; 2: bad arguments or bad input."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    ordered = _in_order(sys.argv[1:] if arguments is None else arguments)
    parser = Parser(prog="flagfall-hub", description="The hub of an Othello tournament.")
    return ran(parser, COMMANDS, ordered)


def _in_order(arguments: Sequence[str]) -> list[str]:
    """Put the command first, then its own arguments, then the options that locate the hub, which may stand before
    everything else."""
    if (
        not arguments
        or arguments[0] in ("-h", "--help")
        or (arguments[0] in COMMANDS and arguments[0] not in _WITH_ACTIONS)
    ):
        return list(arguments)
    from hub.config import OPTIONS

    end = arguments.index("--") if "--" in arguments else len(arguments)
    others: list[str] = []
    where: list[str] = []
    words = iter(arguments[:end])
    for word in words:
        if word in OPTIONS:
            where += [word, *(next_ for next_ in (next(words, None),) if next_ is not None)]
        else:
            (where if word.partition("=")[0] in OPTIONS else others).append(word)
    command = next((word for word in others if word in COMMANDS), None)
    if command is not None and others[0].startswith("-") and others[0] not in ("-h", "--help"):
        others.remove(command)
        others.insert(0, command)
    return [*others, *where, *arguments[end:]]


if __name__ == "__main__":
    sys.exit(main())
