import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { identifier, quoteIdentifier, SqlFragment, sql, type Value, wireValue } from './statement.ts'

describe('sql templates', () => {
  test('if sql templates are nested, their parameters are numbered in the order of the values in the text', () => {
    const inner = sql`a = ${1} and b = ${2}`
    const middle = sql`(${inner} or ${inner})`
    expect(sql`select ${0} where ${middle} and ${identifier('c')} = ${3}`).toMatchObject({
      text: 'select $1 where (a = $2 and b = $3 or a = $4 and b = $5) and "c" = $6',
      values: [0, 1, 2, 1, 2, 3],
    })
  })

  test('if a quoted name or an SQL fragment contains $1, the sql template does not renumber this $1', () => {
    expect(sql`select ${1}, ${identifier('cost in $1')}, ${new SqlFragment(["'$2'"], [])}, ${2}`.text).toBe(
      `select $1, "cost in $1", '$2', $2`,
    )
  })

  test('if sql templates are nested at random, the text has one numbered parameter for each value, in order', () => {
    const { tree } = fc.letrec<{ tree: SqlFragment }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        fc.integer().map((value) => sql`${value}`),
        fc.string({ minLength: 1 }).map((name) => identifier(name.replaceAll('\0', '0'))),
        fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => sql`(${a}, ${7}, ${b})`),
      ),
    }))
    fc.assert(
      fc.property(tree, ({ pieces, text, values }) => {
        expect(pieces).toHaveLength(values.length + 1)
        const unquoted = text.replace(/"(?:[^"]|"")*"/g, '')
        const numbers = [...unquoted.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number))
        expect(numbers).toEqual(values.map((_, index) => index + 1))
      }),
    )
  })
})

describe('values of a statement', () => {
  test.each<[Value, string | null]>([
    [null, null],
    ['', ''],
    ['x', 'x'],
    [1.5, '1.5'],
    [2n ** 62n, '4611686018427387904'],
    [true, 't'],
    [false, 'f'],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [Buffer.from([0, 255]), '\\x00ff'],
    [new Uint8Array([1, 2, 3]).subarray(1), '\\x0203'],
    [[], '{}'],
    [['a', null, 1, '"\\', 'null', ''], '{"a",null,1,"\\"\\\\","null",""}'],
  ])('if a value of a statement is %o, the client sends %o', (value, sent) => {
    expect(wireValue(value)).toBe(sent)
  })

  test.each([undefined, {}, Symbol('x'), () => 1, new Date(Number.NaN), [undefined], [{}]])(
    'if a value of a statement is %o, which is unsupported, the client throws a TypeError',
    (value) => {
      expect(() => wireValue(value as unknown as Value)).toThrow(TypeError)
    },
  )
})

describe('quoted names', () => {
  test('quoteIdentifier puts a name in quotes and doubles the quotes inside the name', () => {
    expect(['order', 'Order', 'a"b'].map(quoteIdentifier)).toEqual(['"order"', '"Order"', '"a""b"'])
  })

  test.each(['', 'a\0b'])(
    'if an SQL name is empty or contains a null character, identifier(%j) throws a TypeError',
    (name) => {
      expect(() => identifier(name)).toThrow(TypeError)
    },
  )
})
