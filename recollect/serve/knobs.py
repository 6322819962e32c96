"""What is written about settings beside them in the code, for the reference and for whoever looks at those in force."""

from __future__ import annotations

import ast
import inspect
import textwrap


def docstrings(cls: type) -> dict[str, str]:
    """Give the texts that stand below the attributes of a class."""
    body = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
    assert isinstance(body, ast.ClassDef)
    found = {}
    for one, following in zip(body.body, body.body[1:], strict=False):
        if (
            isinstance(one, ast.AnnAssign)
            and isinstance(one.target, ast.Name)
            and isinstance(following, ast.Expr)
            and isinstance(following.value, ast.Constant)
        ):
            found[one.target.id] = " ".join(str(following.value.value).split())
    return found
