"""Word pieces: texts as the numbers the bundled models read."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

MOST_PIECES = 256
"""How many pieces a model reads, its two marks among them."""
BEGIN, END = 101, 102
"""The marks before a text and after it."""


def pieces(text: str) -> list[int]:
    """Give the pieces of a text, without marks, as many as a model can read."""
    # One at a time: encoding a list would start threads that make a later fork of the process complain.
    whole = text.encode("utf-8", "replace").decode("utf-8")  # half a character is none
    return _tokenizer().encode(whole, add_special_tokens=False).ids


@cache
def _tokenizer() -> Tokenizer:
    """Make the tokenizer the models were trained with: lower case, no accents, word pieces."""
    text = (files("recollect.providers.bundled") / "vocabulary.txt").read_text("utf-8")
    vocabulary = {piece: at for at, piece in enumerate(text.removesuffix("\n").split("\n"))}
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = BertNormalizer(
        clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True
    )
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.enable_truncation(MOST_PIECES)
    return tokenizer
