// Keeps the lower packages usable without the upper ones: imports must point down. The order is contract, postgres <-
// control, engine <- api, dashboard, admin <- operator, and contract, client <- sync. Inside the engine, the order is
// query <- encode <- stores. Prints the imports that break this order, and exits with 1 if there are any.

import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** The packages that each package may import. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  postgres: [],
  control: ['contract', 'postgres'],
  engine: ['contract', 'postgres'],
  api: ['contract', 'postgres', 'control', 'engine'],
  dashboard: ['contract', 'postgres', 'control', 'engine'],
  admin: ['contract', 'postgres', 'control'],
  operator: ['contract', 'postgres', 'control', 'engine', 'api', 'dashboard', 'admin'],
  client: [],
  'admin-client': [],
  sync: ['contract', 'client'],
}

/** Folders that must not import these folders of their package, or these packages from npm and of Node.js. */
const FOLDERS: readonly { readonly from: string; readonly never: readonly string[] }[] = [
  { from: 'packages/engine/src/query/', never: ['/stores/', '/encode/'] },
  { from: 'packages/engine/src/encode/', never: ['/stores/'] },
  { from: 'packages/api/src/', never: ['postgres', 'kysely'] },
  { from: 'packages/dashboard/src/', never: ['postgres'] },
  // The service uses its own PostgreSQL client (docs/contribute/decisions/051-write-a-postgresql-client.md).
  ...['postgres', 'control', 'engine', 'admin', 'operator'].map((name) => ({
    from: `packages/${name}/src/`,
    never: ['postgres'],
  })),
  { from: 'packages/contract/src/', never: ['node:'] },
]

const IMPORT = /(?:from|import)\s*\(?\s*'([^']+)'/g
const problems = globSync('packages/*/src/**/*.ts')
  .filter((file) => !file.endsWith('.test.ts'))
  .flatMap((file) => importsOf(file).flatMap((target) => problemOf(file, target)))
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1

function importsOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, target = '']) => target)
}

function problemOf(file: string, target: string): string[] {
  const [, own = ''] = file.split(path.sep)
  const other = /^@store-export\/([a-z-]+)/.exec(target)?.[1]
  if (other !== undefined && !PACKAGES[own]?.includes(other)) return [`${file}: ${own} must not import ${other}`]
  const resolved = target.startsWith('.') ? path.join(path.dirname(file), target) : target
  if (target.startsWith('.') && !resolved.startsWith(`packages/${own}/`))
    return [`${file}: imports ${target} by path; use the name of its package`]
  const rules = FOLDERS.filter(({ from }) => file.startsWith(from))
  const broken = rules.flatMap(({ never }) => never.filter((part) => reaches(resolved, part)))
  return broken.map((part) => `${file}: must not import ${target} (rule: ${part})`)
}

/** Whether an import breaks a rule. `/stores/` stands for a folder in src/, and `node:` for the start of a name. */
function reaches(resolved: string, part: string): boolean {
  return part.startsWith('/') ? resolved.includes(`src${part}`) : resolved === part || resolved.startsWith(part)
}
