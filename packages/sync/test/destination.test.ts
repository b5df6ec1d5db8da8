import { describe, expect, test } from 'vitest'
import { CommandLineError } from '../src/cli/command-line-error.ts'
import { createCopy } from '../src/cli/create-copy.ts'

async function problemOf(text: string, env: Record<string, string> = {}): Promise<string> {
  const problem = await createCopy(text, env).catch((error: unknown) => error)
  expect(problem).toBeInstanceOf(CommandLineError)
  return String(problem)
}

describe('a destination', () => {
  test.each(['hunter2secret', 'hunter:secret', 'sqlite:', 'mysql://me:hunter2secret@db/shop'])(
    'that a variable holds is never shown: %s',
    async (text) => {
      const problem = await problemOf('env:TARGET', { TARGET: text })
      expect(problem).toMatch(/--to env:TARGET: the variable must contain one of sqlite:FILE, /)
      expect(problem).not.toMatch(/hunter|mysql|got/)
    },
  )

  test('that was typed shows how it begins, and nothing that may be a secret', async () => {
    expect(await problemOf('mysql://me:hunter2secret@db/shop')).toMatch(/must be one of .*; got "mysql:…"$/)
    for (const text of ['hunter2secret', 'hunter2:secret', 'Hunter:x'])
      expect(await problemOf(text)).not.toMatch(/unter/)
  })

  test.each(['sqlite:~/shop.db', 'csv:~', 'xlsx:~ann/shop.xlsx', 'parquet:~/shop'])(
    '%s is told that nobody expands the ~',
    async (text) => {
      expect(await problemOf(text)).toContain('the shell does not expand ~ here; write the full path')
    },
  )

  test.each(['sqlite:./~/shop.db', 'sqlite:~shop.db'])('%s may have a ~ in its name', async (text) => {
    expect((await createCopy(text, {})).name).toBe(text.slice('sqlite:'.length))
  })
})
