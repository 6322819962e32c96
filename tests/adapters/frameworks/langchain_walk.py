"""LangChain on this memory: a chain with a history that lasts."""

from __future__ import annotations

import asyncio
from typing import Any

from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables.history import RunnableWithMessageHistory

from recollect import Recollect
from recollect.adapters.langchain import RecollectChatMessageHistory


def test_a_chain_remembers(rc: Recollect) -> None:
    """The second call of a chain has the first in its history, and memory finds both."""
    prompt = ChatPromptTemplate.from_messages([MessagesPlaceholder("history"), ("human", "{question}")])
    seen: list[Any] = []
    model = FakeListChatModel(responses=["Hello Ana.", "You are Ana."])

    def noted(value: Any) -> Any:
        seen.append(value.to_messages())
        return value

    chain = prompt | noted | model
    made = RunnableWithMessageHistory(
        chain,
        lambda session_id: RecollectChatMessageHistory(rc.space("ana", session=session_id)),
        input_messages_key="question",
        history_messages_key="history",
    )
    config = {"configurable": {"session_id": "s1"}}
    made.invoke({"question": "I am Ana."}, config)
    assert made.invoke({"question": "Who am I?"}, config).content == "You are Ana."
    assert [one.content for one in seen[1]] == ["I am Ana.", "Hello Ana.", "Who am I?"]
    assert rc.space("ana").recall("Who is Ana?", kinds=["episode"])


def test_messages_of_all_kinds(rc: Recollect) -> None:
    """Calls and their results come back as they were; clearing takes them out of sight."""
    history = RecollectChatMessageHistory(rc.space("ana", session="s2"))
    call = {"id": "c1", "name": "weather", "args": {"city": "Lisbon"}, "type": "tool_call"}
    history.add_messages([
        SystemMessage("Be kind."), HumanMessage("How is it?"), AIMessage("", tool_calls=[call]),
        ToolMessage("sunny", tool_call_id="c1"), AIMessage("It is sunny."),
    ])  # fmt: skip
    back = history.messages
    assert [one.type for one in back] == ["system", "human", "ai", "tool", "ai"]
    assert back[2].tool_calls[0]["args"] == {"city": "Lisbon"}  # type: ignore[union-attr]
    assert [one.type for one in asyncio.run(history.aget_messages())] == ["system", "human", "ai", "tool", "ai"]
    history.clear()
    assert history.messages == []
