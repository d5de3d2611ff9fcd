"""Runs in the guest instead of the table: an empty window, drawn by the same means."""

from __future__ import annotations

import signal

import pygame

pygame.display.init()
surface = pygame.display.set_mode((0, 0), pygame.FULLSCREEN)
surface.fill("white")
pygame.display.flip()
print("no pixels read back: the window is empty", flush=True)
signal.pause()
