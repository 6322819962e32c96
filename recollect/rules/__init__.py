"""Judgement: pure functions, each beside the policy that tunes it. No I/O."""
