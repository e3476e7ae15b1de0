"""Sets of actions as bit masks; compiled code uses the processor's bit instructions."""

from importlib import import_module
from typing import Any

from hegemon.kernels.compiler import kernel
from hegemon.rules.shuffle import below


def count_bits(choices: int) -> int:
    return choices.bit_count()


def nth_bit(choices: int, n: int) -> int:
    """The index of the n-th set bit, from 0."""
    for _ in range(n):
        choices &= choices - 1
    return (choices & -choices).bit_length() - 1


@kernel
def random_action(choices: int, state: int) -> int:
    """A uniformly random action of a set, determined by the random state."""
    return nth_bit(choices, below(state, count_bits(choices)))


def register() -> None:
    """Let Numba use bit instructions for `count_bits` and `nth_bit`."""
    import llvmlite.binding as llvm  # type: ignore[import-untyped]  # Numba has no types
    from llvmlite import ir
    from numba.core import types

    extending: Any = import_module("numba.extending")  # its type stubs lack intrinsics with arguments
    intrinsic, overload = extending.intrinsic, extending.overload

    @intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
    def population(typing: Any, choices: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return types.int64(types.int64), generate

    @intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
    def lowest(typing: Any, choices: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.int64), generate

    @intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
    def deposit(typing: Any, bits: Any, choices: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            word = ir.IntType(64)
            instruction = builder.module.declare_intrinsic(
                "llvm.x86.bmi.pdep.64", fnty=ir.FunctionType(word, [word, word])
            )
            return builder.call(instruction, arguments)

        return types.int64(types.int64, types.int64), generate

    # Numba requires an overload to have the same signature as its implementation, including annotations.
    def by_population(choices: Any) -> Any:
        return population(choices)

    def by_deposit(choices: Any, n: Any) -> Any:
        return lowest(deposit(1 << n, choices))

    def by_steps(choices: Any, n: Any) -> Any:
        for _ in range(n):
            choices &= choices - 1
        return lowest(choices)

    @overload(count_bits)  # type: ignore[untyped-decorator]  # Numba has no types
    def compiled_count_bits(choices: Any) -> Any:
        return by_population

    @overload(nth_bit)  # type: ignore[untyped-decorator]  # Numba has no types
    def compiled_nth_bit(choices: Any, n: Any) -> Any:
        return by_steps

    if llvm.get_host_cpu_features().get("bmi2", False):

        @overload(nth_bit, target="cpu")  # type: ignore[untyped-decorator]  # Numba has no types
        def nth_bit_on_this_processor(choices: Any, n: Any) -> Any:
            return by_deposit
