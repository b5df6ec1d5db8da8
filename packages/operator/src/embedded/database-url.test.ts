import { expect, test } from 'vitest'
import { databaseUrl } from './database-url.ts'

test('if the embedded PostgreSQL listens on a socket, the host parameter of its URL is the socket folder', () => {
  const url = databaseUrl({ port: 5432, socketFolder: '/tmp/a b' }, 'postgres', 'shop')
  expect(url).toBe('postgresql://postgres@localhost:5432/shop?host=%2Ftmp%2Fa%20b')
})

test('if the embedded PostgreSQL listens on a TCP port, its URL contains the password', () => {
  const url = databaseUrl({ port: 5433, password: 'secret' }, 'postgres', 'shop')
  expect(url).toBe('postgresql://postgres:secret@127.0.0.1:5433/shop')
})
