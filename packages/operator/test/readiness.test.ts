import { randomBytes } from 'node:crypto'
import { EncryptionKey } from '@store-export/control'
import { expect, onTestFinished, test } from 'vitest'
import { createMigratedDatabase } from '../../../test/support/databases.ts'
import type { ServiceEvent } from '../src/events.ts'
import { createReadiness } from '../src/readiness.ts'
import { openProxy } from './support/tcp-proxy.ts'

test('[ERR-3] a node is ready only while the server that checks its keys responds', async () => {
  const control = await createMigratedDatabase()
  onTestFinished(() => control.drop())
  const throughProxy = async () => {
    const proxy = await openProxy(Number(new URL(control.url).port))
    return { proxy, url: Object.assign(new URL(control.url), { port: String(proxy.port) }).href }
  }
  const [database, checks] = [await throughProxy(), await throughProxy()]
  const events: string[] = []
  const options = {
    controlUrl: database.url,
    keys: { current: new EncryptionKey(randomBytes(32)), previous: null },
    signal: new AbortController().signal,
    emit: ({ event }: ServiceEvent) => void events.push(event),
  }
  const [withChecks, without] = [
    createReadiness({ ...options, keyCheckUrl: checks.url }),
    createReadiness({ ...options, keyCheckUrl: null }),
  ]
  onTestFinished(async () => void (await Promise.all([withChecks.close(), without.close()])))
  const found = () => Promise.all([withChecks.whyNotReady(), without.whyNotReady()])
  expect(await found()).toEqual([null, null])
  database.proxy.setMode({ kind: 'cut' })
  expect(await found()).toEqual([null, 'the control database cannot be read'])
  checks.proxy.setMode({ kind: 'freeze' })
  expect(await withChecks.whyNotReady()).toBe('the server of STORE_EXPORT_KEY_CHECK_URL does not respond')
  database.proxy.setMode({ kind: 'forward' })
  expect(await found()).toEqual(['the server of STORE_EXPORT_KEY_CHECK_URL does not respond', null])
  expect(events).toEqual(['control.query_failed'])
  checks.proxy.setMode({ kind: 'forward' })
  expect(await found()).toEqual([null, null])
})
