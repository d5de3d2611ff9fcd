"""The names of rulings on the page of a game, by their keys in `hub/public/texts.py`."""

from flagfall.base.message import P_

TEXTS = {
    "ruling.correct_error": "error upheld",
    "ruling.corrected": "corrected",
    "ruling.dismiss_error": "no error",
    "ruling.unintentional_touch": "touch not intended",
    "ruling.stop": "clocks stopped",
    "ruling.resume": "play goes on",
    "ruling.adjust_time": "time adjusted",
    "ruling.start_clock": "clock started",
    "ruling.confirm_default": "default confirmed",
    "ruling.annul_flag": "flag annulled",
    "ruling.resign": "resigned",
    "ruling.forfeit": "forfeited",
    "ruling.beyond_repair": P_("ruling, public page", "board beyond repair"),
    "ruling.award": "game awarded",
    "ruling.draw": "drawn",
    "ruling.set_score": "score set",
    "ruling.set_position": "position set",
    "ruling.enter_move": "move entered",
    "ruling.enter_score": "score entered",
    "ruling.discs_moved": "discs moved across",
    "ruling.retract": P_("ruling, public page", "taken back"),
}
