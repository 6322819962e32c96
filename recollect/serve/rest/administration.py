"""The routes for who looks after the database: whose memory there is, settings, health, backup, and jobs held back."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from recollect.config import Settings
from recollect.front.recollect import Recollect
from recollect.jobs.registry import tasks
from recollect.serve.knobs import docstrings
from recollect.serve.rest.further import ANYTHING, LISTED, Names, caller_of
from recollect.serve.rest.problems import Problem, documented
from recollect.serve.rest.wiring import REFUSALS, body, read, reply

MOST_OWNERS = 500
READ = (401, 403, 421, 422, 429)


class Held(BaseModel):
    """Jobs, and whether workers leave them alone."""

    model_config = ConfigDict(extra="forbid")

    names: list[str]
    paused: bool


def administration() -> APIRouter:  # long because every route of the room stands in it
    """Give the routes; all need a key for administration, but for the list of jobs, which tells of nobody."""
    router = APIRouter(tags=["administration"])

    def reads(path: str, shown: dict[int | str, dict[str, Any]], text: str, work: Callable[[Recollect], Any]) -> None:
        async def answer(request: Request) -> Response:
            caller_of(request).must_administer()
            return reply(await run_in_threadpool(work, caller_of(request).memory), request)

        answer.__doc__ = text
        router.add_api_route(
            path,
            answer,
            methods=["GET"],
            name=path.strip("/").replace("/", "_"),
            responses={**shown, **documented(*READ)},
            response_class=Response,
        )

    reads(
        "/v1/settings",
        LISTED,
        "List the settings in force: value, default, where it is from, what it is for.",
        settings,
    )
    reads(
        "/v1/doctor", LISTED, "Check files, counters and links of the whole database.", lambda memory: memory.doctor()
    )
    reads("/v1/database", ANYTHING, "Say which database this is and how large it is.", lambda memory: memory.describe())

    @router.get("/v1/owners", responses={**LISTED, **documented(*READ)}, response_class=Response)
    async def owners(request: Request) -> Response:
        """List whose memory there is, and how much of it; `offset` goes on after the first 500."""
        caller_of(request).must_administer()
        given = request.query_params.get("offset", "0")
        if not given.isdecimal() or len(given) > 9:
            raise Problem(422, "offset is a whole number")
        return reply(await run_in_threadpool(_owners, caller_of(request).memory, int(given)), request)

    @router.post("/v1/doctor", responses={**LISTED, **documented(*REFUSALS)}, response_class=Response)
    async def mend(request: Request) -> Response:
        """Mend what can be mended, and check again."""
        caller_of(request).must_administer()
        return reply(await run_in_threadpool(caller_of(request).memory.doctor, True), request)

    @router.get("/v1/jobs/known", responses={**LISTED, **documented(*READ)}, response_class=Response)
    async def known(request: Request) -> Response:
        """List the jobs there are, and what each is for."""
        made = [{"name": one.name, "text": one.text, "system": one.system} for one in tasks().values()]
        return reply(made, request)

    @router.put("/v1/jobs/paused", responses={**LISTED, **documented(*REFUSALS)}, response_class=Response)
    async def hold(request: Request) -> Response:
        """Let no worker run jobs by itself, or let them run again; gives those that are paused."""
        caller_of(request).must_administer()
        given, jobs = read(Held, request, await body(request)), caller_of(request).memory.jobs
        held = await run_in_threadpool(jobs.pause if given["paused"] else jobs.resume, given["names"])
        return reply(held, request)

    @router.post("/v1/jobs/retry", responses={**LISTED, **documented(*REFUSALS)}, response_class=Response)
    async def retry(request: Request) -> Response:
        """Make jobs due again that failed too often and were put aside."""
        caller_of(request).must_administer()
        given = read(Names, request, await body(request))
        again = await run_in_threadpool(caller_of(request).memory.jobs.retry, given.get("names", []))
        return reply(again, request)

    @router.get("/v1/export", response_class=StreamingResponse, responses=documented(*READ))
    async def backup(request: Request) -> Response:
        """Give everybody's memory as lines of JSON, which `POST /v1/import` puts back into an empty database."""
        caller_of(request).must_administer()
        headers = {"Content-Disposition": 'attachment; filename="recollect-backup.jsonl"', "Cache-Control": "no-store"}
        return StreamingResponse(_lines(caller_of(request).memory), media_type="application/x-ndjson", headers=headers)

    return router


def settings(memory: Recollect) -> list[dict[str, Any]]:
    """Give every setting: its name, value, default, where the value is from, and what it is for."""
    known, about = memory.origins(), _texts()
    made = []
    for name, value in _flat(memory.settings):
        default = dict(_flat(Settings())).get(name)
        shown = memory.describe()["url"] if name == "url" else value  # never with a password
        from_where = known.get(name, "")
        made.append(
            {"name": name, "value": shown, "default": default, "origin": from_where, "text": about.get(name, "")}
        )
    return made


def _flat(settings: Any, where: str = "") -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for one in fields(settings):
        value = getattr(settings, one.name)
        found += _flat(value, f"{one.name}.") if is_dataclass(value) else [(where + one.name, value)]
    return found


@cache
def _texts() -> dict[str, str]:
    found: dict[str, str] = {}
    for where, section in (
        ("", Settings()),
        *((f"{one.name}.", getattr(Settings(), one.name)) for one in fields(Settings)),
    ):
        if is_dataclass(section):
            found |= {where + name: text for name, text in docstrings(type(section)).items()}
    return found


def _owners(memory: Recollect, offset: int) -> list[dict[str, Any]]:
    made = []
    for tenant, user in memory.owners()[offset : offset + MOST_OWNERS]:
        told = memory.space(user, tenant=tenant).stats()
        numbers = {"memories": told.total, "sessions": told.sessions, "entities": told.entities}
        made.append({"tenant": tenant, "user": user, **numbers, "latest": told.latest})
    return made


def _lines(memory: Recollect) -> Iterator[str]:
    with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
        memory.export(file)
        file.seek(0)
        while chunk := file.read(65_536):
            yield chunk
