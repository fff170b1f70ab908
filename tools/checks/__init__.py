"""The rules of tools/check, one module per kind."""
