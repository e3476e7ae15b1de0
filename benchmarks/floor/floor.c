/* The baseline: random play of two-player Basic games under the standard rulings, written by hand in C.
 *
 * It plays exactly the same games as hegemon.kernels.play_compiled: the same generator, the same order of choices, the
 * same results. It supports only two players, Basic and the standard rulings, and omits everything else.
 */

#include <stdint.h>
#include <string.h>
#if defined(__BMI2__)
#include <immintrin.h>
#endif

enum { MILITARY, RELIGION, ECONOMY, SCIENCE, CULTURE, UTOPIA, DOMAINS };
enum { SEATS = 2, ALL_CARDS = 104, HAND_SIZE = 3, STALLED_ROUNDS = 10, HEGEMONY_AT = 8 };

/* The open question. */
enum { PLAY, EFFECTS, DISCARD_FROM_HAND, DISCARD_FROM_AREA, TAKE_BACK, PLAY_MORE, FETCH, GIVE, EMBARGO_ON, DEMOCRACY_ON, OVER };
enum { NOT_YET, HEGEMONY, MAJORITY, STALL };

/* The first action of each kind. */
enum { PERMANENT = 21, COPY = 31, ATTACK = 41, INQUISITION = 47, EMBARGO = 50, DEMOCRACY = 54, BREAKTHROUGH = 58, END = 63 };
#define BIT(n) (UINT64_C(1) << (n))

/* A pile: five bits for the number of cards, then four each for the number of Age I and Age II cards. */
enum { COUNT = 31, AGES_I = 15 << 5, AGES_II = 15 << 9, AGE_I = 1 + (1 << 5), AGE_II = 1 + (1 << 9), AGE_III = 1 };

static const uint8_t number_of_cards[DOMAINS][3] = {{8, 8, 4}, {8, 8, 0}, {4, 4, 8}, {4, 8, 8}, {4, 4, 8}, {0, 0, 16}};
static const uint16_t card_of_age[4] = {0, AGE_I, AGE_II, AGE_III};
static const uint8_t domain_of_slot[5] = {MILITARY, RELIGION, ECONOMY, SCIENCE, UTOPIA};

/* The permanent effects: the question, the number of cards to pick, and the number of cards played afterward. */
static const struct { uint8_t question, cards, plays; } board[10] = {
    {DISCARD_FROM_HAND, 1, 0}, {DISCARD_FROM_HAND, 2, 0}, {EFFECTS, 0, 0},   {EFFECTS, 0, 0}, {DISCARD_FROM_AREA, 1, 1},
    {DISCARD_FROM_AREA, 2, 2}, {TAKE_BACK, 1, 1},         {TAKE_BACK, 2, 2}, {FETCH, 1, 0},   {FETCH, 2, 0},
};

typedef uint16_t Piles[DOMAINS];

typedef struct {
    Piles hand[SEATS], area[SEATS], embargo[SEATS], discard_pile;
    uint8_t democracies[SEATS][DOMAINS];
    uint8_t deck[ALL_CARDS];
    int deck_size, seat, question, left, floor, plays, hand_size, round, quiet_rounds, drew, ending;
    int coin_owner; /* seat + 1 */
    unsigned used;
} Table;

/* ---- random numbers ---- */

static uint32_t mix(uint32_t number) {
    number = (number ^ (number >> 16)) * 0x7FEB352Du;
    number = (number ^ (number >> 15)) * 0x846CA68Bu;
    return number ^ (number >> 16);
}

static inline uint64_t next_state(uint64_t state) { return UINT64_C(0x7A3C5599) * (uint32_t)state + (state >> 32); }

static inline uint32_t below(uint64_t state, uint32_t bound) {
    return (uint32_t)((uint64_t)((uint32_t)state ^ (uint32_t)(state >> 32)) * bound >> 32);
}

static uint64_t stream(uint64_t seed, uint64_t index) {
    uint32_t low = mix((uint32_t)seed ^ mix((uint32_t)index ^ 0x3C6EF372u));
    uint32_t high = mix((uint32_t)(seed >> 32) ^ mix((uint32_t)(index >> 32) ^ mix(low ^ 0x1B873593u)));
    low = mix(low ^ high);
    return next_state(next_state(((uint64_t)(high >> 2) + 1) << 32 | low));
}

static inline int nth_bit(uint64_t choices, int n) {
#if defined(__BMI2__)
    return __builtin_ctzll(_pdep_u64(BIT(n), choices));
#else
    while (n--) choices &= choices - 1;
    return __builtin_ctzll(choices);
#endif
}

