"""Refuses to be imported where the compiled modules cannot be used: they would crash."""

from engine.system.processor import problem

if (_problem := problem()) is not None:
    raise ImportError(_problem)
