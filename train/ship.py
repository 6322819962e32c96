"""Write a trained model as it ships: two int8 ONNX files, checked against what was trained.

python -m train.ship --base base.safetensors --weights DIR --out recollect/providers/weights
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.transformers.fusion_options import FusionOptions
from onnxruntime.transformers.optimizer import optimize_model
from torch import Tensor, nn

from train.encoder import HEADS, TASKS, WIDTH, Memory, read, trained

OPSET = 17
LARGEST = 25 * 2**20
NAMES = ("encoder.onnx", "judge.onnx")


class Judging(nn.Module):
    """The heads over what the encoder gives, as one graph."""

    def __init__(self, model: Memory) -> None:
        super().__init__()
        self.heads = model.heads

    def forward(self, hidden: Tensor, mask: Tensor, types: Tensor) -> tuple[Tensor, ...]:
        """Give the scores of every head."""
        seen = read(hidden, mask, types)
        return tuple(self.heads[task](seen) for task in TASKS)


def written(module: nn.Module, given: tuple[Tensor, ...], names: list[str], made: list[str], path: Path) -> None:
    """Write a module as ONNX, for batches and texts of any size."""
    wide = {name: {0: "texts", 1: "pieces"} for name in names if name not in ("judging", "asking")}
    wide |= {name: {0: "texts"} for name in made} if len(made) > 1 else {made[0]: {0: "texts", 1: "pieces"}}
    torch.onnx.export(
        module,
        given,
        str(path),
        input_names=names,
        output_names=made,
        dynamic_axes=wide,
        opset_version=OPSET,
        dynamo=False,
    )


def smaller(path: Path, out: Path) -> None:
    """Join what belongs together and keep the weights as int8."""
    with tempfile.TemporaryDirectory() as room:
        joined = Path(room) / "joined.onnx"
        wanted = FusionOptions("bert")
        made = optimize_model(
            str(path), "bert", num_heads=HEADS, hidden_size=WIDTH, optimization_options=wanted, opt_level=0
        )
        made.save_model_to_file(str(joined))
        # Seven bits: processors without instructions of their own for this would run over with eight.
        quantize_dynamic(
            str(joined),
            str(out),
            weight_type=QuantType.QInt8,
            per_channel=True,
            reduce_range=True,
            extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
        )


def ship(model: Memory, out: Path) -> None:
    """Write both files."""
    out.mkdir(parents=True, exist_ok=True)
    ids = torch.randint(1000, 20000, (2, 9))
    mask, types = torch.ones_like(ids), torch.zeros_like(ids)
    judging, asking = torch.ones(()), torch.ones(())
    hidden = model.encoder(ids, mask, types, judging, asking)
    given = (ids, mask, types, judging, asking)
    parts = (
        (model.encoder, given, ["ids", "mask", "types", "judging", "asking"], ["hidden"]),
        (Judging(model), (hidden, mask, types), ["hidden", "mask", "types"], list(TASKS)),
    )
    with tempfile.TemporaryDirectory() as room:
        for name, (module, shown, names, made) in zip(NAMES, parts, strict=True):
            plain = Path(room) / name
            written(module, shown, names, made, plain)
            smaller(plain, out / name)


def near(model: Memory, out: Path) -> float:
    """Give the mean cosine between vectors as trained and as shipped."""
    session = onnxruntime.InferenceSession(str(out / NAMES[0]), providers=["CPUExecutionProvider"])
    torch.manual_seed(1)
    ids = torch.randint(1000, 20000, (64, 40))
    mask = torch.ones_like(ids)
    given = {"ids": ids.numpy(), "mask": mask.numpy(), "types": np.zeros_like(ids.numpy())}
    (hidden,) = session.run(None, given | {"judging": np.zeros((), np.float32), "asking": np.zeros((), np.float32)})
    made = hidden.mean(1)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    with torch.no_grad():
        return float((torch.from_numpy(made) * model.vectors(ids, mask)).sum(1).mean())


def main() -> int:
    """Write the files and say how large and how near they are."""
    parser = argparse.ArgumentParser(prog="python -m train.ship", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--base", type=Path, required=True, help="the base weights, safetensors")
    parser.add_argument("--weights", type=Path, required=True, help="what train.fit wrote")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    model = trained(given.base, given.weights)
    with torch.no_grad():
        ship(model, given.out)
    size = sum((given.out / name).stat().st_size for name in NAMES)
    for name in NAMES:
        data = (given.out / name).read_bytes()
        onnx.checker.check_model(str(given.out / name))
        sys.stdout.write(f"{name} {len(data)} {hashlib.sha256(data).hexdigest()}\n")
    sys.stdout.write(f"together {size / 2**20:.1f} MB, cosine to the trained vectors {near(model, given.out):.4f}\n")
    return int(size > LARGEST)


if __name__ == "__main__":
    sys.exit(main())
