"""A stand-in for `numba.cuda`: it runs the threads of a launch sequentially, interpreted."""

import types

import numpy as np

from hegemon.kernels.batch_games import PositionList
from hegemon.kernels.dtype import POSITION_DTYPE, to_position, to_records
from hegemon.rules.position import Position


class DeviceArray(np.ndarray):
    """An array in the memory of the GPU."""

    def copy_to_host(self, place=None):
        if place is None:
            return np.array(self)
        place[:] = self
        return place

    def copy_to_device(self, array):
        self[:] = array


class DeviceIntegers(list):
    """Integers in the memory of the GPU: without a limit, as the interpreter needs them."""

    @property
    def shape(self):
        return (len(self),)

    def copy_to_host(self):
        return np.array(self)

    def copy_to_device(self, array):
        self[:] = array.tolist()


class DevicePositions(PositionList):
    """Positions in the memory of the GPU: records on the host, objects for the interpreter."""

    def __getitem__(self, place):
        found = super().__getitem__(place)
        return DevicePositions(found) if isinstance(place, slice) else found

    def copy_to_host(self):
        return to_records(self)

    def copy_to_device(self, records):
        self[:] = map(to_position, records)

    def __setitem__(self, place, position):
        if isinstance(place, slice):
            list.__setitem__(self, place, position)
        else:
            super().__setitem__(place, position)


class InterpretedCuda(types.SimpleNamespace):
    def __init__(self):
        super().__init__(thread=0, launches=[])
        self.local = types.SimpleNamespace(
            array=lambda length, record: DevicePositions([Position()] * length)
        )

    def is_available(self):
        return True

    def grid(self, dimensions):
        return self.thread

    def to_device(self, array):
        if array.dtype == POSITION_DTYPE:
            return DevicePositions(map(to_position, array))
        return DeviceIntegers(array.tolist()) if array.dtype == np.int64 else array.copy().view(DeviceArray)

    def device_array(self, shape, dtype):
        return np.zeros(shape, dtype).view(DeviceArray)

    def jit(self, function=None, *, device=False, max_registers=None):
        if device:
            return lambda function: function
        if function is None:
            return lambda function: Kernel(self, function, max_registers)
        return Kernel(self, function, max_registers)


class Kernel:
    """`kernel[blocks, threads](...)` runs every thread of every block."""

    def __init__(self, cuda, function, registers):
        self.cuda, self.function, self.registers = cuda, function, registers

    def __getitem__(self, shape):
        blocks, threads = shape
        self.cuda.launches.append((blocks, threads, self.registers))

        def launch(*arguments):
            for self.cuda.thread in range(blocks * threads):
                self.function(*arguments)

        return launch
