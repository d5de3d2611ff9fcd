"""Addresses of the commands that the API offers, by the command's name.

Apart from `hub.api.operations`, because the command line knows the running hub by these alone and loads nothing else.
"""

# Prefix of the addresses of one event.
TOURNAMENT = "/api/1/tournaments/{tournament}"

# Method and path.
COMMANDS: dict[str, tuple[str, str]] = {
    "enrol-device": ("POST", "/api/1/devices"),
    "prepare-device": ("POST", "/api/1/cards"),
    "revoke-device": ("DELETE", "/api/1/devices/{device}"),
    "offer-enrolment": ("POST", "/api/1/enrolments"),
    "offer-update": ("PUT", "/api/1/update"),
    "withdraw-update": ("DELETE", "/api/1/update"),
    "create-event": ("PUT", TOURNAMENT),
    "publish-round": ("POST", f"{TOURNAMENT}/pairings"),
    "publish-finals": ("POST", f"{TOURNAMENT}/finals"),
    "walk-over": ("POST", f"{TOURNAMENT}/finals/walkover"),
    "start-round": ("POST", f"{TOURNAMENT}/start"),
    "send-ruling": ("POST", f"{TOURNAMENT}/rulings"),
    "enter-result": ("POST", f"{TOURNAMENT}/results"),
    "decide-result": ("POST", f"{TOURNAMENT}/conflicts"),
    "correct-game": ("POST", f"{TOURNAMENT}/corrections"),
    "add-player": ("POST", f"{TOURNAMENT}/players"),
    "declare-event": ("PUT", f"{TOURNAMENT}/declared"),
    "declare-players": ("PUT", f"{TOURNAMENT}/declared/players"),
    "undo-entry": ("POST", f"{TOURNAMENT}/undo"),
}
LIVE = ("GET", "/api/1/live")
SUPPORT = ("GET", "/api/1/support")
