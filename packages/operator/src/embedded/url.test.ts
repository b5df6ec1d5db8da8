import { expect, test } from 'vitest'
import { databaseUrl, postgresOptions } from './url.ts'

test('a socket has a URL that libpq reads, and becomes an option for postgres.js', () => {
  const url = databaseUrl({ port: 5432, socketFolder: '/tmp/a b' }, 'postgres', 'shop')
  expect(url).toBe('postgresql://postgres@localhost:5432/shop?host=%2Ftmp%2Fa%20b')
  expect(postgresOptions(url)).toEqual({ url: 'postgresql://postgres@localhost:5432/shop', host: '/tmp/a b' })
})

test('a URL without a socket stays as it is', () => {
  const url = databaseUrl({ port: 5433, password: 'secret' }, 'postgres', 'shop')
  expect(postgresOptions(url)).toEqual({ url: 'postgresql://postgres:secret@127.0.0.1:5433/shop' })
})
