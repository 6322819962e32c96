"""Two names of one: believed only of a sentence that says so outright."""

from __future__ import annotations

import pytest

from recollect.language import open_reader

also_called = open_reader("words").also_called

DENIED = """
I don't think Robert Smith is also known as Bob.
I don’t think Robert Smith is also known as Bob.
I dont think Robert Smith is also known as Bob.
I don't think Dr. Robert Smith is also known as Bob.
Nobody believes that Robert Smith is known as Bob.
People wrongly say Robert Smith is known as Bob.
Robert Smith isn't known as Bob.
Robert Smith wasn’t nicknamed Bob.
Robert Smith, who goes by Bob, doesn't exist.
It is not true that Robert Smith goes by Bob.
It is false that Bob is short for Robert.
No, Bob's full name is Robert Smith is what they got wrong.
Ana denies that Robert Smith is also known as Bob.
Ana denied Robert Smith goes by Bob.
I doubt that Robert Smith is also known as Bob.
I doubt Robert Smith goes by Bob.
Neither Ana Silva nor Robert Smith goes by Bob.
Robert Smith is hardly known as Bob.
Robert Smith is falsely said to be the one; he is known as Bob Jones only by mistake.
Someone mistakenly wrote Robert Smith (aka Bob).
It is a myth that Robert Smith is also known as Bob.
The idea that Robert Smith is also known as Bob is absurd.
I think Robert Smith is also known as Bob.
Ana believes Robert Smith goes by Bob.
Ana says Robert Smith is also known as Bob.
Tom claimed that Robert Smith was known as Bob.
They reckon Robert Smith is also known as Bob.
I heard Robert Smith goes by Bob.
I read somewhere that Liz is short for Elizabeth Jones.
Rumour has it that Robert Smith is also known as Bob.
The rumor Robert Smith is also known as Bob spread fast.
According to Ana, Robert Smith is also known as Bob.
Apparently Robert Smith is also known as Bob.
Robert Smith is supposedly the one who goes by Bob, Robert Smith is also known as Bob allegedly.
Robert Smith is also known as Bob, or so they say.
Robert Smith is also known as Bob, Ana claims.
Robert Smith is also known as Bob, says Ana.
Robert Smith is also known as Bob, I think.
Robert Smith is also known as Bob, which is a lie.
Robert Smith is also known as Bob? I wonder.
Is Robert Smith also known as Bob?
If Robert Smith is also known as Bob, I owe you five euros.
I wonder whether Robert Smith is also known as Bob.
Unless Robert Smith goes by Bob, this letter is lost.
Suppose Robert Smith is also known as Bob.
Imagine Robert Smith goes by Bob.
Maybe Robert Smith is also known as Bob.
It could be that Robert Smith is also known as Bob.
It seems Robert Smith is also known as Bob.
In the novel, Robert Smith is also known as Bob.
In my game Robert Smith goes by Bob.
We play a game in which Robert Smith is also known as Bob.
I am writing a story. Robert Smith is also known as Bob.
Let's pretend that Robert Smith is also known as Bob.
I dreamt that Robert Smith is also known as Bob.
The character Robert Smith is also known as Bob.
Robert Smith is also known as Bob. Just kidding!
Robert Smith is also known as Bob. That is not true.
Robert Smith is also known as Bob. No, wait, wrong.
There is a rumour going round. Robert Smith is also known as Bob.
Ana said: "I was there. Robert Smith is also known as Bob."
It is wrong to say\\nRobert Smith is also known as Bob.
I refuse to accept that Robert Smith is also known as Bob.
Robert Smith is also known as Bob or Rob.
Robert Smith is known as Bob's best friend.
Robert Smith is known as Bob the Builder.
The sister of Robert Smith is also known as Liz.
I met the wife of Robert Smith, also known as Liz.
The man beside Robert Smith is also known as Bob.
The dog that bit Robert Smith is known as Rex.
Ana Silva and Robert Smith, also known as Bonnie and Clyde, came.
Robert Smith goes by Porto on his way home.
Robert Smith is no longer known as Bob.
Robert Smith was formerly known as Bob.
Robert Smith used to be known as Bob.
Everyone was told Robert Smith goes by Bob.
It is said Robert Smith is also known as Bob.
Some hold Robert Smith is also known as Bob.
Whoever calls him so is mistaken: Robert Smith is also known as Bob.
They accuse him: Robert Smith is also known as Bob.
My sister: Robert Smith is also known as Bob.
The tabloids print that Robert Smith is also known as Bob.
As far as I know Robert Smith is also known as Bob.
Robert Smith is also known as Bob. I made that up.
Once Robert Smith is known as Bob, call me.
"""
TRUE = """
Robert Smith is also known as Bob.
Robert Smith, also known as Bob, lives in Porto.
Robert Smith, a.k.a. Bob, lives in Porto.
Robert Smith (aka Bob) painted the fence.
Robert Smith is nicknamed Bob.
Robert Smith goes by Bob.
Robert Smith is better known as Bob.
Robert Smith is known as "Bob".
Dr. Robert Smith is also known as Bob.
Bob is short for Robert Smith.
Bob is a nickname for Robert Smith.
Robert Smith, auch genannt Bob, wohnt in Kiel.
Robert Smith, surnommé Bob, habite à Lyon.
Robert Smith, apodado Bob, vive en Madrid.
Robert Smith, bijgenaamd Bob, woont in Utrecht.
Ana plays the cello. Robert Smith is also known as Bob. They live in May Street.
"""


def lines(text: str) -> list[str]:
    """Give the sentences of a list, one a line."""
    return [line.replace("\\n", "\n") for line in text.strip().splitlines()]


@pytest.mark.parametrize("text", lines(DENIED))
def test_what_is_not_said_outright_makes_nobody_one(text: str) -> None:
    """A denial, hearsay, a condition, a question, a story, or a sentence about somebody else gives no pair."""
    assert also_called(text) == []


@pytest.mark.parametrize("text", lines(TRUE))
def test_what_is_said_outright_is_believed(text: str) -> None:
    """A sentence that says it plainly gives the pair, the fuller name first."""
    assert also_called(text) == [("Robert Smith", "Bob")]
