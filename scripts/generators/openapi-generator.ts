// Tests of openapi-generator, which comes from Maven Central and writes clients in several languages.

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { GeneratorTest } from './generator-test.ts'
import { compiledGo } from './go.ts'
import { virtualEnvironment } from './python.ts'
import type { Command, DocumentName, Workspace } from './workspace.ts'

const VERSION = '7.25.0'
/** The HTTP library of its PHP clients, from Debian's package php-guzzlehttp-guzzle. */
const GUZZLE = '/usr/share/php/GuzzleHttp/autoload.php'

/** The tests of openapi-generator, by language. */
export const OPENAPI_GENERATOR_TESTS: readonly GeneratorTest[] = [
  {
    name: 'openapi-generator-python',
    version: VERSION,
    needs: ['java', 'mvn', 'python3'],
    build: async (workspace) => {
      await generate(workspace, {
        language: 'python',
        document: 'openapi.json',
        settings: ['packageName=store_client'],
      })
      const client = path.join(workspace.folder, 'client')
      const requirements = readFileSync(path.join(client, 'requirements.txt'), 'utf8')
      const packages = requirements.split('\n').map((line) => line.replaceAll(' ', ''))
      const bin = await virtualEnvironment(
        workspace,
        packages.filter((each) => each !== ''),
      )
      const program = path.join(workspace.folder, 'read_orders.py')
      return { program: path.join(bin, 'python'), args: [program], env: { PYTHONPATH: client } }
    },
  },
  {
    name: 'openapi-generator-java',
    version: VERSION,
    needs: ['java', 'javac', 'mvn'],
    build: async (workspace) => {
      const settings = ['library=native', 'useSingleRequestParameter=true']
      await generate(workspace, { language: 'java', document: 'openapi-3.0.json', settings })
      const client = path.join(workspace.folder, 'client')
      const program = path.join('src', 'main', 'java', 'ReadOrders.java')
      // Maven compiles the program together with the client.
      renameSync(path.join(workspace.folder, 'ReadOrders.java'), path.join(client, program))
      const skipped = ['test', 'javadoc', 'source'].map((name) => `-Dmaven.${name}.skip=true`)
      const command = mavenCommand(workspace, [...skipped, 'package'])
      await workspace.exclusive('maven', () => workspace.run(command, { cwd: client }))
      const folders = ['classes', path.join('lib', '*')].map((name) => path.join(client, 'target', name))
      return { program: 'java', args: ['-cp', folders.join(path.delimiter), 'ReadOrders'] }
    },
  },
  {
    name: 'openapi-generator-go',
    version: VERSION,
    needs: ['java', 'mvn', 'go'],
    build: async (workspace) => {
      await generate(workspace, { language: 'go', document: 'openapi-3.0.json', settings: ['packageName=openapi'] })
      const client = path.join(workspace.folder, 'client')
      // The tests import the module under a placeholder for its repository.
      rmSync(path.join(client, 'test'), { recursive: true })
      const manifest = path.join(client, 'go.mod')
      writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(/^module .*/, 'module store-client'))
      return compiledGo(workspace)
    },
  },
  {
    name: 'openapi-generator-php',
    version: VERSION,
    needs: ['java', 'mvn', 'php', GUZZLE],
    build: async (workspace) => {
      const settings = ['invokerPackage=StoreClient']
      await generate(workspace, { language: 'php', document: 'openapi-3.0.json', settings })
      return { program: 'php', args: [path.join(workspace.folder, 'read-orders.php')], env: { GUZZLE } }
    },
  },
]

interface GenerateOptions {
  readonly language: string
  readonly document: DocumentName
  readonly settings: readonly string[]
}

/** Generates a client into the folder `client` of the test. */
async function generate(workspace: Workspace, { language, document, settings }: GenerateOptions): Promise<void> {
  const jar = await installedJar(workspace)
  const properties = `--additional-properties=${settings.join(',')}`
  const args = ['-jar', jar, 'generate', '-g', language, '-i', workspace.document(document), '-o', 'client', properties]
  await workspace.run({ program: 'java', args })
}

async function installedJar(workspace: Workspace): Promise<string> {
  const artifact = `org.openapitools:openapi-generator-cli:${VERSION}`
  const folder = await workspace.installOnce('openapi-generator', [artifact], async (output) => {
    const args = ['dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${output}`]
    await workspace.exclusive('maven', () => workspace.run(mavenCommand(workspace, args)))
  })
  return path.join(folder, `openapi-generator-cli-${VERSION}.jar`)
}

function mavenCommand(workspace: Workspace, args: readonly string[]): Command {
  const repository = `-Dmaven.repo.local=${path.join(workspace.installed, 'maven')}`
  return { program: 'mvn', args: ['--quiet', '--batch-mode', repository, ...args] }
}
