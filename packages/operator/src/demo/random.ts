// Generates pseudorandom values from a seed, so that each start of the demo and each test gets the same data. Don't use
// them for secrets.

/** A sequence of pseudorandom values. */
export interface SeededRandom {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number
  /** Returns a whole number from `min` to `max`, inclusive. */
  between(min: number, max: number): number
  /** Returns true with the probability `share`, from 0 to 1. */
  chance(share: number): boolean
  /** Returns an element of the list. All elements have the same probability. Throws for an empty list. */
  pick<T>(list: readonly T[]): T
  /** Returns a version 4 UUID in lowercase. */
  uuid(): string
  /** Returns `length` letters and digits. */
  code(length: number): string
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
/** Letters and digits without those that look alike, such as l and 1. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** Returns the sequence of a seed: sfc32 (Chris Doty-Humphrey), with 128 bits of state from FNV hashes of the seed. */
export function createRandom(seed: string): SeededRandom {
  const draw = sfc32(seed)
  const next = () => draw() / 4_294_967_296
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    between,
    chance: (share) => next() < share,
    pick: (list) => pickAt(list, Math.floor(next() * list.length)),
    uuid: () => uuidOf([draw(), draw(), draw(), draw()]),
    code: (length) => Array.from({ length }, () => LETTERS[between(0, LETTERS.length - 1)]).join(''),
  }
}

/** Returns the element at `index` modulo the length of the list. Throws for an empty list. */
export function pickAt<T>(list: readonly T[], index: number): T {
  const found = list[index % list.length]
  if (found === undefined) throw new Error('the list is empty')
  return found
}

function sfc32(seed: string): () => number {
  let [a, b, c, counter] = [hash(`${seed}/a`), hash(`${seed}/b`), hash(`${seed}/c`), 1]
  const draw = () => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  // The first values depend on only a part of the state.
  for (let round = 0; round < 16; round++) draw()
  return draw
}

/** Returns the FNV-1a hash of the text as a signed 32-bit number. */
function hash(text: string): number {
  let value = 2_166_136_261
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 16_777_619)
  return value | 0
}

/** Returns a UUID of 122 of the bits. The other six are its version and its variant. */
function uuidOf([a, b, c, d]: readonly [number, number, number, number]): string {
  const version = (b & 0xffff_0fff) | 0x4000
  const variant = (c & 0x3fff_ffff) | 0x8000_0000
  const [left, right] = [word(version), word(variant)]
  return `${word(a)}-${left.slice(0, 4)}-${left.slice(4)}-${right.slice(0, 4)}-${right.slice(4)}${word(d)}`
}

function word(value: number): string {
  return `${HEX[value >>> 24]}${HEX[(value >>> 16) & 255]}${HEX[(value >>> 8) & 255]}${HEX[value & 255]}`
}
