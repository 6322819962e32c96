"""The contract of the ledger: every cost is counted once, for its owner alone, and outlives what it was for."""

from __future__ import annotations

from recollect.model.asking import Spending, Usage
from recollect.model.change import Drop, Load, Open, Spend, Wipe
from recollect.model.owner import owner_key, tenant_key
from recollect.store.base import Store
from recollect.testing.contract.ground import Ground
from recollect.testing.contract.stock import ANA, AT, HOSTILE, commit, make, put, together


def line(tokens: int = 10, day: str = "2026-01-05", **where: str) -> Spending:
    """Make a line of the ledger with one call in it."""
    return Spending(day, where.pop("role", "extractor"), usage=Usage(1, tokens, 2, 30, 1), **where)


class Ledger(Ground):
    """What the table of costs promises."""

    def test_costs_are_added_up(self, store: Store) -> None:
        """The same day, role, job and session make one line; each of them apart makes another; no revision moves."""
        for one in (line(), line(5), line(day="2026-01-06"), line(role="judge"), line(job="dream"), line(session="s")):
            assert commit(store, Spend(one)).rev == 0
        with store.view() as view:
            spent = view.spent(ANA)
            assert [(one.day[-1], one.role, one.job, one.session) for one in spent] == [
                ("5", "extractor", "", ""),
                ("5", "extractor", "", "s"),
                ("5", "extractor", "dream", ""),
                ("5", "judge", "", ""),
                ("6", "extractor", "", ""),
            ]
            assert spent[0].usage == Usage(2, 15, 4, 60, 2)
            assert view.spent(ANA, "2026-01-06") == [line(day="2026-01-06")]
            assert view.journal(ANA) == []

    def test_no_cost_is_lost(self, store: Store) -> None:
        """Many who ask at once are all counted, also with nothing to add."""
        answers = together([lambda n=n: commit(store, Spend(line(n))) for n in range(20)])  # type: ignore[misc]
        assert not [one for one in answers if isinstance(one, Exception)]
        commit(store, Spend(Spending("2026-01-05", "extractor")))
        with store.view() as view:
            assert view.spent(ANA)[0].usage == Usage(20, sum(range(20)), 40, 600, 20)

    def test_sums_may_be_large(self, store: Store) -> None:
        """More tokens and money than four bytes hold are kept exactly."""
        commit(store, Spend(Spending("2026-01-05", "judge", usage=Usage(1, 2**40, 3, 2**45))))
        commit(store, Spend(Spending("2026-01-05", "judge", usage=Usage(1, 1, 0, 1))))
        with store.view() as view:
            assert view.spent(ANA)[0].usage == Usage(2, 2**40 + 1, 3, 2**45 + 1)

    def test_costs_belong_to_their_owner(self, store: Store) -> None:
        """However alike two names look, neither sees what the other cost; sessions are told apart as well."""
        for number, user in enumerate(HOSTILE):
            commit(store, Spend(line(number, session=user)), owner=owner_key(user))
        with store.view() as view:
            found = [view.spent(owner_key(user)) for user in HOSTILE]
        assert found == [[line(number, session=user)] for number, user in enumerate(HOSTILE)]
        for user in HOSTILE:
            commit(store, Spend(line(session=user)))
        with store.view() as view:
            assert len(view.spent(ANA)) == len(HOSTILE)

    def test_a_tenant_is_no_owner(self, store: Store) -> None:
        """A tenant's ledger is kept under its own key and makes it nobody with memories."""
        owner = owner_key("ana", "acme")
        commit(store, Spend(line()), owner=tenant_key(owner))
        commit(store, Spend(line()), owner=owner)
        with store.view() as view:
            assert view.owners() == [owner]
            assert view.spent(tenant_key(owner)) == view.spent(owner) == [line()]

    def test_an_erased_session_leaves_its_cost(self, store: Store) -> None:
        """The name of an erased session goes from the ledger, what it cost stays."""
        commit(store, put(make("fact_1")), Open("hush", "", AT), Open("other", "", AT), session="hush")
        for session in ("hush", "other", ""):
            commit(store, Spend(line(session=session)))
        commit(store, Drop(sessions=("hush",)))
        with store.view() as view:
            assert [(one.session, one.usage.calls) for one in view.spent(ANA)] == [("", 2), ("other", 1)]

    def test_a_wiped_owner_has_no_ledger(self, store: Store) -> None:
        """With everything of an owner its costs go, and an export's lines put them back."""
        commit(store, put(make("fact_1")))
        commit(store, Spend(line(job="dream", session="s")))
        with store.view() as view:
            rows = tuple(view.dump(ANA, "spend"))
        commit(store, Wipe())
        with store.view() as view:
            assert view.spent(ANA) == []
        commit(store, Load("spend", rows))
        with store.view() as view:
            assert view.spent(ANA) == [line(job="dream", session="s")]
