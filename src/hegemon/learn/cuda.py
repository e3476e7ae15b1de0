"""`hegemon.learn.ppo` and the elementwise operations of the network as CUDA kernels.

Each kernel replaces a dozen operations of an array library, each of which would read and write many megabytes.
"""

from typing import Any, Final

from hegemon.kernels.network import NUM_ACTIONS, OUTPUTS
from hegemon.learn.ppo import BELOW_ONE, AdvantageEstimates, LossCoefficients, Losses, Targets
from hegemon.rules.position import MAX_PLAYERS

#: Tensor cores are several times faster if each row of a matrix is aligned to 16 bytes: 8 half-precision numbers.
ALIGNMENT: Final = 8

_THREADS: Final = 128


def aligned(width: int) -> int:
    """The width, rounded up to a multiple of `ALIGNMENT`."""
    return -(-width // ALIGNMENT) * ALIGNMENT


#: The width of the rows of gradients that `loss_gradients` returns.
GRADIENT_WIDTH: Final = aligned(OUTPUTS)

SOURCE: Final = (
    f"""
#define NUM_ACTIONS {NUM_ACTIONS}
#define OUTPUTS {OUTPUTS}
#define GRADIENT_WIDTH {GRADIENT_WIDTH}
#define SEATS {MAX_PLAYERS}
#define BELOW_ONE {BELOW_ONE}f
"""
    r"""
#define ROW() ((long long)blockIdx.x * blockDim.x + threadIdx.x)

// One block per row; each thread computes pairs of adjacent inputs.
extern "C" __global__ void inputs(
    const unsigned char* rows, const int2* bytes, const int2* thresholds, const float2* scales, int features,
    int pairs, half2* result
) {
    const unsigned char* row = rows + (long long)blockIdx.x * features;
    for (int pair = threadIdx.x; pair < pairs; pair += blockDim.x) {
        const int2 index = bytes[pair], threshold = thresholds[pair];
        const float2 scale = scales[pair];
        const int first = row[index.x], second = row[index.y];
        result[(long long)blockIdx.x * pairs + pair] = __floats2half2_rn(
            threshold.x ? (float)(first >= threshold.x) : first * scale.x,
            threshold.y ? (float)(second >= threshold.y) : second * scale.y
        );
    }
}

// Four rows per block, so that each bias is read once for all four.
extern "C" __global__ void bias_relu(half2* layer, const half2* biases, long long rows, int pairs) {
    const long long first = 4LL * blockIdx.x, end = first + 4 < rows ? first + 4 : rows;
    for (int pair = threadIdx.x; pair < pairs; pair += blockDim.x) {
        const float2 bias = __half22float2(biases[pair]);
        for (long long row = first; row < end; row++) {
            const float2 value = __half22float2(layer[row * pairs + pair]);
            layer[row * pairs + pair] =
                __floats2half2_rn(fmaxf(value.x + bias.x, 0.0f), fmaxf(value.y + bias.y, 0.0f));
        }
    }
}

extern "C" __global__ void backward_relu(half2* gradients, const half2* values, long long pairs) {
    const long long pair = ROW();
    if (pair >= pairs) return;
    const float2 value = __half22float2(values[pair]), gradient = __half22float2(gradients[pair]);
    gradients[pair] =
        __floats2half2_rn(value.x > 0.0f ? gradient.x : 0.0f, value.y > 0.0f ? gradient.y : 0.0f);
}

extern "C" __global__ void sample_actions(
    const float* outputs, const bool* masks, const float* noise, float temperature, long long rows,
    long long* actions, float* log_probs
) {
    const long long row = ROW();
    if (row >= rows) return;
    const float* logits = outputs + row * OUTPUTS;
    const bool* legal = masks + row * NUM_ACTIONS;
    float max_logit = -1e30f;
    int best = 0;
    for (int action = 0; action < NUM_ACTIONS; action++)
        if (legal[action] && logits[action] > max_logit) {
            max_logit = logits[action];
            best = action;
        }
    if (temperature == 0.0f) {
        actions[row] = best;
        log_probs[row] = 0.0f;
        return;
    }
    float total = 0.0f;
    for (int action = 0; action < NUM_ACTIONS; action++)
        if (legal[action]) total += expf((logits[action] - max_logit) / temperature);
    const float threshold = noise[row] * BELOW_ONE * total;
    float sum = 0.0f;
    int sampled = best;
    for (int action = 0; action < NUM_ACTIONS; action++)
        if (legal[action]) {
            sum += expf((logits[action] - max_logit) / temperature);
            if (sum > threshold) {
                sampled = action;
                break;
            }
        }
    actions[row] = sampled;
    log_probs[row] = (logits[sampled] - max_logit) / temperature - logf(total);
}

__device__ void softmax_of_seats(const float* logits, int players, float* win_shares) {
    float max_logit = -1e30f, total = 0.0f;
    for (int offset = 0; offset < players; offset++) max_logit = fmaxf(max_logit, logits[offset]);
    for (int offset = 0; offset < SEATS; offset++) {
        win_shares[offset] = offset < players ? expf(logits[offset] - max_logit) : 0.0f;
        total += win_shares[offset];
    }
    for (int offset = 0; offset < SEATS; offset++) win_shares[offset] /= total;
}

extern "C" __global__ void values_of(
    const float* outputs, const long long* viewers, const long long* players, long long rows, float* values
) {
    const long long row = ROW();
    if (row >= rows) return;
    float win_shares[SEATS];
    const int count = players[row], viewer = viewers[row];
    softmax_of_seats(outputs + row * OUTPUTS + NUM_ACTIONS, count, win_shares);
    for (int seat = 0; seat < SEATS; seat++)
        values[row * SEATS + seat] = seat < count ? win_shares[(seat - viewer % count + count) % count] : 0.0f;
}

extern "C" __global__ void loss_gradients(
    const float* outputs, const bool* masks, const bool* seat_masks, const long long* actions,
    const float* old_log_probs, const float* advantages, const float* target_shares, const bool* is_decision,
    float entropy_coef, float uniform_kl_coef, float clip, float value_coef, float scale, long long rows,
    half* gradients, float* value_errors, float* entropies, float* clip_flags
) {
    const long long row = ROW();
    if (row >= rows) return;
    const float* logits = outputs + row * OUTPUTS;
    const bool* legal = masks + row * NUM_ACTIONS;
    half* row_gradients = gradients + row * GRADIENT_WIDTH;
    float max_logit = -1e30f, total = 0.0f;
    int legal_count = 0;
    for (int action = 0; action < NUM_ACTIONS; action++)
        if (legal[action]) {
            max_logit = fmaxf(max_logit, logits[action]);
            legal_count++;
        }
    for (int action = 0; action < NUM_ACTIONS; action++)
        if (legal[action]) total += expf(logits[action] - max_logit);
    const float log_normalizer = max_logit + logf(total);
    float entropy = 0.0f;
    for (int action = 0; action < NUM_ACTIONS; action++)
        if (legal[action]) entropy -= expf(logits[action] - log_normalizer) * (logits[action] - log_normalizer);
    const int chosen = actions[row];
    const bool trains_policy = is_decision[row];
    const float ratio = expf(logits[chosen] - log_normalizer - old_log_probs[row]);
    const float advantage = advantages[row];
    const bool clipped = advantage > 0.0f ? ratio > 1.0f + clip : ratio < 1.0f - clip;
    const float surrogate = clipped ? 0.0f : advantage * ratio;
    for (int action = 0; action < NUM_ACTIONS; action++) {
        float gradient = 0.0f;
        if (trains_policy && legal[action]) {
            const float log_prob = logits[action] - log_normalizer, prob = expf(log_prob);
            gradient = prob * (surrogate + entropy_coef * (log_prob + entropy))
                + uniform_kl_coef * (prob - 1.0f / legal_count);
            if (action == chosen) gradient -= surrogate;
        }
        row_gradients[action] = __float2half(scale * gradient);
    }
    float predicted[SEATS];
    int players = 0;
    for (int offset = 0; offset < SEATS; offset++) players += seat_masks[row * SEATS + offset];
    softmax_of_seats(logits + NUM_ACTIONS, players, predicted);
    float squared_error = 0.0f;
    for (int offset = 0; offset < SEATS; offset++) {
        const float difference = predicted[offset] - target_shares[row * SEATS + offset];
        squared_error += difference * difference;
        row_gradients[NUM_ACTIONS + offset] = __float2half(scale * value_coef * difference);
    }
    for (int column = OUTPUTS; column < GRADIENT_WIDTH; column++) row_gradients[column] = __float2half(0.0f);
    value_errors[row] = squared_error;
    entropies[row] = trains_policy ? entropy : 0.0f;
    clip_flags[row] = trains_policy && clipped ? 1.0f : 0.0f;
}

extern "C" __global__ void estimate_advantages(
    const long long* seats, const float* values, const bool* is_decision, const bool* dones, const float* outcomes,
    const float* final_values, float gae_lambda, long long steps, long long games, float* advantages,
    float* value_targets, float* initial_value_targets
) {
    const long long game = ROW();
    if (game >= games) return;
    float next_values[SEATS][SEATS], next_gae[SEATS][SEATS];
    for (int viewer = 0; viewer < SEATS; viewer++)
        for (int seat = 0; seat < SEATS; seat++) {
            next_values[viewer][seat] = final_values[(game * SEATS + viewer) * SEATS + seat];
            next_gae[viewer][seat] = 0.0f;
        }
    for (long long step = steps - 1; step >= 0; step--) {
        const long long index = step * games + game;
        if (dones[index])
            for (int viewer = 0; viewer < SEATS; viewer++)
                for (int seat = 0; seat < SEATS; seat++) {
                    next_values[viewer][seat] = outcomes[index * SEATS + seat];
                    next_gae[viewer][seat] = 0.0f;
                }
        const int mover = seats[index];
        for (int seat = 0; seat < SEATS; seat++) {
            const float value = values[index * SEATS + seat];
            const float gae = next_values[mover][seat] - value + gae_lambda * next_gae[mover][seat];
            value_targets[index * SEATS + seat] = value + gae;
            if (seat == mover) advantages[index] = gae;
            if (is_decision[index]) {
                next_values[mover][seat] = value;
                next_gae[mover][seat] = gae;
            }
        }
    }
    for (int viewer = 0; viewer < SEATS; viewer++)
        for (int seat = 0; seat < SEATS; seat++)
            initial_value_targets[(game * SEATS + viewer) * SEATS + seat] =
                next_values[viewer][seat] + gae_lambda * next_gae[viewer][seat];
}
"""
)


class TrainingKernels:
    """The kernels, compiled by CuPy and called with its arrays."""

    def __init__(self, cp: Any) -> None:
        self._cp = cp
        module = cp.RawModule(code="#include <cuda_fp16.h>\n" + SOURCE)
        self._inputs = module.get_function("inputs")
        self._bias_relu = module.get_function("bias_relu")
        self._backward_relu = module.get_function("backward_relu")
        self._sample_actions = module.get_function("sample_actions")
        self._values_of = module.get_function("values_of")
        self._loss_gradients = module.get_function("loss_gradients")
        self._estimate_advantages = module.get_function("estimate_advantages")

    def _launch(self, kernel: Any, rows: int, *arguments: Any) -> None:
        """Run a kernel with one thread per row."""
        kernel((-(-rows // _THREADS),), (_THREADS,), arguments)

    def _contiguous(self, array: Any, dtype: Any) -> Any:
        return self._cp.ascontiguousarray(array, dtype)

    def inputs(self, rows: Any, tables: list[Any], result: Any) -> None:
        """Write the network inputs for rows of observations; `tables` are their bytes, thresholds and scales."""
        cp = self._cp
        features, pairs = rows.shape[-1], result.shape[-1] // 2
        sizes = cp.int32(features), cp.int32(pairs)
        self._inputs((rows.size // features,), (_THREADS,), (rows, *tables, *sizes, result))

    def bias_relu(self, layer: Any, biases: Any) -> None:
        """Add the biases and apply ReLU in place."""
        cp = self._cp
        rows, pairs = len(layer), layer.shape[-1] // 2
        self._bias_relu((-(-rows // 4),), (_THREADS,), (layer, biases, cp.int64(rows), cp.int32(pairs)))

    def backward_relu(self, gradients: Any, values: Any) -> None:
        """Zero the gradients where the output of the ReLU is zero, in place."""
        pairs = gradients.size // 2
        self._launch(self._backward_relu, pairs, gradients, values, self._cp.int64(pairs))

    def sample_actions(self, outputs: Any, masks: Any, noise: Any, temperature: float) -> tuple[Any, Any]:
        cp = self._cp
        actions, log_probs = cp.empty(noise.shape, cp.int64), cp.empty(noise.shape, cp.float32)
        rows = noise.size
        self._launch(
            self._sample_actions,
            rows,
            self._contiguous(outputs, cp.float32),
            self._contiguous(masks, cp.bool_),
            self._contiguous(noise, cp.float32),
            cp.float32(temperature),
            cp.int64(rows),
            actions,
            log_probs,
        )
        return actions, log_probs

    def values_of(self, outputs: Any, viewers: Any, players: Any) -> Any:
        cp = self._cp
        rows = len(outputs)
        values = cp.empty((rows, MAX_PLAYERS), cp.float32)
        self._launch(
            self._values_of,
            rows,
            self._contiguous(outputs, cp.float32),
            self._contiguous(viewers, cp.int64),
            self._contiguous(players, cp.int64),
            cp.int64(rows),
            values,
        )
        return values

    def loss_gradients(
        self, outputs: Any, masks: Any, seat_masks: Any, targets: Targets, coefficients: LossCoefficients,
        scale: float,
    ) -> tuple[Any, Losses]:  # fmt: skip
        """The gradients times `scale`, in half precision and rows of `GRADIENT_WIDTH`, and the mean losses."""
        cp = self._cp
        rows = len(outputs)
        gradients = cp.empty((rows, GRADIENT_WIDTH), cp.float16)
        value_errors, entropies, clip_flags = (cp.empty(rows, cp.float32) for _ in range(3))
        self._launch(
            self._loss_gradients,
            rows,
            self._contiguous(outputs, cp.float32),
            self._contiguous(masks, cp.bool_),
            self._contiguous(seat_masks, cp.bool_),
            self._contiguous(targets.actions, cp.int64),
            self._contiguous(targets.log_probs, cp.float32),
            self._contiguous(targets.advantages, cp.float32),
            self._contiguous(targets.win_shares, cp.float32),
            self._contiguous(targets.is_decision, cp.bool_),
            cp.float32(coefficients.entropy),
            cp.float32(coefficients.uniform_kl),
            cp.float32(coefficients.clip),
            cp.float32(coefficients.value),
            cp.float32(scale),
            cp.int64(rows),
            gradients,
            value_errors,
            entropies,
            clip_flags,
        )
        decisions = targets.is_decision.sum()
        losses = Losses(value_errors.mean(), entropies.sum() / decisions, clip_flags.sum() / decisions)
        return gradients, losses

    def estimate_advantages(self, rollout: Any, final_values: Any, gae_lambda: float) -> AdvantageEstimates:
        cp = self._cp
        steps, games = rollout.seats.shape
        estimates = AdvantageEstimates(
            cp.empty((steps, games), cp.float32),
            cp.empty((steps, games, MAX_PLAYERS), cp.float32),
            cp.empty((games, MAX_PLAYERS, MAX_PLAYERS), cp.float32),
        )
        self._launch(
            self._estimate_advantages,
            games,
            rollout.seats,
            rollout.values,
            rollout.is_decision,
            rollout.dones,
            rollout.outcomes,
            self._contiguous(final_values, cp.float32),
            cp.float32(gae_lambda),
            cp.int64(steps),
            cp.int64(games),
            *estimates,
        )
        return estimates
