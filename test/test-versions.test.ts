// Tests the arguments that `npm run test:versions` rejects.

import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'

test.each([
  {
    argument: '12',
    message: /^VERSION: must be a major version from 13 to 18, or a folder with bin\/initdb; got "12"$/,
  },
  { argument: '/nowhere', message: /got "\/nowhere"$/ },
  { argument: '--major', message: /--major/ },
])(
  'if the argument is $argument, npm run test:versions prints what is wrong and exits with code 2',
  ({ argument, message }) => {
    const script = path.join(import.meta.dirname, '..', 'scripts', 'test-versions.ts')
    const { status, stderr } = spawnSync(process.execPath, [script, argument], { encoding: 'utf8' })
    expect(stderr.trim()).toMatch(message)
    expect(status).toBe(2)
  },
)
