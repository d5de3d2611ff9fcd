// MicroPython's own Pico with the board's firmware frozen into it. No network, so nothing of TLS.
#define MICROPY_HW_BOARD_NAME "Flagfall board (Raspberry Pi Pico)"
#define MICROPY_HW_FLASH_STORAGE_BYTES (1408 * 1024)
#define MICROPY_PY_SSL (0)
