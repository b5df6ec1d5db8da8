import { describe, expect, test } from 'vitest'
import { CommandLineError } from './command-line-error.ts'
import { createCopy } from './create-copy.ts'

async function messageFor(text: string, env: Record<string, string> = {}): Promise<string> {
  const error = await createCopy(text, env).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(CommandLineError)
  return String(error)
}

describe('destinations', () => {
  test.each(['hunter2secret', 'hunter:secret', 'sqlite:', 'mysql://me:hunter2secret@db/shop'])(
    'if the variable of --to contains %s, the error does not show it',
    async (text) => {
      const error = await messageFor('env:TARGET', { TARGET: text })
      expect(error).toMatch(/--to env:TARGET: the variable must contain one of sqlite:FILE, /)
      expect(error).not.toMatch(/hunter|mysql|got/)
    },
  )

  test('if the destination is unknown, the error shows only its scheme', async () => {
    expect(await messageFor('mysql://me:hunter2secret@db/shop')).toMatch(/must be one of .*; got "mysql:…"$/)
    for (const text of ['hunter2secret', 'hunter2:secret', 'Hunter:x'])
      expect(await messageFor(text)).not.toMatch(/unter/)
  })

  test.each(['sqlite:~/shop.db', 'csv:~', 'duckdb:~/shop.duckdb', 'xlsx:~ann/shop.xlsx', 'parquet:~/shop'])(
    'if the destination is %s, the error says that the shell does not expand ~',
    async (text) => {
      expect(await messageFor(text)).toContain('the shell does not expand ~ here; write the full path')
    },
  )

  test.each(['sqlite:./~/shop.db', 'sqlite:~shop.db'])(
    'if the destination is %s, the ~ is part of the file name',
    async (text) => {
      expect((await createCopy(text, {})).name).toBe(text.slice('sqlite:'.length))
    },
  )
})
