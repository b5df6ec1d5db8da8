import { describe, expect, test } from 'vitest'
import { CommandLineError } from './command-line-error.ts'
import { createCopy } from './create-copy.ts'

async function messageFor(text: string, env: Record<string, string> = {}): Promise<string> {
  const error = await createCopy(text, env).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(CommandLineError)
  return String(error)
}

describe('the option --to', () => {
  test.each(['hunter2secret', 'hunter:secret', 'sqlite:', 'oracle://me:hunter2secret@db/shop'])(
    'if --to env:NAME names a variable with the invalid value %s, the error message does not show the value',
    async (text) => {
      const error = await messageFor('env:TARGET', { TARGET: text })
      expect(error).toMatch(/--to env:TARGET: the variable must contain one of sqlite:FILE, /)
      expect(error).not.toMatch(/hunter|oracle|got/)
    },
  )

  test('if --to names an unknown destination, the error message shows at most the scheme of the value', async () => {
    expect(await messageFor('oracle://me:hunter2secret@db/shop')).toMatch(/must be one of .*; got "oracle:…"$/)
    for (const text of ['hunter2secret', 'hunter2:secret', 'Hunter:x'])
      expect(await messageFor(text)).not.toMatch(/unter/)
  })

  test.each(['sqlite:~/shop.db', 'csv:~', 'duckdb:~/shop.duckdb', 'xlsx:~ann/shop.xlsx', 'parquet:~/shop'])(
    'if --to is %s, the error message says that the shell does not expand ~',
    async (text) => {
      expect(await messageFor(text)).toContain('the shell does not expand ~ here; write the full path')
    },
  )

  test.each([
    ['mysql://me:hunter2secret@db/', 'has no host or no database; it must be mysql://USER:PASSWORD@HOST:PORT/DATABASE'],
    ['mysql://me:hunter2secret@db/shop?ssl=yes', 'has the unknown parameter ssl; it must be mysql://'],
    ['mariadb://me:hunter2secret@db/shop?tls=on', 'tls must be off, require, or verify'],
    ['mysql://me:hunter2%secret@db/shop', 'has a % that is not an escape; write %25'],
  ])(
    'if --to env:NAME names a variable with the invalid MySQL URL %s, the error message says what is invalid and hides the password',
    async (text, message) => {
      const error = await messageFor('env:TARGET', { TARGET: text })
      expect(error).toContain(message)
      expect(error).not.toContain('hunter')
    },
  )

  test('if --to is a MySQL URL with a password, the error message says to put the URL in a variable and use env:NAME', async () => {
    expect(await messageFor('mysql://me:hunter2secret@db/shop')).toContain('put the URL in a variable and use env:NAME')
  })

  test('if --to env:NAME names a variable with a MySQL URL, the name of the copy does not show the password', async () => {
    const copy = await createCopy('env:TARGET', { TARGET: 'mysql://me:hunter2secret@db:3307/shop?tls=verify' })
    expect(copy.name).toBe('mysql://me@db:3307/shop')
  })

  test.each(['sqlite:./~/shop.db', 'sqlite:~shop.db'])(
    'if --to is %s, the ~ is part of the file name',
    async (text) => {
      expect((await createCopy(text, {})).name).toBe(text.slice('sqlite:'.length))
    },
  )
})
