import { describe, expect, test } from 'vitest'
import { describeTls, InvalidUrlError, parseConnectionUrl, splitPassword, withPassword } from './connection-url.ts'

describe('connection URLs', () => {
  test('if a connection URL contains percent-encoded characters, parseConnectionUrl decodes the user, password, database, and parameters', () => {
    expect(
      parseConnectionUrl(
        'postgresql://re%40der:p%2Fw%3A@db.example:6543/my%20shop?sslmode=verify-full&application_name=a%20b',
      ),
    ).toMatchObject({
      hosts: [{ kind: 'tcp', host: 'db.example', port: 6543 }],
      user: 're@der',
      password: 'p/w:',
      database: 'my shop',
      tls: { mode: 'verify-full', rootCertificate: null },
      startup: { application_name: 'a b' },
    })
  })

  test.each([
    ['postgres:///shop?host=/run/pg', [{ kind: 'unix', path: '/run/pg/.s.PGSQL.5432' }]],
    ['postgres://u@localhost:6000/shop?host=/run/pg', [{ kind: 'unix', path: '/run/pg/.s.PGSQL.6000' }]],
    ['postgres://u@/shop?host=/run/pg&port=6000', [{ kind: 'unix', path: '/run/pg/.s.PGSQL.6000' }]],
    ['postgres://%2Frun%2Fpg/shop', [{ kind: 'unix', path: '/run/pg/.s.PGSQL.5432' }]],
    [
      'postgres://a:1,b:2,c/shop',
      [
        { kind: 'tcp', host: 'a', port: 1 },
        { kind: 'tcp', host: 'b', port: 2 },
        { kind: 'tcp', host: 'c', port: 5432 },
      ],
    ],
    [
      'postgres:///shop?host=a,b&port=1,2',
      [
        { kind: 'tcp', host: 'a', port: 1 },
        { kind: 'tcp', host: 'b', port: 2 },
      ],
    ],
    ['postgres://[::1]:7000/shop', [{ kind: 'tcp', host: '::1', port: 7000 }]],
    ['postgres:///shop', [{ kind: 'tcp', host: 'localhost', port: 5432 }]],
  ])("parseConnectionUrl('%s') returns the hosts with their ports or socket paths", (url, hosts) => {
    expect(parseConnectionUrl(url).hosts).toEqual(hosts)
  })

  test.each([
    ['', 'prefer', 'when offered'],
    ['sslmode=disable', 'disable', 'off'],
    ['sslmode=allow', 'prefer', 'when offered'],
    ['ssl=off', 'prefer', 'when offered'],
    ['ssl=true', 'require', 'encrypted'],
    ['sslmode=require', 'require', 'encrypted'],
    ['sslmode=require&sslrootcert=/ca.pem', 'verify-ca', 'verified'],
    ['sslrootcert=system', 'verify-full', 'verified'],
    ['sslmode=verify-ca&sslrootcert=/ca.pem', 'verify-ca', 'verified'],
  ])(
    'if the query of the connection URL is "%s", the TLS mode is %s, and describeTls returns "%s"',
    (query, mode, described) => {
      const target = parseConnectionUrl(`postgres://h/d?${query}`)
      expect(target.tls.mode).toBe(mode)
      expect(describeTls(target)).toBe(described)
    },
  )

  test.each([
    ['', null],
    ['target_session_attrs=any', null],
    ['target_session_attrs=read-write', 'primary'],
    ['target_session_attrs=read-only', 'standby'],
    ['target_session_attrs=prefer-standby', 'prefer-standby'],
  ])(
    'if the query of the connection URL is "%s", parseConnectionUrl returns the sessionAttributes %s',
    (query, wanted) => {
      expect(parseConnectionUrl(`postgres://h/d?${query}`).sessionAttributes).toBe(wanted)
    },
  )

  test('if the host of the connection URL is a Unix socket, describeTls returns "local socket"', () => {
    expect(describeTls(parseConnectionUrl('postgres:///d?host=/run'))).toBe('local socket')
  })

  test.each([
    'mysql://h/d',
    'h:5432',
    'postgres://u:s3cret/x@h/d',
    'postgres://u:s3cret@h:99999/d',
    'postgres://u:s3cret@h/d?sslmode=maybe',
    'postgres://u:s3cret@h/d?target_session_attrs=master',
    'postgres://u:s3cret@h/d?search_path=x',
    'postgres://u:s3cret%@h/d',
    'postgres://u:s3cret@h/d?channel_binding=sometimes',
    'postgres://u:s3cret@h/d?sslmode=require&sslrootcert=system',
    'postgres://u:s3cret@h/d?connect_timeout=soon',
    'postgres://u:s3cret%00@h/d',
    'postgres://u:s3cret@h/d%00user',
  ])(
    'if the connection URL is the invalid value %s, parseConnectionUrl throws an InvalidUrlError that does not contain the password',
    (url) => {
      const problem = (() => {
        try {
          return parseConnectionUrl(url)
        } catch (error) {
          return error
        }
      })()
      expect(problem).toBeInstanceOf(InvalidUrlError)
      expect(String(problem)).not.toContain('s3cret')
    },
  )

  test.each([
    'postgres://u:left?right@h/d',
    'postgres://u:le/ft?right@h/d',
    'postgres://u:1?sslmode=right@h/d',
    'postgres://u:1/right@h/d',
    'postgres://u:left@h:1/right@h/d',
    'postgres://u@h/d?password=left&right',
    'postgres://u@h/d?password=left&sslmode=right',
    'postgres://u@h/d?password=left&channel_binding=right',
    'postgres://u@h/d?password=left&connect_timeout=right',
    'postgres://u@h/d?password=left&port=right',
    'postgres://u@h/d?password=left&right=%',
    'postgres://u@h/d?sslmode=disable;password=right',
  ])(
    'if the password in the connection URL %s is not percent-encoded, the error contains no part of the password',
    (url) => {
      expect(() => parseConnectionUrl(url)).toThrow(InvalidUrlError)
      expect(() => parseConnectionUrl(url)).not.toThrow(/left|right/)
    },
  )

  test.each([
    ['ssl=foo', 'ssl in the connection URL must be one of true, 1, on, false, 0, off'],
    ['sslnegotiation=foo', 'sslnegotiation in the connection URL must be one of postgres, direct'],
  ])('if the connection URL has the invalid parameter %s, the error lists the accepted values', (query, message) => {
    expect(() => parseConnectionUrl(`postgres://h/d?${query}`)).toThrow(new InvalidUrlError(message))
  })

  test("if a parameter of the connection URL is unknown, the error names the parameter's position and the accepted parameters", () => {
    expect(() => parseConnectionUrl('postgres://h/d?sslmode=require&search_path=x')).toThrow(
      /^parameter 2 of the connection URL is unknown; accepted: host, port, .*, channel_binding; in a password write/,
    )
  })

  test.each([
    ['postgres://u:p%40w@h:1/d?sslmode=require', 'postgres://u@h:1/d?sslmode=require', 'p@w'],
    ['postgres://u:p@w@h/d', 'postgres://u@h/d', 'p@w'],
    ['postgres://u@h/d?password=a%26b&sslmode=require', 'postgres://u@h/d?sslmode=require', 'a&b'],
    ['postgres://u:x@h/d?password=y', 'postgres://u@h/d', 'y'],
    ['postgres://u@h/d?p%61ssword=y', 'postgres://u@h/d', 'y'],
    ['postgres://u@h/d?PASS%57ORD=y&sslmode=require', 'postgres://u@h/d?sslmode=require', 'y'],
    ['postgres://u@h1,h2/d', 'postgres://u@h1,h2/d', null],
    ['postgres://u:x@[::1]:5/d', 'postgres://u@[::1]:5/d', 'x'],
  ])(
    'splitPassword separates the password from the URL %s, and withPassword builds an equivalent URL from both',
    (url, bare, password) => {
      expect(splitPassword(url)).toEqual({ url: bare, password })
      expect(parseConnectionUrl(withPassword(bare, password))).toEqual(parseConnectionUrl(url))
    },
  )
})
