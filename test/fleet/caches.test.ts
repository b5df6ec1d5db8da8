// Tests a caching proxy in front of stores whose rows have equal IDs. The proxy must not return one store's response to
// another store's client.

import { expect, test } from 'vitest'
import { startFleet } from '../../packages/operator/test/support/fleet.ts'
import { addTaggedStores, readShuffled } from '../../packages/operator/test/support/tagged-stores.ts'
import { startNginx } from '../support/programs.ts'
import { roundsOf } from '../support/rounds.ts'

const REQUESTS = roundsOf({ quick: 20_000, long: 200_000 })
const LIMIT_MS = 120_000 + REQUESTS * 20

/**
 * Starts nginx, which caches responses of `target` for a minute by its default key: host and path. `more` adds rules.
 */
function startCache(target: string, more = '') {
  return startNginx(
    ({ port, folder }) => `proxy_cache_path ${folder}/cache keys_zone=responses:10m;
  server { listen 127.0.0.1:${port}; location / {
    proxy_pass ${target};
    proxy_cache responses;
    proxy_cache_valid any 1m;
    ${more}
  } }`,
  )
}

test(
  `[GEN-2] if ${REQUESTS} requests for 20 stores go through a caching proxy, each response contains only rows of the requested store`,
  async () => {
    const fleet = await startFleet()
    const stores = await addTaggedStores(fleet)
    const node = await fleet.startNode()
    const cache = await startCache(node.url)
    expect(await readShuffled(cache.url, stores, REQUESTS)).toBeGreaterThan(REQUESTS)
    // This proves that the test can fail: this proxy ignores the headers that forbid caching.
    const careless = await startCache(node.url, 'proxy_ignore_headers Cache-Control Vary;')
    await expect(readShuffled(careless.url, stores, REQUESTS)).rejects.toThrow(/has a row of tag-/)
  },
  LIMIT_MS,
)
