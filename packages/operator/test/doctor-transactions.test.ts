import { expect, test } from 'vitest'
import { checkTransactions } from '../src/doctor/check-transactions.ts'

const MINUTE = 60_000_000n
const at = 837_000_000_000_000n

function openFor(...minutes: bigint[]) {
  return new Map(minutes.map((each) => [`3/${each}`, { startedAt: at - each * MINUTE, preparedAt: null }]))
}

test('[SYNC-1] if a transaction has been open for more than an hour, doctor reports a warning with a query that finds the transaction', () => {
  const { findings } = checkTransactions({ at, open: openFor(2n, 95n) })
  expect(findings).toMatchObject([{ severity: 'warning', code: 'old_transaction' }])
  expect(findings[0]?.message).toContain('95 minutes')
  expect(findings[0]?.fix).toMatch(/^select .* from pg_stat_activity .*;$/)
})

test('[SYNC-1] if a transaction was prepared more than an hour ago, doctor reports a query of pg_prepared_xacts as the fix', () => {
  const open = new Map([['prepared 733', { startedAt: null, preparedAt: at - 61n * MINUTE }]])
  const { findings } = checkTransactions({ at, open })
  expect(findings[0]?.fix).toContain('pg_prepared_xacts')
})

test("if a transaction is younger than an hour, or doctor can't see when it started, doctor reports nothing about it", () => {
  expect(checkTransactions({ at, open: openFor(59n) }).findings).toEqual([])
  const unseen = new Map([['3/7', { startedAt: null, preparedAt: null }]])
  expect(checkTransactions({ at, open: unseen }).findings).toEqual([])
})

test("[SYNC-1] if doctor can't see open transactions, for example on a standby, it reports the note transactions_unseen", () => {
  expect(checkTransactions({ at, open: null }).findings).toMatchObject([
    { severity: 'note', code: 'transactions_unseen' },
  ])
})
