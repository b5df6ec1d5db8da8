import { expect, test } from 'vitest'
import { databaseUrl } from './database-url.ts'

test('if the embedded PostgreSQL listens on a socket, the parameter host of its URL is the folder of the socket', () => {
  const url = databaseUrl({ port: 5432, socketFolder: '/tmp/a b' }, 'postgres', 'shop')
  expect(url).toBe('postgresql://postgres@localhost:5432/shop?host=%2Ftmp%2Fa%20b')
})

test('if the embedded PostgreSQL listens on a TCP port, its URL contains the password', () => {
  const url = databaseUrl({ port: 5433, password: 'secret' }, 'postgres', 'shop')
  expect(url).toBe('postgresql://postgres:secret@127.0.0.1:5433/shop')
})
