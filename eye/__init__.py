"""A board seen by a camera: what lies on it is read from pictures, and told as any board tells it."""
