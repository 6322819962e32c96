"""For us and for others: a clock that stands still, a scripted model, assertions, and the contract of storage engines.

`recollect.testing.contract` and `recollect.testing.plugin` need pytest; nothing else imports them.
"""

from __future__ import annotations

from recollect.testing.asserting import assert_forgets, assert_no_leak, assert_remembers
from recollect.testing.clock import FixedClock
from recollect.testing.llm import ScriptedLlm

__all__ = ["FixedClock", "ScriptedLlm", "assert_forgets", "assert_no_leak", "assert_remembers"]
