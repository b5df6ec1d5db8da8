import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { GUIDES } from '../packages/api/src/reference/guides.ts'

const ROOT = path.resolve(import.meta.dirname, '..')

/** Whether `.dockerignore` excludes a file. The last pattern that matches the file or one of its folders decides. */
function isIgnored(file: string): boolean {
  const patterns = readFileSync(path.join(ROOT, '.dockerignore'), 'utf8').trim().split('\n')
  const parts = file.split('/')
  const prefixes = parts.map((_, index) => parts.slice(0, index + 1).join('/'))
  const last = patterns.findLast((pattern) =>
    prefixes.some((prefix) => path.matchesGlob(prefix, pattern.replace(/^!/, ''))),
  )
  return last !== undefined && !last.startsWith('!')
}

test('.dockerignore does not exclude the guides that the service publishes', () => {
  const files = GUIDES.map(({ file }) => `docs/${file}`)
  expect(files.filter(isIgnored)).toEqual([])
})

test('.dockerignore excludes the OpenAPI document, the operator pages, and the pictures of the documentation', () => {
  expect(['docs/api/openapi.json', 'docs/operate/install.md', 'docs/images/keys-1280.png'].map(isIgnored)).toEqual([
    true,
    true,
    true,
  ])
})
