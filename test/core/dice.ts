/** Repeatable chance: the same seed throws the same dice. */
export type Dice = {
  chance(p: number): boolean
  below(n: number): number
  pick<T>(from: readonly T[]): T
  shuffle<T>(list: readonly T[]): T[]
}

export function dice(seed: number): Dice {
  let state = seed | 0
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (n: number) => Math.floor(next() * n)
  return {
    chance: p => p > 0 && next() < p,
    below,
    pick: from => from[below(from.length)]!,
    shuffle(list) {
      const out = [...list]
      for (let i = out.length - 1; i > 0; i--) {
        const j = below(i + 1)
        ;[out[i], out[j]] = [out[j]!, out[i]!]
      }
      return out
    },
  }
}
