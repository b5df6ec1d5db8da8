import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { FORM_HOURS, FormNumbers } from './form-numbers.ts'

const secret = randomBytes(32).toString('base64')
const NOON = Date.parse('2026-03-01T12:00:00Z')
const numbersAt = (now: number) => new FormNumbers({ secret, random: randomBytes, now: () => now })
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

test('each number is another one, and of its session alone', () => {
  const numbers = numbersAt(NOON)
  const [one, two] = [numbers.make('session'), numbers.make('session')]
  expect(one).not.toBe(two)
  expect(numbers.check(one, 'session')).toHaveLength(20)
  expect(numbers.check(one, 'session')).not.toEqual(numbers.check(two, 'session'))
  expect(numbers.check(one, 'another')).toBeNull()
  expect(new FormNumbers({ secret: 'x', random: randomBytes, now: () => NOON }).check(one, 'session')).toBeNull()
})

test('every change of every character is refused', () => {
  const numbers = numbersAt(NOON)
  const number = numbers.make('session')
  for (let index = 0; index < number.length; index += 1) {
    for (const character of ALPHABET) {
      if (character === number[index]) continue
      const changed = number.slice(0, index) + character + number.slice(index + 1)
      expect(numbers.check(changed, 'session')).toBeNull()
    }
  }
  for (const text of ['', number.slice(1), `${number}A`, ` ${number}`])
    expect(numbers.check(text, 'session')).toBeNull()
})

test('a form may lie open for half a day', () => {
  const number = numbersAt(NOON).make('session')
  expect(numbersAt(NOON + FORM_HOURS * 3_600_000 - 1000).check(number, 'session')).not.toBeNull()
  expect(numbersAt(NOON + FORM_HOURS * 3_600_000 + 1000).check(number, 'session')).toBeNull()
})
