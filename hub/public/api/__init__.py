"""The public JSON API, its feed of live games and its OpenAPI document."""