/* ---- cards ---- */

static inline int oldest(unsigned pile) { return pile & AGES_I ? AGE_I : pile & AGES_II ? AGE_II : AGE_III; }

static inline void move(uint16_t *from, uint16_t *to, int domain) {
    int card = oldest(from[domain]);
    from[domain] -= card;
    to[domain] += card;
}

static inline int total(const uint16_t *piles) {
    int cards = 0;
    for (int domain = 0; domain < DOMAINS; domain++) cards += piles[domain] & COUNT;
    return cards;
}

static inline unsigned domains_with(int cards, const uint16_t *piles) {
    unsigned domains = 0;
    for (int domain = 0; domain < DOMAINS; domain++) domains |= (unsigned)((piles[domain] & COUNT) >= cards) << domain;
    return domains;
}

/* ---- the turn ---- */

static inline void begin_effects(Table *t) {
    t->question = EFFECTS;
    t->left = 0;
    t->floor = 0;
}

static inline void ask(Table *t, int question, int cards) {
    t->question = question;
    t->left = cards;
    t->floor = 0;
}

static int total_playable(const Table *t) {
    int cards = 0;
    for (int domain = 0; domain < DOMAINS; domain++)
        if (!t->embargo[t->seat][domain]) cards += t->hand[t->seat][domain] & COUNT;
    return cards;
}

static void begin_turn(Table *t, int seat) {
    t->seat = seat;
    t->used = 0;
    t->hand_size = HAND_SIZE;
    t->left = 1;
    t->question = PLAY;
    if (total_playable(t) == 0) begin_effects(t);
}

static int draw(Table *t, int seat, int cards) {
    if (cards > t->deck_size) cards = t->deck_size;
    t->deck_size -= cards;
    for (int place = t->deck_size; place < t->deck_size + cards; place++)
        t->hand[seat][t->deck[place] >> 2] += card_of_age[t->deck[place] & 3];
    if (cards > 0) t->drew = 1;
    return cards;
}

static void end_turn(Table *t) {
    int seat = t->seat;
    int missing = t->hand_size - total(t->hand[seat]);
    if (missing > 0) draw(t, seat, missing);
    int lifted = 0;
    for (int domain = 0; domain < DOMAINS; domain++) {
        lifted += t->embargo[seat][domain];
        t->embargo[seat][domain] = 0;
    }
    t->discard_pile[ECONOMY] += lifted;
    for (int domain = 0; domain < DOMAINS; domain++) {
        if ((t->area[seat][domain] & COUNT) >= HEGEMONY_AT + t->democracies[seat][domain]) {
            t->question = OVER;
            t->ending = HEGEMONY;
            return;
        }
    }
    if (seat == 0) {
        begin_turn(t, 1);
        return;
    }
    t->quiet_rounds = t->drew ? 0 : t->quiet_rounds + 1;
    t->drew = 0;
    if (t->deck_size == 0) {
        t->question = OVER;
        t->ending = MAJORITY;
    } else if (t->quiet_rounds == STALLED_ROUNDS) {
        t->question = OVER;
        t->ending = STALL;
    } else {
        t->round++;
        begin_turn(t, 0);
    }
}

/* ---- legal actions ---- */

static unsigned effects_of(unsigned domains, int level) {
    unsigned effects = 0;
    for (int slot = 0; slot < 5; slot++) effects |= (domains >> domain_of_slot[slot] & 1) << (2 * slot + level - 1);
    return effects;
}

static uint64_t permanents(const Table *t) {
    const uint16_t *area = t->area[t->seat], *other = t->area[1 - t->seat];
    int inspired = !(t->used >> CULTURE & 1) && (area[CULTURE] & COUNT) > (other[CULTURE] & COUNT);
    uint64_t choices = 0;
    for (int level = 1; level <= 2; level++) {
        unsigned own = domains_with(2 * level + 1, area);
        unsigned copied = inspired ? domains_with(2 * level + 1, other) & ~own : 0;
        if (!(own | copied)) break;
        choices |= (uint64_t)effects_of(own & ~t->used, level) << PERMANENT;
        choices |= (uint64_t)effects_of(copied & ~t->used, level) << COPY;
    }
    if (choices) {
        int hand = total(t->hand[t->seat]), there = total(area), discarded = total(t->discard_pile);
        uint64_t given = 0;
        for (int effect = 0; effect < 10; effect++) {
            int question = board[effect].question, cards = board[effect].cards;
            int can = question == DISCARD_FROM_HAND ? hand >= cards
                      : question == FETCH           ? discarded >= cards
                      : question == EFFECTS         ? t->deck_size > 0
                                                    : there >= cards;
            given |= (uint64_t)can << effect;
        }
        choices &= given << PERMANENT | given << COPY;
    }
    return choices;
}

