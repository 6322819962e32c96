"""What spans of OpenTelemetry may tell."""

from __future__ import annotations

from recollect.model.values import dataclass


@dataclass(frozen=True, slots=True)
class TelemetrySettings:
    """Spans of OpenTelemetry around the verbs; see [doors](doors.md)."""

    enabled: bool = False
    """Make spans, for whatever exporter the program has set up; needs `recollect[telemetry]`."""
    content: bool = False
    """Put what was asked and kept into them. It is people's own words."""
