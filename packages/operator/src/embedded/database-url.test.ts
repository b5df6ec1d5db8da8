import { expect, test } from 'vitest'
import { databaseUrl } from './database-url.ts'

test('the URL for a socket has the form of libpq', () => {
  const url = databaseUrl({ port: 5432, socketFolder: '/tmp/a b' }, 'postgres', 'shop')
  expect(url).toBe('postgresql://postgres@localhost:5432/shop?host=%2Ftmp%2Fa%20b')
})

test('the URL for TCP contains the password', () => {
  const url = databaseUrl({ port: 5433, password: 'secret' }, 'postgres', 'shop')
  expect(url).toBe('postgresql://postgres:secret@127.0.0.1:5433/shop')
})
