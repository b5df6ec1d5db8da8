import { LATEST_REVISION } from '@store-export/contract'
import { describe, expect, test } from 'vitest'
import { readerGrantsSql, readerRoleSql } from './reader-role.ts'
import { scramVerifier } from './scram-verifier.ts'
import { dollarQuote, quoteName, quoteText, splitAtCommas, splitStatements } from './sql-text.ts'
import { urlForDatabase, urlForLogin } from './store-url.ts'

describe('SQL text', () => {
  test('if names or strings contain quotes or backslashes, quoteName and quoteText escape these characters for SQL', () => {
    expect(quoteName('or"der')).toBe('"or""der"')
    expect(quoteText("it's")).toBe("'it''s'")
    expect(quoteText("\\'")).toBe("E'\\\\'''")
  })

  test('if a block contains dollar quotes, dollarQuote encloses the block in different dollar quotes', () => {
    expect(dollarQuote('begin end')).toBe('$$ begin end $$')
    expect(dollarQuote('"a$$b"')).toBe('$block1$ "a$$b" $block1$')
    expect(dollarQuote('"a$$b$block1$c"')).toBe('$block2$ "a$$b$block1$c" $block2$')
  })

  test('splitStatements does not split SQL at semicolons in strings, function bodies, or comments', () => {
    const file = `-- one; two\nselect ';', "a;b";\ncreate function f() as $$ begin; end; $$;\n\nselect 1 - 1`
    expect(splitStatements(file)).toEqual([
      `select ';', "a;b"`,
      'create function f() as $$ begin; end; $$',
      'select 1 - 1',
    ])
  })

  test('splitAtCommas does not split a list at commas in parentheses or strings', () => {
    expect(splitAtCommas(`a text default 'b, (c', (coalesce(d, e)), "f,g"`)).toEqual([
      `a text default 'b, (c'`,
      '(coalesce(d, e))',
      '"f,g"',
    ])
  })

  test('at the first and the latest schema version, the grants for a reader role leave out the password hash', () => {
    const launch = readerGrantsSql({ role: 'r', revision: 'launch' })
    expect(launch).toContain(
      'grant select ("id", "email", "name", "processor_customer_id", "email_verified", "created_at") on public."customers" to "r";',
    )
    const newest = readerGrantsSql({ role: 'r', revision: LATEST_REVISION })
    expect(newest).toMatch(/"deleted_at"[^;]* on public."customer_addresses"/)
    expect(launch + newest + readerRoleSql({ role: 'r', password: 'x' })).not.toContain('password_hash')
  })

  test('scramVerifier returns the verifier for the password and the salt of the example in RFC 7677', () => {
    // The example of https://www.rfc-editor.org/rfc/rfc7677#section-3: user "user", password "pencil".
    const salt = Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64')
    expect(scramVerifier('pencil', salt)).toBe(
      'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
    )
  })
})

describe('connection URLs', () => {
  const login = { user: 'o', password: 'p@/', database: 'd' }

  test('if a connection URL has several hosts and a TLS mode, the URL for another login has the same hosts, ports, and TLS mode', () => {
    expect(urlForLogin('postgres://admin:x@h1:1,h2:2/postgres?sslmode=verify-full&user=a', login)).toBe(
      'postgres://o:p%40%2F@h1:1,h2:2/d?sslmode=verify-full',
    )
    expect(urlForLogin('postgresql:///postgres?host=/run/s&port=5', login)).toBe(
      'postgresql://o:p%40%2F@/d?host=/run/s&port=5',
    )
    expect(urlForDatabase('postgres://admin:x@h/postgres?dbname=a&user=b', 'd')).toBe('postgres://admin:x@h/d?user=b')
  })

  test('if a connection URL is invalid, the error does not contain the URL', () => {
    expect(() => urlForLogin('mysql://secret', login)).toThrow(
      /^not a connection URL: it must begin with postgres:\/\/$/,
    )
  })
})
