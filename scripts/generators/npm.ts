// Tests of client generators that npm installs (openapi-typescript, hey-api, and orval), and of newman, which runs the
// Postman collection.

import { symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { GeneratorTest } from './generator-test.ts'
import type { Command, Workspace } from './workspace.ts'

const ROOT = path.join(import.meta.dirname, '..', '..')

const VERSIONS = {
  'openapi-typescript': '7.13.0',
  'openapi-fetch': '0.17.0',
  '@hey-api/openapi-ts': '0.99.0',
  orval: '8.38.0',
  newman: '6.2.2',
  typescript: '5.9.3',
  '@types/node': '24.10.1',
} as const

/** The tests of programs from npm. */
export const NPM_TESTS: readonly GeneratorTest[] = [
  {
    name: 'openapi-typescript',
    version: VERSIONS['openapi-typescript'],
    needs: ['npm'],
    build: async (workspace) => {
      await install(workspace, ['openapi-typescript', 'openapi-fetch'])
      const document = workspace.document('openapi.json')
      await workspace.run(packageCommand('openapi-typescript', 'bin/cli.js', [document, '-o', 'generated.ts']))
      return compile(workspace)
    },
  },
  {
    name: 'hey-api',
    version: VERSIONS['@hey-api/openapi-ts'],
    needs: ['npm'],
    build: async (workspace) => {
      await install(workspace, ['@hey-api/openapi-ts'])
      const args = ['-i', workspace.document('openapi.json'), '-o', 'generated', '-c', '@hey-api/client-fetch']
      await workspace.run(packageCommand('@hey-api/openapi-ts', 'bin/run.js', args))
      return compile(workspace)
    },
  },
  {
    name: 'orval',
    version: VERSIONS.orval,
    needs: ['npm'],
    build: async (workspace) => {
      await install(workspace, ['orval'])
      // orval.config.mjs names the document, so orval gets no argument.
      workspace.document('openapi.json')
      await workspace.run(packageCommand('orval', 'dist/bin/orval.mjs', []))
      return compile(workspace)
    },
  },
  {
    name: 'newman',
    version: VERSIONS.newman,
    needs: ['npm'],
    build: async (workspace) => {
      await install(workspace, ['newman'])
      const env = { COLLECTION: path.join(ROOT, 'docs', 'api', 'postman-collection.json') }
      return { program: process.execPath, args: [path.join(workspace.folder, 'run-collection.mjs')], env }
    },
  },
]

/**
 * Installs packages, and links their folder into the folder of the test. Also writes a package.json with the type
 * CommonJS, the default of npm projects, because programs import clients without an extension. ES modules forbid this.
 */
async function install(workspace: Workspace, packages: readonly (keyof typeof VERSIONS)[]): Promise<void> {
  const names = [...packages, 'typescript', '@types/node'] as const
  const args = names.map((name) => `${name}@${VERSIONS[name]}`)
  const cache = path.join(workspace.installed, 'npm-cache')
  const folder = await workspace.installOnce(path.join('npm', packages[0] ?? ''), args, async (prefix) => {
    const options = ['--no-save', '--no-audit', '--no-fund', '--prefix', prefix, '--cache', cache]
    await workspace.run({ program: 'npm', args: ['install', ...options, ...args] })
  })
  writeFileSync(path.join(workspace.folder, 'package.json'), JSON.stringify({ private: true, type: 'commonjs' }))
  symlinkSync(path.join(folder, 'node_modules'), path.join(workspace.folder, 'node_modules'), 'dir')
}

function packageCommand(name: string, file: string, args: readonly string[]): Command {
  return { program: process.execPath, args: [path.join('node_modules', name, file), ...args] }
}

async function compile(workspace: Workspace): Promise<Command> {
  const options = '--target es2022 --module nodenext --strict --skipLibCheck --rewriteRelativeImportExtensions'
  const args = [...options.split(' '), '--types', 'node', '--lib', 'es2023,dom,dom.iterable', '--outDir', 'built']
  await workspace.run(packageCommand('typescript', 'bin/tsc', [...args, 'read-orders.ts']))
  return { program: process.execPath, args: [path.join(workspace.folder, 'built', 'read-orders.js')] }
}
