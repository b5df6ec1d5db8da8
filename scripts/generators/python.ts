// Tests of generators that pip installs: openapi-python-client, which writes clients, and datamodel-code-generator,
// which writes only the types.

import path from 'node:path'
import type { GeneratorTest } from './generator-test.ts'
import type { Workspace } from './workspace.ts'

/** Version of openapi-python-client. */
export const CLIENT_VERSION = '0.29.1'
/** Version of datamodel-code-generator. */
const MODEL_VERSION = '0.89.0'

/** The tests of generators from PyPI. */
export const PYTHON_TESTS: readonly GeneratorTest[] = [
  {
    name: 'openapi-python-client',
    version: CLIENT_VERSION,
    needs: ['python3'],
    build: async (workspace) => {
      const bin = await virtualEnvironment(workspace, [`openapi-python-client==${CLIENT_VERSION}`, 'ruff'])
      const args = ['generate', '--path', workspace.document('openapi.json'), '--meta', 'none', '--fail-on-warning']
      // The generator looks for ruff in PATH.
      const env = { PATH: `${bin}${path.delimiter}${process.env.PATH ?? ''}` }
      const output = ['--output-path', 'store_client']
      await workspace.run({ program: path.join(bin, 'openapi-python-client'), args: [...args, ...output], env })
      return { program: path.join(bin, 'python'), args: [path.join(workspace.folder, 'read_orders.py')] }
    },
  },
  {
    name: 'datamodel-code-generator',
    version: MODEL_VERSION,
    needs: ['python3'],
    build: async (workspace) => {
      const packages = [`datamodel-code-generator==${MODEL_VERSION}`, 'pydantic>=2', 'httpx']
      const bin = await virtualEnvironment(workspace, packages)
      const input = ['--input', workspace.document('openapi.json'), '--input-file-type', 'openapi']
      const output = ['--output', 'models.py', '--output-model-type', 'pydantic_v2.BaseModel']
      const args = [...input, ...output, '--formatters', 'builtin']
      await workspace.run({ program: path.join(bin, 'datamodel-codegen'), args })
      return { program: path.join(bin, 'python'), args: [path.join(workspace.folder, 'read_orders.py')] }
    },
  },
]

/**
 * Installs packages into a virtual environment for the test, unless an earlier run has, and returns the folder of its
 * programs.
 */
export async function virtualEnvironment(workspace: Workspace, packages: readonly string[]): Promise<string> {
  const programs = process.platform === 'win32' ? 'Scripts' : 'bin'
  const name = path.join('python', path.basename(workspace.folder))
  const folder = await workspace.installOnce(name, packages, async (environment) => {
    await workspace.run({ program: 'python3', args: ['-m', 'venv', environment] })
    const cache = path.join(workspace.installed, 'pip-cache')
    const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--cache-dir', cache, ...packages]
    await workspace.run({ program: path.join(environment, programs, 'python'), args })
  })
  return path.join(folder, programs)
}
