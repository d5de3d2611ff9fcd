"""A board seen by a camera: what lies on it is read from pictures, and told as any board tells it."""

import os

# OpenCV reads it once, when it is loaded: a picture that claims more pixels is refused, not decoded.
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(1 << 26))
