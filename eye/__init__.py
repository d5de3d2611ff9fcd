"""A board seen by a camera: what lies on it is read from pictures, and told as any board tells it."""

import os

# OpenCV reads these once, when it is loaded: what a camera or a file lacks is said in the eye's own words. The sources
# refuse a picture of too many pixels by its header (`eye/sources.py`); this holds if a header deceived them.
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(1 << 26))
os.environ.setdefault("OPENCV_LOG_LEVEL", "OFF")
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
