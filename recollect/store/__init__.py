"""The ground: one contract, one body of portable SQL, one small file per engine."""
