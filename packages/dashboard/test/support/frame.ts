// The frame of a page for tests of views, without a request.

import type { Frame } from '../../src/pages/models.ts'
import { localizationIn } from '../../src/texts/languages.ts'

/** Returns the frame of a page of the store `s1` in English. Each form gets another token. */
export function testFrame({ section, now }: Pick<Frame, 'section' | 'now'>): Frame {
  let tokens = 0
  return {
    title: 'Test',
    viewer: { email: 'a@example.com', storesCount: 1 },
    store: { id: 's1', name: 'A', status: 'ready', role: 'admin', timeZone: 'UTC' },
    section,
    notice: null,
    ...localizationIn('en'),
    now,
    apiUrl: 'http://127.0.0.1:8080',
    theme: 'system',
    path: '/stores',
    formToken: () => `token-${++tokens}`,
  }
}
