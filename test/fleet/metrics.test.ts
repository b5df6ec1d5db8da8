// Tests the metrics of a node with promtool, Prometheus's checker.

import { spawnSync } from 'node:child_process'
import { expect, test, vi } from 'vitest'
import { SLOW_TEST_TIMEOUTS } from '../../packages/operator/test/support/command-process.ts'
import { metricsOfUsedNode } from '../../packages/operator/test/support/used-node-metrics.ts'

vi.setConfig(SLOW_TEST_TIMEOUTS)

test("after requests to a node, promtool finds no problem in the node's metrics", async () => {
  const { error, status, stderr } = spawnSync('promtool', ['check', 'metrics'], {
    input: await metricsOfUsedNode(),
    encoding: 'utf8',
  })
  if (error !== undefined) throw new Error('promtool is not installed: npm run test:fleet needs it', { cause: error })
  expect(stderr).toBe('')
  expect(status).toBe(0)
})
