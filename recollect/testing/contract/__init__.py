"""The contract of a storage engine as tests: inherit `StoreContract`, say how to open, and run pytest.

class TestMine(StoreContract):
    def prepare(self, folder):          # an empty database for one test
        self.url = f"mine:///{folder}/memory"

    def open(self):                     # another handle on that same database
        return MyStore(self.url)

    def harm(self, sql):                # optional: run raw SQL behind the store's back
        ...
"""

from __future__ import annotations

from recollect.testing.contract.calls import Calls
from recollect.testing.contract.care import Care
from recollect.testing.contract.ground import Ground
from recollect.testing.contract.ledger import Ledger
from recollect.testing.contract.naming import Naming
from recollect.testing.contract.queue import Queue
from recollect.testing.contract.reads import Reads
from recollect.testing.contract.record import Record
from recollect.testing.contract.searches import Searches
from recollect.testing.contract.stock import ANA, AT, DAY, HOSTILE, commit, everything, make, put, stock, together
from recollect.testing.contract.talks import Talks
from recollect.testing.contract.vectors import Vectors
from recollect.testing.contract.windows import Windows
from recollect.testing.contract.writes import Writes

__all__ = [
    "ANA",
    "AT",
    "DAY",
    "HOSTILE",
    "Ground",
    "StoreContract",
    "commit",
    "everything",
    "make",
    "put",
    "stock",
    "together",
]


class StoreContract(Writes, Naming, Queue, Talks, Windows, Ledger, Calls, Record, Reads, Vectors, Searches, Care):
    """What every storage engine promises. Subclass it in a test file and give `prepare` and `open`."""
