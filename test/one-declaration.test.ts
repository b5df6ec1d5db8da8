// Tests that lists are declared once, in the contract. Except for the files in EXCEPTIONS, no other source file names a
// list, so a new list needs few changes elsewhere.

import { globSync, readFileSync } from 'node:fs'
import { clientMethodOf, ENDPOINTS, LATEST_REVISION } from '@store-export/contract'
import { expect, test } from 'vitest'

/** Files that may name lists, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'packages/operator/src/demo/generate-store.ts': 'makes the rows of each table of the demo stores',
  'packages/sync/src/copies/files/file-tables.ts': 'says which tables give a view its columns',
  'packages/sync/src/copies/database-views.ts': 'lists the tables that each view joins',
}

const LISTS = ENDPOINTS.filter(({ response }) => response.kind === 'page')
const NAMES = new Set(LISTS.flatMap(({ path, resource }) => [path, path.split('/').at(-1) ?? '', resource.table]))
const GROUPS = new Set(LISTS.map((endpoint) => clientMethodOf(endpoint).group))
const LITERAL = /'(?<single>[^'\n]*)'|"(?<double>[^"\n]*)"|`(?<template>[^`\n]*)`/g

const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm

/** Returns the lists that a source file names in a string or as a group of the client. */
function listsIn(source: string): string[] {
  const text = source.replace(COMMENT, '')
  const literals = [...text.matchAll(LITERAL)].map(({ groups }) => groups?.single ?? groups?.double ?? groups?.template)
  const groups = [...text.matchAll(/\bclient\.(?<group>\w+)/g)].map(({ groups }) => groups?.group)
  return [
    ...literals.filter((name) => name !== undefined && NAMES.has(name)),
    ...groups.filter((name) => name !== undefined && GROUPS.has(name)),
  ].flatMap((name) => name ?? [])
}

const SOURCES = globSync('packages/*/src/**/*.ts').filter(
  (file) => !file.startsWith('packages/contract/') && !/\.test\.ts$|\/generated\//.test(file),
)

test('[VER-1] only the contract and explicitly exempt files name a list of the API in their source', () => {
  expect(SOURCES.length).toBeGreaterThan(200)
  const naming = SOURCES.flatMap((file) => {
    const names = listsIn(readFileSync(file, 'utf8'))
    return names.length === 0 || file in EXCEPTIONS ? [] : [`${file}: ${names.join(', ')}`]
  })
  expect(naming).toEqual([])
})

test.each(Object.keys(EXCEPTIONS))('[VER-1] the exempt file %s still names a list of the API', (file) => {
  expect(listsIn(readFileSync(file, 'utf8'))).not.toEqual([])
})

test('[VER-1] only the contract names the latest schema version in its source', () => {
  const naming = SOURCES.filter((file) => readFileSync(file, 'utf8').includes(LATEST_REVISION))
  expect(naming).toEqual([])
})
