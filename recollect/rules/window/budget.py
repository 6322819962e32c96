"""Keeping to a number of tokens, and to what may be spent on them."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.model.asking import Question, Usage
from recollect.model.values import bounded, dataclass
from recollect.text.terms import wide

SHAPE = 300
"""About how many tokens the schema of an answer and the frame of a message take."""


@dataclass(frozen=True, slots=True)
class BudgetPolicy:
    """What asking models may cost; 0 sets no limit. Days are those of UTC. Where a budget is spent, rules decide."""

    tokens_per_day: int = bounded(0)
    """How many tokens one user may cost in a day."""
    tokens_per_job: int = bounded(0)
    """How many tokens one job may cost a user in a day, for one session where it works on one."""
    tenant_tokens_per_day: int = bounded(0)
    """How many tokens all users of a tenant may cost in a day; those without a tenant count as one."""
    dollars_per_day: float = 0.0
    """How many US dollars one user may cost in a day, counting the calls whose price is known."""
    tenant_dollars_per_day: float = 0.0
    """How many US dollars all users of a tenant may cost in a day, counting the calls whose price is known."""


@dataclass(frozen=True, slots=True)
class Spent:
    """Nobody may be asked: which budget says so, and how it stands."""

    reason: str


@dataclass(frozen=True, slots=True)
class Room:
    """A question may be asked, and may cost so many tokens at most; 0 is no limit."""

    most_tokens: int = 0


def cost(question: Question, max_tokens: int) -> int:
    """Estimate the tokens one request will take at most: what is asked, the shape, and the longest answer."""
    asked = estimate(question.instructions) + estimate(question.data) + SHAPE
    return asked + (question.max_tokens or max_tokens)


def affordable(policy: BudgetPolicy, tokens: int, user: Usage, job: Usage, tenant: Usage) -> Room | Spent:
    """Decide before a call whether so many tokens may be spent, from what was spent today by whom."""
    left: list[int] = []
    for name, limit, spent in (
        ("tokens_per_day", policy.tokens_per_day, user.tokens),
        ("tokens_per_job", policy.tokens_per_job, job.tokens),
        ("tenant_tokens_per_day", policy.tenant_tokens_per_day, tenant.tokens),
    ):
        if limit and spent + tokens > limit:
            rest = max(0, limit - spent)
            return Spent(f"budget.{name} is {limit:,}: one call may take {tokens:,} tokens, {rest:,} are left today")
        left += [limit - spent] if limit else []
    for name, dollars, spent in (
        ("dollars_per_day", policy.dollars_per_day, user.money),
        ("tenant_dollars_per_day", policy.tenant_dollars_per_day, tenant.money),
    ):
        if dollars and spent >= dollars * 1_000_000:
            return Spent(f"budget.{name} is ${dollars:g}: ${spent / 1_000_000:.4f} are spent today")
    return Room(min(left, default=0))


def estimate(text: str) -> int:
    """Estimate the tokens of a text without a tokeniser: four ASCII characters to a token, two of other
    alphabets, one of unspaced scripts and emoji. Errs on the high side."""
    plain = len(text.encode("ascii", "ignore"))
    if plain == len(text):
        return -(-plain // 4)
    whole = wide(text)
    return -(-plain // 4) + whole + -(-(len(text) - plain - whole) // 2)


def fit(lines: Iterable[str], budget: int) -> list[str]:
    """Take lines from the front while they fit; stop before the one that would overflow."""
    taken: list[str] = []
    left = budget
    for line in lines:
        left -= estimate(line + "\n")
        if left < 0:
            break
        taken.append(line)
    return taken