static uint64_t effects_on_offer(const Table *t) {
    const uint16_t *area = t->area[t->seat];
    unsigned have = domains_with(1, area), open = have & ~(t->used >> DOMAINS);
    uint64_t choices = permanents(t) | BIT(END);
    if (open >> MILITARY & 1) choices |= (uint64_t)((area[MILITARY] & COUNT) == 1 ? have & ~1u : have) << ATTACK;
    if (open >> RELIGION & 1) choices |= BIT(INQUISITION);
    if (open >> SCIENCE & 1) choices |= BIT(BREAKTHROUGH + SCIENCE);
    if (open & (1 << ECONOMY | 1 << UTOPIA) && total(t->area[1 - t->seat])) {
        if (open >> ECONOMY & 1) choices |= BIT(EMBARGO + 1);
        if (open >> UTOPIA & 1) choices |= BIT(DEMOCRACY + 1);
    }
    return choices;
}

static uint64_t picks_on_offer(const Table *t) {
    const uint16_t *piles = t->hand[t->seat];
    unsigned barred = 0, choices = 0;
    int cards = 0;
    if (t->question == DISCARD_FROM_AREA || t->question == TAKE_BACK)
        piles = t->area[t->seat];
    else if (t->question == FETCH)
        piles = t->discard_pile;
    else if (t->question == PLAY || t->question == PLAY_MORE)
        barred = domains_with(1, t->embargo[t->seat]);
    for (int domain = UTOPIA; domain >= 0; domain--) {
        int there = barred >> domain & 1 ? 0 : piles[domain] & COUNT;
        cards += there;
        choices |= (unsigned)(there > 0 && cards >= t->left) << domain;
    }
    return choices >> t->floor << t->floor;
}

static uint64_t legal(const Table *t) {
    switch (t->question) {
    case EFFECTS: return effects_on_offer(t);
    case EMBARGO_ON:
    case DEMOCRACY_ON: return domains_with(1, t->area[1 - t->seat]);
    default: return picks_on_offer(t);
    }
}

/* ---- applying an action ---- */

static void use_permanent(Table *t, int effect) {
    t->used |= 1u << domain_of_slot[effect >> 1];
    if (board[effect].question == EFFECTS) {
        t->hand_size = HAND_SIZE + 2 * ((effect & 1) + 1);
    } else {
        ask(t, board[effect].question, board[effect].cards);
        t->plays = board[effect].plays;
    }
}

static void apply_effect(Table *t, int action) {
    uint16_t *area = t->area[t->seat], *other = t->area[1 - t->seat];
    if (action == END) {
        end_turn(t);
    } else if (action >= BREAKTHROUGH) {
        t->used |= 1u << (DOMAINS + SCIENCE);
        move(area, t->discard_pile, SCIENCE);
        int drawn = draw(t, t->seat, 5);
        if (drawn > 0) ask(t, DISCARD_FROM_HAND, drawn);
    } else if (action >= DEMOCRACY) {
        t->used |= 1u << (DOMAINS + UTOPIA);
        t->question = DEMOCRACY_ON;
    } else if (action >= EMBARGO) {
        t->used |= 1u << (DOMAINS + ECONOMY);
        t->question = EMBARGO_ON;
    } else if (action >= INQUISITION) {
        uint16_t *hand = t->hand[t->seat], *taken = t->hand[1 - t->seat];
        int cards = total(taken);
        t->used |= 1u << (DOMAINS + RELIGION);
        move(area, t->discard_pile, RELIGION);
        for (int domain = 0; domain < DOMAINS; domain++) {
            hand[domain] += taken[domain];
            taken[domain] = 0;
        }
        if (cards > 0) ask(t, GIVE, cards);
    } else if (action >= ATTACK) {
        int domain = action - ATTACK;
        t->used |= 1u << (DOMAINS + MILITARY);
        move(area, t->discard_pile, MILITARY);
        move(area, t->discard_pile, domain);
        if (other[domain]) move(other, t->discard_pile, domain);
    } else if (action >= COPY) {
        t->coin_owner = t->seat + 1;
        t->used |= 1u << CULTURE;
        use_permanent(t, action - COPY);
    } else {
        use_permanent(t, action - PERMANENT);
    }
}

