"""What ends the writing of the page."""

import click


class DocumentationError(click.ClickException):
    """The page says one thing, and another happens: which command or line, and what. Exit status 1."""
