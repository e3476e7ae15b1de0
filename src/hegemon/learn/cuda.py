"""`hegemon.learn.formulas` in CUDA C++: one thread a row, in one pass.

Each formula is a dozen steps of an array library, and each of those reads and writes arrays of many megabytes.
"""

from typing import Any, Final

from hegemon.kernels.network import ACTIONS, OUTPUTS
from hegemon.learn.formulas import BELOW_ONE, Losses, Returns, Targets, Weighting
from hegemon.rules.position import MAX_PLAYERS

#: Tensor cores are several times as fast if every row of a matrix begins at a multiple of 16 bytes.
ALIGNMENT: Final = 8

_THREADS: Final = 128


def aligned(width: int) -> int:
    """The width of rows in half precision that begin at such a multiple."""
    return -(-width // ALIGNMENT) * ALIGNMENT


#: The width of the rows of gradients that `slopes` writes.
SLOPES: Final = aligned(OUTPUTS)

SOURCE: Final = (
    f"""
#define ACTIONS {ACTIONS}
#define OUTPUTS {OUTPUTS}
#define SLOPES {SLOPES}
#define SEATS {MAX_PLAYERS}
#define BELOW_ONE {BELOW_ONE}f
"""
    r"""
#define ROW() ((long long)blockIdx.x * blockDim.x + threadIdx.x)

// One block a row, two neighbors a thread.
extern "C" __global__ void inputs(
    const unsigned char* rows, const int2* bytes, const int2* thresholds, const float2* scales, int features,
    int pairs, half2* found
) {
    const unsigned char* row = rows + (long long)blockIdx.x * features;
    for (int pair = threadIdx.x; pair < pairs; pair += blockDim.x) {
        const int2 from = bytes[pair], least = thresholds[pair];
        const float2 scale = scales[pair];
        const int one = row[from.x], two = row[from.y];
        found[(long long)blockIdx.x * pairs + pair] = __floats2half2_rn(
            least.x ? (float)(one >= least.x) : one * scale.x, least.y ? (float)(two >= least.y) : two * scale.y
        );
    }
}

// Four rows a block, so that a thread reads its biases once.
extern "C" __global__ void activate(half2* sums, const half2* biases, long long rows, int pairs) {
    const long long first = 4LL * blockIdx.x, end = first + 4 < rows ? first + 4 : rows;
    for (int pair = threadIdx.x; pair < pairs; pair += blockDim.x) {
        const float2 bias = __half22float2(biases[pair]);
        for (long long row = first; row < end; row++) {
            const float2 sum = __half22float2(sums[row * pairs + pair]);
            sums[row * pairs + pair] =
                __floats2half2_rn(fmaxf(sum.x + bias.x, 0.0f), fmaxf(sum.y + bias.y, 0.0f));
        }
    }
}

extern "C" __global__ void pass_back(half2* gradients, const half2* values, long long pairs) {
    const long long pair = ROW();
    if (pair >= pairs) return;
    const float2 value = __half22float2(values[pair]), gradient = __half22float2(gradients[pair]);
    gradients[pair] =
        __floats2half2_rn(value.x > 0.0f ? gradient.x : 0.0f, value.y > 0.0f ? gradient.y : 0.0f);
}

extern "C" __global__ void choose(
    const float* outputs, const bool* masks, const float* noise, float temperature, long long rows,
    long long* actions, float* log_odds
) {
    const long long row = ROW();
    if (row >= rows) return;
    const float* logits = outputs + row * OUTPUTS;
    const bool* legal = masks + row * ACTIONS;
    float highest = -1e30f;
    int best = 0;
    for (int action = 0; action < ACTIONS; action++)
        if (legal[action] && logits[action] > highest) {
            highest = logits[action];
            best = action;
        }
    if (temperature == 0.0f) {
        actions[row] = best;
        log_odds[row] = 0.0f;
        return;
    }
    float total = 0.0f;
    for (int action = 0; action < ACTIONS; action++)
        if (legal[action]) total += expf((logits[action] - highest) / temperature);
    const float wanted = noise[row] * BELOW_ONE * total;
    float sum = 0.0f;
    int chosen = best;
    for (int action = 0; action < ACTIONS; action++)
        if (legal[action]) {
            sum += expf((logits[action] - highest) / temperature);
            if (sum > wanted) {
                chosen = action;
                break;
            }
        }
    actions[row] = chosen;
    log_odds[row] = (logits[chosen] - highest) / temperature - logf(total);
}

__device__ void softmax_of_seats(const float* logits, int players, float* shares) {
    float highest = -1e30f, total = 0.0f;
    for (int left = 0; left < players; left++) highest = fmaxf(highest, logits[left]);
    for (int left = 0; left < SEATS; left++) {
        shares[left] = left < players ? expf(logits[left] - highest) : 0.0f;
        total += shares[left];
    }
    for (int left = 0; left < SEATS; left++) shares[left] /= total;
}

extern "C" __global__ void values_of(
    const float* outputs, const long long* seats, const long long* players, long long rows, float* values
) {
    const long long row = ROW();
    if (row >= rows) return;
    float shares[SEATS];
    const int number = players[row], seat = seats[row];
    softmax_of_seats(outputs + row * OUTPUTS + ACTIONS, number, shares);
    for (int place = 0; place < SEATS; place++)
        values[row * SEATS + place] = place < number ? shares[(place - seat % number + number) % number] : 0.0f;
}

extern "C" __global__ void slopes(
    const float* outputs, const bool* masks, const bool* present, const long long* actions, const float* log_odds,
    const float* advantages, const float* shares, const bool* decisions, float entropy, float evenness, float clip,
    float value, float scale, long long rows, half* gradients, float* errors, float* surprises, float* clipped
) {
    const long long row = ROW();
    if (row >= rows) return;
    const float* logits = outputs + row * OUTPUTS;
    const bool* legal = masks + row * ACTIONS;
    half* found = gradients + row * SLOPES;
    float highest = -1e30f, total = 0.0f;
    int number = 0;
    for (int action = 0; action < ACTIONS; action++)
        if (legal[action]) {
            highest = fmaxf(highest, logits[action]);
            number++;
        }
    for (int action = 0; action < ACTIONS; action++)
        if (legal[action]) total += expf(logits[action] - highest);
    const float norm = highest + logf(total);
    float surprise = 0.0f;
    for (int action = 0; action < ACTIONS; action++)
        if (legal[action]) surprise -= expf(logits[action] - norm) * (logits[action] - norm);
    const int chosen = actions[row];
    const bool decision = decisions[row];
    const float ratio = expf(logits[chosen] - norm - log_odds[row]);
    const float advantage = advantages[row];
    const bool outside = advantage > 0.0f ? ratio > 1.0f + clip : ratio < 1.0f - clip;
    const float pull = outside ? 0.0f : advantage * ratio;
    for (int action = 0; action < ACTIONS; action++) {
        float slope = 0.0f;
        if (decision && legal[action]) {
            const float log_odd = logits[action] - norm, odd = expf(log_odd);
            slope = odd * (pull + entropy * (log_odd + surprise)) + evenness * (odd - 1.0f / number);
            if (action == chosen) slope -= pull;
        }
        found[action] = __float2half(scale * slope);
    }
    float expected[SEATS];
    int players = 0;
    for (int left = 0; left < SEATS; left++) players += present[row * SEATS + left];
    softmax_of_seats(logits + ACTIONS, players, expected);
    float error = 0.0f;
    for (int left = 0; left < SEATS; left++) {
        const float wrong = expected[left] - shares[row * SEATS + left];
        error += wrong * wrong;
        found[ACTIONS + left] = __float2half(scale * value * wrong);
    }
    for (int place = OUTPUTS; place < SLOPES; place++) found[place] = __float2half(0.0f);
    errors[row] = error;
    surprises[row] = decision ? surprise : 0.0f;
    clipped[row] = decision && outside ? 1.0f : 0.0f;
}

extern "C" __global__ void returns(
    const long long* seats, const float* values, const bool* decided, const bool* dones, const float* outcomes,
    const float* final_values, float trace, long long steps, long long games, float* advantages, float* expected,
    float* first_expected
) {
    const long long game = ROW();
    if (game >= games) return;
    float later[SEATS][SEATS], traces[SEATS][SEATS];
    for (int viewer = 0; viewer < SEATS; viewer++)
        for (int seat = 0; seat < SEATS; seat++) {
            later[viewer][seat] = final_values[(game * SEATS + viewer) * SEATS + seat];
            traces[viewer][seat] = 0.0f;
        }
    for (long long step = steps - 1; step >= 0; step--) {
        const long long place = step * games + game;
        if (dones[place])
            for (int viewer = 0; viewer < SEATS; viewer++)
                for (int seat = 0; seat < SEATS; seat++) {
                    later[viewer][seat] = outcomes[place * SEATS + seat];
                    traces[viewer][seat] = 0.0f;
                }
        const int own = seats[place];
        for (int seat = 0; seat < SEATS; seat++) {
            const float value = values[place * SEATS + seat];
            const float gain = later[own][seat] - value + trace * traces[own][seat];
            expected[place * SEATS + seat] = value + gain;
            if (seat == own) advantages[place] = gain;
            if (decided[place]) {
                later[own][seat] = value;
                traces[own][seat] = gain;
            }
        }
    }
    for (int viewer = 0; viewer < SEATS; viewer++)
        for (int seat = 0; seat < SEATS; seat++)
            first_expected[(game * SEATS + viewer) * SEATS + seat] =
                later[viewer][seat] + trace * traces[viewer][seat];
}
"""
)


class CudaFormulas:
    """The formulas for arrays of CuPy."""

    def __init__(self, cp: Any) -> None:
        self._cp = cp
        module = cp.RawModule(code="#include <cuda_fp16.h>\n" + SOURCE)
        names = ("inputs", "activate", "pass_back", "choose", "values_of", "slopes", "returns")
        (
            self._inputs, self._activate, self._pass_back, self._choose, self._values_of, self._slopes, self._returns,
        ) = map(module.get_function, names)  # fmt: skip

    def _run(self, function: Any, rows: int, *arguments: Any) -> None:
        function((-(-rows // _THREADS),), (_THREADS,), arguments)

    def _whole(self, array: Any, dtype: Any) -> Any:
        """The array as the kernels read it: of that type, one row after the other."""
        return self._cp.ascontiguousarray(array, dtype)

    def inputs(self, rows: Any, tables: list[Any], found: Any) -> None:
        """Write the inputs of the network for rows of observations: by their bytes, thresholds and scales."""
        cp = self._cp
        features, pairs = rows.shape[-1], found.shape[-1] // 2
        numbers = cp.int32(features), cp.int32(pairs)
        self._inputs((rows.size // features,), (_THREADS,), (rows, *tables, *numbers, found))

    def activate(self, sums: Any, biases: Any) -> None:
        """Add the biases, and cut off what is below zero, in place."""
        cp = self._cp
        rows, pairs = len(sums), sums.shape[-1] // 2
        self._activate((-(-rows // 4),), (_THREADS,), (sums, biases, cp.int64(rows), cp.int32(pairs)))

    def pass_back(self, gradients: Any, values: Any) -> None:
        """Leave those gradients whose values are above zero, in place."""
        pairs = gradients.size // 2
        self._run(self._pass_back, pairs, gradients, values, self._cp.int64(pairs))

    def choose(self, outputs: Any, masks: Any, noise: Any, temperature: float) -> tuple[Any, Any]:
        cp = self._cp
        actions, log_odds = cp.empty(noise.shape, cp.int64), cp.empty(noise.shape, cp.float32)
        given = (
            self._whole(array, dtype)
            for array, dtype in ((outputs, cp.float32), (masks, cp.bool_), (noise, cp.float32))
        )
        rows = noise.size
        self._run(
            self._choose, rows, *given, cp.float32(temperature), cp.int64(rows), actions, log_odds
        )  # fmt: skip
        return actions, log_odds

    def values_of(self, outputs: Any, seats: Any, players: Any) -> Any:
        cp = self._cp
        rows = len(outputs)
        values = cp.empty((rows, MAX_PLAYERS), cp.float32)
        outputs, seats, players = (
            self._whole(array, dtype)
            for array, dtype in ((outputs, cp.float32), (seats, cp.int64), (players, cp.int64))
        )
        self._run(self._values_of, rows, outputs, seats, players, cp.int64(rows), values)
        return values

    def slopes(
        self, outputs: Any, masks: Any, present: Any, targets: Targets, weighting: Weighting, scale: float
    ) -> tuple[Any, Losses]:
        """The gradients in half precision, `scale` times as long, in rows of `SLOPES` numbers."""
        cp = self._cp
        rows = len(outputs)
        gradients = cp.empty((rows, SLOPES), cp.float16)
        errors, surprises, clipped = (cp.empty(rows, cp.float32) for _ in range(3))
        floats = (targets.log_odds, targets.advantages, targets.shares)
        self._run(
            self._slopes,
            rows,
            self._whole(outputs, cp.float32),
            self._whole(masks, cp.bool_),
            self._whole(present, cp.bool_),
            self._whole(targets.actions, cp.int64),
            *(self._whole(array, cp.float32) for array in floats),
            self._whole(targets.chosen, cp.bool_),
            *(cp.float32(number) for number in (*weighting, scale)),
            cp.int64(rows),
            gradients,
            errors,
            surprises,
            clipped,
        )
        number = targets.chosen.sum()
        return gradients, Losses(errors.mean(), surprises.sum() / number, clipped.sum() / number)

    def returns(self, experience: Any, final: Any, trace: float) -> Returns:
        cp = self._cp
        steps, games = experience.seats.shape
        found = Returns(
            cp.empty((steps, games), cp.float32),
            cp.empty((steps, games, MAX_PLAYERS), cp.float32),
            cp.empty((games, MAX_PLAYERS, MAX_PLAYERS), cp.float32),
        )
        given = (
            experience.seats,
            experience.values,
            experience.decided,
            experience.dones,
            experience.outcomes,
        )
        self._run(
            self._returns,
            games,
            *given,
            self._whole(final, cp.float32),
            *(cp.float32(trace), cp.int64(steps), cp.int64(games)),
            *found,
        )
        return found
