import { describe, expect, test } from 'vitest'
import { EmbeddedProblem } from './embedded/problems.ts'
import { explain, Problem, UsageProblem } from './problem.ts'

const failure = (code: string, more: object = {}) => Object.assign(new Error('said the driver'), { code, ...more })

describe('explain', () => {
  test('a problem is its own sentence; wrong usage ends with 2', () => {
    expect(explain(new Problem('do this'))).toEqual({ sentence: 'do this', exitCode: 1 })
    expect(explain(new EmbeddedProblem('do that'))).toEqual({ sentence: 'do that', exitCode: 1 })
    expect(explain(new UsageProblem('say it so'))).toEqual({ sentence: 'say it so', exitCode: 2 })
  })

  test.each([
    [failure('ECONNREFUSED'), 'the database cannot be reached'],
    [failure('ENOENT', { syscall: 'connect' }), 'the database cannot be reached'],
    [failure('CONNECT_TIMEOUT'), 'the database does not answer'],
    [failure('28P01'), 'the database refuses the user or the password'],
    [failure('3D000'), 'the database does not exist'],
    [failure('42P07'), 'a table, an index or a column of that name is there already, made by somebody else'],
    [failure('42701'), 'a table, an index or a column of that name is there already, made by somebody else'],
    [failure('42703'), 'a table lacks a column that the step needs'],
    [failure('42501'), 'the role of the connection URL lacks a right'],
  ])('%o of a database is a sentence', (error, beginning) => {
    expect(explain(error)).toEqual({ sentence: `${beginning}: said the driver (${error.code})`, exitCode: 1 })
  })

  test('what nobody expected is a bug and has no explanation', () => {
    for (const error of [new TypeError('x'), failure('ENOENT', { syscall: 'open' }), failure('42601'), 'text'])
      expect(explain(error)).toBeNull()
  })
})
