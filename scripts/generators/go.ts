// Tests of client generators that Go installs: oapi-codegen and ogen.

import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { GeneratorTest } from './generator-test.ts'
import type { Command, Workspace } from './workspace.ts'

const OAPI_CODEGEN_VERSION = 'v2.8.2'
/** Version of the module that clients of oapi-codegen import. */
const OAPI_RUNTIME_VERSION = 'v1.8.0'
const OGEN_VERSION = 'v1.24.0'

/** The tests of generators from Go modules. Both read OpenAPI 3.0. */
export const GO_TESTS: readonly GeneratorTest[] = [
  {
    name: 'oapi-codegen',
    version: OAPI_CODEGEN_VERSION,
    needs: ['go'],
    build: async (workspace) => {
      const program = await installed(workspace, 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen', {
        version: OAPI_CODEGEN_VERSION,
      })
      mkdirSync(path.join(workspace.folder, 'api'))
      const args = ['-generate', 'types,client', '-package', 'api', '-o', path.join('api', 'api.gen.go')]
      await workspace.run({ program, args: [...args, workspace.document('openapi-3.0.json')] })
      await workspace.run(goCommand(workspace, ['mod', 'init', 'generators']))
      await workspace.run(goCommand(workspace, ['get', `github.com/oapi-codegen/runtime@${OAPI_RUNTIME_VERSION}`]))
      return compiledGo(workspace)
    },
  },
  {
    name: 'ogen',
    version: OGEN_VERSION,
    needs: ['go'],
    build: async (workspace) => {
      const program = await installed(workspace, 'github.com/ogen-go/ogen/cmd/ogen', { version: OGEN_VERSION })
      const document = workspace.document('openapi-3.0.json')
      await workspace.run({ program, args: ['--target', 'api', '--package', 'api', document] })
      await workspace.run(goCommand(workspace, ['mod', 'init', 'generators']))
      await workspace.run(goCommand(workspace, ['get', `github.com/ogen-go/ogen@${OGEN_VERSION}`]))
      return compiledGo(workspace)
    },
  },
]

/** Resolves the dependencies and compiles the program in the folder of the test. Returns the command that runs it. */
export async function compiledGo(workspace: Workspace): Promise<Command> {
  await workspace.run(goCommand(workspace, ['mod', 'tidy']))
  await workspace.run(goCommand(workspace, ['build', '-o', 'read-orders', '.']))
  return { program: path.join(workspace.folder, 'read-orders'), args: [] }
}

/** Installs the program of a module, unless an earlier run has, and returns its path. */
async function installed(workspace: Workspace, module: string, { version }: { version: string }): Promise<string> {
  const name = path.basename(module)
  const folder = await workspace.installOnce(path.join('go-programs', name), [`${module}@${version}`], async (bin) => {
    const command = goCommand(workspace, ['install', `${module}@${version}`])
    await workspace.run({ ...command, env: { ...command.env, GOBIN: bin } })
  })
  return path.join(folder, name)
}

/**
 * Returns a command of Go. Modules and compiled packages stay in the folder of installed programs. Without
 * `-modcacherw`, the files of the modules are read-only, so the folder would be hard to delete.
 */
function goCommand(workspace: Workspace, args: readonly string[]): Command {
  const folder = path.join(workspace.installed, 'go')
  const env = { GOPATH: folder, GOCACHE: path.join(folder, 'build') }
  return { program: 'go', args, env: { ...env, GOFLAGS: '-modcacherw' } }
}