static void pick(Table *t, int domain) {
    uint16_t *hand = t->hand[t->seat], *area = t->area[t->seat];
    switch (t->question) {
    case DISCARD_FROM_HAND: move(hand, t->discard_pile, domain); break;
    case DISCARD_FROM_AREA: move(area, t->discard_pile, domain); break;
    case TAKE_BACK: move(area, hand, domain); break;
    case FETCH: move(t->discard_pile, hand, domain); break;
    case GIVE: move(hand, t->hand[1 - t->seat], domain); break;
    default: move(hand, area, domain);
    }
    t->floor = domain;
    if (--t->left == 0) {
        int playable = t->plays ? total_playable(t) : 0;
        int plays = t->plays < playable ? t->plays : playable;
        t->plays = 0;
        if (plays > 0)
            ask(t, PLAY_MORE, plays);
        else
            begin_effects(t);
    }
}

static void apply(Table *t, int action) {
    uint16_t *area = t->area[t->seat];
    switch (t->question) {
    case EFFECTS: apply_effect(t, action); break;
    case PLAY:
        move(t->hand[t->seat], area, action);
        begin_effects(t);
        break;
    case EMBARGO_ON: {
        int card = oldest(area[ECONOMY]);
        area[ECONOMY] -= card;
        t->embargo[1 - t->seat][action] += card;
        begin_effects(t);
        break;
    }
    case DEMOCRACY_ON:
        area[UTOPIA] -= AGE_III;
        t->democracies[1 - t->seat][action]++;
        begin_effects(t);
        break;
    default: pick(t, action);
    }
    if (t->coin_owner) {
        int owner = t->coin_owner - 1;
        if ((t->area[1 - owner][CULTURE] & COUNT) >= (t->area[owner][CULTURE] & COUNT)) t->coin_owner = 0;
    }
}

/* ---- setup and end ---- */

static uint64_t set_up(Table *t, uint64_t state) {
    memset(t, 0, sizeof *t);
    int size = 0;
    for (int age = 3; age >= 1; age--) {
        int top = size;
        for (int domain = 0; domain < DOMAINS; domain++) {
            for (int card = 0; card < number_of_cards[domain][age - 1]; card++) {
                state = next_state(state);
                int place = size + (int)below(state, (uint32_t)(top - size + 1));
                t->deck[top++] = t->deck[place];
                t->deck[place] = (uint8_t)(4 * domain + age);
            }
        }
        size = top - 3;
    }
    t->deck_size = size;
    for (int seat = 0; seat < SEATS; seat++) draw(t, seat, HAND_SIZE);
    t->drew = 0;
    t->round = 1;
    begin_turn(t, 0);
    return state;
}

static int winners(const Table *t) {
    if (t->ending == HEGEMONY) return 1 << t->seat;
    int lead = 0;
    for (int domain = 0; domain < DOMAINS; domain++) {
        int difference = (t->area[0][domain] & COUNT) - (t->area[1][domain] & COUNT);
        lead += (difference > 0) - (difference < 0);
    }
    for (int domain = UTOPIA; lead == 0 && domain >= 0; domain--)
        lead = (t->area[0][domain] & COUNT) - (t->area[1][domain] & COUNT);
    return lead > 0 ? 1 : lead < 0 ? 2 : 3;
}

void play_games(int64_t games, uint64_t seed, uint64_t first, uint8_t *won, uint8_t *ending, int8_t *domain,
                uint16_t *rounds, uint16_t *turns, uint32_t *decisions) {
    for (int64_t game = 0; game < games; game++) {
        Table table;
        uint32_t made = 0;
        uint64_t state = set_up(&table, stream(seed, first + (uint64_t)game));
        while (table.question != OVER) {
            uint64_t choices = legal(&table);
            state = next_state(state);
            apply(&table, nth_bit(choices, (int)below(state, (uint32_t)__builtin_popcountll(choices))));
            made++;
        }
        won[game] = (uint8_t)winners(&table);
        ending[game] = (uint8_t)table.ending;
        domain[game] = -1;
        for (int d = UTOPIA; table.ending == HEGEMONY && d >= 0; d--)
            if ((table.area[table.seat][d] & COUNT) >= HEGEMONY_AT + table.democracies[table.seat][d]) domain[game] = (int8_t)d;
        rounds[game] = (uint16_t)table.round;
        turns[game] = (uint16_t)((table.round - 1) * SEATS + table.seat + 1);
        decisions[game] = made;
    }
}
