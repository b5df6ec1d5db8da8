// A proxy that keeps answers, before stores whose rows have equal ids: it must not give one store's to another.

import { expect, test } from 'vitest'
import { startFleet } from '../../packages/operator/test/support/fleet.ts'
import { addTaggedStores, readShuffled } from '../../packages/operator/test/support/tagged-stores.ts'
import { startNginx } from '../support/programs.ts'
import { roundsOf } from '../support/rounds.ts'

const REQUESTS = roundsOf({ quick: 20_000, long: 200_000 })
const LIMIT_MS = 120_000 + REQUESTS * 20

/** nginx that keeps answers of `target` for a minute, by its default key: host and path; `more` are further rules. */
function startCache(target: string, more = '') {
  return startNginx(
    ({ port, folder }) => `proxy_cache_path ${folder}/cache keys_zone=answers:10m;
  server { listen 127.0.0.1:${port}; location / {
    proxy_pass ${target};
    proxy_cache answers;
    proxy_cache_valid any 1m;
    ${more}
  } }`,
  )
}

test(
  `[GEN-2] ${REQUESTS} requests with keys of 20 stores through a caching proxy: no foreign row`,
  async () => {
    const fleet = await startFleet()
    const stores = await addTaggedStores(fleet)
    const node = await fleet.startNode()
    const cache = await startCache(node.url)
    expect(await readShuffled(cache.url, stores, REQUESTS)).toBeGreaterThan(REQUESTS)
    // a proxy that was told to keep what it must not is found out at once: the test can fail
    const careless = await startCache(node.url, 'proxy_ignore_headers Cache-Control Vary;')
    await expect(readShuffled(careless.url, stores, REQUESTS)).rejects.toThrow(/has a row of tag-/)
  },
  LIMIT_MS,
)
