# ruff: noqa: F821
# mypy: disable-error-code="name-defined"
# What is frozen: the port's own modules, and the firmware where hardware/pico/image.py copied it to.
freeze("$(PORT_DIR)/modules")
package("firmware_py", base_path="$(BOARD_DIR)/frozen")
module("main.py", base_path="$(BOARD_DIR)/frozen")
